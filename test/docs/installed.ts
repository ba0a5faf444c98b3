import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inject } from 'vitest';
import { cloneProject } from '../copy-project.js';

/** How the package is packed, and how a project gets it, as docs/getting-started.md shows it. */
export const PACK = 'npm pack';
export const INSTALL: readonly string[] = [
  'npm init --yes',
  'npm install --save-dev ../perturb/perturb-0.1.0.tgz',
];

/** The package as a user gets it. */
export interface Installation {
  /**
   * A clone of the project, built by packing it alone; its `node_modules` are the project's. What it
   * pushes goes to a repository beside it, of the same name with `.git`.
   */
  readonly sources: string;
  /** What was packed, and the files in it. */
  readonly files: readonly string[];
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
  const [sources, home] = [join(root, 'perturb'), join(root, 'home')];
  cloneProject(sources);
  symlinkSync(resolve('node_modules'), join(sources, 'node_modules'));
  const [name = ''] = run(sources, 'sh', '-c', PACK).stdout.trim().split('\n').slice(-1);
  const tarball = join(sources, name);
  mkdirSync(home);
  const warnings = INSTALL.map((command) => run(home, 'sh', '-c', command).stderr).join('');
  const modules = join(home, 'node_modules');
  const perturb = join(modules, 'perturb');
  const files = readdirSync(perturb, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(perturb, join(entry.parentPath, entry.name)));
  return { sources, files, tarball, home, modules, warnings };
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
