import { expect, test } from 'vitest';
import { renderRunReport } from '../../src/report/index.js';
import { attemptText, summaryText, testsOfRun } from '../../src/reporters/results/index.js';
import { attemptDocument, runDocument, runReportDocument } from '../../src/results/index.js';
import type { MeasurementResult } from '../../src/runner/index.js';
import { sampleReport } from '../report/sample.js';

const LOOK = { title: (text: string) => text };

const measured = (name: string, status: MeasurementResult['status']): MeasurementResult => ({
  ...{ name, status, shouldPass: name !== 'no crash' },
});

/** A run of two attempts: one that failed in every way, and one in which something passed without a verdict. */
function mixedRun() {
  const { state, ...sample } = sampleReport();
  const [first, second] = state.attempts;
  if (first === undefined || second === undefined) throw new Error('the sample has no attempts');
  const failed = {
    ...first.result,
    outcome: 'failed',
    reasons: [
      'the command exited with status 3',
      'the system did not recover within 2s',
      'late: MATCH: too many choices',
    ],
    command: { status: 3, timedOut: false, failure: 'the command exited with status 3' },
    recovery: { recovered: false, ms: 2_000 },
    measurements: [measured('no crash', 'holds'), measured('late', 'undecided')],
  } as const;
  const undecided = {
    ...second.result,
    outcome: 'inconclusive',
    reasons: ['late: MATCH: too many choices'],
    measurements: [measured('no crash', 'fails'), measured('late', 'undecided')],
  } as const;
  const attempts = [
    { ...first, result: failed },
    { ...second, result: undecided },
  ];
  return { ...sample, state: { ...state, attempts, shrunkSets: [] } };
}

test('terminal, HTML and JUnit say alike why an attempt failed', () => {
  const result = mixedRun();
  const document = runDocument(result);
  const why = [
    'no crash',
    'the command exited with status 3',
    'the system did not recover within 2s',
    'late: MATCH: too many choices',
  ];
  expect(document.attempts[0]?.why).toEqual(why);
  expect(summaryText(document, LOOK)).toContain(`  ${why.join('; ')}\n`);
  expect(renderRunReport(runReportDocument(result))).toContain(`<td>${why.join('; ')}</td>`);
  const [attempt] = result.state.attempts;
  if (attempt === undefined) throw new Error('there is no attempt');
  const shown = attemptText(attemptDocument(attempt, { session: 'out/1.jsonl' }, result), LOOK);
  expect(shown.match(/(?<=^why +)\S.*/gm)).toEqual(why);
  expect(testsOfRun(document).suites[0]?.cases[0]?.outcome).toMatchObject({
    type: 'measurement',
    message:
      'no crash holds, but should not; the command exited with status 3; the system did not recover within 2s',
  });
});

test('terminal and HTML count alike how a measurement came out', () => {
  const result = mixedRun();
  expect(summaryText(runDocument(result), LOOK)).toMatch(/^no crash +1 +1 +0$/m);
  expect(renderRunReport(runReportDocument(result))).toContain(
    'no crash</th><td><strong class="failed">failed</strong></td><td>1</td><td>1</td>',
  );
});
