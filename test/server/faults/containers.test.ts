import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { directoryWith } from '../../cli/program.js';
import { inject, reset } from '../programs/server-program.js';
import {
  type Engine,
  lacking,
  removeContainer,
  startContainer,
  startDocker,
  startPodman,
} from './engines.js';
import { killedAgainAndAgain, readyMade, serveIn } from './ready-made.js';

const ENGINES = [
  { name: 'podman', start: startPodman, without: lacking('podman', 'runc') },
  { name: 'docker', start: startDocker, without: lacking('docker', 'dockerd') },
] as const;

/** Counts in a file, answers at a port, and writes a file when it is asked to end. */
const SERVICE = `
trap 'touch /data/asked; exit' TERM
nc -ll -p 7 -e cat &
n=0
while :; do n=$((n + 1)); echo $n > /data/new; mv /data/new /data/count; sleep 0.05 & wait $!; done
`;
const PORT = 7;

for (const { name: program, start, without } of ENGINES) {
  describe.skipIf(without !== '')(`containers of ${program}${without}`, () => {
    let engine: Engine;

    beforeAll(async () => {
      engine = await start();
    });
    afterAll(() => engine.end());

    const show = (name: string, format: string) =>
      engine.run('inspect', '--type', 'container', '--format', format, name);
    const statusOf = (name: string) => show(name, '{{.State.Status}}');
    const addressOf = (name: string) =>
      show(name, `{{(index .NetworkSettings.Networks "${engine.network}").IPAddress}}`);
    const networksOf = (name: string) =>
      Object.keys(JSON.parse(show(name, '{{json .NetworkSettings.Networks}}')) ?? {});
    const isAttached = (name: string) => networksOf(name).includes(engine.network);

    /** Starts a service, whose data lie in a directory of that name. */
    async function startService(cwd: string, name: string, ...options: readonly string[]) {
      const data = join(cwd, name);
      execFileSync('mkdir', ['-p', data]);
      startContainer(engine, name, ['--volume', `${data}:/data`, ...options], SERVICE);
      const count = () => {
        const path = join(data, 'count');
        return existsSync(path) ? readFileSync(path, 'utf8') : '';
      };
      const worked = async () => {
        for (const before = count(); count() === before; ) await delay(5);
      };
      await worked();
      return { count, worked, wasAsked: () => existsSync(join(data, 'asked')) };
    }

    /** True if a service answers; false if it is refused or cannot be reached. */
    async function answers(address: string): Promise<boolean> {
      const socket = connect({ host: address, port: PORT });
      try {
        return await new Promise((done) => {
          socket.once('error', () => done(false)).setTimeout(5_000, () => done(false));
          socket.once('data', () => done(true)).write('x');
        });
      } finally {
        socket.destroy();
      }
    }

    /** The mutators of a container by its name. */
    const mutators = (...options: readonly string[]) =>
      readyMade({}, ['container', '--engine', program, ...options]);
    const states = (cwd: string) => readdirSync(cwd).filter((one) => one.endsWith('.state.json'));

    test('pause, network: a container stands still, or cannot be reached, until the reset', async () => {
      const cwd = await mutators('--name', 'still');
      const { count, worked } = await startService(cwd, 'still', '--network-alias', 'db');
      const server = await serveIn(cwd, engine.env);
      const address = addressOf('still');
      expect(await answers(address)).toBe(true);
      for (let time = 0; time < 2; time++) {
        expect(await inject(server.url, 'still-pause')).toBe(201);
        const before = count();
        expect([statusOf('still'), statusOf('still'), count()]).toEqual([
          ...['paused', 'paused', before],
        ]);
      }
      expect(await reset(server.url, 'still-pause')).toBe(200);
      await worked();
      expect(await reset(server.url, 'still-pause')).toBe(200);

      expect(await inject(server.url, 'still-network')).toBe(201);
      expect([isAttached('still'), await answers(address)]).toEqual([false, false]);
      await worked();
      expect(await reset(server.url, 'still-network')).toBe(200);
      expect(addressOf('still')).toBe(address);
      expect(show('still', '{{json .NetworkSettings.Networks}}')).toContain('"db"');
      await expect.poll(() => answers(address)).toBe(true);

      engine.run('pause', 'still');
      expect(await inject(server.url, 'still-pause')).toBe(500);
      await server.said(
        /the container still is not running: still is paused, but not by this mutator/,
      );
      expect(await reset(server.url, 'still-pause')).toBe(200);
      expect([statusOf('still'), states(cwd)]).toEqual(['paused', []]);
    });

    test('kill, stop, restart: a container is gone, or asked to end, and runs after the reset', async () => {
      const cwd = await mutators('--name', 'gone');
      const { worked, wasAsked } = await startService(cwd, 'gone');
      const server = await serveIn(cwd, engine.env);
      const startedAt = () => show('gone', '{{.State.StartedAt}}');
      const first = startedAt();
      expect(await inject(server.url, 'gone-kill', { signal: 'KILL' })).toBe(201);
      expect([statusOf('gone'), wasAsked()]).toEqual(['exited', false]);
      expect(await reset(server.url, 'gone-kill')).toBe(200);
      const second = startedAt();
      await worked();

      expect(await inject(server.url, 'gone-stop', { grace: 60 })).toBe(201);
      expect([statusOf('gone'), wasAsked()]).toEqual(['exited', true]);
      // Somebody else is faster.
      engine.run('start', 'gone');
      const third = startedAt();
      expect(await reset(server.url, 'gone-stop')).toBe(200);
      expect(startedAt()).toBe(third);

      expect(await inject(server.url, 'gone-restart', { grace: 60 })).toBe(201);
      expect([statusOf('gone'), states(cwd)]).toEqual(['running', []]);
      await worked();
      expect(new Set([first, second, third, startedAt()]).size).toBe(4);

      expect(await inject(server.url, 'gone-kill')).toBe(201);
      engine.run('rm', 'gone');
      expect(await reset(server.url, 'gone-kill')).toBe(500);
      await server.said(
        /the container gone was removed and has no replacement. Start a new container./,
      );
      await startService(cwd, 'gone', '--rm');
      expect(await reset(server.url, 'gone-kill')).toBe(200);
      expect(await inject(server.url, 'gone-kill')).toBe(500);
      await server.said(
        /the container gone is removed on exit \(--rm\), so it could not be restarted/,
      );
      expect([statusOf('gone'), states(cwd)]).toEqual(['running', []]);
    });

    test('kill: a container that ends again after its start fails the reset, with its last lines', async () => {
      const cwd = await mutators('--name', 'fails');
      const fails = 'test -e /data/x || exec sleep 600; echo the disk is full; exit 1';
      startContainer(engine, 'fails', ['--volume', `${cwd}:/data`], fails);
      const server = await serveIn(cwd, engine.env);
      expect(await inject(server.url, 'fails-kill')).toBe(201);
      writeFileSync(join(cwd, 'x'), '');
      expect(await reset(server.url, 'fails-kill')).toBe(500);
      await server.said(/the container fails exited again: the disk is full/);
      execFileSync('rm', [join(cwd, 'x')]);
      expect(await reset(server.url, 'fails-kill')).toBe(200);
      expect(statusOf('fails')).toBe('running');
    });

    /** The values of a container's control group, by its file in version 1 or 2. */
    const groupOf = (name: string, file: string) =>
      engine.run('exec', name, 'sh', '-c', `cat /sys/fs/cgroup/${file} /sys/fs/cgroup/*/${file}`);
    const throttled = (name: string) =>
      Number(/^nr_throttled (\d+)/m.exec(spawnText(() => groupOf(name, 'cpu.stat')))?.[1] ?? 0);

    test('cpu, memory: a container has less, and then what it had', async () => {
      const cwd = await mutators('--name', 'less');
      const busy = 'while :; do :; done';
      // It takes no more of this machine.
      startContainer(engine, 'less', ['--cpu-quota', '20000'], busy);
      const server = await serveIn(cwd, engine.env);
      expect(await inject(server.url, 'less-cpu', { cpus: 0.05 })).toBe(201);
      const before = throttled('less');
      await expect.poll(() => throttled('less')).toBeGreaterThan(before + 5);
      expect(quotaOf('less')).toBe(5_000);
      expect(await inject(server.url, 'less-cpu', { cpus: 64 })).toBe(201);
      expect(quotaOf('less')).toBe(20_000);
      expect(await reset(server.url, 'less-cpu')).toBe(200);
      expect(quotaOf('less')).toBe(20_000);

      /** Whether 64 MB can be written to. */
      const hasRoom = () => {
        const words = ['exec', 'less', 'dd', 'if=/dev/zero', 'of=/dev/null', 'bs=64M', 'count=1'];
        return spawnSync(program, words, { env: { ...process.env, ...engine.env } }).status === 0;
      };
      expect(hasRoom()).toBe(true);
      expect(await inject(server.url, 'less-memory', { size: 24 })).toBe(201);
      expect(hasRoom()).toBe(false);
      expect(await reset(server.url, 'less-memory')).toBe(200);
      expect([hasRoom(), statusOf('less'), states(cwd)]).toEqual([true, 'running', []]);
    });

    const quotaOf = (name: string) => {
      const text = spawnText(() =>
        engine.run('exec', name, 'sh', '-c', 'cd /sys/fs/cgroup; cat cpu.max */cpu.cfs_quota_us'),
      );
      return Number(/^\d+/m.exec(text)?.[0]);
    };

    test('a label, a service of Compose: one replica, or all; those of two projects are refused', async () => {
      const cwd = await readyMade(
        {},
        ['container', '--engine', program, '--label', 'app=shop'],
        ['container', '--engine', program, '--service', 'db'],
        ['container', '--engine', program, '--service', 'second/db', '--manifest', 'second.toml'],
      );
      const project = (name: string) => ['--label', `com.docker.compose.project=${name}`];
      const service = ['--label', 'com.docker.compose.service=db'];
      startContainer(engine, 'shop-1', ['--label', 'app=shop'], 'exec sleep 600');
      startContainer(
        engine,
        'shop-2',
        ['--label', 'app=shop', ...project('first'), ...service],
        'exec sleep 600',
      );
      startContainer(engine, 'other', ['--label', 'app=shopping'], 'exec sleep 600');
      const server = await serveIn(cwd, engine.env);
      const paused = () =>
        ['shop-1', 'shop-2', 'other'].filter((one) => statusOf(one) === 'paused');
      expect(await inject(server.url, 'shop-pause', { replicas: 'one' })).toBe(201);
      expect([paused().length, paused().includes('other')]).toEqual([1, false]);
      expect(await inject(server.url, 'shop-pause', { replicas: 'all' })).toBe(201);
      expect(paused()).toEqual(['shop-1', 'shop-2']);
      expect(await reset(server.url, 'shop-pause')).toBe(200);
      expect(paused()).toEqual([]);

      expect(await inject(server.url, 'db-pause')).toBe(201);
      expect(paused()).toEqual(['shop-2']);
      expect(await reset(server.url, 'db-pause')).toBe(200);
      startContainer(engine, 'db-2', [...project('second'), ...service], 'exec sleep 600');
      expect(await inject(server.url, 'db-pause')).toBe(500);
      await server.said(/2 Compose projects have a service db: name one project, as in first\/db/);
      for (const name of ['shop-1', 'shop-2']) removeContainer(engine, name);
      expect(await inject(server.url, 'shop-pause')).toBe(500);
      await server.said(/there is no container with the label app=shop/);
    });

    test('the container of the server is refused, and so is a state of others', async () => {
      const cwd = await mutators('--name', 'own');
      const id = startContainer(engine, 'own', [], 'exec sleep 600');
      const pid = show('own', '{{.State.Pid}}');
      const line = readFileSync(`/proc/${pid}/cgroup`, 'utf8')
        .split('\n')
        .find((one) => one.includes(id) && !/:(freezer|memory):/.test(one));
      const [, controllers = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line ?? '') ?? [];
      const group = `/sys/fs/cgroup/${controllers.replace(/^name=/, '')}${path}`;
      const words = [
        'fault=pause',
        `engine=${program}`,
        'name=own',
        'label=',
        'service=',
        'network=',
      ];
      const script = 'echo $$ > "$0/cgroup.procs"; "$@"; exit $?';
      const command = ['-c', script, group, process.execPath, 'containers.mjs'];
      const act = (shell: readonly string[], action: string) =>
        spawnSync('sh', [...shell, action, 'own', ...words], {
          cwd,
          env: { ...process.env, ...engine.env },
          input: '{"params":{}}',
          encoding: 'utf8',
        });
      const own = act(command, 'inject');
      expect([own.status, own.stderr]).toEqual([
        1,
        'the server, or a process that started it, runs in the container own\n',
      ]);
      expect(statusOf('own')).toBe('running');

      engine.run('pause', 'own');
      const planted = JSON.stringify({ containers: [{ id, startedAt: '2026-01-01T00:00:00Z' }] });
      writeFileSync(join(cwd, 'own-pause.state.json'), planted);
      const refused = act(['-c', '"$@"', 'sh', process.execPath, 'containers.mjs'], 'reset');
      expect([refused.status, refused.stderr, statusOf('own')]).toEqual([
        1,
        'refusing to use own-pause.state.json: it is not a valid state of this mutator. Check its content, then remove it.\n',
        'paused',
      ]);
      engine.run('unpause', 'own');
    });

    test.runIf(program === 'podman')(
      'what a killed command of the engine left half done is undone, whatever its record says',
      async () => {
        const cwd = await mutators('--name', 'half');
        const { worked } = await startService(cwd, 'half');
        const server = await serveIn(cwd, engine.env);
        const group = readFileSync(`/proc/${show('half', '{{.State.Pid}}')}/cgroup`, 'utf8');
        const first = /:freezer:(.*)$/m.exec(group)?.[1];
        const second = /^0::(.*)$/m.exec(group)?.[1];
        const freeze = (frozen: boolean) => {
          if (first === undefined) {
            writeFileSync(`/sys/fs/cgroup${second}/cgroup.freeze`, frozen ? '1' : '0');
          } else {
            const state = frozen ? 'FROZEN' : 'THAWED';
            writeFileSync(`/sys/fs/cgroup/freezer${first}/freezer.state`, state);
          }
        };
        // The kernel has done what the record lacks, and the other way round.
        for (const [record, frozen] of [
          ['running', true],
          ['paused', false],
        ] as const) {
          expect(await inject(server.url, 'half-pause')).toBe(201);
          if (record === 'running') engine.run('unpause', 'half');
          freeze(frozen);
          expect(statusOf('half')).toBe(record);
          expect(await reset(server.url, 'half-pause')).toBe(200);
          expect(statusOf('half')).toBe('running');
          await worked();
        }
        // Connected already, by a reset that was killed before it removed the state.
        expect(await inject(server.url, 'half-network')).toBe(201);
        engine.run('network', 'connect', engine.network, 'half');
        expect(await reset(server.url, 'half-network')).toBe(200);
        expect([isAttached('half'), states(cwd)]).toEqual([true, []]);
      },
    );

    test('the server is killed: after the next start, nothing is left', async () => {
      const cwd = await readyMade(
        {},
        ...['aa', 'bb', 'cc'].map((name) => ['container', '--engine', program, '--name', name]),
      );
      for (const name of ['aa', 'bb', 'cc']) {
        startContainer(engine, name, ['--cpu-quota', '150000'], 'exec sleep 86400');
      }
      const isActive = () =>
        statusOf('aa') !== 'running' ||
        statusOf('cc') !== 'running' ||
        !isAttached('bb') ||
        quotaOf('bb') !== 150_000;
      const faults = [
        ['aa-pause', {}],
        ['bb-network', {}],
        ['bb-cpu', { cpus: 0.1 }],
        ['cc-kill', {}],
      ] as const;
      await killedAgainAndAgain({ cwd, faults, isActive, env: engine.env });
      expect(states(cwd)).toEqual([]);
    }, 3_600_000);
  });
}

/** The stdout of a command, also if one of its files is not there. */
function spawnText(run: () => string): string {
  try {
    return run();
  } catch (error) {
    return String((error as { readonly stdout?: unknown }).stdout ?? '');
  }
}

test('a missing engine is named', async () => {
  const cwd = await readyMade({}, ['container', '--name', 'web']);
  const words = ['inject', 'web', 'fault=pause', 'engine=docker', 'name=web'];
  const { status, stderr } = spawnSync(process.execPath, ['containers.mjs', ...words], {
    cwd,
    env: { PATH: directoryWith({}) },
    input: '{"params":{}}',
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([1, 'docker is not installed\n']);
});
