import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownPort } from '../../adversary/harness/systems.js';
import { inject, reset } from '../programs/server-program.js';
import { ask, prefork, startService } from './service.js';

/** What a client asks of a service: resolves to `well`, or to the code of an error. */
type Ask = () => Promise<string>;

/** Pauses and kills a service, and has it back each time, with as many processes as before. */
async function disturb(
  { members, states, program }: Awaited<ReturnType<typeof startService>>,
  ask: Ask,
  size: number,
) {
  const isComplete = async () => {
    await expect.poll(ask, { timeout: 60_000 }).toBe('well');
    await expect.poll(() => members().length).toBe(size);
  };
  await isComplete();
  const before = members();
  expect(await inject(program.url, 'pause')).toBe(201);
  expect(states()).toEqual(before.map(() => 'T'));
  // The kernel accepts the connection; nobody can answer before the reset.
  const asked = ask();
  expect(await reset(program.url, 'pause')).toBe(200);
  expect(await asked).toBe('well');
  await isComplete();
  expect([members(), states().includes('T')]).toEqual([before, false]);

  for (const signal of ['KILL', 'TERM']) {
    const killed = members();
    expect(await inject(program.url, 'kill', { signal })).toBe(201);
    // A wrapper may still be about to end.
    await expect.poll(members).toEqual([]);
    expect([signal, await ask()]).toEqual([signal, 'ECONNREFUSED']);
    expect(await reset(program.url, 'kill')).toBe(200);
    await isComplete();
    expect(members().filter((pid) => killed.includes(pid))).toEqual([]);
  }
}

test('pause, kill: a pre-fork server in a session of its own, behind a wrapper that waits for it', async () => {
  const port = await ownPort();
  const script = `setsid ${process.execPath} service.mjs\necho ended`;
  const service = await startService({ script, files: { 'service.mjs': prefork(port) } });
  const { members, states, program } = service;
  await disturb(service, () => ask(port), 4);

  const worker = Math.max(...members());
  process.kill(worker, 'SIGSTOP');
  await expect.poll(() => states().filter((state) => state === 'T')).toEqual(['T']);
  expect(await inject(program.url, 'pause')).toBe(500);
  await program.said(new RegExp(`process ${worker} is already stopped, but not by this mutator`));
  expect(states().filter((state) => state === 'T')).toEqual(['T']);
}, 120_000);

/** Programs that do not become what they start, and what they take to run `start.sh`. */
const WRAPPERS = [
  ['npm', 'npm start'],
  ['runuser', 'runuser -u nobody -- sh start.sh'],
  ['su', 'su -s /bin/sh nobody start.sh'],
  ['sudo', 'sudo -u nobody sh start.sh'],
] as const;

/** Why a wrapper cannot be used here; '' where it can. */
function lackOf(wrapper: string): string {
  if (spawnSync(wrapper, ['--version']).error !== undefined) return ` (skipped: no ${wrapper})`;
  return wrapper === 'npm' || process.getuid?.() === 0 ? '' : ' (skipped: no root)';
}

for (const [wrapper, command] of WRAPPERS) {
  const lack = lackOf(wrapper);
  test.skipIf(lack !== '')(
    `pause, kill: what ${command} has started${lack}`,
    async () => {
      const port = await ownPort();
      const scripts = { start: 'sh start.sh' };
      const service = await startService({
        script: `exec ${process.execPath} service.mjs`,
        files: { 'service.mjs': prefork(port) },
        command,
        options: ['--ready', `127.0.0.1:${port}`],
        prepare: (cwd) => writeFileSync(join(cwd, 'package.json'), JSON.stringify({ scripts })),
      });
      await disturb(service, () => ask(port), 3);
    },
    120_000,
  );
}

test('pause, kill: processes that start others all the time', async () => {
  const script =
    'loop() { while :; do sleep 0.01 & wait $!; done; }\nloop & loop & (loop & loop & wait) & wait';
  const { members, states, program } = await startService({ script });
  for (let round = 0; round < 3; round++) {
    await expect.poll(() => members().length).toBeGreaterThan(6);
    expect(await inject(program.url, 'pause')).toBe(201);
    const stopped = members();
    expect(states().filter((state) => !'TD'.includes(state))).toEqual([]);
    expect(await inject(program.url, 'pause')).toBe(201);
    expect(await reset(program.url, 'pause')).toBe(200);
    expect(stopped.length).toBeGreaterThanOrEqual(6);
    await expect.poll(() => states().includes('T')).toBe(false);

    expect(await inject(program.url, 'kill')).toBe(201);
    expect(members()).toEqual([]);
    expect(await reset(program.url, 'kill')).toBe(200);
  }
}, 120_000);

const hasNginx = spawnSync('nginx', ['-v']).status === 0;

