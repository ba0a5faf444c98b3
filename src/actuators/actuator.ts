import { type AttributeValue, type Json, jsonObject, toJson, writeJson } from '../values/index.js';

/** A value for every parameter of a mutator, by the parameter's key and in the mutator's order. */
export type ParameterValues = ReadonlyMap<string, AttributeValue>;

/** What a mutator is asked to do: the body of `POST /mutator/{id}/mutation`. */
export interface Mutation {
  /** A UUID of any version, in lower case. */
  readonly id: string;
  /** By name as a client gave them, unchecked, or by key when they have been resolved. */
  readonly params: ParameterValues;
}

/**
 * Writes a mutation as JSON text, so that reading it gives back the same.
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
 * Acts on the system under test. Whoever calls it lets one call end before the
 * next begins. A call that fails rejects with an ActuatorError; so does one
 * whose signal is aborted, and without delay. Neither goes on in the background.
 */
export interface LiveActuator {
  /** @param mutation with a value for each parameter of the mutator, by its key */
  inject(mutation: Mutation, signal?: AbortSignal): Promise<void>;
  /**
   * Undoes all injections; does no harm where there was none.
   *
   * @param onGone called if the system had removed what was mutated, with that in words
   */
  reset(signal?: AbortSignal, onGone?: (found: string) => void): Promise<void>;
  /** Releases what it holds in this process, such as threads. It resets nothing. */
  close(): Promise<void>;
}
