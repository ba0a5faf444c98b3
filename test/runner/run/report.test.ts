import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OBJECTIVE, openBench } from './bench.js';

const FILE = 'level.objective.toml';

test('the report of a run that has ended is written from its journal', async () => {
  const bench = await openBench({ [FILE]: OBJECTIVE.replace('attempts = 12', 'attempts = 4') });
  const report = ['--report', 'reports/level.html'];
  const run = await bench.run(
    ...[FILE, '-s', bench.url, '--out', 'out', ...report],
    ...['--', 'sh', 'system.sh'],
  );
  const path = join(bench.directory, 'reports/level.html');
  const written = readFileSync(path, 'utf8');
  expect(written).toContain('<caption>Attempts: passed</caption>');
  const { length } = bench.journal();
  const changes = bench.changes.length;
  const again = await bench.run('--resume', 'out', '--report', 'again.html');
  // What has failed was told as it did, to whoever waited for it.
  expect(again).toEqual({ ...run, stderr: '' });
  expect(readFileSync(join(bench.directory, 'again.html'), 'utf8')).toBe(written);
  expect(bench.journal()).toHaveLength(length);
  expect(bench.changes).toHaveLength(changes);
});

test('--resume of a run that has ended shows it in each format, without its server', async () => {
  const bench = await openBench({ [FILE]: OBJECTIVE.replace('attempts = 12', 'attempts = 4') });
  const command = ['--', 'sh', 'system.sh'];
  for (const format of ['pretty', 'json', 'junit', 'html']) {
    const run = await bench.run(
      FILE,
      '-s',
      bench.url,
      '--out',
      format,
      '--format',
      format,
      ...command,
    );
    await bench.stop();
    expect(await bench.run('--resume', format, '--format', format)).toEqual({ ...run, stderr: '' });
    await bench.resume();
  }
});

test('--resume begins a run where there is none, and keeps to what it was begun with', async () => {
  const bench = await openBench({ [FILE]: OBJECTIVE.replace('attempts = 12', 'attempts = 2') });
  const run = [FILE, '-s', bench.url, '--resume', 'out', '--', 'sh'] as const;
  const begun = await bench.run(...run, 'system.sh');
  expect(begun.stdout).toContain('attempts   2: ');
  expect(await bench.run(...run, 'system.sh')).toEqual({ ...begun, stderr: '' });
  // Without an objective, what follows -- is still the command.
  const alone = ['--resume', 'out', '--', 'sh'] as const;
  expect(await bench.run(...alone, 'system.sh')).toEqual({ ...begun, stderr: '' });
  const refused = (why: string) => ({ code: 2, stderr: expect.stringContaining(why) });
  expect(await bench.run(...alone, 'other.sh')).toMatchObject(
    refused('its command is sh system.sh, not sh other.sh'),
  );
  writeFileSync(join(bench.directory, 'other.objective.toml'), OBJECTIVE.replace('< 70', '< 71'));
  for (const more of [[], ['--plan']]) {
    expect(await bench.run('other.objective.toml', '--resume', 'out', ...more)).toMatchObject(
      refused('its objective differs from the objective in other.objective.toml'),
    );
    expect(await bench.run('--resume', 'out', '--strategy', 'uniform', ...more)).toMatchObject(
      refused('its strategy is guided, not uniform'),
    );
  }
  for (const [flags, why] of [
    [['--attempts', '5'], 'it was started without --attempts, not with 5'],
    [['--attempt-time', '1s'], 'its --attempt-time is 30s, not 1s'],
    [['--events', 'otlp'], 'it was started without --events, not with otlp'],
    [['--server', 'http://127.0.0.1:1'], `its --server is ${bench.url}, not http://127.0.0.1:1`],
    [['--shrink'], 'it was started without --shrink'],
    [['--tolerant'], 'it was started without --tolerant'],
    [['--repeat', 'auto'], 'it was started without --repeat'],
    // Those with a default: given with the default's value, too.
    [['--baseline', '1'], 'its --baseline is 0, not 1'],
    [['--budget', '5'], 'its --budget is 100000000, not 5'],
    [['--out', 'two'], '--out must be the directory of --resume, not two'],
  ] as const) {
    expect(await bench.run('--resume', 'out', ...flags)).toMatchObject(refused(why));
  }
  expect(await bench.run('--shrink', '-s', bench.url, '--', 'sh', 'x.sh')).toMatchObject(
    refused("run needs an objective, or --resume with a run's directory"),
  );
  expect(await bench.run('--resume', 'none')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('none is not a run directory'),
  });
});

test('--report of a run that cannot go on has what there is', async () => {
  const bench = await openBench();
  const run = bench.start(...[FILE, '-s', bench.url, '--out', 'out', '--', 'sh', 'system.sh']);
  const measured = () => bench.journal().filter(({ step }) => step === 'measured').length;
  await expect.poll(measured, { timeout: 120_000 }).toBeGreaterThan(2);
  run.child.kill('SIGSTOP');
  const busy = await bench.run('--resume', 'out', '--report', 'so-far.html');
  run.child.kill('SIGKILL');
  await run.ended;
  expect(busy).toMatchObject({ code: 4, stderr: expect.stringContaining('in use by another run') });
  expect(busy.stdout).toMatch(/^ended {6}not yet$/m);
  const written = readFileSync(join(bench.directory, 'so-far.html'), 'utf8');
  expect(written).toContain('<caption>Attempts: passed</caption>');
});

test('a report that cannot be written is told before anything is mutated', async () => {
  const bench = await openBench();
  const { code, stdout } = await bench.run(
    ...[FILE, '-s', bench.url, '--out', 'out', '--report', `${FILE}/level.html`],
    ...['--', 'sh', 'system.sh'],
  );
  expect([code, stdout]).toEqual([2, '']);
  expect(bench.changes).toEqual([]);
  expect(existsSync(join(bench.directory, 'out'))).toBe(false);
});
