import type { Tape } from './tape.js';

/** A string as TOML, what it says, and where in it each unit of what it says is written. */
export interface WrittenString {
  readonly toml: string;
  readonly text: string;
  readonly units: readonly { readonly start: number; readonly end: number }[];
}

const PIECES = [
  ...[
    'a',
    'MATCH',
    ' ',
    '"',
    "'",
    '\\',
    '\t',
    '\n',
    '\r\n',
    '#',
    '=',
    'é',
    '😀',
    '\ud83d',
    '\udc00',
  ],
  ...[
    '\u0000',
    '\u007f',
    '\u001b',
    '\b',
    '\f',
    '\r',
    '""',
    "''",
    '  ',
    '\u00a0',
    '\u2028',
    '\ufeff',
  ],
];

const SHORT: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  '\u001b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
};

/** Writes a random text as a string of a random kind. */
export function writeString(tape: Tape, oneLine = false): WrittenString {
  const quote = tape.pick(['"', "'"]);
  const multiLine = !oneLine && tape.below(2) === 1;
  const pieces = Array.from({ length: tape.below(8) }, () => tape.pick(PIECES));
  const writer = new StringWriter(tape, quote, multiLine);
  for (const piece of pieces) writer.write(piece);
  return writer.finish();
}

class StringWriter {
  readonly #tape: Tape;
  readonly #quote: string;
  readonly #multiLine: boolean;
  readonly #delimiter: string;
  readonly #units: { start: number; end: number }[] = [];
  #toml: string;
  #text = '';
  /** How many quotes stand raw at the end. */
  #run = 0;
  /** Only escapes keep white space and quotes here. */
  #continued = false;

  constructor(tape: Tape, quote: string, multiLine: boolean) {
    this.#tape = tape;
    this.#quote = quote;
    this.#multiLine = multiLine;
    this.#delimiter = multiLine ? quote.repeat(3) : quote;
    this.#toml = this.#delimiter + (multiLine ? tape.pick(['', '\n', '\r\n']) : '');
  }

  write(piece: string) {
    const characters = piece === '\r\n' ? [piece] : [...piece];
    for (const character of characters) {
      const escapes = this.#escapes(character);
      if (this.#mayBeRaw(character) && (escapes.length === 0 || !this.#tape.chance(3))) {
        this.#raw(character);
      } else if (escapes.length > 0) {
        this.#escaped(character, this.#tape.pick(escapes));
      }
      if (this.#tape.chance(6)) this.#continue();
    }
  }

  finish(): WrittenString {
    return { toml: this.#toml + this.#delimiter, text: this.#text, units: this.#units };
  }

  #raw(character: string) {
    for (let unit = 0; unit < character.length; unit++) {
      const start = this.#toml.length + unit;
      this.#units.push({ start, end: start + 1 });
    }
    this.#run = character === this.#quote ? this.#run + 1 : 0;
    this.#add(character, character);
  }

  #escaped(character: string, written: string) {
    const start = this.#toml.length;
    for (let unit = 0; unit < character.length; unit++) {
      this.#units.push({ start, end: start + written.length });
    }
    this.#run = 0;
    this.#add(character, written);
  }

  #add(text: string, toml: string) {
    this.#continued = false;
    this.#text += text;
    this.#toml += toml;
  }

  #continue() {
    if (this.#quote === "'" || !this.#multiLine) return;
    const blank = this.#tape.pick(['', ' ', '\t ']);
    const lineEnd = this.#tape.pick(['\n', '\r\n']);
    const more = this.#tape.pick(['', '  ', ' \n\t', '\r\n\r\n']);
    this.#toml += `\\${blank}${lineEnd}${more}`;
    this.#continued = true;
    this.#run = 0;
  }

  #mayBeRaw(character: string): boolean {
    const blank = character === ' ' || character === '\t';
    if (this.#continued && (blank || /[\r\n"]/.test(character))) return false;
    // A line end right after the opening quotes is no content.
    const first = this.#toml === this.#delimiter;
    if (character === '\n' || character === '\r\n') return this.#multiLine && !first;
    if (character === this.#quote) return this.#multiLine && this.#run < 2;
    if (character === '\\') return this.#quote === "'";
    const code = character.charCodeAt(0);
    return character === '\t' || (code >= 0x20 && code !== 0x7f);
  }

  #escapes(character: string): string[] {
    if (this.#quote === "'" || character === '\r\n') return [];
    const point = character.codePointAt(0) as number;
    if (point >= 0xd800 && point < 0xe000) return [];
    const hex = point.toString(16);
    const short = SHORT[character];
    return [
      ...(short === undefined ? [] : [short]),
      ...(point < 0x100 ? [`\\x${hex.padStart(2, '0')}`] : []),
      ...(point < 0x10000 ? [`\\u${hex.toUpperCase().padStart(4, '0')}`] : []),
      `\\U${hex.padStart(8, '0')}`,
    ];
  }
}
