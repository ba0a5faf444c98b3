import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { inject, reset } from '../programs/server-program.js';
import { killedAgainAndAgain, readyMade, serveIn } from './ready-made.js';

/**
 * A service with a worker, in a process group of its own: both count. A shell that waits for a program in
 * the foreground may start it by vfork: stopped before it is another program, it holds up the shell, which
 * then is in the state D, and not in T.
 */
const SERVICE = `#!/bin/sh
count() { n=0; while :; do n=$((n + 1)); echo $n > $1.count; sleep 0.05 & wait $!; done; }
count worker &
count service
`;

const stateOf = (pid: number) =>
  /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];

/** 'Z' for one that has ended. */
function stateIfThere(pid: number): string {
  try {
    return stateOf(pid) ?? 'Z';
  } catch {
    return 'Z';
  }
}

async function start(...kinds: readonly (readonly string[])[]) {
  const cwd = await readyMade({ 'service.sh': SERVICE }, ...kinds);
  const child: ChildProcess = spawn('sh', ['service.sh'], { cwd, detached: true, stdio: 'ignore' });
  const pidFile = join(cwd, 'service.pid');
  writeFileSync(pidFile, `${child.pid}\n`);
  const pid = () => Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  const isRunning = () => !'TZ'.includes(stateIfThere(pid()));
  onTestFinished(() => {
    for (const one of new Set([child.pid as number, pid()])) {
      try {
        process.kill(-one, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
  });
  const counts = () => ['service', 'worker'].map((name) => read(join(cwd, `${name}.count`)));
  /** Waits until all that is named here has counted on. */
  const worked = async (...which: readonly number[]) => {
    const before = counts();
    while (which.some((one) => counts()[one] === before[one])) await delay(5);
  };
  await worked(0, 1);
  return { cwd, pid, isRunning, counts, worked };
}

const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

test('pause: a process, or its group, stands still until the reset, or the next start', async () => {
  const { cwd, pid, worked, isRunning } = await start(
    ['pause', '--pid-file', 'service.pid'],
    ['pause', '--group', 'service.pid', '--name', 'group'],
  );
  const program = await serveIn(cwd);
  const { url } = program;
  expect(await inject(url, 'pause')).toBe(201);
  expect(isRunning()).toBe(false);
  expect(await inject(url, 'pause')).toBe(201);
  expect(isRunning()).toBe(false);
  expect(await reset(url, 'pause')).toBe(200);
  await worked(0, 1);
  expect(await reset(url, 'pause')).toBe(200);
  expect(existsSync(join(cwd, 'pause.state.json'))).toBe(false);

  expect(await inject(url, 'group')).toBe(201);
  expect(await inject(url, 'group')).toBe(201);
  while (isRunning()) await delay(5);
  const { processes } = JSON.parse(read(join(cwd, 'group.state.json'))).state;
  expect(processes.length).toBeGreaterThanOrEqual(2);
  expect(processes[0].pid).toBe(pid());
  // Those of the group that end by themselves may have done so.
  for (const { pid: one } of processes) {
    while (!'TZ'.includes(stateIfThere(one))) await delay(5);
  }
  expect(await reset(url, 'group')).toBe(200);
  await worked(0, 1);

  const own = pid();
  process.kill(own, 'SIGSTOP');
  while (isRunning()) await delay(5);
  expect(await inject(url, 'pause')).toBe(500);
  await program.said(/is already stopped, but not by this mutator/);
  expect(stateOf(own)).toBe('T');
  process.kill(own, 'SIGCONT');
  const file = join(cwd, 'service.pid');
  for (const [text, says] of [
    ['', /expected a service's pid on the first line of service\.pid, found an empty line/],
    ['1', /expected a service's pid on the first line of service\.pid, found \\"1\\"/],
    ['-1', /expected a service's pid on the first line of service\.pid, found \\"-1\\"/],
    [
      `/data\n${own}`,
      /expected a service's pid on the first line of service\.pid, found \\"\/data\\"/,
    ],
    [`${program.child.pid}`, /service\.pid contains the pid of the server/],
    [`${process.pid}`, /service\.pid contains the pid of the server or one of its ancestors/],
  ] as const) {
    writeFileSync(file, text);
    expect([text, await inject(url, 'pause')]).toEqual([text, 500]);
    await program.said(says);
  }
  writeFileSync(file, `${own}\n/var/lib/data\n5432\n`);
  expect(await inject(url, 'pause')).toBe(201);
  expect(await reset(url, 'pause')).toBe(200);

  const isActive = () => !isRunning();
  await killedAgainAndAgain({ cwd, faults: [['group', {}]], isActive, first: program });
  await worked(0, 1);
}, 3_600_000);

const KILL = ['kill', '--group', 'service.pid', '--command', 'sh service.sh'];

test('kill: a process is gone until the reset, or the next start, which starts it once', async () => {
  const { cwd, pid, isRunning, worked } = await start(KILL);
  const program = await serveIn(cwd);
  const { url } = program;
  const first = pid();
  expect(await inject(url, 'kill', { signal: 'KILL' })).toBe(201);
  expect(isRunning()).toBe(false);
  expect(await reset(url, 'kill')).toBe(200);
  const second = pid();
  expect(second).not.toBe(first);
  await worked(0);

  const isActive = () => !isRunning();
  await killedAgainAndAgain({ cwd, faults: [['kill', {}]], isActive, first: program });
  await worked(0, 1);
  process.kill(-pid(), 'SIGKILL');
  while (isRunning()) await delay(5);
}, 3_600_000);

test('kill: what a supervisor has started stays, and what does not run is not started', async () => {
  const { cwd, pid, isRunning } = await start(KILL);
  const program = await serveIn(cwd);
  expect(await inject(program.url, 'kill', { signal: 'TERM' })).toBe(201);
  expect(isRunning()).toBe(false);
  // A supervisor is faster.
  const other = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  writeFileSync(join(cwd, 'service.pid'), `${other.pid}`);
  expect(await reset(program.url, 'kill')).toBe(200);
  expect(pid()).toBe(other.pid);

  process.kill(pid(), 'SIGKILL');
  while (isRunning()) await delay(5);
  expect(await inject(program.url, 'kill')).toBe(500);
  await program.said(/the process in service\.pid has exited: pid \d+/);
  expect(await reset(program.url, 'kill')).toBe(200);
  expect([isRunning(), existsSync(join(cwd, 'kill.state.json'))]).toEqual([false, false]);
});

test('kill: a process that is about to end when the server is killed is ended, and started again', async () => {
  const service = `import { existsSync, writeFileSync } from 'node:fs';
process.on('SIGTERM', () => { writeFileSync('asked', ''); setInterval(() => existsSync('go') && process.exit(), 5); });
setInterval(() => {}, 1000);
writeFileSync('ready', '');
`;
  const { cwd, pid, isRunning } = await start([
    ...['kill', '--pid-file', 'slow.pid', '--command', 'node slow.mjs'],
  ]);
  writeFileSync(join(cwd, 'slow.mjs'), service);
  const child = spawn('node', ['slow.mjs'], { cwd, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  writeFileSync(join(cwd, 'slow.pid'), `${child.pid}`);
  while (!existsSync(join(cwd, 'ready'))) await delay(5);
  const first = await serveIn(cwd);
  const injecting = inject(first.url, 'kill', { signal: 'TERM' }).catch(() => 0);
  while (!existsSync(join(cwd, 'asked'))) await delay(5);
  first.child.kill('SIGKILL');
  await Promise.all([first.exit, injecting]);
  const second = await serveIn(cwd);
  writeFileSync(join(cwd, 'go'), '');
  while (stateIfThere(child.pid as number) !== 'Z') await delay(5);
  const now = Number(read(join(cwd, 'slow.pid')));
  onTestFinished(() => void process.kill(now, 'SIGKILL'));
  expect([now !== child.pid, stateIfThere(now) !== 'Z']).toEqual([true, true]);
  second.child.kill('SIGTERM');
  expect((await second.exit).code).toBe(0);
  expect([pid() !== now, isRunning()]).toEqual([true, true]);
});

test('a pid that another process has now is never meant', async () => {
  const { cwd, pid, isRunning } = await start(KILL, ['pause', '--pid-file', 'old.pid']);
  const program = await serveIn(cwd);
  writeFileSync(join(cwd, 'old.pid'), `${pid()}`);
  utimesSync(join(cwd, 'old.pid'), 0, 0);
  expect(await inject(program.url, 'pause')).toBe(500);
  await program.said(
    /started after old\.pid was written, so the pid may have been reused: if this is the right process, touch old\.pid/,
  );
  expect(isRunning()).toBe(true);

  // As if its pid had gone to another process since.
  expect(await inject(program.url, 'kill')).toBe(201);
  const other = spawn('sleep', ['600'], { stdio: 'ignore' });
  onTestFinished(() => void other.kill('SIGKILL'));
  const file = join(cwd, 'kill.state.json');
  writeFileSync(file, read(file).replaceAll(`"pid":${pid()},`, `"pid":${other.pid},`));
  writeFileSync(join(cwd, 'service.pid'), `${other.pid}`);
  expect(await reset(program.url, 'kill')).toBe(200);
  expect([pid() !== other.pid, isRunning(), other.exitCode]).toEqual([true, true, null]);
});
