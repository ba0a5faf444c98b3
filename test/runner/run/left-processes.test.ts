import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { OBJECTIVE, openBench, processesWith } from './bench.js';

const FILE = 'level.objective.toml';

/** A command that does not end by itself, nor when it is told to, with a child in its group and one outside. */
const STUBBORN = `trap '' TERM INT
setsid sh -c 'trap "" TERM INT HUP; while :; do sleep 1; done' &
while :; do sleep 1; done`;

/** Ends all children of its parent but itself: what waits to end it with the run. */
const UNGUARD = `for pid in $(cat /proc/$PPID/task/*/children); do [ $pid = $$ ] || kill -9 $pid; done`;

/** Begins a run, and waits until its command and both its children run. */
async function begin(script = STUBBORN) {
  const bench = await openBench();
  const run = bench.start(FILE, '-s', bench.url, '--out', 'out', '--', 'sh', '-c', script);
  const left = () => processesWith(join(bench.directory, 'out/attempts'));
  onTestFinished(() => {
    for (const pid of left()) process.kill(pid, 'SIGKILL');
  });
  await expect.poll(() => left().length).toBeGreaterThanOrEqual(4);
  return { bench, run, left };
}

test('with a run that is killed all that its command has started ends, before anybody resumes it', async () => {
  const { run, left } = await begin();
  run.child.kill('SIGKILL');
  await run.ended;
  await expect.poll(left).toEqual([]);
});

test('a process of its group that dropped its environment ends with it too', async () => {
  const { bench, run } = await begin(
    `env -i sh -c 'echo $$ > ./bare.pid; exec sleep 600' &\n${STUBBORN}`,
  );
  const path = join(bench.directory, 'bare.pid');
  const read = (file: string) => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return '';
    }
  };
  await expect.poll(() => read(path)).toMatch(/^\d+\n$/);
  const commandLine = () => read(`/proc/${read(path).trim()}/cmdline`);
  expect(commandLine()).toContain('600');
  run.child.kill('SIGKILL');
  await run.ended;
  await expect.poll(commandLine).toBe('');
});

test('a command that ends what waits beside it does not keep the next from ending', async () => {
  const { run, left } = await begin(
    `[ $PERTURB_ATTEMPT = 1 ] && { ${UNGUARD}; exit 125; }\n${STUBBORN}`,
  );
  run.child.kill('SIGKILL');
  await run.ended;
  await expect.poll(left).toEqual([]);
});

test('with a run that a second signal ends all that its command has started ends', async () => {
  const { bench, run, left } = await begin();
  bench.answer = (change) => (change.startsWith('DELETE') ? 'hang' : undefined);
  run.child.kill('SIGINT');
  await expect.poll(run.stderr).toContain('SIGINT: resetting');
  run.child.kill('SIGTERM');
  expect(await run.ended).toBe(4);
  await expect.poll(left).toEqual([]);
});

test('what waited beside the command of a killed run does not end that of the run which continues it', async () => {
  const script = `[ -e once ] || { touch once; exec sleep 600; }
touch twice; until [ -e go ]; do sleep 0.01; done; exec sh system.sh`;
  const bench = await openBench({ [FILE]: OBJECTIVE.replace('attempts = 12', 'attempts = 1') });
  const at = (name: string) => join(bench.directory, name);
  const run = bench.start(FILE, '-s', bench.url, '--out', 'out', '--', 'sh', '-c', script);
  await expect.poll(() => existsSync(at('once'))).toBe(true);
  const guards = readFileSync(`/proc/${run.child.pid}/task/${run.child.pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number)
    .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('PERTURB_SESSION='));
  expect(guards).toHaveLength(1);
  const [guard = 0] = guards;
  // It comes late.
  process.kill(guard, 'SIGSTOP');
  run.child.kill('SIGKILL');
  await run.ended;
  const resumed = bench.run('--resume', 'out');
  await expect.poll(() => existsSync(at('twice'))).toBe(true);
  if (existsSync(`/proc/${guard}`)) process.kill(guard, 'SIGCONT');
  await expect.poll(() => existsSync(`/proc/${guard}`)).toBe(false);
  writeFileSync(at('go'), '');
  expect((await resumed).stdout).toContain('attempts   1: 1 passed');
});
