import { plural } from '../basics/index.js';
import type { BorderRecord, FailureRate } from '../runner/index.js';
import { equals } from '../values/index.js';
import { shortValue } from './axis.js';

/**
 * Describes a border: the values at which a parameter begins to matter, and the failure rate below
 * them.
 *
 * @param title the parameter's title
 * @param unit the unit of the parameter's values
 */
export function borderText(border: BorderRecord, title: string, unit?: string): string {
  const { safe, from, to, risesFrom, risesTo, below, ended, odd } = border;
  const units = unit === undefined ? '' : ` ${unit}`;
  const interval = equals(from, to)
    ? `at ${shortValue(from)}${units}`
    : `between ${shortValue(from)} and ${shortValue(to)}${units}`;
  if (ended === 'unclear') {
    return `${title} matters, but its threshold is unclear: perhaps ${interval}`;
  }
  const fails =
    ended === 'gradual'
      ? `${title} fails gradually: the failure rate rises between ${shortValue(risesFrom)} and ${shortValue(risesTo)}${units}, and is half the failing set's rate ${interval} (97 %)`
      : `${title} begins to fail ${interval} (97 %)`;
  const range =
    below === undefined || equals(safe, below.value)
      ? `at ${shortValue(safe)}${units}`
      : `from ${shortValue(safe)} to ${shortValue(below.value)}${units}`;
  const before =
    below === undefined
      ? ''
      : below.failed === 0
        ? `; it never failed ${range}, in ${plural(below.tried, 'attempt')}`
        : `; it failed ${ofText(below)} ${range}`;
  const more = ended === 'budget' ? '; more attempts would narrow the interval' : '';
  const others = odd.map((one) => `${shortValue(one.value)}${units}, ${ofText(one)}`);
  const elsewhere =
    others.length === 0
      ? ''
      : `; it also fails at ${others.join(', and at ')}, so there are other borders`;
  return fails + before + more + elsewhere;
}

/** Describes a parameter whose tried values all fail. */
export function idleText(title: string): string {
  return `${title} has no influence: attempts fail at all tried values`;
}

export const INTERACTION_NOTE =
  'the borders depend on each other: attempts pass with all values close to their borders';

function ofText({ failed, tried }: FailureRate): string {
  return `in ${failed} of ${plural(tried, 'attempt')}`;
}
