import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allRules } from '../../../src/cli/rules.js';
import { applyEdits, type Finding, type Fix } from '../../../src/diagnostics/index.js';
import { check, parse } from '../../../src/expression/index.js';
import { loadManifest } from '../../../src/mutators/index.js';
import { lintText } from '../../../src/objective/index.js';
import { decodeSource } from '../../../src/source/index.js';
import { roll } from '../../dice.js';
import { expressionsIn, fixtures } from '../../expression/fixture.js';
import { isLong, runs } from '../../long.js';
import { MISTAKES as BROKEN_TOML } from '../../toml/syntax-errors/mistakes.js';
import { type Score, scoreMistakes, total } from './score.js';
import { catalog, layout, RIGHT_FILES, ROWS, type Row, withMistake } from './table.js';

test('the right files have no findings', () => {
  expect(RIGHT_FILES.flatMap(({ right, find }) => find(right))).toEqual([]);
});

test('no mistake is in the table twice', () => {
  const twice = ROWS.filter((row, index) =>
    ROWS.slice(0, index).some(
      (other) =>
        other.kind === row.kind ||
        (other.file.find === row.file.find && withMistake(other).text === withMistake(row).text),
    ),
  );
  expect(twice).toEqual([]);
});

/** What a fix makes of the mistake, or of the file where it changes more than that. */
function fixed(
  { file: { right }, anchor }: Row,
  text: string,
  { edits, kind, title }: Fix,
): string {
  const [before = '', after = ''] = right.split(anchor);
  const all = applyEdits(text, edits);
  const isInside = all.startsWith(before) && all.endsWith(after);
  const shown = isInside
    ? JSON.stringify(all.slice(before.length, all.length - after.length))
    : edits.map((edit) => JSON.stringify(edit.text)).join(' + ');
  return `    ${kind} fix${isInside ? '' : `, ${title}`}: ${shown}`;
}

function reported(row: Row): string {
  const { text } = withMistake(row);
  const lines = row.file.find(text).flatMap((finding) => {
    const { rule, message, span, help, related = [], fix } = finding;
    const at = (part: typeof span) => JSON.stringify(text.slice(part.start, part.end));
    return [
      `  ${rule} at ${at(span)}: ${message}`,
      ...(help === undefined ? [] : [`    help: ${help}`]),
      ...related.map((one) => `    related ${at(one.span)}: ${one.message}`),
      ...(fix === undefined ? [] : [fix, ...(fix.alternatives ?? [])]).map((one) =>
        fixed(row, text, one),
      ),
    ];
  });
  return [row.kind, `  written: ${JSON.stringify(row.written)}`, ...lines].join('\n');
}

test('what is reported of each mistake', async () => {
  await expect(`${ROWS.map(reported).join('\n\n')}\n`).toMatchFileSnapshot(
    '../../../fixtures/objective/mistakes.out',
  );
});

const TIMES = isLong ? 100 : 10;

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

