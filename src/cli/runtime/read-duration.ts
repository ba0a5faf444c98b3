import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../values/index.js';

/** Reads a duration for an option, in milliseconds. */
export function readDuration(text: string): number {
  const parsed = parseDuration(text);
  if ('ms' in parsed) return parsed.ms;
  const help = parsed.help === undefined ? '' : `, ${parsed.help}`;
  throw new InvalidArgumentError(`It takes a duration: ${parsed.problem}${help}.`);
}
