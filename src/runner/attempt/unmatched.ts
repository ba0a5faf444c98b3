import { nearest } from '../../diagnostics/index.js';
import type { Unmatched } from '../journal/records.js';

/**
 * What to say of a label whose pattern matches no event.
 *
 * @param asked for each label the names of events that its pattern asks for
 * @param recorded the names of the events that there are
 */
export function unmatchedLabel(
  label: string,
  asked: ReadonlyMap<string, readonly string[]> | undefined,
  recorded: readonly string[],
): Unmatched {
  const names = asked?.get(label)?.filter((one) => !recorded.includes(one)) ?? [];
  const [near] = names.flatMap((one) => nearest(one, recorded) ?? []);
  return { label, ...(names.length > 0 && { names }), ...(near !== undefined && { near }) };
}
