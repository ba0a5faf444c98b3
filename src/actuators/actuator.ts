import { type AttributeValue, type Json, jsonObject, toJson, writeJson } from '../values/index.js';

/** A value for each of a mutator's parameters, by parameter key, in the mutator's order. */
export type ParameterValues = ReadonlyMap<string, AttributeValue>;

/** A mutation, the body of `POST /mutator/{id}/mutation`. */
export interface Mutation {
  /** A UUID of any version, in lower case. */
  readonly id: string;
  /**
   * The parameters' values. Before resolution, the values are unchecked and have the names from the client's request;
   * after resolution, they are keyed by parameter key.
   */
  readonly params: ParameterValues;
}

/**
 * Writes a mutation as JSON text. Parsing the text returns the same mutation.
 *
 * @param write converts a parameter's value to JSON
 */
export function writeMutation(
  { id, params }: Mutation,
  write: (key: string, value: AttributeValue) => Json = (_, value) => toJson(value),
): string {
  const values = [...params].map(([key, value]) => [key, write(key, value)] as const);
  return writeJson({ mutation: id, params: jsonObject(values) });
}

/**
 * An actuator that acts on the system under test. The caller must wait for each call to settle before the next call. A
 * failed call rejects with an ActuatorError. A call with an aborted signal rejects without delay. No rejected call
 * continues in the background.
 */
export interface LiveActuator {
  /** @param mutation the mutation, with a value for each of the mutator's parameters, by key */
  inject(mutation: Mutation, signal?: AbortSignal): Promise<void>;
  /**
   * Undoes all injections. Harmless if there has been no injection.
   *
   * @param onGone called with a description if the system had already removed the mutated object
   */
  reset(signal?: AbortSignal, onGone?: (description: string) => void): Promise<void>;
  /** Releases the actuator's resources in this process, such as threads. Does not reset anything. */
  close(): Promise<void>;
}
