import type { EventPlace } from '../evaluation/index.js';
import { integerAt, type Session, ValueKind } from '../session/index.js';
import { itemAt } from '../source/index.js';
import { nanosecondsText } from '../values/index.js';
import { eventAt } from './causal-path.js';

/** An attribute of an event, as people read it. */
export interface EventFact {
  readonly name: string;
  readonly text: string;
}

/** What an event is found by in other tools, shown wherever it has it. */
const ALWAYS = ['time', 'trace.id', 'span.id'];
/** What is shown of each event in any case. */
const SHOWN = new Set(['name', 'probe', 'seq']);

/** Times after it, in nanoseconds, are dates: it is in 1973. */
const FIRST_DATE = 10n ** 17n;

/**
 * When an event was, its trace and its span, and those of some attributes that it has.
 *
 * @param attributes the names of those that an expression mentions
 * @returns nothing where the session has no such event
 */
export function eventFacts(
  session: Session,
  place: EventPlace,
  attributes: readonly string[],
): readonly EventFact[] {
  const event = eventAt(session, place);
  if (event === undefined) return [];
  const names = [...new Set([...ALWAYS, ...attributes])].filter((name) => !SHOWN.has(name));
  return names.flatMap((name) => {
    const text = valueText(session, event, name);
    return text === undefined ? [] : [{ name, text }];
  });
}

function valueText({ columns, texts }: Session, event: number, name: string): string | undefined {
  const column = columns.get(name);
  switch (column?.kinds[event]) {
    case ValueKind.integer: {
      const value = integerAt(column, event);
      return name === 'time' ? timeText(value) : String(value);
    }
    case ValueKind.float:
      return String(itemAt(column.numbers, event));
    case ValueKind.boolean:
      return itemAt(column.numbers, event) === 1 ? 'true' : 'false';
    case ValueKind.string:
    case ValueKind.other:
      return texts[itemAt(column.numbers, event)];
    default:
      return undefined;
  }
}

/** A time in nanoseconds as a date, to the last digit that is not zero, in threes; or how long after the beginning. */
export function timeText(nanoseconds: bigint): string {
  if (nanoseconds < FIRST_DATE) return nanosecondsText(nanoseconds);
  const seconds = new Date(Number(nanoseconds / 1_000_000_000n) * 1_000);
  if (Number.isNaN(seconds.getTime())) return String(nanoseconds);
  const fraction = String(nanoseconds % 1_000_000_000n).padStart(9, '0');
  return `${seconds.toISOString().slice(0, 19)}.${fraction.replace(/(?<=...)(?:000)+$/, '')}Z`;
}
