import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createActuator } from '../../src/actuators/acting/index.js';
import {
  contextIn,
  failureOf,
  MUTATION,
  mutationOf,
  readManifest,
  temporaryDirectory,
  until,
  valuesOf,
} from '../server/support.js';

/** An actuator whose inject command is a shell script, in a directory. */
async function rig(
  script: string,
  more = '',
  params = '',
  environment: Record<string, string> = {},
) {
  const directory = temporaryDirectory();
  const [mutator] = readManifest(`[[mutator]]
name = "m"
[mutator.actuator]
kind = "exec"
inject = ["sh", "-c", '''${script}''', "sh", "{value}"]
reset = ["true"]
${more}
[[mutator.param]]
name = "value"
type = "string"
default = ""
${params}`);
  if (mutator === undefined) throw new Error('no mutator');
  const { PATH = '' } = process.env;
  const context = contextIn(directory, { environment: { PATH, ...environment } });
  const actuator = await createActuator(mutator, context);
  return {
    inject: (values: Parameters<typeof valuesOf>[0] = { value: 'v' }, signal?: AbortSignal) =>
      actuator.inject(mutationOf(valuesOf(values)), signal),
    at: (name: string) => join(directory, name),
    read: (name: string) => readFileSync(join(directory, name), 'utf8'),
    running: () => readdirSync(join(directory, 'state/running')),
  };
}

