import { existsSync, readFileSync } from 'node:fs';
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
  expect(written).toContain('<caption>All attempts</caption>');
  const { length } = bench.journal();
  const changes = bench.changes.length;
  const again = await bench.run('--resume', 'out', '--report', 'again.html');
  expect(again).toEqual(run);
  expect(readFileSync(join(bench.directory, 'again.html'), 'utf8')).toBe(written);
  expect(bench.journal()).toHaveLength(length);
  expect(bench.changes).toHaveLength(changes);
  const none = await bench.run('--resume', 'out');
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('write its report') });
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
