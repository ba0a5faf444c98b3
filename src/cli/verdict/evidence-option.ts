import { InvalidArgumentError } from 'commander';

/** Reads how many bindings to show, for an option. */
export function bindingCount(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('It takes a whole number.');
  return Number(text);
}
