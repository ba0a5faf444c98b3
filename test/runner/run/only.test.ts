import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { perturb } from '../../cli/program.js';
import { OBJECTIVE, openBench } from './bench.js';

const FILE = 'level.objective.toml';

/** What the objective of the bench checks is REQ-7; REQ-8 is never met. */
const TRACED = `${OBJECTIVE.replace('[[measurement]]', '# @requirement = "REQ-7"\n[[measurement]]')}
# @requirement = "REQ-8"
[[measurement]]
name = "never"
check = "MATCH (name = 'level') AS level AGGREGATE count() = 0"
`.replace('attempts = 12', 'attempts = 2');

interface Json {
  readonly measurements: readonly object[];
  readonly only: readonly string[];
  readonly attempts: readonly { readonly measurements: readonly { readonly name: string }[] }[];
}

const namesIn = ({ attempts }: Json) =>
  attempts.map(({ measurements }) => measurements.map(({ name }) => name));

test('a run, its reports and its replays have only what --only selects', async () => {
  const bench = await openBench({ [FILE]: TRACED });
  const flags = [FILE, '-s', bench.url, '--out', 'out', '--baseline', '0', '--seed', '3'];
  const only = ['--only', '@requirement=REQ-8'];
  const command = ['--', 'sh', 'system.sh'];
  const { code, stdout } = await bench.run(...flags, ...only, '--format', 'json', ...command);
  expect(code).toBe(1);
  const json: Json = JSON.parse(stdout);
  expect(json.measurements).toEqual([{ name: 'never', metadata: { requirement: ['REQ-8'] } }]);
  expect(json.only).toEqual(['@requirement=REQ-8']);
  expect(namesIn(json)).toEqual([['never'], ['never']]);

  const shown = await bench.run('--resume', 'out', '--format', 'junit');
  expect(shown.stdout.match(/<property .*>/g)).toEqual([
    '<property name="requirement" value="REQ-8"/>',
    '<property name="requirement" value="REQ-8"/>',
  ]);
  const html = await bench.run('--resume', 'out', ...only, '--format', 'html');
  expect(html.stdout).toContain('<div>never</div><div>requirement: REQ-8</div>');
  expect(html.stdout).toContain(
    '<th scope="row" align="left">only</th><td>@requirement=REQ-8</td>',
  );

  const other = await bench.run('--resume', 'out', '--only', '@requirement=REQ-7');
  expect(other.code).toBe(2);
  expect(other.stderr).toContain('its --only is @requirement=REQ-8, not @requirement=REQ-7');

  const replay = ['runs', 'replay', 'out', '--attempt', '1', '--out', 'again', '--format', 'json'];
  const again: Json = JSON.parse((await perturb(replay, { cwd: bench.directory })).stdout);
  expect(namesIn(again)).toEqual([['never']]);
});

test('a run that is resumed keeps what --only selected', async () => {
  const bench = await openBench({ [FILE]: TRACED });
  const run = bench.start(
    ...[FILE, '-s', bench.url, '--out', 'out', '--baseline', '0', '--only', '@requirement=REQ-7'],
    ...['--', 'sh', '-c', '[ -e go ] && exec sh system.sh; exec sleep 600'],
  );
  await expect.poll(() => bench.journal().some(({ step }) => step === 'injected')).toBe(true);
  run.child.kill('SIGKILL');
  await run.ended;
  writeFileSync(join(bench.directory, 'go'), '');
  const { stdout } = await bench.run('--resume', 'out', '--format', 'json');
  expect(namesIn(JSON.parse(stdout))).toEqual([['low'], ['low']]);
});
