import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { perturb } from '../cli/program.js';
import { plantRun } from './planted.js';

/** A directory with a run in `run`, which has a planted cause. */
function planted(...[seed, kind, attempts]: [number, Parameters<typeof plantRun>[2], number?]) {
  const cwd = mkdtempSync(join(tmpdir(), 'perturb-explain-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  plantRun(join(cwd, 'run'), seed, kind, attempts);
  return cwd;
}

test('a run is explained by the threshold that separates its attempts', async () => {
  const { code, stdout, stderr } = await perturb(['runs', 'explain', 'run'], {
    cwd: planted(0, 'threshold'),
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe(`\
Attempt 4 of "checkout" failed "no abort" with stock delay=900 mode=burst; 6 of 30 attempts failed it. The most similar passing attempt is 14. The failing set differs in: stock delay 900 instead of 360. Strongest predictor of failure: stock delay >= 658 (6 of 6 attempts with it failed, 0 of the 24 without it; precision 100 %, coverage 100 %, p = 0.00012). Largest difference between the sessions: ABORT at client occurs only in failing attempts (1 instead of 0 in the median; Cliff's delta 1, p = 0.00082).

Differences between failing and passing attempts:
 1. stock delay >= 658
    6 of 6 attempts with it failed, 0 of the 24 without it; precision 100 %, coverage 100 %, p = 0.00012
    the border of stock delay is between 384 and 658
 2. ABORT at client occurs only in failing attempts
    1 instead of 0 in the median; Cliff's delta 1, p = 0.00082

At stock, both begin with the same 5 events; then attempt 14 has TICK, and attempt 4 has CHECKED.
8 of the other 23 passing attempts continue like attempt 4, so this difference alone does not explain the failure.

attempt 14, passed:
         stock    payment  client   gateway
      0  ●        │        │        │          RESERVED #2
+6.96ms  ●        │        │        │          DONE #3
+14.5ms  ├───────▶●        │        │          PAID #0
  +23ms  │        ├───────▶●        │          ANSWER #1
+43.8ms  │        │        ●        │          ASK #2
+50.8ms  │        │        ├───────▶●          TAKEN #1
+56.5ms  ●◀───────┼────────┼────────┤          RECEIVED #4
+56.5ms  ●        │        │        │          first difference: TICK #5
  +59ms  ●        │        │        │          CHECKED #6

attempt 4, failed:
         stock    payment  client   gateway
      0  ●        │        │        │          RESERVED #2
+3.77ms  ●        │        │        │          DONE #3
+8.43ms  ├───────▶●        │        │          PAID #0
+14.2ms  │        ├───────▶●        │          ANSWER #1
  +37ms  │        │        ●        │          ASK #2
+42.4ms  │        │        ├───────▶●          TAKEN #1
+46.5ms  ●◀───────┼────────┼────────┤          RECEIVED #4
+49.5ms  ●        │        │        │          first difference: CHECKED #5
+59.8ms  ●        │        │        │          RESERVED #6

note: a condition that separates failures from passes is not necessarily the cause: change only that condition, and check whether the failure disappears
`);
});

test('an attempt that did not fail is refused, and those that failed are named', async () => {
  const cwd = planted(0, 'threshold');
  expect(await perturb(['runs', 'explain', 'run', '--attempt', '1'], { cwd })).toEqual({
    ...{ code: 2, stdout: '' },
    stderr: [
      'perturb: attempt 1 did not fail: its outcome is passed',
      'Choose one that failed: 4, 5, 7, 16, 21, 24.',
      '',
    ].join('\n'),
  });
  expect(await perturb(['runs', 'explain', 'run', '--measurement', 'no crash'], { cwd })).toEqual({
    ...{ code: 2, stdout: '' },
    stderr: [
      'perturb: no attempt of run failed "no crash", so there is nothing to explain',
      'It has 30 attempts.',
      '',
    ].join('\n'),
  });
  expect(await perturb(['runs', 'explain', 'run', '--attempt', '31'], { cwd })).toEqual({
    ...{ code: 2, stdout: '' },
    stderr: 'perturb: the run has no attempt 31\nIts attempts are 1 to 30.\n',
  });
});
