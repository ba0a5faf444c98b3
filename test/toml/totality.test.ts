import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeSource, SourceFile, type Span } from '../../src/source/index.js';
import {
  isTable,
  parseToml,
  type TomlDocument,
  type TomlPath,
  type TomlValue,
} from '../../src/toml/index.js';
import { isLong, runs } from '../long.js';
import { writeDocument } from './positions/random-document.js';
import { Tape } from './positions/tape.js';

const FRAGMENTS = [
  ...[
    'a',
    'b',
    '1',
    '0',
    '-',
    '.',
    '_',
    '=',
    '[',
    ']',
    '[[',
    ']]',
    '{',
    '}',
    ',',
    '#',
    ':',
    'T',
    'Z',
  ],
  ...[
    '"',
    "'",
    '"""',
    "'''",
    '\\',
    '\\u',
    '\\U0000',
    '\\x4',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '\r',
    '\u0000',
  ],
  ...['😀', '\ud83d', '\ufeff', '__proto__', 'true', 'inf', '2020-01-01', ' 07:32', '1979-0', '0x'],
];

const tapes = fc.array(fc.nat(1_000_000), { maxLength: 120, size: 'max' });

/** Reads a text, valid or not, and asks for everything that can be asked. */
function exercise(file: SourceFile) {
  const { document, violations } = parseToml(file);
  const inside = ({ start, end }: Span) => 0 <= start && start <= end && end <= file.text.length;
  for (const { message, help = '', span, related = [] } of violations) {
    expect([span, ...related.map((other) => other.span)].filter((one) => !inside(one))).toEqual([]);
    expect(`${message}${help}`).not.toMatch(/[\r\n]|Invalid TOML/);
    expect(message).toMatch(/^[a-z"].*[^.]$/);
  }
  if (document === undefined) expect(violations).toHaveLength(1);
  else visit(document, [], document.root, inside);
}

function visit(
  document: TomlDocument,
  path: TomlPath,
  value: TomlValue,
  inside: (span: Span) => boolean,
) {
  const spans = [document.keySpan(path), document.valueSpan(path)];
  if (!spans.every(inside)) expect(spans).toBe(`inside the text, at ${path.join('.')}`);
  if (typeof value === 'string') {
    const embedded = document.embed(path);
    expect(embedded.text).toBe(value);
    const whole = embedded.toFile({ start: 0, end: value.length });
    expect(inside(whole) && whole.start >= document.valueSpan(path).start).toBe(true);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) visit(document, [...path, index], item, inside);
  } else if (isTable(value)) {
    for (const [key, item] of Object.entries(value)) visit(document, [...path, key], item, inside);
  }
}

describe('never throws', () => {
  it('for random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        exercise(decodeSource('a.toml', bytes).source);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('for random fragments', () => {
    const texts = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 25 });
    fc.assert(
      fc.property(texts, fc.boolean(), (fragments, keyed) => {
        exercise(new SourceFile('a.toml', (keyed ? 'a = ' : '') + fragments.join('')));
      }),
      { numRuns: runs(10_000) },
    );
  });

  it('for valid documents with something taken out or put in', () => {
    const edits = fc.array(fc.tuple(fc.nat(10_000), fc.nat(3), fc.constantFrom('', ...FRAGMENTS)), {
      minLength: 1,
      maxLength: 2,
    });
    fc.assert(
      fc.property(tapes, edits, (numbers, changes) => {
        let { text } = writeDocument(new Tape(numbers));
        for (const [place, length, fragment] of changes) {
          const at = place % (text.length + 1);
          text = text.slice(0, at) + fragment + text.slice(at + length);
        }
        exercise(new SourceFile('a.toml', text));
      }),
      { numRuns: runs(8_000) },
    );
  });

  it('for a valid document cut off anywhere', () => {
    fc.assert(
      fc.property(tapes, fc.nat(10_000), (numbers, place) => {
        const { text } = writeDocument(new Tape(numbers));
        exercise(new SourceFile('a.toml', text.slice(0, place % (text.length + 1))));
      }),
      { numRuns: runs(4_000) },
    );
  });
});

