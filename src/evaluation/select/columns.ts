import { inSmallLetters } from '../../expression/index.js';
import { type Column, type Session, ValueKind } from '../../session/index.js';
import { itemAt } from '../../source/index.js';
import type { AttributeOf } from '../query/query.js';

/** A session's attributes in lower case, made on demand. */
interface SmallLetters {
  readonly columns: Map<string, Column>;
  /** The texts of the session, followed by those that it does not have. */
  readonly texts: string[];
  readonly numbers: Map<string, number>;
}

const cache = new WeakMap<Session, SmallLetters>();

/** Returns the values of an attribute; undefined if no event has it. Lower case is made once: O(events). */
export function columnFor(session: Session, { name, isLower }: AttributeOf): Column | undefined {
  const column = session.columns.get(name);
  if (column === undefined || !isLower) return column;
  const small = cache.get(session) ?? noneYet(session);
  cache.set(session, small);
  const lowered = small.columns.get(name) ?? columnInSmallLetters(column, small);
  small.columns.set(name, lowered);
  return lowered;
}

/** Returns the texts that columns refer to, those in lower case too. */
export function columnTexts(session: Session): readonly string[] {
  return cache.get(session)?.texts ?? session.texts;
}

function noneYet({ texts }: Session): SmallLetters {
  const numbers = new Map(texts.map((text, number) => [text, number]));
  return { columns: new Map(), texts: [...texts], numbers };
}

function columnInSmallLetters(column: Column, { texts, numbers }: SmallLetters): Column {
  const size = column.kinds.length;
  const result = { kinds: new Uint8Array(size), numbers: new Float64Array(size) };
  const smallOf = new Map<number, number>();
  for (let event = 0; event < size; event++) {
    if (column.kinds[event] !== ValueKind.string) continue;
    const number = itemAt(column.numbers, event);
    let small = smallOf.get(number);
    if (small === undefined) {
      const text = inSmallLetters(texts[number] as string);
      small = numbers.get(text) ?? texts.push(text) - 1;
      numbers.set(text, small);
      smallOf.set(number, small);
    }
    result.kinds[event] = ValueKind.string;
    result.numbers[event] = small;
  }
  return result;
}
