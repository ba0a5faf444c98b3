import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DecodedSource, decodeSource } from '../../src/source/index.js';
import { runs } from '../long.js';

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

test('a BOM is stripped and remembered', () => {
  const { source, invalid } = decodeSource('a.toml', bytes(0xef, 0xbb, 0xbf, 0x61));
  expect(source.text).toBe('a');
  expect(source.bom).toBe(true);
  expect(invalid).toEqual([]);
});

test('only the first BOM is stripped', () => {
  const { source } = decodeSource('a.toml', Buffer.from('\ufeff\ufeffa'));
  expect(source.text).toBe('\ufeffa');
});

test.each([[[0x61, 0xbb, 0xbf]], [[0xef, 0x61, 0xbf]], [[0xef, 0xbb, 0x61]]])(
  'the bytes %j are no BOM',
  (input) => {
    expect(decodeSource('a.toml', Uint8Array.from(input)).source.bom).toBe(false);
  },
);

test('a replacement character in the file ends a run before it', () => {
  const { source, invalid } = decodeSource('a.toml', bytes(0xff, 0xef, 0xbf, 0xbd));
  expect(source.text).toBe('\ufffd\ufffd');
  expect(invalid).toEqual([{ span: { start: 0, end: 1 }, bytes: bytes(0xff) }]);
});

test('valid UTF-8 is decoded, also a U+FFFD that is really there', () => {
  const { source, invalid } = decodeSource('a.toml', Buffer.from('é→🚁\ufffd'));
  expect(source.text).toBe('é→🚁\ufffd');
  expect(source.bom).toBe(false);
  expect(invalid).toEqual([]);
});

test.each([
  ['a lone lead byte', [0x61, 0xff, 0x62], 'a\ufffdb', { start: 1, end: 2 }, [0xff]],
  ['a run of bytes', [0xff, 0xfe, 0x61], '\ufffd\ufffda', { start: 0, end: 2 }, [0xff, 0xfe]],
  ['a sequence cut short', [0xe2, 0x82, 0x61], '\ufffda', { start: 0, end: 1 }, [0xe2, 0x82]],
  [
    'an encoded surrogate',
    [0xed, 0xa0, 0x80],
    '\ufffd\ufffd\ufffd',
    { start: 0, end: 3 },
    [0xed, 0xa0, 0x80],
  ],
  ['an overlong form', [0xc0, 0xaf], '\ufffd\ufffd', { start: 0, end: 2 }, [0xc0, 0xaf]],
  [
    'four bytes without the last, at the end',
    [0xf0, 0x9f, 0x9a],
    '\ufffd',
    { start: 0, end: 1 },
    [0xf0, 0x9f, 0x9a],
  ],
])('%s is reported with its place and bytes', (_name, input, text, span, expected) => {
  const { source, invalid } = decodeSource('a.toml', Uint8Array.from(input));
  expect(source.text).toBe(text);
  expect(invalid).toEqual([{ span, bytes: Uint8Array.from(expected) }]);
});

test('a replacement character in the file does not hide an invalid byte after it', () => {
  const { invalid } = decodeSource('a.toml', bytes(0xef, 0xbf, 0xbd, 0xff));
  expect(invalid).toEqual([{ span: { start: 1, end: 2 }, bytes: bytes(0xff) }]);
});

/** The bytes that a decoding stands for: of its text, and of each invalid run in its place. */
function encoded({ source, invalid }: DecodedSource): Uint8Array {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const run of invalid) {
    pieces.push(Buffer.from(source.text.slice(at, run.span.start)), run.bytes);
    at = run.span.end;
  }
  return Buffer.concat([...pieces, Buffer.from(source.text.slice(at))]);
}

test('around every edge of the encoding, the runs are exactly the bytes that are no character', () => {
  const leads = [0x7f, 0x80, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef];
  leads.push(0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff);
  const followers = [0x61, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbd, 0xbf, 0xc0];
  for (const lead of leads) {
    for (const second of followers) {
      for (const third of followers) {
        for (const fourth of [0x7f, 0x80, 0xbf, 0xc0]) {
          const input = bytes(lead, second, third, fourth, 0x61);
          const decoded = decodeSource('a.toml', input);
          expect(Buffer.from(encoded(decoded)).toString('hex')).toBe(
            Buffer.from(input).toString('hex'),
          );
        }
      }
    }
  }
});

test.each([
  ['\x7f', 1],
  ['\x80', 2],
  ['\u07ff', 2],
  ['\u0800', 3],
  ['\uffff', 3],
  ['\u{10000}', 4],
  ['\u{10ffff}', 4],
])('an invalid byte after %j is found behind its bytes', (character, length) => {
  const before = Buffer.from(character);
  expect(before).toHaveLength(length);
  const { source, invalid } = decodeSource('a.toml', bytes(...before, 0xff, 0x61));
  expect(source.text).toBe(`${character}\ufffda`);
  const start = character.length;
  expect(invalid).toEqual([{ span: { start, end: start + 1 }, bytes: bytes(0xff) }]);
});

test('replacing the invalid runs by nothing leaves the valid rest', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (input) => {
      const { source, invalid, utf16 } = decodeSource('a.toml', input);
      fc.pre(utf16 === undefined);
      let rest = source.text;
      for (const { span } of [...invalid].reverse()) {
        expect(rest.slice(span.start, span.end)).toMatch(/^\ufffd+$/);
        rest = rest.slice(0, span.start) + rest.slice(span.end);
      }
      const length = invalid.reduce((sum, run) => sum + run.bytes.length, 0);
      const bom = source.bom ? 3 : 0;
      expect(Buffer.byteLength(rest)).toBe(input.length - length - bom);
    }),
    { numRuns: runs(5_000) },
  );
});