describe.skipIf(!hasNginx)(`nginx${hasNginx ? '' : ' (skipped: not installed)'}`, () => {
  test.each([
    ['in the foreground', 'exec nginx -p . -c nginx.conf', 'off'],
    ['in the background', 'nginx -p . -c nginx.conf', 'on'],
  ])(
    'pause, kill: %s, the workers too, by the pid file that it writes',
    async (_, script, daemon) => {
      const port = await ownPort();
      const conf = `daemon ${daemon};
worker_processes 2;
pid nginx.pid;
error_log stderr;
events {}
http { access_log off; server { listen 127.0.0.1:${port}; return 200 well; } }
`;
      const pidFile = 'service/nginx.pid';
      const service = await startService({ script, files: { 'nginx.conf': conf }, pidFile });
      await disturb(service, () => ask(port), 3);
    },
    120_000,
  );
});

const POSTGRES = (existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [])
  .map((version) => `/usr/lib/postgresql/${version}/bin`)
  .find((directory) => existsSync(join(directory, 'initdb')));
const isRoot = process.getuid?.() === 0;
const noPostgres = [
  ...(POSTGRES === undefined ? ['not installed'] : []),
  ...(isRoot ? [] : ['no root']),
];

/** Asks PostgreSQL at a port. */
async function query(port: number): Promise<string> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
  const { rows } = await client.query("select 'well' as said");
  await client.end();
  return rows[0].said;
}

describe.skipIf(noPostgres.length > 0)(
  `PostgreSQL${noPostgres.length === 0 ? '' : ` (skipped: ${noPostgres.join(', ')})`}`,
  () => {
    test('pause, kill: all its processes, by the pid file that it writes, started by runuser', async () => {
      const port = await ownPort();
      const settings = {
        ...{ port, fsync: 'off', autovacuum: 'off', listen_addresses: '127.0.0.1' },
        ...{ unix_socket_directories: '', max_logical_replication_workers: 0 },
      };
      const words = Object.entries(settings).map(([key, value]) => `-c ${key}='${value}'`);
      const as = (program: string) => `runuser -u postgres -- ${POSTGRES}/${program}`;
      const service = await startService({
        script: `exec ${as('postgres')} -D . ${words.join(' ')}`,
        pidFile: 'service/postmaster.pid',
        options: ['--ready', `127.0.0.1:${port}`],
        prepare(cwd) {
          const directory = join(cwd, 'service');
          const [user, group] = ['-u', '-g'].map((flag) =>
            Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })),
          );
          chownSync(directory, user ?? 0, group ?? 0);
          execFileSync('sh', ['-c', `cd ${directory} && ${as('initdb')} --no-sync -A trust -D .`]);
        },
      });
      // The server, its checkpointer and two writers; runuser waits in the root directory.
      await disturb(service, () => query(port), 4);
      const file = readFileSync(join(service.cwd, 'service/postmaster.pid'), 'utf8').split('\n');
      expect(file[3]).toBe(`${port}`);
    }, 120_000);
  },
);

const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8') : '';
const GROUPS = /^\S+ (\S+) cgroup2 /m.exec(mounts)?.[1];
const canGroup = isRoot && GROUPS !== undefined;

describe.skipIf(!canGroup)(`cgroups${canGroup ? '' : ' (skipped: no root or cgroup2)'}`, () => {
  /** A service with a helper that has left its tree, in a new cgroup, which an older process may be in. */
  async function startInGroup(isShared: boolean) {
    const group = join(GROUPS as string, `perturb-test-${randomBytes(4).toString('hex')}`);
    mkdirSync(group);
    onTestFinished(() => expect.poll(() => rmdirSync(group)).toBe(undefined));
    const procs = `${group}/cgroup.procs`;
    const older = `setsid sleep 602 & echo $! > ${procs}`;
    const service = await startService({
      script: `echo $$ > ${procs}\n(setsid sleep 600 &)\nexec sleep 601`,
      prepare(cwd) {
        if (!isShared) return;
        execFileSync('sh', ['-c', older], { cwd: join(cwd, 'service'), stdio: 'ignore' });
      },
    });
    await expect.poll(() => service.members().length).toBe(isShared ? 3 : 2);
    return service;
  }

  test('pause, kill: all in the cgroup of a service, though its parent has ended', async () => {
    const { members, states, program } = await startInGroup(false);
    expect(await inject(program.url, 'pause')).toBe(201);
    expect(states()).toEqual(['T', 'T']);
    expect(await reset(program.url, 'pause')).toBe(200);
    expect(await inject(program.url, 'kill')).toBe(201);
    expect(members()).toEqual([]);
    expect(await reset(program.url, 'kill')).toBe(200);
    await expect.poll(() => members().length).toBe(2);
  });

  test('pause: nothing else in a cgroup that holds older processes, as a session does', async () => {
    const { child, members, states, program } = await startInGroup(true);
    expect(await inject(program.url, 'pause')).toBe(201);
    const stopped = states();
    expect(members().filter((_, at) => stopped[at] === 'T')).toEqual([child.pid]);
    expect(await reset(program.url, 'pause')).toBe(200);
  });
});
