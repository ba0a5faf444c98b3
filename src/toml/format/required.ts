/**
 * A value that a document has which fits its format.
 *
 * @throws Error when it is missing all the same, which is a bug
 */
export function required<T>(value: T | undefined): T {
  if (value === undefined)
    throw new Error('a document that fits its format lacks a required value');
  return value;
}
