import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encodeJournal } from '../../../src/durable/journal.js';
import { PLANNER_VERSION } from '../../../src/runner/index.js';
import { type Bench, openBench } from './bench.js';

const FILE = 'level.objective.toml';

/** A run that was killed in an attempt: something is mutated, and its journal says so. */
async function killed(server?: string) {
  const bench = await openBench();
  if (server !== undefined) {
    writeFileSync(join(bench.directory, 'perturb.toml'), `[servers.bench]\nurl = "${bench.url}"\n`);
  }
  const run = bench.start(
    ...[FILE, '-s', server ?? bench.url, '--seed', '3', '--out', 'out', '--', 'sleep', '600'],
  );
  await expect.poll(() => bench.journal().some(({ step }) => step === 'injected')).toBe(true);
  run.child.kill('SIGKILL');
  await run.ended;
  expect(bench.active.size).toBeGreaterThan(0);
  const path = join(bench.directory, 'out/journal');
  return { bench, path, text: readFileSync(path, 'utf8') };
}

/** Lets a run be refused, and expects that what it had left was reset. */
async function expectReset(bench: Bench, ...more: readonly string[]) {
  const names = [...bench.active.keys()];
  const refused = await bench.run('--resume', 'out', ...more);
  expect(bench.active.size).toBe(0);
  for (const name of names) {
    expect(refused.stderr).toMatch(new RegExp(`resetting mutators left active: .*${name}`));
  }
  return refused;
}

test('a run that is refused to be resumed is reset, whatever it is refused for', async () => {
  const { bench, path, text } = await killed();
  const saved = [...bench.active];
  const { listing } = bench;
  /** Has it as the kill left it, but for its journal. */
  const leave = (journal: string) => {
    for (const [id, body] of saved) (bench.active as Map<string, string>).set(id, body);
    bench.listing = listing;
    writeFileSync(path, journal);
  };

  // Its journal is damaged, whatever line it is.
  const lines = text.split('\n');
  // The last line says how many there are: a write that was cut short leaves it so too.
  for (let at = 1; at < lines.length - 2; at += 1) {
    const damaged = lines.map((line, index) => (index === at ? line.replace('"', '!') : line));
    leave(damaged.join('\n'));
    const { code, stderr } = await expectReset(bench);
    expect(stderr).toContain(`journal is damaged (line ${at + 1} is corrupt)`);
    expect(code).toBe(4);
  }

  // Its first line is, or seems to be of another version.
  for (const [first, why] of [
    ['qerturb-run 1', 'is damaged (it is not a journal)'],
    ['perturb-run 3', 'was written by another version of Perturb (format version 3)'],
  ] as const) {
    leave(text.replace('perturb-run 1', first));
    const { code, stderr } = await expectReset(bench);
    expect(stderr).toContain(`journal ${why}`);
    expect(code).toBe(4);
  }

  // It was cut off, and has lost what was mutated. The kill may have come before the last record was counted.
  const attempt = lines.findIndex((line) => line.includes('"step":"attempt"'));
  for (let end = attempt; end < lines.length - 3; end += 1) {
    leave(`${lines.slice(0, end).join('\n')}\n`);
    const { code, stderr } = await expectReset(bench);
    expect(stderr).toMatch(/journal is damaged \(at least \d of its records are missing\)/);
    expect(code).toBe(4);
  }

  // A report is asked for.
  leave(text.replace('"step":"run"', '"step":"ran"'));
  expect((await expectReset(bench, '--report', 'x.html')).code).toBe(4);

  // It was begun otherwise.
  leave(text);
  const otherwise = await expectReset(bench, '--seed', '4');
  expect(otherwise.stderr).toContain('its seed is 3, not 4');
  expect(otherwise.code).toBe(2);

  // The mutators of the server have changed.
  leave(text);
  bench.listing = '[]';
  expect((await expectReset(bench)).code).toBe(1);

  // Another version of Perturb planned it.
  const planner = `"planner":${PLANNER_VERSION},`;
  expect(text).toContain(planner);
  leave(text);
  const records = bench.journal().map((one) => JSON.stringify(one));
  const form = {
    name: 'perturb-run',
    version: 1,
    encode: (one: string) => one,
    decode: (record: string) => ({ record }),
  };
  const old = records.map((one) => one.replace(planner, ''));
  leave(encodeJournal(form, old));
  const planned = await expectReset(bench);
  expect(planned.stderr).toContain(
    `was written by another version of Perturb (its sets were chosen by planner 1, and this version has planner ${PLANNER_VERSION}): continue with that version`,
  );
  expect(planned.code).toBe(4);

  // Its journal cannot be written anew where something is in the place of the new one.
  leave(text);
  const gone = `${path}.new`;
  rmSync(gone, { force: true });
  mkdirSync(join(gone, 'in the way'), { recursive: true });
  const unwritten = await expectReset(bench);
  expect(unwritten.stderr).toContain('journal cannot be written');
  expect(unwritten.code).toBe(4);
});

test('what could not be reset is named, each with the command for it', async () => {
  const { bench } = await killed('bench');
  const ids = [...bench.active.keys()];
  rmSync(join(bench.directory, 'perturb.toml'));
  const { code, stderr } = await bench.run('--resume', 'out', '--seed', '4');
  for (const id of ids) {
    expect(stderr).toContain(`perturb: ${id}: there is no server "bench" in perturb.toml\n`);
    expect(stderr).toContain(`  perturb mutators reset ${id} --server bench\n`);
  }
  expect(code).toBe(4);
});

test('a run that goes on in another process is left alone', async () => {
  const bench = await openBench();
  const run = bench.start(
    ...[FILE, '-s', bench.url, '--seed', '3', '--out', 'out', '--', 'sleep', '600'],
  );
  await expect.poll(() => bench.journal().some(({ step }) => step === 'injected')).toBe(true);
  expect((await bench.run('--resume', 'out', '--seed', '4')).code).toBe(2);
  expect((await bench.run('--resume', 'out')).stderr).toContain('is in use by another run');
  expect(bench.changes.filter((one) => one.startsWith('DELETE'))).toEqual([]);
  run.child.kill('SIGTERM');
  await run.ended;
});

test('a directory that cannot be made is refused at once, and a file is not the directory of a run', async () => {
  const bench = await openBench();
  const run = ['level.objective.toml', '-s', bench.url];
  for (const more of [
    ['--out', '/proc/none/run'],
    ['--report', '/proc/none/report.html'],
  ]) {
    const { code, stderr } = await bench.run(...run, ...more, '--', 'true');
    expect([more, code]).toEqual([more, more[0] === '--out' ? 4 : 2]);
    expect(stderr).toMatch(/cannot write \/proc\/none|\/proc\/none\/run cannot be a run directory/);
  }
  expect(bench.changes).toEqual([]);
  writeFileSync(join(bench.directory, 'file'), '');
  expect(await bench.run('--resume', 'file')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('file is not a run directory'),
  });
  expect(await bench.run('--resume', '')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Expected a directory.'),
  });
});

test('a journal in whose place is a pipe is refused at once', async () => {
  const { bench, path } = await killed();
  rmSync(path);
  spawnSync('mkfifo', [path]);
  const { code, stderr } = await bench.run('--resume', 'out');
  expect(stderr).toContain('journal cannot be read (it is not a regular file)');
  expect(code).toBe(4);
});
