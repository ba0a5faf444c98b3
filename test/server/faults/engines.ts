import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/* Engines of containers for tests: each has a directory, images and networks of its own. */

export interface Engine {
  /** The environment in which `docker` or `podman` is that engine. */
  readonly env: { readonly PATH: string };
  readonly image: string;
  /** The name of a network on which this machine is too. */
  readonly network: string;
  /** Runs a command of the engine; returns its stdout, without the line break at its end. */
  run(...words: readonly string[]): string;
  /** Ends the engine, with all its containers. */
  end(): Promise<void>;
}

const isHere = (command: string) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
const BUSYBOX = '/bin/busybox';

/** What tests of an engine lack on this machine, in words for their names; empty if nothing. */
export function lacking(...programs: readonly string[]): string {
  const missing = [
    ...(process.getuid?.() === 0 ? [] : ['root']),
    ...programs.filter((one) => !isHere(one)),
    ...(existsSync(BUSYBOX) ? [] : ['busybox']),
  ];
  return missing.length === 0 ? '' : ` (skipped: no ${missing.join(', ')})`;
}

const IMAGE = 'perturb-test';
const APPLETS = ['sh', 'sleep', 'cat', 'nc', 'dd', 'touch', 'mv', 'true', 'false'];
/** What a sandbox needs that allows less than Podman asks for. */
const LIMITS = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1000:1000'];

/** A directory with a command that runs an engine with some options. */
function commandIn(directory: string, engine: string, line: string): { readonly PATH: string } {
  mkdirSync(join(directory, 'bin'));
  writeFileSync(join(directory, 'bin', engine), `#!/bin/sh\n${line} "$@"\n`, { mode: 0o755 });
  return { PATH: `${join(directory, 'bin')}:${process.env['PATH']}` };
}

function importImage(directory: string, engine: string, env: { readonly PATH: string }): void {
  const bin = join(directory, 'root/bin');
  mkdirSync(bin, { recursive: true });
  copyFileSync(BUSYBOX, join(bin, 'busybox'));
  for (const name of APPLETS) symlinkSync('busybox', join(bin, name));
  execFileSync('sh', ['-c', `tar -C "$0/root" -c . | ${engine} import - ${IMAGE}`, directory], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
}

function engineOf(
  directory: string,
  engine: string,
  env: { readonly PATH: string },
  end: () => Promise<void>,
): Engine {
  importImage(directory, engine, env);
  const run = (...words: readonly string[]) =>
    execFileSync(engine, words, {
      // Podman leaves a file where it was called if a container has run out of memory.
      cwd: directory,
      env: { ...process.env, ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd();
  const network = `perturb-${randomBytes(4).toString('hex')}`;
  run('network', 'create', network);
  return {
    env,
    image: IMAGE,
    network,
    run,
    async end() {
      for (const id of run('ps', '--all', '--quiet').split('\n')) {
        if (id !== '')
          spawnSync(engine, ['rm', '--force', id], { env: { ...process.env, ...env } });
      }
      spawnSync(engine, ['network', 'rm', network], { env: { ...process.env, ...env } });
      await end();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const newDirectory = () => mkdtempSync(join(tmpdir(), 'perturb-engine-'));

export async function startPodman(): Promise<Engine> {
  const directory = newDirectory();
  const options = [
    ...['--storage-driver=vfs', '--root', join(directory, 'store')],
    ...['--runroot', join(directory, 'run'), '--runtime', 'runc', '--cgroup-manager', 'cgroupfs'],
  ];
  const path = execFileSync('sh', ['-c', 'command -v podman'], { encoding: 'utf8' }).trim();
  const env = commandIn(directory, 'podman', `exec ${path} ${options.join(' ')}`);
  return engineOf(directory, 'podman', env, async () => {});
}

export async function startDocker(): Promise<Engine> {
  const directory = newDirectory();
  const host = `unix://${join(directory, 'docker.sock')}`;
  const daemon = spawn(
    'dockerd',
    [
      ...['--data-root', join(directory, 'data'), '--exec-root', join(directory, 'exec')],
      ...['--host', host, '--pidfile', join(directory, 'pid'), '--storage-driver', 'vfs'],
      ...['--bridge=none', '--iptables=false', '--ip6tables=false'],
      ...['--exec-opt', 'native.cgroupdriver=cgroupfs'],
    ],
    { stdio: 'ignore' },
  );
  const path = execFileSync('sh', ['-c', 'command -v docker'], { encoding: 'utf8' }).trim();
  const env = commandIn(directory, 'docker', `DOCKER_HOST=${host} exec ${path}`);
  while (spawnSync('docker', ['version'], { env: { ...process.env, ...env } }).status !== 0) {
    if (daemon.exitCode !== null) throw new Error('dockerd has ended');
    await delay(50);
  }
  return engineOf(directory, 'docker', env, async () => {
    daemon.kill('SIGTERM');
    await once(daemon, 'close');
  });
}

/** Starts a container, which is removed when the test ends; returns its id. */
export function startContainer(
  engine: Engine,
  name: string,
  options: readonly string[],
  script: string,
): string {
  const { run, image, network } = engine;
  onTestFinished(() => removeContainer(engine, name));
  const words = ['--name', name, '--network', network, ...LIMITS, ...options];
  return run('run', '--detach', ...words, image, 'sh', '-c', script);
}

/** Removes a container, if it is there, without waiting for its processes to end by themselves. */
export function removeContainer({ run }: Engine, name: string): void {
  for (const words of [['unpause'], ['kill'], ['rm', '--force']]) {
    try {
      run(...words, name);
    } catch {
      // It does not run, or is gone.
    }
  }
}
