import { type Json, jsonNumber } from '../../values/index.js';
import type { EventTable } from '../columns/event-table.js';
import { ValueKind } from '../session.js';

/** Matches a number. Excludes numbers with a leading zero, which are names, such as `007`. */
const NUMBER =
  /^([+-]?)(?:(0|[1-9]\d{0,18})(?:\.(\d{0,17}))?|\.(\d{1,17}))(?:[eE]([+-]?\d{1,3}))?$/;

/** Converts the text of a number or boolean to that value; returns any other text unchanged. */
export function convertWord(text: string): Json {
  const [match, sign, integer = '0', fraction, decimals, exponent] = NUMBER.exec(text) ?? [];
  if (match !== undefined) {
    const point = fraction ?? decimals;
    const digits = point === undefined ? integer : `${integer}.${point || '0'}`;
    return jsonNumber(`${sign === '-' ? '-' : ''}${digits}${exponent ? `e${exponent}` : ''}`);
  }
  const lowerCase = text.length > 5 ? '' : text.toLowerCase();
  return lowerCase === 'true' || lowerCase === 'false' ? lowerCase === 'true' : text;
}

/** The words of an attribute. */
interface Words {
  /** The kinds of the words: string, number or boolean. */
  readonly kinds: Set<string>;
  /** The words that differ from their value's usual text, by event. */
  readonly rewritten: Map<number, string>;
}

/**
 * The kinds of a text file's words, by attribute. An attribute's words become numbers or booleans only if all its words
 * in the file are of that kind.
 */
export class WordKinds {
  private readonly byKey = new Map<string, Words>();

  /** Records an event's word, and the word's apparent value. */
  note(key: string, event: number, word: string, value: Json): void {
    const keyWords = this.byKey.get(key);
    const words = keyWords ?? { kinds: new Set(), rewritten: new Map() };
    if (keyWords === undefined) this.byKey.set(key, words);
    const kind = typeof value === 'object' ? 'number' : typeof value;
    words.kinds.add(kind);
    if (kind !== 'string' && usualText(value, word) !== word) words.rewritten.set(event, word);
  }

  /**
   * Converts an attribute's values to strings if its words are of several kinds.
   *
   * @param first the file's first event
   */
  settle(table: EventTable, first: number): void {
    for (const [key, { kinds, rewritten }] of this.byKey) {
      if (kinds.size < 2) continue;
      table.rewrite(key, (column, event, kind, number, integer) => {
        const text =
          rewritten.get(event) ??
          (kind === ValueKind.boolean ? String(number === 1) : String(integer ?? number));
        if (event < first || kind === ValueKind.string) column.copy(event, kind, number, integer);
        else column.add(event, ValueKind.string, table.numberOf(text));
      });
    }
  }
}

/** Returns a value's usual text. */
function usualText(value: Json, word: string): string {
  if (typeof value === 'boolean') return String(value);
  return /^-?[1-9]\d*$/.test(word) ? word : String(Number(word));
}
