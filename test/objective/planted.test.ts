import { expect, test } from 'vitest';
import { roll } from '../dice.js';
import { type Score, scoreMistakes, total } from './planted.js';

const TIMES = process.env['PERTURB_TEST_LONG'] === '1' ? 100 : 10;

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

Files with one planted mistake each, ${scores.length} kinds, 10 files a kind in several layouts. For each kind: the
mistakes that are found, those that are marked at the character where they begin, the findings for
each mistake, and, where a mistake has one right answer, how often the finding names it. The table
is written by \`test/objective/planted.test.ts\`; \`PERTURB_TEST_LONG=1\` plants ten times as many.

| mistake | found | at the place | findings | answer named |
|---|---|---|---|---|
${row('**all**', scores)}
${scores.map((score) => row(score.kind, [score])).join('\n')}

Random right files, in all layouts and kinds of strings of TOML, with mutators of several probes
and tags, give no finding at all: 1,000 in every run of the tests, 10,000 with
\`PERTURB_TEST_LONG=1\` (\`test/objective/right-files.test.ts\`).
`;
}

test('planted mistakes are found, at their place, once, and with the answer', async () => {
  const scores = scoreMistakes(roll(1), TIMES);
  expect(scores.length).toBeGreaterThanOrEqual(60);
  if (TIMES === 10) await expect(page(scores)).toMatchFileSnapshot('../../docs/accuracy.md');
  const { found, atPlace, findings, answered } = total(scores);
  expect(found).toBeGreaterThanOrEqual(0.995);
  expect(atPlace).toBeGreaterThanOrEqual(0.995);
  expect(findings).toBeLessThanOrEqual(1.03);
  expect(answered).toBeGreaterThanOrEqual(0.97);
}, 240_000);
