import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/*
 * VS Code as code-server brings it: its own server and its own page, without what code-server puts
 * around them. Half a gigabyte, so that it is no dependency; installed once, beside other temporary
 * files, and without any script of a package.
 */

const VERSION = '4.139.1';
/** It needs this version of Node, which npm has as a package for each system. */
const NODE = 24;

const home = join(tmpdir(), `perturb-vscode-${VERSION}`);
const server = join(home, 'node_modules/code-server/lib/vscode');

/**
 * @param {string} cwd
 * @param {readonly string[]} args
 */
function npmInstall(cwd, ...args) {
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', ...quiet, ...args], { cwd, stdio: 'inherit' });
  if (status !== 0) throw new Error(`npm install ${args.join(' ')} failed in ${cwd}`);
}

/** Installs VS Code where it is missing. */
export function install() {
  const done = join(home, 'installed');
  if (existsSync(done)) return;
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), '{ "private": true }\n');
  npmInstall(home, `code-server@${VERSION}`, `node-${process.platform}-${process.arch}@${NODE}`);
  npmInstall(server, '--omit=dev');
  writeFileSync(done, '');
}

/**
 * Runs VS Code's server with some arguments; what it logs is kept in its own directory.
 *
 * @param {string} data
 * @param {readonly string[]} args
 */
function run(data, ...args) {
  const node = join(home, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
  const directories = ['--server-data-dir', data, '--extensions-dir', join(data, 'extensions')];
  return spawn(node, [join(server, 'out/server-main.js'), ...directories, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    // No gallery is asked for other extensions.
    env: { ...process.env, EXTENSIONS_GALLERY: '{"serviceUrl":""}' },
  });
}

/**
 * Installs an extension from its file.
 *
 * @param {string} data where VS Code keeps what is the user's
 * @param {string} vsix
 */
export async function installExtension(data, vsix) {
  const [code] = await once(run(data, '--install-extension', vsix), 'exit');
  if (code !== 0) throw new Error(`VS Code refused ${vsix}`);
}

/**
 * Starts VS Code on loopback; gives its process and the port.
 *
 * @param {string} data
 * @param {Readonly<Record<string, unknown>>} settings those of the user
 */
export async function start(data, settings) {
  mkdirSync(join(data, 'data/User'), { recursive: true });
  writeFileSync(join(data, 'data/User/settings.json'), JSON.stringify(settings));
  const child = run(
    data,
    ...['--host', '127.0.0.1', '--port', '0', '--without-connection-token'],
    ...['--accept-server-license-terms', '--telemetry-level', 'off'],
  );
  let said = '';
  const port = await new Promise((done, fail) => {
    child.on('exit', () => fail(new Error(`VS Code did not start: ${said}`)));
    child.stdout.on('data', (chunk) => {
      said += chunk;
      const [, listening] = /listening on (\d+)/.exec(said) ?? [];
      if (listening !== undefined) done(Number(listening));
    });
  });
  return { child, port: /** @type {number} */ (port) };
}