function line(kind: string, scores: readonly Score[]): string {
  const { found, atPlace, findings, answered } = total(scores);
  const answer = Number.isNaN(answered) ? '' : percent(answered);
  const cells = [kind, percent(found), percent(atPlace), findings.toFixed(2), answer];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

const fallsShort = (score: Score): boolean => {
  const { found, atPlace, findings, answered } = total([score]);
  return found < 1 || atPlace < 1 || findings !== 1 || answered < 1;
};

/** Written by `npm run golden`; the same seed in every run. */
function page(scores: readonly Score[]): string {
  return `# Accuracy of the linter

\`test/objective/mistakes\` plants ${scores.length} kinds of mistakes, one to a file, in 10 files of several layouts for each
kind, and checks what lint reports. The table has the sum, and each kind that falls short of it.
\`fixtures/objective/mistakes.out\` has every kind with its findings. \`npm run golden -- test/objective/mistakes\` writes
both; \`PERTURB_TEST_LONG=1\` plants ten times as many.

| mistake | found | at the exact character | findings for each | right answer named |
|---|---|---|---|---|
${line('**all**', scores)}
${scores
  .filter(fallsShort)
  .map((score) => line(score.kind, [score]))
  .join('\n')}

A missing part has no character, so a finding anywhere counts. The last column is empty for a mistake without a single
right answer.

Random correct files, in all layouts and with all kinds of TOML strings, with mutators of several probes and tags, have
no findings: 250 in every run of the tests, 10,000 with \`PERTURB_TEST_LONG=1\` (\`test/objective/right-files.test.ts\`).
`;
}

test('planted mistakes are found, at their place, once, and with the answer', async () => {
  const scores = scoreMistakes(roll(1), TIMES);
  if (TIMES === 10)
    await expect(page(scores)).toMatchFileSnapshot('../../../docs/contributing/accuracy.md');
  const { found, atPlace, findings, answered } = total(scores);
  expect(found).toBeGreaterThanOrEqual(0.995);
  expect(atPlace).toBeGreaterThanOrEqual(0.995);
  expect(findings).toBeLessThanOrEqual(1.03);
  expect(answered).toBeGreaterThanOrEqual(0.97);
}, 600_000);

/** Rules without a planted mistake, and why. */
const UNPLANTED: Readonly<Record<string, string>> = {
  'expression/extension': 'it is off unless perturb.toml turns it on',
  'config/invalid-reading': 'it is about values of perturb.toml; test/cli/session has its mistakes',
  'config/no-match': 'it is about the files beside perturb.toml',
  'config/unknown-mutator': 'it is about the mutators of a catalog or an objective',
};

test('each rule reports a planted mistake, but for those with a reason', () => {
  const rules = new Set(
    ROWS.flatMap((row) => row.file.find(withMistake(row).text)).map(({ rule }) => rule),
  );
  const missed = allRules.map(({ id }) => id).filter((id) => !rules.has(id));
  expect(missed.sort(), 'each rule needs a row in test/objective/mistakes').toEqual(
    Object.keys(UNPLANTED).sort(),
  );
});

/* What a help offers to write is a fix, and the fix does what it says. */

/** Where a help names the text that should stand there. Advice that cannot is worded otherwise. */
const OFFER = /\bwrite\b|did you mean|in quotes: |remove the quotes/i;

/** Where a fix is left out, because another mistake keeps the text from being read, or two more come to light. */
const IN_THE_WAY = [
  '1d-5',
  String.raw`\q\z`,
  '\ufeff\ufeff',
  '(a -> b ADN b -> c)',
  'type = "int"',
];

interface Text {
  readonly from: string;
  readonly text: string;
  readonly find: (text: string) => readonly Finding[];
}

const role = (name: string) => (name.includes('precondition') ? 'precondition' : 'check');
const inObjective = (text: string) => lintText('x.toml', text, { catalog });
const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.toml'))
    .map((name) => `${directory}/${name}`);

const fromTable = (row: Row, text: string): Text => ({ from: row.kind, text, find: row.file.find });

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
  ...BROKEN_TOML.map((text) => ({ from: JSON.stringify(text), text, find: inObjective })),
  ...ROWS.map((row) => fromTable(row, withMistake(row).text)),
  {
    from: 'bad.mutators.toml',
    text: readFileSync('fixtures/mutators/bad.mutators.toml', 'utf8'),
    find: (text) => loadManifest(decodeSource('mutators.toml', Buffer.from(text))).findings,
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
      const row = dice.pick(ROWS);
      const { text } = withMistake(row, layout(dice));
      expect(broken(fromTable(row, text)).failed).toEqual([]);
    }),
    { numRuns: runs(5_000) },
  );
});

/** Two mistakes in one: the fix of the first brings the second to light. */
const DOUBLE = ['a text in a range', 'an unknown table twice', 'in a manifest, int'];

test('no fix of a planted mistake leads to another error', () => {
  const led = ROWS.filter(({ kind }) => !DOUBLE.includes(kind)).flatMap((row) => {
    const { text } = withMistake(row);
    const before = row.file.find(text);
    const known = new Set(before.map(({ rule, message }) => rule + message));
    return before
      .flatMap(({ fix }) => (fix === undefined ? [] : [fix, ...(fix.alternatives ?? [])]))
      .flatMap(({ title, edits }) =>
        row.file
          .find(applyEdits(text, edits))
          .filter(({ severity }) => severity === 'error')
          .filter(({ rule, message }) => !known.has(rule + message))
          .map(({ message }) => `${row.kind}: ${title}: ${message}`),
      );
  });
  expect(led).toEqual([]);
});

const errorsOf = (findings: readonly Finding[]): number =>
  findings.filter(({ severity }) => severity === 'error').length;

test('no fix of two mistakes in one file adds an error', () => {
  let tried = 0;
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const dice = roll(seed);
      const first = dice.pick(ROWS);
      const others = ROWS.filter(({ file }) => file.find === first.file.find);
      const second = dice.pick(others);
      const one = withMistake(first, layout(dice)).text;
      if (one.split(second.anchor).length !== 2) return;
      const text = one.replace(second.anchor, () => second.written.replaceAll(/[«»]/g, ''));
      const before = first.file.find(text);
      // A file that is no TOML hides all its other mistakes.
      if (before.some(({ rule }) => rule === 'toml/syntax')) return;
      for (const { message, fix } of before) {
        for (const { title, edits } of fix ? [fix, ...(fix.alternatives ?? [])] : []) {
          tried += 1;
          const after = errorsOf(first.file.find(applyEdits(text, edits)));
          expect([message, title, text, after > errorsOf(before)]).toEqual([
            ...[message, title, text, false],
          ]);
        }
      }
    }),
    { numRuns: runs(2_000) },
  );
  expect(tried).toBeGreaterThan(30);
}, 300_000);
