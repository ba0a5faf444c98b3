import { expect, it } from 'vitest';
import { decodeSource } from '../../src/source/index.js';
import { readToml } from '../../src/toml/index.js';

/** The messages about a file with so many lines that each hold one byte that is no UTF-8. */
function messagesFor(runs: number): readonly string[] {
  const bytes = Buffer.from('# \xff\n'.repeat(runs), 'latin1');
  return readToml(decodeSource('a.toml', bytes)).findings.map(({ message }) => message);
}

const ONE = 'invalid UTF-8: byte FF';

it('tells each run of bytes that is not UTF-8', () => {
  expect(messagesFor(10)).toEqual(Array(10).fill(ONE));
});

it('tells the rest of many runs as one', () => {
  expect(messagesFor(11)).toEqual([
    ...Array(10).fill(ONE),
    'invalid UTF-8 in 1 more place, from here on',
  ]);
  expect(messagesFor(500)).toEqual([
    ...Array(10).fill(ONE),
    'invalid UTF-8 in 490 more places, from here on',
  ]);
});

it('marks the first of the rest', () => {
  const bytes = Buffer.from('# \xff\n'.repeat(12), 'latin1');
  expect(readToml(decodeSource('a.toml', bytes)).findings.at(-1)).toMatchObject({
    help: 'is this a text file?',
    span: { start: 42, end: 43 },
  });
});
