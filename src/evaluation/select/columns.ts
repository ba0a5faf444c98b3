import { toLowerCaseLetters } from '../../expression/index.js';
import { type Column, type Session, ValueKind } from '../../session/index.js';
import { itemAt } from '../../source/index.js';
import type { LabelAttribute } from '../query/query.js';

/** A cache of a session's attributes in lower case. */
interface LowercaseColumns {
  readonly columns: Map<string, Column>;
  /** The session's texts, followed by additional lower-case texts. */
  readonly texts: string[];
  readonly numbers: Map<string, number>;
}

const cache = new WeakMap<Session, LowercaseColumns>();

/**
 * Returns an attribute's column, or undefined if no event has the attribute. Converts a column to lower case only once,
 * in O(events).
 */
export function columnFor(session: Session, { name, isLower }: LabelAttribute): Column | undefined {
  const column = session.columns.get(name);
  if (column === undefined || !isLower) return column;
  const lowerCase = cache.get(session) ?? emptyLowerCase(session);
  cache.set(session, lowerCase);
  const lowered = lowerCase.columns.get(name) ?? toLowerCaseColumn(column, lowerCase);
  lowerCase.columns.set(name, lowered);
  return lowered;
}

/** Returns the texts that columns refer to, including lower-case texts. */
export function columnTexts(session: Session): readonly string[] {
  return cache.get(session)?.texts ?? session.texts;
}

function emptyLowerCase({ texts }: Session): LowercaseColumns {
  const numbers = new Map(texts.map((text, number) => [text, number]));
  return { columns: new Map(), texts: [...texts], numbers };
}

function toLowerCaseColumn(column: Column, { texts, numbers }: LowercaseColumns): Column {
  const size = column.kinds.length;
  const result = { kinds: new Uint8Array(size), numbers: new Float64Array(size) };
  const lowerCaseTexts = new Map<number, number>();
  for (let event = 0; event < size; event++) {
    if (column.kinds[event] !== ValueKind.string) continue;
    const number = itemAt(column.numbers, event);
    let lowerCase = lowerCaseTexts.get(number);
    if (lowerCase === undefined) {
      const text = toLowerCaseLetters(texts[number] as string);
      lowerCase = numbers.get(text) ?? texts.push(text) - 1;
      numbers.set(text, lowerCase);
      lowerCaseTexts.set(number, lowerCase);
    }
    result.kinds[event] = ValueKind.string;
    result.numbers[event] = lowerCase;
  }
  return result;
}
