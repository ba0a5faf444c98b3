import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { inject, reset, startServer } from '../programs/server-program.js';
import { killedAgainAndAgain, readyMade, serveIn } from './ready-made.js';

/*
 * Units of systemd: of an instance for a user, which is started for a test, in a control group and
 * namespaces of its own.
 */

const SYSTEMD = ['/lib/systemd/systemd', '/usr/lib/systemd/systemd'].find((one) => existsSync(one));
const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8') : '';
const GROUPS = /^\S+ (\S+) cgroup2 /m.exec(mounts)?.[1];

/** What these tests need and is not here. */
const missing = [
  ...(process.getuid?.() === 0 ? [] : ['root']),
  ...(SYSTEMD === undefined ? ['systemd'] : []),
  ...(GROUPS === undefined ? ['cgroup2'] : []),
  ...(spawnSync('unshare', ['--mount', '--cgroup', 'true']).status === 0 ? [] : ['unshare']),
];
const without = missing.length === 0 ? '' : ` (skipped: no ${missing.join(', ')})`;

const START = `
mkdir "$1" && echo $$ > "$1/cgroup.procs" && exec unshare --mount --cgroup sh -c '
umount -R /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup && mount -t tmpfs none /run &&
mkdir -p /run/systemd/system && exec "$0" --user --unit=basic.target' "$2"
`;

/** Starts systemd with a unit \`web.service\` that runs, and the mutators of a kind for it. */
async function rig(kind: string) {
  const cwd = await readyMade({}, [kind, '--unit', 'web.service']);
  const group = join(GROUPS as string, `perturb-test-${randomBytes(4).toString('hex')}`);
  mkdirSync(join(cwd, 'runtime'), { mode: 0o700 });
  mkdirSync(join(cwd, 'bin'));
  writeFileSync(join(cwd, 'web.service'), '[Service]\nExecStart=sleep 3600\n');
  const real = execFileSync('sh', ['-c', 'command -v systemctl'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh\nunset DBUS_SESSION_BUS_ADDRESS\nXDG_RUNTIME_DIR=${cwd}/runtime exec ${real} --user "$@"\n`;
  writeFileSync(join(cwd, 'bin/systemctl'), script, { mode: 0o755 });
  const child = spawn('sh', ['-c', START, 'sh', group, SYSTEMD as string], {
    env: {
      PATH: process.env['PATH'],
      HOME: cwd,
      XDG_RUNTIME_DIR: join(cwd, 'runtime'),
      SYSTEMD_UNIT_PATH: `${cwd}:`,
    },
    stdio: 'ignore',
  });
  onTestFinished(async () => {
    writeFileSync(join(group, 'cgroup.kill'), '1');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    spawnSync('find', [group, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', ';']);
  });
  const systemctl = (...words: readonly string[]) =>
    spawnSync(join(cwd, 'bin/systemctl'), words, { encoding: 'utf8', timeout: 30_000 });
  await expect.poll(() => systemctl('start', 'web.service').status).toBe(0);
  const show = (name: string) =>
    systemctl('show', `--property=${name}`, '--value', 'web.service').stdout.trim();
  const env = { PATH: `${join(cwd, 'bin')}:${process.env['PATH']}` };
  const serve = () => serveIn(cwd, env);
  const states = () => readdirSync(cwd).filter((name) => name.endsWith('.state.json'));
  return { cwd, group, pid: child.pid, systemctl, show, serve, env, states };
}

describe.skipIf(missing.length > 0)(`units of systemd${without}`, () => {
  test('pause: a unit is frozen until the reset, or the next start; one that is frozen already, or has ended, is left alone', async () => {
    const { cwd, env, serve, show, systemctl, states } = await rig('pause');
    const program = await serve();
    expect(await inject(program.url, 'pause')).toBe(201);
    expect(show('FreezerState')).toBe('frozen');
    expect(await inject(program.url, 'pause')).toBe(201);
    expect(await reset(program.url, 'pause')).toBe(200);
    expect([show('FreezerState'), states()]).toEqual(['running', []]);

    systemctl('freeze', 'web.service');
    expect(await inject(program.url, 'pause')).toBe(500);
    await program.said(/the unit web\.service is already frozen, but not by this mutator/);
    expect(await reset(program.url, 'pause')).toBe(200);
    expect(show('FreezerState')).toBe('frozen');
    systemctl('thaw', 'web.service');

    expect(await inject(program.url, 'pause')).toBe(201);
    systemctl('thaw', 'web.service');
    systemctl('stop', 'web.service');
    expect(show('ActiveState')).toBe('inactive');
    expect(await reset(program.url, 'pause')).toBe(200);
    expect(await inject(program.url, 'pause')).toBe(500);
    await program.said(/Failed to freeze unit web\.service: Unit is inactive/);
    systemctl('start', 'web.service');
    const isActive = () => show('FreezerState') !== 'running';
    await killedAgainAndAgain({ cwd, faults: [['pause', {}]], isActive, env, first: program });
    expect(states()).toEqual([]);
  }, 3_600_000);

  test('kill: a unit is gone until the reset, or the next start, which starts it', async () => {
    const { cwd, env, serve, show, states } = await rig('kill');
    const program = await serve();
    const pid = show('MainPID');
    for (const signal of ['KILL', 'TERM']) {
      expect(await inject(program.url, 'kill', { signal })).toBe(201);
      await expect.poll(() => show('ActiveState')).toMatch(/^(failed|inactive)$/);
      expect(await reset(program.url, 'kill')).toBe(200);
      expect(show('ActiveState')).toBe('active');
    }
    expect([show('MainPID') !== pid, states()]).toEqual([true, []]);
    const isActive = () => show('ActiveState') !== 'active';
    await killedAgainAndAgain({ cwd, faults: [['kill', {}]], isActive, env, first: program });
    expect(states()).toEqual([]);
  }, 3_600_000);

  test.each(['pause', 'kill'])('%s: the unit of the server is refused', async (kind) => {
    const { cwd, env, show, group, pid, states } = await rig(kind);
    const inside = `exec nsenter --cgroup --target ${pid} ${process.execPath} ${resolve('dist/bin.cjs')}`;
    const executable = join(cwd, 'serve');
    writeFileSync(executable, `#!/bin/sh\n${inside} serve mutators "$@"\n`, { mode: 0o755 });
    const program = await startServer(['--manifest', 'mutators.toml'], { cwd, env, executable });
    writeFileSync(join(group, show('ControlGroup'), 'cgroup.procs'), `${program.child.pid}`);
    expect(await inject(program.url, kind)).toBe(500);
    await program.said(/belongs to the unit web\.service/);
    expect([show('FreezerState'), show('ActiveState'), states()]).toEqual([
      ...['running', 'active', []],
    ]);
  });
});
