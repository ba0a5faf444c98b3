import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lint } from '../../src/objective/index.js';
import { decodeSource } from '../../src/source/index.js';
import { type Dice, roll } from '../dice.js';
import { isLong } from '../long.js';

/*
 * Plants one mistake in a random expression, writes the expression into a
 * random TOML string, and notes where the mistake's first and last characters
 * end up in the file. The writer knows TOML from its specification alone.
 */

/** A piece of an expression; `gap` is what may stand between tokens. */
type Piece = { readonly kind: 'text' | 'planted' | 'gap'; readonly text: string };

interface Case {
  readonly rule: string;
  readonly pieces: readonly Piece[];
}

const ODD = ['é', '→', '🚁', '👩‍🚀', 'ß', '漢', '\u0301', '\u007f'];

function gap(dice: Dice, lines: boolean): Piece {
  const blanks = Array.from({ length: dice.upTo(2) }, () => dice.pick([' ', '\t', ' ']));
  const comment = () => `#${dice.text(6, [' ', 'x', '"', "'", '\\', '\u001b', ...ODD])}\n`;
  const line = lines ? dice.pick(['', '', '\n', '\n\n', comment()]) : '';
  return { kind: 'gap', text: ` ${blanks.join('')}${line}${dice.pick(['', '  '])}` };
}

function literal(dice: Dice): string {
  const quote = dice.pick(['"', "'"]);
  const other = quote === '"' ? "'" : '"';
  const body = dice.text(5, ['a', 'Z', '0', ' ', other, '\\\\', `\\${quote}`, '\\n', ...ODD]);
  return quote + body + quote;
}

function plant(dice: Dice, lines: boolean): Case {
  const between = () => gap(dice, lines);
  const words = (text: string): Piece[] =>
    text.split(' ').flatMap((word): Piece[] => [{ kind: 'text', text: word }, between()]);
  const planted = (...texts: string[]): Piece[] => [
    ...texts.flatMap((text, index): Piece[] =>
      index === 0
        ? [{ kind: 'planted', text }]
        : [
            { ...between(), kind: 'planted' },
            { kind: 'planted', text },
          ],
    ),
    between(),
  ];
  const pattern = (label: string): Piece[] =>
    words(
      `( payload = ${literal(dice).replaceAll(' ', '_')} AND size >= ${dice.upTo(99)} ) AS ${label}`,
    );
  const head = [...words('MATCH'), ...pattern('alpha'), ...words(','), ...pattern('beta')];
  const when = words('WHEN alpha -> beta');
  const end = dice.pick(['FILTER beta.x = ""', 'FILTER beta.x = "v"', "FILTER beta.x = ''", '']);
  const tail = end === '' ? [] : words(end).slice(0, -1);
  const start = dice.pick([[], [between()]]);
  const cases: Case[] = [
    {
      rule: 'expression/unknown-label',
      pieces: [...head, ...words('WHEN alpha -> beta ->'), ...planted('gamma'), ...tail],
    },
    {
      rule: 'expression/unquoted-string',
      pieces: [...words('MATCH ( name ='), ...planted('HEARTBEAT'), ...words(') AS beta'), ...tail],
    },
    {
      rule: 'expression/type-mismatch',
      pieces: [...words('MATCH ('), ...planted('name', '>', '3'), ...words(') AS beta'), ...tail],
    },
    {
      rule: 'expression/always-false',
      pieces: [
        ...words('MATCH ('),
        ...planted('severity', '>', '5', 'AND', 'severity', '<', '3'),
        ...words(') AS beta'),
        ...tail,
      ],
    },
    {
      rule: 'expression/unknown-function',
      pieces: [
        ...head,
        ...when,
        ...words('AGGREGATE'),
        ...planted('coutn'),
        ...words('( ) = 0'),
        ...tail,
      ],
    },
    {
      rule: 'expression/syntax',
      pieces: [...head, ...when, ...words('FILTER beta.x'), ...planted('=='), ...words('1')],
    },
  ];
  const chosen = dice.pick(cases);
  return { ...chosen, pieces: [...start, ...chosen.pieces] };
}

type Kind = 'basic' | 'literal' | 'multi-line basic' | 'multi-line literal';

