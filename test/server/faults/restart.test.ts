import { readdirSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownPort } from '../../adversary/harness/systems.js';
import { inject, reset } from '../programs/server-program.js';
import { answers, ask, startService } from './service.js';

/** A service that listens two seconds after its start. */
const late = (port: number) => `import { createServer } from 'node:http';
const server = createServer((_, response) => response.end('well'));
setTimeout(() => server.listen(${port}, '127.0.0.1'), 2000);
`;

test.each([
  ['a port', (port: number) => `127.0.0.1:${port}`],
  ['a URL', (port: number) => `http://127.0.0.1:${port}/`],
  ['a command', (port: number) => `${process.execPath} ready.mjs ${port}`],
])(
  'kill: the reset ends when %s says that the service is ready',
  async (_, ready) => {
    const port = await ownPort();
    const { cwd, program } = await startService({
      script: `exec ${process.execPath} service.mjs`,
      files: { 'service.mjs': late(port) },
      options: ['--ready', ready(port)],
      prepare: (cwd) => {
        const script = `await fetch('http://127.0.0.1:' + process.argv[2]);\n`;
        writeFileSync(join(cwd, 'ready.mjs'), script);
      },
    });
    await answers(port);
    expect([await inject(program.url, 'kill'), await ask(port)]).toEqual([201, 'ECONNREFUSED']);
    expect([await reset(program.url, 'kill'), await ask(port)]).toEqual([200, 'well']);
    expect(readdirSync(cwd).filter((name) => name.includes('.state.json'))).toEqual([]);
  },
  60_000,
);

/** Has the mutators of a directory give up earlier. */
function giveUpAfter(cwd: string, timeout: string) {
  const path = join(cwd, 'mutators.toml');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replaceAll('timeout = "30s"', `timeout = "${timeout}"`));
}

test('kill: a service that is not ready in time is a failed reset, and is not started twice', async () => {
  const port = await ownPort();
  const { cwd, members, program } = await startService({
    script: 'echo waiting for a port\nexec sleep 600',
    options: ['--ready', `127.0.0.1:${port}`],
    prepare: (cwd) => giveUpAfter(cwd, '3s'),
  });
  expect(await inject(program.url, 'kill')).toBe(201);
  expect(await reset(program.url, 'kill')).toBe(500);
  await program.said(
    new RegExp(
      `sh start\\.sh was restarted, and is not ready: 127\\.0\\.0\\.1:${port}: waiting for a port`,
    ),
  );
  const [started] = members();
  expect(await reset(program.url, 'kill')).toBe(500);
  expect([members(), readFileSync(join(cwd, 'kill.log'), 'utf8')]).toEqual([
    [started],
    'waiting for a port\n',
  ]);
}, 60_000);

test('kill: a restart that fails is a failed reset with its last lines, and is tried again', async () => {
  const { cwd, members, program } = await startService({ script: 'exec sleep 600' });
  const start = join(cwd, 'start.sh');
  const works = readFileSync(start, 'utf8');
  await expect.poll(() => members().length).toBe(1);
  for (const [script, said] of [
    ['echo no port >&2\nexit 3', /sh start\.sh was restarted, and has exited \(3\): no port/],
    // What it was to run fails, but it does not.
    ['echo no disk\n/bin/false\necho ended', /has exited \(0\): no disk\\nended/],
  ] as const) {
    writeFileSync(start, script);
    expect(await inject(program.url, 'kill')).toBe(201);
    expect(await reset(program.url, 'kill')).toBe(500);
    await program.said(said);
    writeFileSync(start, works);
    expect(await reset(program.url, 'kill')).toBe(200);
    expect(members().length).toBe(1);
  }
}, 60_000);

test('pause: a pid file that its program is about to write is waited for', async () => {
  const { child, cwd, program, states } = await startService({ script: 'exec sleep 600' });
  const file = join(cwd, 'wrapper.pid');
  // The program that ran before has ended.
  writeFileSync(file, '4194304\n');
  const injecting = inject(program.url, 'pause');
  const runs = (pid: string) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return (
        line.includes('inject-pause') && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cwd)
      );
    } catch {
      return false;
    }
  };
  await expect.poll(() => readdirSync('/proc').some(runs), { interval: 5 }).toBe(true);
  writeFileSync(file, `${child.pid}\n`);
  expect([await injecting, states()]).toEqual([201, ['T']]);
  expect(await reset(program.url, 'pause')).toBe(200);

  writeFileSync(file, '4194304\n');
  expect(await inject(program.url, 'pause')).toBe(500);
  await program.said(/the process in wrapper\.pid has exited: pid 4194304/);
}, 60_000);

test('kill: a service that a supervisor has started at once was not gone, so it is a failed injection', async () => {
  const { program, states } = await startService({
    script: 'while :; do sleep 600 & echo $! > sleep.pid; wait $!; done',
    pidFile: 'service/sleep.pid',
    prepare: (cwd) => giveUpAfter(cwd, '4s'),
  });
  expect(await inject(program.url, 'kill')).toBe(500);
  await program.said(
    /the injection cannot be verified: .* stderr: "process \d+ has replaced the killed process"/,
  );
  expect(states()).toEqual(['S', 'S']);
}, 60_000);
