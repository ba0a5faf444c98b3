import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { isLong } from '../long.js';
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

const all = (part: string, operation: (id: string) => Promise<unknown>) =>
  Promise.all(KINDS.map((kind) => operation(`${part}-${kind}`)));

/** What the parts of a system are doing when the program ends, beside each other. */
const BUSY = ['active', 'inject-running', 'reset-running', 'idle'] as const;

/** Brings about what the parts are to do. */
async function busy({ url }: Server, system: System): Promise<void> {
  for (const part of ['active', 'reset-running']) {
    const statuses = await all(part, (id) => inject(url, id, { speed: 2.5 }));
    expect([part, statuses]).toEqual([part, [201, 201, 201, 201]]);
  }
  system.shut();
  void all('inject-running', (id) => inject(url, id, { speed: 2.5 }).catch(() => {}));
  void all('reset-running', (id) => reset(url, id).catch(() => {}));
  await until(system, 'inject-running', 'inject half\n');
  await until(system, 'reset-running', 'reset half\n');
}

/** Waits until the operations that can be held are half done. */
async function until(system: System, part: string, half: string): Promise<void> {
  for (;;) {
    const { exec, http, module } = system.state(part);
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

test.each(Object.keys(endings))('%s leaves nothing broken', (ending) => end(BUSY, ending));

test.each(isLong ? Object.keys(endings) : ['SIGTERM'])('%s of a server that is idle', (ending) =>
  end(['idle'], ending),
);

async function end(parts: readonly string[], ending: string): Promise<void> {
  const system = await makeSystem(parts);
  const state = () => parts.map((part) => [part, system.state(part)] as const);
  const before = state();
  const server = await start(system);
  if (parts === BUSY) {
    await busy(server, system);
    for (const [index, now] of state().entries()) {
      if (now[0] === 'idle') expect(now).toEqual(before[index]);
      else expect(now).not.toEqual(before[index]);
    }
  }
  endings[ending]?.(server);
  if (ending === 'kill -9 and a restart') {
    await server.exit;
    const recovering = start(system);
    system.open();
    const again = await recovering;
    expect(state()).toEqual(before);
    again.child.kill('SIGTERM');
    expect([parts, await again.exit]).toEqual([parts, { code: 0, signal: null }]);
  } else {
    await server.said(/shutting down: /);
    system.open();
    const code = ending === 'an uncaught error' ? 3 : 0;
    expect([parts, await server.exit]).toEqual([parts, { code, signal: null }]);
  }
  expect(state()).toEqual(before);
}
