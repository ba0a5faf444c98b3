/* Runs a command so often, each time between two requests to a mutator, and syncs what a journal has of that. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fdatasyncSync, openSync, writeSync } from 'node:fs';

const [, , url = '', times = '0', megabytes = '0', ...command] = process.argv;
// A process is started the slower, the more memory starts it.
const memory = Buffer.alloc(Number(megabytes) * 2 ** 20, 1);
const journal = openSync('floor.journal', 'w');
const [program = '', ...args] = command;
const env = { ...process.env, PERTURB_SESSION: '/dev/null' };

/** @param {string} step */
function write(step) {
  writeSync(journal, `${step.padEnd(150)}\n`);
  fdatasyncSync(journal);
}

/** @param {RequestInit} request */
async function ask(request) {
  const response = await fetch(url, request);
  await response.text();
}

for (let at = 0; at < Number(times); at += 1) {
  write('attempt');
  write('inject');
  const mutation = '6f1c3a1e-58b5-4f5c-a2c4-8a1f4b3c2d1e';
  await ask({ method: 'POST', body: JSON.stringify({ mutation, params: { speed: 12.5 } }) });
  write('injected');
  await once(spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] }), 'close');
  await ask({ method: 'DELETE' });
  write('reset');
  write('measured');
}
process.exitCode = memory.length > 0 || megabytes === '0' ? 0 : 1;
