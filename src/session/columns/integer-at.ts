import type { Column } from '../session.js';

/** The integer that an event has, exactly. Its value must be one. */
export function integerAt({ numbers, exact }: Column, event: number): bigint {
  return exact?.get(event) ?? BigInt(numbers[event] as number);
}
