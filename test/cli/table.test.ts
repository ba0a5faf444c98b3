import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { wrap } from '../../src/basics/index.js';
import { renderFacts, renderTable } from '../../src/reporters/terminal/table.js';
import { anyText } from '../any-text.js';

const title = (text: string) => text;
const rows = [
  ['wind', ['speed: float [0.0, 40.0] m/s', 'mode: enum gust | steady']],
  ['风', []],
] as const;

test('elsewhere than on a terminal a row is one line', () => {
  expect(renderTable(['ID', 'PARAMETERS'], rows, { title })).toBe(
    `ID    PARAMETERS
wind  speed: float [0.0, 40.0] m/s; mode: enum gust | steady
风    -
`,
  );
});

test('on a terminal texts stand below each other, and what is too wide is wrapped', () => {
  expect(renderTable(['ID', 'PARAMETERS'], rows, { title, width: 80 })).toBe(
    `ID    PARAMETERS
wind  speed: float [0.0, 40.0] m/s
      mode: enum gust | steady
风    -
`,
  );
  expect(renderTable(['ID', 'PARAMETERS'], rows, { title, width: 24 })).toBe(
    `ID    PARAMETERS
wind  speed: float [0.0,
      40.0] m/s
      mode: enum gust |
      steady
风    -
`,
  );
});

test('where a word would be broken, each row is a list; a word of half the width may be', () => {
  const titles = ['ID', 'LAYER', 'PARAMETERS'];
  const wind = [['wind', 'environmental', 'speed: float [0.0, 40.0] m/s']];
  expect(renderTable(titles, wind, { title, width: 33 })).toBe(
    `ID    LAYER          PARAMETERS
wind  environmental  speed: float
                     [0.0, 40.0]
                     m/s
`,
  );
  expect(renderTable(titles, wind, { title, width: 28 })).toBe(
    `ID          wind
LAYER       environmental
PARAMETERS  speed: float
            [0.0, 40.0] m/s
`,
  );
});

test('a word longer than half the width is broken rather than all made a list', () => {
  expect(renderTable(['ID', 'HASH'], [['wind', 'f'.repeat(30)]], { title, width: 24 })).toBe(
    `ID    HASH
wind  ffffffffffffffffff
      ffffffffffff
`,
  );
});

test('titles have their style, which takes no room', () => {
  const bold = (text: string) => `<b>${text}</b>`;
  expect(renderTable(['A', 'B'], [['wide', 'x']], { title: bold })).toBe(
    '<b>A</b>     <b>B</b>\nwide  x\n',
  );
});

test('facts', () => {
  const facts = [
    ['name', 'wind'],
    ['description', 'a long text'],
  ] as const;
  expect(renderFacts(facts, { title, width: 22 })).toBe(
    'name         wind\ndescription  a long\n             text\n',
  );
  expect(renderFacts([], { title })).toBe('');
});

const text = anyText({ maxLength: 30 });

test('a table fits its terminal, and nothing in it acts on that', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(text, fc.array(text), text), { maxLength: 5 }),
      fc.integer({ min: 28, max: 80 }),
      (cells, width) => {
        const table = renderTable(['A', 'B', 'C'], cells, { title, width });
        const lines = table.split('\n');
        expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(width);
        expect(table).not.toMatch(/[\p{Cs}\p{Bidi_Control}]|(?!\n)\p{Cc}/u);
      },
    ),
  );
});

test('wrapping loses nothing but spaces', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 20 }), (words, width) => {
      const plain = (one: string) => one.replaceAll(' ', '');
      expect(plain(wrap(words, width, stringWidth).join(''))).toBe(plain(words));
    }),
  );
});

test('all rows are looked through once for each column that may be empty, not for each row', () => {
  let looks = 0;
  class Rows extends Array<string[]> {
    override some(...given: Parameters<string[][]['some']>): boolean {
      looks++;
      return super.some(...given);
    }
  }
  const rows = Rows.from({ length: 100 }, (_, row) => [`m${row}`, '', '']);
  const lines = renderTable(['ID', 'PROBE?', 'TAGS?'], rows, { title }).split('\n');
  expect([lines[0], lines[100], looks]).toEqual(['ID', 'm99', 2]);
});
