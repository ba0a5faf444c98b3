import { nearest } from '../../diagnostics/index.js';

/** A label whose pattern matches no event. */
export interface Unmatched {
  readonly label: string;
  /** The names of events that the pattern asks for, of which none is recorded; absent where it asks for no name. */
  readonly names?: readonly string[];
  /** A recorded name that is near one of them. */
  readonly near?: string;
}

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
