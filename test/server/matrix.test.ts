import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { inject, type Program, reset, startServer } from './programs/server-program.js';
import { KINDS, makeSystem, type System } from './systems.js';

/*
 * However the program ends, and whatever it is doing then, the system is
 * afterwards as it was, to the byte.
 */

type Server = Program & { readonly url: string };

const endings: Readonly<Record<string, (program: Program) => void>> = {
  SIGINT: ({ child }) => child.kill('SIGINT'),
  SIGTERM: ({ child }) => child.kill('SIGTERM'),
  'stdin closed': ({ child }) => child.stdin?.end(),
  'an uncaught error': ({ child }) => child.kill('SIGUSR2'),
  'kill -9 and a restart': ({ child }) => child.kill('SIGKILL'),
};

const all = (operation: (kind: (typeof KINDS)[number]) => Promise<number>) =>
  Promise.all(KINDS.map(operation));

/** What the program is doing when it ends, and how to bring that about. */
const states: Readonly<Record<string, (server: Server, system: System) => Promise<void>>> = {
  idle: async () => {},
  active: ({ url }) => activate(url),
  'inject running': async ({ url }, system) => {
    system.shut();
    for (const kind of KINDS) void inject(url, kind, { speed: 2.5 }).catch(() => {});
    await until(system, 'inject half\n');
  },
  'reset running': async ({ url }, system) => {
    await activate(url);
    system.shut();
    for (const kind of KINDS) void reset(url, kind).catch(() => {});
    await until(system, 'reset half\n');
  },
};

async function activate(url: string): Promise<void> {
  expect(await all((kind) => inject(url, kind, { speed: 2.5 }))).toEqual([201, 201, 201, 201]);
}

/** Waits until the operations that can be held are half done. */
async function until(system: System, half: string): Promise<void> {
  for (;;) {
    const { exec, http, module } = system.state();
    if (exec === half && http === half && module === half) return;
    await delay(5);
  }
}

/** The program as a reflector starts it, on any port; SIGUSR2 makes a bug of it. */
function start({ directory }: System): Promise<Server> {
  const bug = pathToFileURL(join(import.meta.dirname, 'bug-on-signal.js'));
  return startServer(['--manifest', 'mutators.toml'], {
    cwd: directory,
    env: { PLATFORM_REFLECTOR_CONFIG: 'reflector.toml', NODE_OPTIONS: `--import=${bug}` },
  });
}

test.each(Object.keys(endings))('%s leaves nothing broken', async (ending) => {
  await Promise.all(Object.keys(states).map((state) => end(state, ending)));
});

async function end(state: string, ending: string): Promise<void> {
  const system = await makeSystem();
  const before = system.state();
  const server = await start(system);
  await states[state]?.(server, system);
  if (state !== 'idle') expect(system.state()).not.toEqual(before);
  endings[ending]?.(server);
  if (ending === 'kill -9 and a restart') {
    await server.exit;
    const recovering = start(system);
    system.open();
    const again = await recovering;
    expect([state, system.state()]).toEqual([state, before]);
    again.child.kill('SIGTERM');
    expect([state, await again.exit]).toEqual([state, { code: 0, signal: null }]);
  } else {
    await server.said(/ending: /);
    system.open();
    const code = ending === 'an uncaught error' ? 3 : 0;
    expect([state, await server.exit]).toEqual([state, { code, signal: null }]);
  }
  expect([state, system.state()]).toEqual([state, before]);
}
