import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OBJECTIVE, openBench } from './bench.js';

const REPORT = 'live.html';
const RELOADS = '<meta http-equiv="refresh" content="2">';
/** The third attempt waits for a file. */
const WAITING = `#!/bin/sh
printf '{"probe":"SYSTEM","name":"level","attributes":{"value":%s}}\\n' "$PERTURB_ATTEMPT" >> "$PERTURB_SESSION"
[ "$PERTURB_ATTEMPT" != 3 ] || while [ ! -f go ]; do sleep 0.05; done
`;

test('the report is written while the run goes on, is whole after a kill, and stops reloading', {
  timeout: 120_000,
}, async () => {
  const bench = await openBench({
    'level.objective.toml': OBJECTIVE.replace('attempts = 12', 'attempts = 4'),
    'system.sh': WAITING,
  });
  const path = join(bench.directory, REPORT);
  const shown = () => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  const flags = ['-s', bench.url, '--out', 'out', '--seed', '1', '--report', REPORT];
  const run = bench.start('level.objective.toml', ...flags, '--', 'sh', 'system.sh');
  const underWay = /<th scope="row" align="left">attempt 3<\/th><td>running: ([^<]+)<\/td>/;
  await expect.poll(shown, { timeout: 60_000 }).toMatch(underWay);
  const live = shown();
  const [, set = ''] = underWay.exec(live) ?? [];
  expect(live).toContain(RELOADS);
  expect(live).toContain('Undecided: the run has not ended yet; nothing failed in 2 attempts');
  expect(live).toContain('<td>3 of 4: 2 passed, 0 failed</td>');
  expect(live).toMatch(/This run was unfinished at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\./);
  expect(live).toContain('resume it with <code>perturb objective run --resume out</code>');
  // All of the set is in force, with its values.
  const inForce = /in force<\/th><td>((?:<div>[^<]+<\/div>)+)<\/td>/.exec(live)?.[1] ?? '';
  expect(inForce.match(/(?<=<div>)[^<]+/g)?.sort()).toEqual(set.split(' + ').sort());

  run.child.kill('SIGKILL');
  await run.ended;
  const left = shown();
  expect(left).toMatch(/^<!DOCTYPE html>\n.*<\/html>\n$/s);
  expect(left).toContain('If it was killed,');
  // A file that the kill kept from taking the place of the report would lie beside it.
  const beside = readdirSync(bench.directory).filter((name) => name.includes(REPORT));
  expect(beside.filter((name) => !name.endsWith('.tmp'))).toEqual([REPORT]);

  writeFileSync(join(bench.directory, 'go'), '');
  const resumed = await bench.run('--resume', 'out', '--report', REPORT);
  expect(resumed.stdout).toContain('attempts   4: 4 passed');
  const last = shown();
  expect(last).not.toContain('http-equiv="refresh"');
  expect(last).not.toContain('had not ended');
  expect(last).toContain('>Nothing failed in 4 attempts');
});