/** Whether a process is there, and not only its entry in the table. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('a command has the values in its arguments, its environment and its input', async () => {
  const { inject, read } = await rig(
    'env | sort | grep -e ^PERTURB -e ^EXTRA -e ^OWN > env; cat > stdin; pwd > pwd',
    'env = { EXTRA = "1", OWN = "from the manifest" }',
    '[[mutator.param]]\nname = "drop-share"\ntype = "float"\n[[mutator.param]]\nname = "n"\ntype = "integer"',
    { OWN: 'from outside', PERTURB_PARAM_VALUE: 'from outside' },
  );
  await inject({ value: 'a b', 'drop-share': 5, n: 2n ** 62n });
  const [operation, ...rest] = read('env')
    .trim()
    .split('\n')
    .sort(
      (a, b) =>
        Number(b.startsWith('PERTURB_OPERATION')) - Number(a.startsWith('PERTURB_OPERATION')),
    );
  expect(operation).toMatch(/^PERTURB_OPERATION=[\da-f-]{36}$/);
  expect(rest).toEqual([
    'EXTRA=1',
    'OWN=from the manifest',
    `PERTURB_MUTATION_ID=${MUTATION}`,
    'PERTURB_PARAM_DROP_SHARE=5.0',
    'PERTURB_PARAM_N=4611686018427387904',
    'PERTURB_PARAM_VALUE=a b',
  ]);
  expect(read('stdin')).toBe(
    `{"mutation":"${MUTATION}","params":{"value":"a b","drop-share":5.0,"n":4611686018427387904}}\n`,
  );
});

test('a time limit ends the whole group, also children that heed no signal', async () => {
  const { inject, read, running } = await rig(
    `trap '' TERM; sh -c 'trap "" TERM; echo $$ > child; while :; do sleep 1; done' &
echo $$ > leader; while :; do sleep 1; done`,
    'timeout = "3s"',
  );
  expect(await failureOf(inject())).toEqual([
    'timed-out',
    'the inject command "sh" took longer than 3000 ms',
  ]);
  const pids = [read('leader'), read('child')].map(Number);
  await until(() => !pids.some(isAlive));
  expect(running()).toEqual([]);
});

test('a time limit ends what runs on as one child after another, each in a session of its own', async () => {
  const { inject, at, read } = await rig(
    `cat > link <<'END'
echo $$ >> links
setsid sh ./link &
END
sh ./link; sleep 1000`,
    'timeout = "1s"',
  );
  expect((await failureOf(inject()))[0]).toBe('timed-out');
  const links = read('links').length;
  expect(links).toBeGreaterThan(0);
  // One that is left would write again, however late: so would the next that it began.
  for (const pid of read('links').trim().split('\n').map(Number)) expect(isAlive(pid)).toBe(false);
  expect(existsSync(at('links'))).toBe(true);
  expect(read('links')).toHaveLength(links);
});

test('a time limit ends a child without our environment in another group of the session', async () => {
  const { inject, read } = await rig(
    `set -m; env -i sh -c 'echo $$ > child; trap "" TERM; while :; do /bin/sleep 1; done' & sleep 1000`,
    'timeout = "1s"',
  );
  expect((await failureOf(inject()))[0]).toBe('timed-out');
  expect(isAlive(Number(read('child')))).toBe(false);
});

test('a command that ends when it is told to has time to clean up', async () => {
  const { inject, at } = await rig(
    `trap 'touch cleaned; exit 1' TERM; while :; do sleep 0.01; done`,
    'timeout = "2s"',
  );
  expect((await failureOf(inject()))[0]).toBe('timed-out');
  expect(existsSync(at('cleaned'))).toBe(true);
});

test('a command that is broken off is killed with its group at once', async () => {
  const { inject, read, at } = await rig(
    `trap '' TERM; sh -c 'echo $$ > child; exec sleep 1000' & sleep 1000`,
  );
  const stop = new AbortController();
  const injecting = failureOf(inject({ value: '' }, stop.signal));
  await until(() => existsSync(at('child')) && read('child').endsWith('\n'));
  stop.abort();
  expect((await injecting)[0]).toBe('aborted');
  await until(() => !isAlive(Number(read('child'))));
});

test('a process in the background that holds the pipes is not waited for, nor ended', async () => {
  const { inject, read, at } = await rig(
    `sh -c 'echo $$ > child; while ! test -e go; do sleep 0.01; done; echo still here >&2; touch alive; exec sleep 1000' &
while ! test -e child; do sleep 0.01; done; echo done >&2`,
    'timeout = "20s"',
  );
  await inject();
  const pid = Number(read('child'));
  onTestFinished(() => void process.kill(pid, 'SIGKILL'));
  writeFileSync(at('go'), '');
  // Its words go nowhere, and do not end it.
  await until(() => existsSync(at('alive')));
  expect(isAlive(pid)).toBe(true);
});

test('of what a command says no part of a word is kept', async () => {
  // Whatever the length of a line, the cut falls into it elsewhere.
  for (const length of Array.from({ length: 12 }, (_, index) => index + 1)) {
    const word = `secret${'s'.repeat(length * 7)}end`;
    const { inject } = await rig(
      `i=0; while [ $i -lt 200 ]; do echo sends ${word} >&2; i=$((i+1)); done; exit 4`,
    );
    const [, message = ''] = await failureOf(inject());
    const words = new Set(message.replace(/^.*stderr: "/, '').match(/\w+(?=\\n| |"$)/g));
    expect([...words].filter((one) => !['sends', 'nsends', word].includes(one))).toEqual([]);
    expect(message.length).toBeGreaterThan(1_500);
  }
});

test('of what a command says only the end is kept, however much that is', async () => {
  const { inject } = await rig(
    'head -c 5000000 /dev/zero | tr "\\\\0" x >&2; echo >&2; echo the end >&2; exit 4',
  );
  const [code, message] = await failureOf(inject());
  expect(code).toBe('exit-code');
  expect(message).toMatch(/^the inject command "sh" ended with code 4, stderr: "x+\\nthe end"$/);
  expect(message.length).toBeLessThan(2_200);
  const { inject: chatty } = await rig('head -c 5000000 /dev/zero');
  await chatty();
});

test('a command that does not read its input is no failure, one ended by a signal is', async () => {
  const { inject } = await rig('exec <&-; exit 0');
  await inject({ value: 'x'.repeat(100_000) });
  const { inject: killed } = await rig('kill -9 $$');
  expect(await failureOf(killed())).toEqual([
    'killed',
    'the inject command "sh" was terminated by SIGKILL',
  ]);
});

test('a command that cannot be started is told', async () => {
  const start = async (command: string, more = '') => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'plain'), 'no program', { mode: 0o644 });
    const [mutator] = readManifest(
      `[[mutator]]\nname = "m"\n[mutator.actuator]\nkind = "exec"\ninject = ["${command}"]\nreset = ["true"]\n${more}`,
    );
    if (mutator === undefined) throw new Error('no mutator');
    const actuator = await createActuator(mutator, contextIn(directory));
    return failureOf(actuator.inject(mutationOf(new Map())));
  };
  expect(await start('no-such-command')).toEqual([
    'not-started',
    'the inject command "no-such-command" cannot be started: spawn no-such-command ENOENT',
  ]);
  expect((await start('./plain'))[1]).toContain('EACCES');
  expect((await start('true', 'cwd = "nowhere"'))[1]).toMatch(
    /there is no directory ".*\/nowhere"$/,
  );
  const { inject } = await rig('true');
  expect((await failureOf(inject({ value: 'a\0b' })))[1]).toContain(
    'a value contains a NUL character',
  );
  expect((await failureOf(inject({ value: 'x'.repeat(3_000_000) })))[1]).toContain('E2BIG');
});

test('a command that somebody kills ends with what it has started, and may still take effect', async () => {
  const { inject, read } = await rig(
    'sleep 1000 & echo $! > child; setsid sleep 1000 & echo $! > far; kill -9 $$',
  );
  const error = await inject().catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    code: 'killed',
    message: 'the inject command "sh" was terminated by SIGKILL',
    lateMs: 10_000,
  });
  for (const name of ['child', 'far']) expect(isAlive(Number(read(name)))).toBe(false);
});

test('a value with an unpaired surrogate is refused', async () => {
  const { inject, running } = await rig('exit 0');
  expect(await failureOf(inject({ value: 'a\ud800' }))).toEqual([
    'bad-value',
    'the inject command "sh": a value contains an unpaired surrogate',
  ]);
  expect(running()).toEqual([]);
});

test('a variable that is not set is found when the actuator is made', async () => {
  const asking = rig('exit 0', 'env = { GIVEN = "a {env:MISSING}" }');
  await expect(asking).rejects.toThrow(
    'the variable "GIVEN" needs the environment variable "MISSING", which is not set',
  );
});
