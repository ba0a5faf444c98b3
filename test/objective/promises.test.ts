import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyEdits, type Finding } from '../../src/diagnostics/index.js';
import { check, parse } from '../../src/expression/index.js';
import { loadManifest } from '../../src/mutators/index.js';
import { lintText } from '../../src/objective/index.js';
import { decodeSource } from '../../src/source/index.js';
import { roll } from '../dice.js';
import { expressionsIn, fixtures } from '../expression/fixture.js';
import { runs } from '../long.js';
import { MISTAKES as BROKEN_TOML } from '../toml/syntax-errors/mistakes.js';
import { BY_HAND } from './by-hand.js';
import { ALL_FILES, catalog, layOut, withMistake } from './planted.js';

/* What a help offers to write is a fix, and the fix does what it says. */

/** Where a help names the text that should stand there. Advice that cannot is worded otherwise. */
const OFFER = /\bwrite\b|did you mean|in quotes: |remove the quotes/i;

/** Where a fix is left out, because another mistake keeps the text from being read. */
const IN_THE_WAY = ['1d-5', String.raw`\q\z`, '\ufeff\ufeff'];

interface Text {
  readonly from: string;
  readonly text: string;
  readonly find: (text: string) => readonly Finding[];
}

const role = (name: string) => (name.includes('precondition') ? 'precondition' : 'check');
const inObjective = (text: string) => lintText('x.toml', text, { catalog });
const byHand = (text: string) => lintText('x.toml', text);
const inManifest = (text: string) =>
  loadManifest(decodeSource('mutators.toml', Buffer.from(text))).findings;
const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.toml'))
    .map((name) => `${directory}/${name}`);

const texts: readonly Text[] = [
  ...fixtures('err').flatMap((name) =>
    expressionsIn(name)
      // Of several mistakes, one may keep another from being mended alone.
      .filter((text) => parse(text).violations.length <= 1)
      .map((text) => ({
        from: `${name}: ${text}`,
        text,
        find: (one: string) => check(one, { role: role(name) }).findings,
      })),
  ),
  ...filesIn('fixtures/objective').map((path) => ({
    from: path,
    text: readFileSync(path, 'utf8'),
    find: inObjective,
  })),
  ...BY_HAND.map(({ written, text }) => ({ from: written, text, find: byHand })),
  ...BROKEN_TOML.map((text) => ({ from: JSON.stringify(text), text, find: inObjective })),
  ...ALL_FILES.flatMap(({ right, mistakes, find }) =>
    mistakes.map((mistake) => ({ from: mistake[0], text: withMistake(right, mistake), find })),
  ),
  {
    from: 'bad.mutators.toml',
    text: readFileSync('fixtures/mutators/bad.mutators.toml', 'utf8'),
    find: inManifest,
  },
];

const found = new Map(texts.map((one) => [one, one.find(one.text)]));

test('a help that says what to write, or what was meant, comes with a fix', () => {
  const broken = [...found].flatMap(([{ from, text }, findings]) =>
    findings
      .filter(({ help = '', fix }) => OFFER.test(help) && fix === undefined)
      .filter(() => !IN_THE_WAY.some((one) => text.includes(one)))
      .map(({ help }) => `${from}: ${help}`),
  );
  expect([...new Set(broken)]).toEqual([]);
});

const syntaxErrors = (findings: readonly Finding[]): number =>
  findings.filter(({ rule }) => /\/(?:syntax|encoding)$/.test(rule)).length;

/** The fixes of a text that leave their finding, or a text that cannot be read where it could be. */
function broken(
  { from, text, find }: Text,
  before = find(text),
): { readonly tried: number; readonly failed: string[] } {
  let tried = 0;
  const failed = before.flatMap(({ rule, message, span, fix }) =>
    (fix === undefined ? [] : [fix, ...(fix.alternatives ?? [])]).flatMap(({ title, edits }) => {
      tried += 1;
      const after = find(applyEdits(text, edits));
      const isLeft = after.some(
        (one) => one.rule === rule && one.message === message && one.span.start === span.start,
      );
      if (!isLeft && syntaxErrors(after) <= syntaxErrors(before)) return [];
      return [`${from}: ${message}: ${title}`];
    }),
  );
  return { tried, failed };
}

test('each fix mends its finding, and leaves no text that cannot be read', () => {
  const all = [...found].map(([one, findings]) => broken(one, findings));
  expect(all.flatMap(({ failed }) => failed)).toEqual([]);
  expect(all.reduce((sum, { tried }) => sum + tried, 0)).toBeGreaterThan(500);
});

test('so it is in any layout', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const dice = roll(seed);
      const { right, mistakes, find } = dice.pick(ALL_FILES);
      const [kind, anchor, written, answer] = dice.pick(mistakes);
      const { text } = layOut(dice, { anchor, written, answer }, right);
      expect(broken({ from: kind, text, find }).failed).toEqual([]);
    }),
    { numRuns: runs(5_000) },
  );
});

test('what is said of mistakes that people made', async () => {
  const said = BY_HAND.map(({ written, text }) => {
    const found = byHand(text).map(({ rule, message, help, fix }) => {
      const all = fix === undefined ? [] : [fix, ...(fix.alternatives ?? [])];
      const fixes = all.map(({ edits }) =>
        edits.map((edit) => JSON.stringify(edit.text)).join(' + '),
      );
      return [
        `  ${rule}: ${message}`,
        ...(help === undefined ? [] : [`    help: ${help}`]),
        ...fixes.map((one) => `    fix: ${one}`),
      ].join('\n');
    });
    return [written, ...found].join('\n');
  });
  await expect(`${said.join('\n\n')}\n`).toMatchFileSnapshot(
    '../../fixtures/objective/by-hand.out',
  );
});
