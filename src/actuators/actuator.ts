import { type AttributeValue, type Json, jsonObject, toJson, writeJson } from '../values/index.js';

/** A value for every parameter of a mutator, by the parameter's key and in the mutator's order. */
export type ParameterValues = ReadonlyMap<string, AttributeValue>;

/** A mutation of a mutator: the body of `POST /mutator/{id}/mutation`. */
export interface Mutation {
  /** A UUID of any version, in lower case. */
  readonly id: string;
  /**
   * The parameters' values: by name and unchecked as a client sent them, or by key once they are
   * resolved.
   */
  readonly params: ParameterValues;
}

/**
 * Writes a mutation as JSON text that reads back as the same mutation.
 *
 * @param write writes the value of a parameter
 */
export function writeMutation(
  { id, params }: Mutation,
  write: (key: string, value: AttributeValue) => Json = (_, value) => toJson(value),
): string {
  const values = [...params].map(([key, value]) => [key, write(key, value)] as const);
  return writeJson({ mutation: id, params: jsonObject(values) });
}

/**
 * Acts on the system under test. The caller waits for each call before the next one. Calls that
 * fail reject with an ActuatorError, and calls with an aborted signal do so without delay. No
 * rejected call continues in the background.
 */
export interface LiveActuator {
  /** @param mutation with a value for each parameter of the mutator, by its key */
  inject(mutation: Mutation, signal?: AbortSignal): Promise<void>;
  /**
   * Undoes all injections. Harmless without an injection.
   *
   * @param onGone called with a description if the system had already removed the mutated object
   */
  reset(signal?: AbortSignal, onGone?: (description: string) => void): Promise<void>;
  /** Releases the actuator's resources in this process, such as threads. Resets nothing. */
  close(): Promise<void>;
}
