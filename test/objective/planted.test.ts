import { expect, test } from 'vitest';
import { allRules } from '../../src/cli/rules.js';
import { roll } from '../dice.js';
import { isLong } from '../long.js';
import { type Mistake, RIGHT, SLIPS } from './mistakes.js';
import { ALL_FILES, type Score, scoreMistakes, total, withMistake } from './planted.js';

const TIMES = isLong ? 100 : 10;

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

function row(kind: string, scores: readonly Score[]): string {
  const { found, atPlace, findings, answered } = total(scores);
  const answer = Number.isNaN(answered) ? '' : percent(answered);
  const cells = [kind, percent(found), percent(atPlace), findings.toFixed(2), answer];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Written by `npm run golden`; the same seed in every run. */
function page(scores: readonly Score[]): string {
  return `# Accuracy of the linter

This page shows how well lint finds ${scores.length} kinds of planted mistakes, one to a file, in 10 files of
several layouts for each kind. The columns are: the mistakes that are found, those that are
reported at the exact character (something missing has no character), the findings for each mistake, and, if a mistake has one right
answer, how often the finding names it. \`test/objective/planted.test.ts\` writes the table;
\`PERTURB_TEST_LONG=1\` plants ten times as many.

| mistake | found | at the place | findings | answer named |
|---|---|---|---|---|
${row('**all**', scores)}
${scores.map((score) => row(score.kind, [score])).join('\n')}

Random correct files, in all layouts and with all kinds of TOML strings, with mutators of several
probes and tags, have no findings at all: 250 in every run of the tests, 10,000 with
\`PERTURB_TEST_LONG=1\` (\`test/objective/right-files.test.ts\`).
`;
}

test('planted mistakes are found, at their place, once, and with the answer', async () => {
  const scores = scoreMistakes(roll(1), TIMES);
  expect(scores.length).toBeGreaterThanOrEqual(200);
  if (TIMES === 10)
    await expect(page(scores)).toMatchFileSnapshot('../../docs/contributing/accuracy.md');
  const { found, atPlace, findings, answered } = total(scores);
  expect(found).toBeGreaterThanOrEqual(0.995);
  expect(atPlace).toBeGreaterThanOrEqual(0.995);
  expect(findings).toBeLessThanOrEqual(1.03);
  expect(answered).toBeGreaterThanOrEqual(0.97);
}, 600_000);

/** Rules without a planted mistake, and why. */
const UNPLANTED: Readonly<Record<string, string>> = {
  'expression/extension': 'it is off unless perturb.toml turns it on',
  'config/no-match': 'it is about the files beside perturb.toml',
};

test('each rule reports a planted mistake, but for those with a reason', () => {
  const reported = new Set(
    ALL_FILES.flatMap(({ right, mistakes, find }) =>
      mistakes.flatMap((mistake) => find(withMistake(right, mistake))),
    ).map(({ rule }) => rule),
  );
  const slips = SLIPS.flatMap((marked) => {
    const [before = '', word = '', after = ''] = marked.split(/[«»]/);
    const slip: Mistake = ['', before + word + after, `${before}${word}${word.at(-1)}${after}`];
    return ALL_FILES[0]?.find(withMistake(RIGHT, slip)) ?? [];
  });
  for (const { rule } of slips) reported.add(rule);
  const missed = allRules.map(({ id }) => id).filter((id) => !reported.has(id));
  expect(missed.sort()).toEqual(Object.keys(UNPLANTED).sort());
});

test('the right files have no findings', () => {
  expect(ALL_FILES.flatMap(({ right, find }) => find(right))).toEqual([]);
});
