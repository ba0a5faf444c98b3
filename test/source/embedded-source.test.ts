import { expect, test } from 'vitest';
import { EmbeddedSource, SourceFile } from '../../src/source/index.js';

// The file holds `"ab\nc🚁"` written as  "ab\nc\U0001F681"  from offset 4 on.
const file = new SourceFile('a.toml', 'x = "ab\\nc\\U0001F681" # y');
const embedded = new EmbeddedSource(
  file,
  'ab\nc🚁',
  [
    { inner: 0, length: 2, outer: 5, width: 0 },
    { inner: 2, length: 1, outer: 7, width: 2 },
    { inner: 3, length: 1, outer: 9, width: 0 },
    { inner: 4, length: 2, outer: 10, width: 10 },
  ],
  5,
  (text) => text,
);

test.each([
  ['a plain unit', 1, 2, 'b'],
  ['an escape', 2, 3, '\\n'],
  ['from plain to escape', 1, 3, 'b\\n'],
  ['two units that one escape writes', 4, 6, '\\U0001F681'],
  ['half of a surrogate pair covers its escape', 5, 6, '\\U0001F681'],
  ['all of it', 0, 6, 'ab\\nc\\U0001F681'],
])('%s', (_name, start, end, expected) => {
  const span = embedded.toFile({ start, end });
  expect(file.text.slice(span.start, span.end)).toBe(expected);
});

test('an empty span lies before its unit, or after the last one', () => {
  expect(embedded.toFile({ start: 2, end: 2 })).toEqual({ start: 7, end: 7 });
  expect(embedded.toFile({ start: 6, end: 6 })).toEqual({ start: 20, end: 20 });
});

test.each([
  ['before the content', 4, 0],
  ['at a plain unit', 6, 1],
  ['at an escape', 7, 2],
  ['in an escape', 8, 2],
  ['behind an escape', 9, 3],
  ['in an escape that writes two units', 15, 4],
  ['at the end of the content', 20, 6],
])('an offset of the file %s', (_name, offset, expected) => {
  expect(embedded.fromFile(offset)).toBe(expected);
});

// `ab c`, with a line-ending backslash after its `a`.
const folded = new EmbeddedSource(
  new SourceFile('a.toml', 'x = """a\\\n  b c"""'),
  'ab c',
  [
    { inner: 0, length: 1, outer: 7, width: 0 },
    { inner: 1, length: 3, outer: 12, width: 0 },
  ],
  7,
  (text) => (text === "'" ? undefined : text),
);

test.each([
  ['a letter', 1, 2, '-', '"""a\\\n  - c"""'],
  ['a blank, which the backslash would remove', 1, 2, ' -', '"""a - c"""'],
  ['nothing before a blank', 1, 2, '', '"""a c"""'],
  ['a blank before the backslash', 0, 1, ' ', '""" \\\n  b c"""'],
  ['a blank at the end', 4, 4, ' ', '"""a\\\n  b c """'],
])('%s is written around a line-ending backslash', (_name, start, end, text, expected) => {
  const edit = folded.edit({ start, end }, text);
  const written = folded.file.text;
  expect(written.slice(4, edit?.span.start) + edit?.text + written.slice(edit?.span.end)).toBe(
    expected,
  );
});

test('there is no edit for what the string cannot hold', () => {
  expect(folded.edit({ start: 0, end: 1 }, "'")).toBeUndefined();
});

test('an offset in a line-ending backslash is where the text goes on', () => {
  expect([7, 8, 9, 11, 12, 13].map((offset) => folded.fromFile(offset))).toEqual([
    0, 1, 1, 1, 1, 2,
  ]);
});

test('an empty text has one place', () => {
  const empty = new EmbeddedSource(file, '', [], 5, (text) => text);
  expect(empty.toFile({ start: 0, end: 0 })).toEqual({ start: 5, end: 5 });
});

test('an empty span at the end of a text of one unit lies behind it', () => {
  const one = new EmbeddedSource(
    file,
    'a',
    [{ inner: 0, length: 1, outer: 5, width: 0 }],
    5,
    (text) => text,
  );
  expect(one.toFile({ start: 1, end: 1 })).toEqual({ start: 6, end: 6 });
});

test('a span outside of the text is refused', () => {
  expect(() => embedded.toFile({ start: 5, end: 7 })).toThrow(
    new RangeError('offset 6 is outside an embedded text of length 6'),
  );
  expect(() => embedded.toFile({ start: -1, end: 1 })).toThrow(
    new RangeError('offset -1 is outside an embedded text of length 6'),
  );
  const empty = new EmbeddedSource(file, '', [], 5, (text) => text);
  expect(() => empty.toFile({ start: 0, end: 1 })).toThrow(
    new RangeError('offset 0 is outside an embedded text of length 0'),
  );
});
