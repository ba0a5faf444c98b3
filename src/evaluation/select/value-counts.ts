import { type Session, ValueKind } from '../../session/index.js';
import { itemAt } from '../../source/index.js';
import type { LabelAttribute } from '../query/query.js';
import { eventsAt } from './cells.js';

/** The kinds of values that comparisons distinguish. */
export type ComparedKind = 'number' | 'string' | 'boolean' | 'other';

/** The number of a label's events, and the number of events with an attribute, by the value's kind. */
export interface ValueCounts {
  readonly events: number;
  readonly kinds: Readonly<Partial<Record<ComparedKind, number>>>;
}

const COMPARED_KINDS: ReadonlyMap<number, ComparedKind> = new Map([
  [ValueKind.integer, 'number'],
  [ValueKind.float, 'number'],
  [ValueKind.string, 'string'],
  [ValueKind.boolean, 'boolean'],
  [ValueKind.other, 'other'],
]);

/** Maximum number of texts to compare with a misspelt text. */
export const MAX_TEXTS = 2_000;

/** Returns an attribute's distinct texts in order of first appearance, at most `MAX_TEXTS`. O(events). */
export function collectTexts({ columns, texts }: Session, attribute: string): readonly string[] {
  const column = columns.get(attribute);
  const numbers = new Set<number>();
  column?.kinds.forEach((kind, event) => {
    if (kind === ValueKind.string && numbers.size < MAX_TEXTS) {
      numbers.add(itemAt(column.numbers, event));
    }
  });
  return [...numbers].map((number) => texts[number] as string);
}

/** Counts an attribute's values by kind, at the events of an ascending list. */
export function countValues(
  session: Session,
  attribute: LabelAttribute,
  events: Int32Array,
): ValueCounts {
  const column = session.columns.get(attribute.name);
  if (column === undefined) return { events: events.length, kinds: {} };
  const counts = new Uint32Array(Object.keys(ValueKind).length);
  for (const event of eventsAt(session, events, attribute.at)) {
    const kind = itemAt(column.kinds, event);
    counts[kind] = itemAt(counts, kind) + 1;
  }
  const kinds: Partial<Record<ComparedKind, number>> = {};
  for (const [kind, name] of COMPARED_KINDS) {
    const count = itemAt(counts, kind);
    if (count > 0) kinds[name] = (kinds[name] ?? 0) + count;
  }
  return { events: events.length, kinds };
}
