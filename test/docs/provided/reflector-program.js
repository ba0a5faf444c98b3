/*
 * Stands in for a reflector: `reflector run --mutator NAME` starts the plugin as reflectors do, asks
 * what it serves, and closes its stdin. It ends with 0 if the plugin did its part.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { unusedPort } from '../unused-port.js';

const [command, flag, name] = process.argv.slice(2);
if (command !== 'run' || flag !== '--mutator' || name === undefined) {
  throw new Error('usage: reflector run --mutator NAME');
}

const directory = mkdtempSync(join(tmpdir(), 'perturb-reflector-'));
try {
  const port = await unusedPort();
  const config = join(directory, 'reflector.toml');
  writeFileSync(config, `[mutation]\nmutator-http-api-port = ${port}\n`);
  const plugin = spawn(join('reflector-plugins/mutators', name), {
    env: { ...process.env, PLATFORM_REFLECTOR_CONFIG: config, PLATFORM_AUTH_TOKEN: 'a token' },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const closed = once(plugin, 'close');
  const mutators = await list(`http://127.0.0.1:${port}/mutator`, plugin);
  process.stdout.write(`the plugin serves ${mutators.length} mutators\n`);
  if (!(mutators.length > 0)) throw new Error('the plugin serves nothing');
  plugin.stdin.end();
  const [code] = await closed;
  if (code !== 0) throw new Error(`the plugin ended with ${code}`);
} finally {
  rmSync(directory, { recursive: true });
}

/**
 * Asks until the plugin listens.
 * @param {string} url
 * @param {import('node:child_process').ChildProcess} plugin
 * @returns {Promise<readonly unknown[]>}
 */
async function list(url, plugin) {
  for (;;) {
    if ((plugin.exitCode ?? plugin.signalCode) !== null)
      throw new Error(`the plugin ended with ${plugin.exitCode}`);
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return JSON.parse(await response.text());
    if (response !== undefined) throw new Error(`the plugin answers with ${response.status}`);
    await delay(20);
  }
}