/** The file's text, and where the planted part stands in it. */
interface Written {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function write(dice: Dice, { pieces }: Case, before: string, kind: Kind, newline: string): Written {
  const [open, close] = {
    basic: ['"', '"'],
    literal: ["'", "'"],
    'multi-line basic': [`"""${dice.pick(['', newline])}`, '"""'],
    'multi-line literal': [`'''${dice.pick(['', newline])}`, "'''"],
  }[kind] as [string, string];
  let text = before + open;
  let start = -1;
  let end = -1;
  let quotes = 0;
  for (const piece of pieces) {
    if (piece.kind === 'planted' && start === -1) start = text.length;
    for (const [index, character] of [...piece.text].entries()) {
      if (
        kind === 'multi-line basic' &&
        piece.kind === 'gap' &&
        index === 1 &&
        dice.upTo(5) === 0
      ) {
        text += `\\${dice.pick(['', ' '])}${newline}${dice.pick(['', '   ', newline, '\t'])}`;
      }
      const raw = character === '\n' ? newline : character;
      const plain = canStandPlain(character, kind, quotes);
      const written =
        plain && (kind.includes('literal') || dice.upTo(3) > 0) ? raw : escaped(dice, character);
      quotes = written === '"' ? quotes + 1 : 0;
      text += written;
    }
    if (piece.kind === 'planted') end = text.length;
  }
  return { text: `${text}${close}`, start, end };
}

function canStandPlain(character: string, kind: Kind, quotes: number): boolean {
  if (kind.includes('literal')) return true;
  if (character === '\\' || character === '\u001b' || character === '\u007f') return false;
  if (kind === 'basic') return character !== '"' && character !== '\n';
  return character !== '"' || quotes < 2;
}

function escaped(dice: Dice, character: string): string {
  const point = character.codePointAt(0) as number;
  const hex = (digits: number) => point.toString(16).padStart(digits, '0');
  const short: Record<string, string> = {
    '"': '\\"',
    '\\': '\\\\',
    '\n': '\\n',
    '\t': '\\t',
    '\u001b': '\\e',
  };
  return dice.pick([
    ...(short[character] === undefined ? [] : [short[character], short[character]]),
    ...(point <= 0xff ? [`\\x${hex(2)}`] : []),
    ...(point <= 0xffff ? [`\\u${hex(4)}`, `\\u${hex(4).toUpperCase()}`] : []),
    `\\U${hex(8)}`,
  ]);
}

/** The kinds of string that can hold a text. */
function kindsFor(text: string): Kind[] {
  const controls = text.includes('\u001b') || text.includes('\u007f');
  return [
    'basic',
    'multi-line basic',
    ...(!controls && !/['\n]/.test(text) ? (['literal'] as const) : []),
    ...(!controls && !text.includes("'''") ? (['multi-line literal'] as const) : []),
  ];
}

const SEEN = new Set<string>();

test('a mistake in an expression is marked at its exact characters in the file', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const dice = roll(seed);
      const newline = dice.pick(['\n', '\n', '\r\n']);
      const planted = plant(dice, dice.upTo(3) > 0);
      const kind = dice.pick(kindsFor(planted.pieces.map(({ text }) => text).join('')));
      const comment = `# ${dice.text(4, ['a', '"', ...ODD.slice(0, -1)])}${newline}`;
      const before = `${dice.pick(['', comment])}name = "🚁"${newline}[[measurement]]${newline}name = 'x'${newline}check${dice.pick([' = ', '=', '\t=\t'])}`;
      const { text, start, end } = write(dice, planted, before, kind, newline);
      const file = `${text}${dice.pick(['', ' # end'])}${newline}[stopping_conditions]${newline}attempts = 1${newline}`;
      const bom = dice.pick(['', '\ufeff']);
      const source = decodeSource('x.toml', Buffer.from(bom + file));
      // The writer knows the escapes of TOML 1.1 too, which have a warning of their own.
      const findings = lint(source).filter(({ rule }) => rule !== 'toml/newer-syntax');
      expect(findings.map(({ rule, span }) => ({ rule, span }))).toEqual([
        { rule: planted.rule, span: { start, end } },
      ]);
      for (const key of [
        kind,
        planted.rule,
        newline,
        bom,
        file.match(/"{4,5}(?=[^"]*$)/)?.[0] ?? '',
      ]) {
        SEEN.add(key);
      }
    }),
    { numRuns: isLong ? 10_000 : 500 },
  );
}, 300_000);

test('the cases above cover what they are meant to', () => {
  for (const key of [
    'basic',
    'literal',
    'multi-line basic',
    'multi-line literal',
    '\r\n',
    '\ufeff',
    '""""',
    '"""""',
    'expression/unknown-label',
    'expression/unquoted-string',
    'expression/type-mismatch',
    'expression/always-false',
    'expression/unknown-function',
    'expression/syntax',
  ]) {
    expect([key, SEEN.has(key)]).toEqual([key, true]);
  }
});
