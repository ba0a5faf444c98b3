import { closeSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createClient, type MutatorClient } from '../../src/mutators/index.js';
import { openPipe, ownPort } from '../adversary/harness/systems.js';
import { directoryWith } from '../cli/program.js';
import {
  MUTATION,
  type Program,
  type Surroundings,
  startProgram,
  startServer,
} from './programs/server-program.js';

/*
 * Plays the reflector: it knows of the server what section 1 of the
 * requirements says, and nothing else.
 */

const SYSTEM = '{"wind": {"speed": 0.0}}\n';
const PROJECT = {
  'bench/mutators.toml': `[[mutator]]
name = "wind"

[[mutator.param]]
name = "speed"
type = "float"

[mutator.actuator]
kind = "file"
path = "system.json"
key = ["wind", "speed"]
value = "{speed}"
`,
  'bench/system.json': SYSTEM,
};
const TOKEN = 'the token of the platform';
const STAND_IN = resolve('test/server/programs/reflector.js');

interface Reflector {
  /** The plugin, or the program that has started it. */
  readonly plugin: Program;
  readonly client: MutatorClient;
  /** What the system's file holds. */
  system(): string;
}

interface PluginStart {
  /** More flags of the installation. */
  readonly flags?: readonly string[];
  readonly prefix?: string;
  readonly apiKey?: string;
  /** Starts it in place of this process, which by default is the reflector. */
  readonly start?: (executable: string, around: Surroundings) => Program;
}

/** Installs the plugin as a user would, and starts it as a reflector would. */
async function startPlugin(given: PluginStart = {}) {
  const { flags = [], prefix = 'PLATFORM', apiKey } = given;
  const start =
    given.start ?? ((executable, around) => startProgram([], { executable, ...around }));
  const user = directoryWith(PROJECT);
  const install = ['--manifest', 'mutators.toml', '--install-plugin', 'wind-plugin'];
  const plugins = join(user, 'reflector', 'reflector-plugins', 'mutators');
  const installer = startProgram([...install, '--plugins-dir', plugins, ...flags], {
    cwd: join(user, 'bench'),
  });
  const { code } = await installer.exit;
  expect([code, installer.stderr()]).toEqual([0, '']);
  expect(installer.stdout()).toContain('reflector run --mutator wind-plugin');

  const config = join(user, 'reflector', 'reflector.toml');
  const system = () => readFileSync(join(user, 'bench', 'system.json'), 'utf8');
  for (;;) {
    const port = await ownPort();
    writeFileSync(config, `[mutation]\nmutator-http-api-port = ${port}\n`);
    const executable = join(plugins, 'wind-plugin');
    const around = {
      cwd: join(user, 'reflector'),
      env: { [`${prefix}_REFLECTOR_CONFIG`]: config, [`${prefix}_AUTH_TOKEN`]: TOKEN },
    };
    const plugin = start(executable, around);
    // Another program may have taken the port meanwhile.
    const serving = plugin.said(/^Serving |the port is already in use/m);
    if ((await serving)[0] !== 'Serving ') continue;
    const url = `http://127.0.0.1:${port}`;
    const key = apiKey === undefined ? {} : { apiKey };
    const client = createClient({ url, timeoutMs: 10_000, ...key });
    await poll(client, plugin);
    return { plugin, client, system, executable, around };
  }
}

/** Polls the list, as a reflector does, until the server is there. */
async function poll(client: MutatorClient, plugin: Program): Promise<void> {
  for (;;) {
    const listing = await client.list().catch((error: { code: string }) => {
      if (error.code !== 'refused') throw error;
    });
    if (listing !== undefined) {
      expect(listing).toMatchObject({ mutators: [{ id: 'wind' }], warnings: [] });
      return;
    }
    expect(plugin.child.exitCode, plugin.stderr()).toBeNull();
    await delay(20);
  }
}

const gale = {
  id: MUTATION,
  params: new Map([['speed', { type: 'float', value: 30.5 } as const]]),
};

async function mutate({ client, system }: Reflector): Promise<void> {
  await client.inject('wind', gale);
  expect(system()).toBe('{"wind": {"speed": 30.5}}\n');
  await client.reset('wind');
  expect(system()).toBe(SYSTEM);
  await client.inject('wind', gale);
}

test.each(['SIGTERM', 'SIGINT'] as const)('a plugin that is ended by %s', async (signal) => {
  const reflector = await startPlugin();
  await mutate(reflector);
  reflector.plugin.child.kill(signal);
  expect(await reflector.plugin.exit).toEqual({ code: 0, signal: null });
  expect(reflector.system()).toBe(SYSTEM);
});

test('a plugin whose stdin is closed', async () => {
  const reflector = await startPlugin();
  await mutate(reflector);
  reflector.plugin.child.stdin?.write('what a reflector may say\n');
  reflector.plugin.child.stdin?.end();
  expect(await reflector.plugin.exit).toEqual({ code: 0, signal: null });
  expect(reflector.system()).toBe(SYSTEM);
  expect(reflector.plugin.stderr()).toContain('the reflector closed stdin');
  expect(reflector.plugin.stderr()).not.toContain('external-mutator-urls');
});

