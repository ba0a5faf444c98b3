/**
 * A value that a manifest without findings has.
 *
 * @throws Error when it is missing all the same, which is a bug
 */
export function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a manifest without findings lacks a required value');
  return value;
}
