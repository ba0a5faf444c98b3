import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeSource } from '../../src/source/index.js';

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

test('replacing the invalid runs by nothing leaves the valid rest', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (input) => {
      const { source, invalid } = decodeSource('a.toml', input);
      let rest = source.text;
      for (const { span } of [...invalid].reverse()) {
        expect(rest.slice(span.start, span.end)).toMatch(/^\ufffd+$/);
        rest = rest.slice(0, span.start) + rest.slice(span.end);
      }
      const length = invalid.reduce((sum, run) => sum + run.bytes.length, 0);
      const bom = source.bom ? 3 : 0;
      expect(Buffer.byteLength(rest)).toBe(input.length - length - bom);
    }),
    { numRuns: 5_000 },
  );
});