test.each(['a pipe', 'closed', 'inherited', '/dev/null'])(
  'a plugin whose reflector is killed, with %s as stdin',
  async (stdin) => {
    const pipe = openPipe(join(directoryWith({}), 'pipe'));
    onTestFinished(() => closeSync(pipe));
    const start = (plugin: string, around: Surroundings) =>
      startProgram([STAND_IN, plugin, stdin], {
        ...{ executable: process.execPath, stdin: pipe },
        ...around,
      });
    const reflector = await startPlugin({ start });
    const { plugin: program, system } = reflector;
    let hasEnded = false;
    onTestFinished(() => {
      if (!hasEnded) process.kill(Number(program.stdout()), 'SIGKILL');
    });
    await mutate(reflector);
    program.child.kill('SIGKILL');
    // The plugin has the same stdout and stderr.
    await program.exit;
    hasEnded = true;
    expect(system()).toBe(SYSTEM);
    const [, why] = /shutting down: the reflector (.*)$/m.exec(program.stderr()) ?? [];
    const gone = 'that started this plugin exited';
    expect(stdin === 'a pipe' ? ['closed stdin', gone] : [gone]).toContain(why);
  },
);

test.runIf(process.platform === 'linux').each([
  ['lives', 'exec sleep 600'],
  ['has ended', 'exit'],
])(
  'a plugin whose reflector begins a session of its own before it serves, and the leader of the old one %s',
  async (_, leader) => {
    const plugin = '(until [ -s began ]; do sleep 0.01; done; exec "$0" <&3) &';
    const reflector = `(${plugin} exec setsid sh -c 'echo $$ >began; exec sleep 600') &`;
    const pipe = openPipe(join(directoryWith({}), 'pipe'));
    onTestFinished(() => closeSync(pipe));
    const started = await startPlugin({
      start: (executable, around) =>
        startProgram(['-c', `exec 3<&0; ${reflector} ${leader}`, executable], {
          executable: 'sh',
          stdin: pipe,
          detached: true,
          ...around,
        }),
    });
    const { plugin: program, around, system } = started;
    await mutate(started);
    process.kill(Number(readFileSync(join(around.cwd, 'began'), 'utf8')), 'SIGKILL');
    program.child.kill('SIGKILL');
    await program.exit;
    expect(system()).toBe(SYSTEM);
  },
);

/** Leaves a mutation to the next start, as a plugin that was killed does. */
async function leaveMutation() {
  const reflector = await startPlugin();
  await reflector.client.inject('wind', gale);
  reflector.plugin.child.kill('SIGKILL');
  await reflector.plugin.exit;
  expect(reflector.system()).not.toBe(SYSTEM);
  return reflector;
}

const BEFORE_START = [
  [
    'while its executable began',
    (executable: string, around: Surroundings) =>
      startProgram(['--parent-pid', String(process.pid + 1)], { executable, ...around }),
  ],
  [
    'before its executable began',
    // The stdin of the shell is closed when it has ended; then, what it began goes on without it.
    (executable: string, around: Surroundings) =>
      startProgram(['-c', 'exec 3<&0; (read -r _ <&3; exec "$0") & exit', executable], {
        ...{ executable: 'sh', detached: true },
        ...around,
      }),
  ],
] as const;

test.runIf(process.platform === 'linux').each(BEFORE_START)(
  'a plugin whose reflector ended %s only resets what an earlier one left',
  async (_, start) => {
    const { executable, around, system } = await leaveMutation();
    const program = start(executable, around);
    expect((await program.exit).code).toBe(0);
    expect(program.stderr()).toContain(
      'shutting down: the reflector that started this plugin exited',
    );
    expect(program.stderr()).not.toContain('Serving ');
    expect(system()).toBe(SYSTEM);
  },
);

test('a plugin that is killed, and started again', async () => {
  const { executable, around, system } = await leaveMutation();
  const again = startProgram([], { executable, ...around });
  await again.said(/^Serving /m);
  expect(system()).toBe(SYSTEM);
  again.child.stdin?.end();
  expect((await again.exit).code).toBe(0);
});

test('a plugin that requires the token, of a platform with other names', async () => {
  const flags = ['--require-auth-token', '--env-prefix', 'OTHER', '--log-level', 'trace'];
  const reflector = await startPlugin({ flags, prefix: 'OTHER', apiKey: TOKEN });
  await mutate(reflector);
  const anyone = createClient({ url: reflector.client.url, timeoutMs: 10_000 });
  await expect(anyone.list()).rejects.toMatchObject({ code: 'key-missing' });
  const thief = createClient({ url: reflector.client.url, timeoutMs: 10_000, apiKey: 'x' });
  await expect(thief.reset('wind')).rejects.toMatchObject({ code: 'unauthorized' });
  reflector.plugin.child.kill('SIGTERM');
  expect((await reflector.plugin.exit).code).toBe(0);
  expect(reflector.system()).toBe(SYSTEM);
  expect(reflector.plugin.stderr()).not.toContain(TOKEN);
});

test('a plugin that does not require the token takes no notice of it', async () => {
  const reflector = await startPlugin({ apiKey: 'another key' });
  await mutate(reflector);
});

test('an external server, which outlives its reflectors', async () => {
  const user = directoryWith(PROJECT);
  const server = await startServer(['--manifest', 'mutators.toml', '--base-path', '/your/route'], {
    cwd: join(user, 'bench'),
  });
  const [, line] = await server.said(/^ {2}(external-mutator-urls = \[".*"\])$/m);
  expect(line).toBe(`external-mutator-urls = ["${server.url}"]`);
  const client = createClient({ url: server.url, timeoutMs: 10_000 });
  await poll(client, server);
  const system = () => readFileSync(join(user, 'bench', 'system.json'), 'utf8');
  await mutate({ plugin: server, client, system });
  server.child.stdin?.end();
  await poll(createClient({ url: server.url, timeoutMs: 10_000 }), server);
  server.child.kill('SIGHUP');
  expect(await server.exit).toEqual({ code: 0, signal: null });
  expect(system()).toBe(SYSTEM);
});
