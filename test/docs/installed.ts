import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inject } from 'vitest';
import { cloneProject } from '../copy-project.js';

/** How a project gets the package, as docs/getting-started.md shows it. */
export const INSTALL: readonly string[] = [
  'npm init --yes',
  'npm install --save-dev ../perturb/perturb-0.1.0.tgz',
];

/** What npm says of the file that it has packed. */
interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** The package as a user gets it. */
export interface Installation {
  /** A clone of the project, built by packing it alone; its `node_modules` are the project's. */
  readonly sources: string;
  /** A copy of that clone as it was when it had been built. */
  readonly copy: string;
  readonly packed: Packed;
  /** What was packed. */
  readonly tarball: string;
  /** The folder that was empty when the package was installed there, with `INSTALL`. */
  readonly home: string;
  readonly modules: string;
  /** What npm said to stderr. */
  readonly warnings: string;
}

/**
 * The package, packed from a copy of the sources that was never built, and installed with its
 * dependencies from the registry in an empty folder: once for all files of tests, which may write to
 * `home`, but not to `modules`.
 */
export async function installPackage(): Promise<Installation> {
  const root = inject('installation');
  const done = join(root, 'done.json');
  if (isFirst(join(root, 'begun'))) {
    const made = attempt(() => install(root));
    writeFileSync(`${done}.new`, JSON.stringify(made));
    renameSync(`${done}.new`, done);
  }
  while (!existsSync(done)) await pause(20);
  const { installation, problem } = JSON.parse(readFileSync(done, 'utf8'));
  if (problem !== undefined) throw new Error(problem);
  return installation;
}

function isFirst(directory: string): boolean {
  return mkdirSync(directory, { recursive: true }) !== undefined;
}

function attempt(work: () => Installation): { installation?: Installation; problem?: string } {
  try {
    return { installation: work() };
  } catch (error) {
    return { problem: String(error) };
  }
}

function install(root: string): Installation {
  const [sources, copy, home] = ['perturb', 'copy', 'home'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  cloneProject(sources);
  symlinkSync(resolve('node_modules'), join(sources, 'node_modules'));
  const { stdout } = run(sources, 'npm', 'pack', '--json', '--silent');
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [Packed];
  // With its times, which tell that it is built.
  run(root, 'cp', '-pPR', sources, copy);
  mkdirSync(home);
  const warnings = INSTALL.map((command) => run(home, 'sh', '-c', command).stderr).join('');
  const tarball = join(sources, packed.filename);
  return { sources, copy, packed, tarball, home, modules: join(home, 'node_modules'), warnings };
}

const QUIET = {
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
};

/**
 * Lets npm work for a reader with a home of their own as it works here: with the same registry,
 * certificates, proxies and cache.
 */
export function npmEnvironment(): Record<string, string> {
  const passed = Object.entries(process.env).filter(([name]) =>
    /^(?:npm_config_\w+|https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_(?:file|dir))$/i.test(
      name,
    ),
  );
  settings ??= configured('cache', 'userconfig');
  return {
    ...(Object.fromEntries(passed) as Record<string, string>),
    ...settings,
    ...QUIET,
  };
}

let settings: Record<string, string> | undefined;

/** Settings of npm, as its environment gives them. */
function configured(...names: readonly string[]): Record<string, string> {
  const lines = run('.', 'npm', 'config', 'get', ...names)
    .stdout.trim()
    .split('\n');
  return Object.fromEntries(
    lines.map((line) => [
      `npm_config_${line.slice(0, line.indexOf('='))}`,
      line.slice(line.indexOf('=') + 1),
    ]),
  );
}

function run(cwd: string, program: string, ...args: readonly string[]): SpawnSyncReturns<string> {
  const env = { ...process.env, ...QUIET };
  const result = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  const { status, stdout, stderr } = result;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`);
  return result;
}
