import { type AttributeValue, type Json, jsonObject, toJson, writeJson } from '../values/index.js';

/** A value for every parameter of a mutator, by parameter key and in the mutator's order. */
export type ParameterValues = ReadonlyMap<string, AttributeValue>;

/** A mutation, the body of `POST /mutator/{id}/mutation`. */
export interface Mutation {
  /** A UUID of any version, in lower case. */
  readonly id: string;
  /**
   * The parameters' values, by key once they are resolved. Until then they are unchecked, and have the names that the
   * client sent.
   */
  readonly params: ParameterValues;
}

/**
 * Writes a mutation as JSON text. Reading the text returns the same mutation.
 *
 * @param write writes a parameter's value
 */
export function writeMutation(
  { id, params }: Mutation,
  write: (key: string, value: AttributeValue) => Json = (_, value) => toJson(value),
): string {
  const values = [...params].map(([key, value]) => [key, write(key, value)] as const);
  return writeJson({ mutation: id, params: jsonObject(values) });
}

/**
 * Acts on the system under test. The caller waits for each call before making the next. A failed call rejects with an
 * ActuatorError. A call with an aborted signal rejects without delay. No rejected call continues in the background.
 */
export interface LiveActuator {
  /** @param mutation the mutation, with a value for each parameter of the mutator, by key */
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