describe('large input', () => {
  const MEGABYTE = isLong ? 1_000_000 : 200_000;
  it.each([
    ['a basic string', `a = "${'x'.repeat(MEGABYTE)}"`],
    ['a string of quotes', `a = """${'""\\"'.repeat(MEGABYTE / 4)}"""`],
    ['a string of escapes', `a = "${'\\u0041'.repeat(MEGABYTE / 6)}"`],
    ['a literal string', `a = '''${'\n'.repeat(MEGABYTE)}'''`],
    ['a string of 130k characters', `a = """${'é'.repeat(130_000)}"""`],
    ['an unclosed string', `a = """${'x'.repeat(MEGABYTE)}`],
    ['a long line without a value', `a = ${'x'.repeat(MEGABYTE)}`],
    ['a long key', 'a'.repeat(MEGABYTE)],
    ['a deep key', `${'a.'.repeat(2_000)}a = 1`],
    ['white space', ' '.repeat(MEGABYTE)],
    ['white space before a brace', `${'\n'.repeat(MEGABYTE)}{x`],
    ['line ends', '\r\n'.repeat(MEGABYTE / 2)],
    ['a comment', `#${'x'.repeat(MEGABYTE)}`],
    ['1,000 nested arrays', `a = ${'['.repeat(1_000)}${']'.repeat(1_000)}`],
    ['1,000 nested tables', `${'a={'.repeat(1_000)}${'}'.repeat(1_000)}`],
    ['20,000 nested arrays', `a = ${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    ['many elements', `a = [${'1,'.repeat(20_000)}]`],
    ['a long fraction', `a = [1.${'0'.repeat(MEGABYTE)}, 07:32:00.${'0'.repeat(MEGABYTE)}]`],
    ['a long integer', `a = ${'9'.repeat(20_000)}`],
    ['many quoted keys', Array.from({ length: 10_000 }, (_, at) => `"${at}" = 1\n`).join('')],
  ])('%s', (_, text) => {
    exercise(new SourceFile('a.toml', text));
  });

  it('a header with 100,000 parts, of which the last holds an integer that is too large', () => {
    const header = `[${'a.'.repeat(99_999)}a]`;
    const text = `${header}\nx = ${2n ** 63n}`;
    const { violations } = parseToml(new SourceFile('a.toml', text));
    const start = header.length + '\nx = '.length;
    expect(violations.map(({ span }) => span)).toEqual([{ start, end: text.length }]);
  });
});

describe('keys of Object.prototype', () => {
  it('are keys like any other', () => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    const text = `__proto__.polluted = 1
constructor.prototype.polluted = 2
a = { __proto__ = { polluted = 3 }, toString.polluted = 4 }
[[b.__proto__]]
polluted = "x"
[hasOwnProperty]
valueOf = 5`;
    const file = new SourceFile('a.toml', text);
    exercise(file);
    const document = parseToml(file).document as TomlDocument;
    const spanned = (path: TomlPath) => {
      const { start, end } = document.valueSpan(path);
      return text.slice(start, end);
    };
    expect(Object.keys(document.root)).toEqual([
      ...['__proto__', 'constructor', 'a', 'b', 'hasOwnProperty'],
    ]);
    expect(spanned(['__proto__', 'polluted'])).toBe('1');
    expect(spanned(['a', '__proto__', 'polluted'])).toBe('3');
    expect(spanned(['a', 'toString', 'polluted'])).toBe('4');
    expect(spanned(['b', '__proto__', 0, 'polluted'])).toBe('"x"');
    expect(spanned(['hasOwnProperty', 'valueOf'])).toBe('5');
    expect({}).not.toHaveProperty('polluted');
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });
});
