import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { perturb } from '../../cli/program.js';
import { OBJECTIVE, openBench, withoutProgress } from './bench.js';

const FILE = 'level.objective.toml';
const COMMAND = ['--', 'sh', 'system.sh'] as const;
const ONE = OBJECTIVE.replace('attempts = 12', 'attempts = 1');

/** A perturb.toml with two servers, of which runs take the first. */
const settings = (here: string, there: string) => `[servers.here]
url = "${here}"
[servers.there]
url = "${there}"
[run]
servers = ["here"]
timeout = "2s"
attempt_time = "7s"
`;

test('servers and times come from [run], and flags win over it', async () => {
  const other = await openBench();
  const bench = await openBench({ [FILE]: ONE });
  writeSettings(bench.directory, settings(bench.url, other.url));
  const run = await bench.run(FILE, '--out', 'out', ...COMMAND);
  expect(withoutProgress(run.stderr)).toBe('');
  expect(bench.changes.length).toBeGreaterThan(0);
  expect(other.changes).toEqual([]);
  expect(bench.journal()[0]).toMatchObject({ servers: ['here'], attemptMs: 7_000 });
  const before = bench.changes.length;
  const flags = ['--server', 'there', '--attempt-time', '5s'];
  await bench.run(FILE, ...flags, '--out', 'two', ...COMMAND);
  expect(bench.changes).toHaveLength(before);
  expect(other.changes.length).toBeGreaterThan(0);
  expect(bench.journal('two')[0]).toMatchObject({ servers: ['there'], attemptMs: 5_000 });
});

test('a server that takes longer than the timeout of [run] is given up', async () => {
  const bench = await openBench({ [FILE]: ONE });
  writeSettings(bench.directory, settings(bench.url, bench.url));
  bench.answer = (change, count) => (change.startsWith('POST') && count <= 4 ? 'hang' : undefined);
  const { stdout } = await bench.run(FILE, '--format', 'json', ...COMMAND);
  const { outcome, reasons } = JSON.parse(stdout).attempts[0];
  expect(outcome).toBe('inconclusive');
  expect(reasons.join()).toContain('timed out after 2000 ms');
});

test('--timeout wins over [run], also where it is the default', async () => {
  const bench = await openBench({ [FILE]: ONE });
  writeSettings(bench.directory, settings(bench.url, bench.url));
  bench.delayMs = 2_500;
  const { stdout } = await bench.run(...[FILE, '--timeout', '10s', '--format', 'json', ...COMMAND]);
  expect(JSON.parse(stdout).attempts[0].reasons).toEqual([]);
});

test('all servers of perturb.toml, where neither flags nor [run] name any', async () => {
  const bench = await openBench();
  writeSettings(bench.directory, `[servers.only]\nurl = "${bench.url}"\n`);
  const { code, stdout } = await bench.run(FILE, '--seed', '3', '--plan', '--format', 'json');
  expect(code).toBe(0);
  const servers = JSON.parse(stdout).sets.flatMap((set: { server: string }[]) =>
    set.map(({ server }) => server),
  );
  expect([...new Set(servers)]).toEqual(['only']);
});

test('a server without a name in perturb.toml, and a duration that is none, are wrong usage', async () => {
  const bench = await openBench();
  writeSettings(bench.directory, `[servers.bench]\nurl = "${bench.url}"\n`);
  const unknown = await bench.run(FILE, '--server', 'bensh', ...COMMAND);
  expect(unknown).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/there is no server "bensh" in perturb.toml\n.*"bench"/),
  });
  writeSettings(bench.directory, '[run]\nattempt_time = "soon"\n');
  const soon = await bench.run(FILE, '--server', bench.url, ...COMMAND);
  expect(soon.code).toBe(2);
  expect(soon.stderr).toContain('attempt_time');
});

test('an objective of the store is run at the revision that is named, else at the latest', async () => {
  const bench = await openBench({
    [FILE]: ONE,
    'later.objective.toml': ONE.replace('< 70', '< 71'),
  });
  const store = ['--store', 'sqlite:store.db'];
  const around = { cwd: bench.directory };
  await perturb(['objective', 'create', FILE, ...store], around);
  await perturb(['objective', 'create', 'later.objective.toml', '--update', ...store], around);
  const run = (name: string, out: string) =>
    bench.run(name, ...store, '-s', bench.url, '--out', out, ...COMMAND);
  expect(withoutProgress((await run('level@1', 'first')).stderr)).toBe('');
  expect(withoutProgress((await run('level', 'latest')).stderr)).toBe('');
  const objectiveOf = (out: string) => bench.journal(out)[0]?.['objective'];
  expect(objectiveOf('first')).toMatchObject({ origin: 'level@1', text: ONE });
  expect(objectiveOf('latest')).toMatchObject({
    origin: 'level@2',
    text: expect.stringContaining('< 71'),
  });
  const none = await run('level@3', 'none');
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('level');
  const missing = await run('lavel', 'none');
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain('lavel');
});

function writeSettings(directory: string, text: string): void {
  writeFileSync(join(directory, 'perturb.toml'), text);
}
