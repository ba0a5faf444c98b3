/*
 * How many lists of 100 mutators the server answers a second, as a ratio to a
 * bare node:http server that sends the same bytes: the median over interleaved
 * rounds, so that a busy machine slows both alike.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from './median.js';

const ROUNDS = 15;
const CONNECTIONS = 16;
const REQUESTS = 3_000;
const FLOOR = 0.75;

/** @param {number} index */
const mutator = (index) => `[[mutator]]
id = "wind-${index}"
name = "simulation-wind-${index}"
description = "Wind force on the airframe"
layer = "environmental"
operation = "set_to_value"
tags = ["drone", "simulator"]

[[mutator.param]]
name = "speed"
type = "float"
hard_range = [0.0, 40.0]
default = 0.0
units = "m/s"

[mutator.actuator]
kind = "file"
path = "wind.json"
key = ["speed"]
value = "{speed}"
`;

const BARE = `
const body = require('node:fs').readFileSync('listing.json');
const headers = { 'content-type': 'application/json', 'content-length': body.length };
const server = require('node:http').createServer((request, response) => {
  response.writeHead(200, headers).end(body);
});
server.listen(0, '127.0.0.1', () => console.error('at http://127.0.0.1:' + server.address().port));
`;

/**
 * Starts a server that says its URL on stderr.
 *
 * @param {readonly string[]} args
 * @param {string} cwd
 */
async function start(args, cwd) {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  for (;;) {
    const [chunk] = await once(child.stderr, 'data');
    said += chunk;
    const port = / at http:\/\/127\.0\.0\.1:(\d+)/.exec(` ${said}`)?.[1];
    if (port !== undefined) return { child, port: Number(port) };
  }
}

const REQUEST = 'GET /mutator HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';

/**
 * Asks over one connection, again and again; the client does no more than it
 * must, so that what is measured is the server.
 *
 * @param {number} port
 * @param {number} count
 */
function ask(port, count) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(REQUEST));
    let left = count;
    let received = 0;
    let expected = 0;
    socket.on('error', reject).on('data', (chunk) => {
      if (expected === 0) {
        const head = chunk.toString('latin1').split('\r\n\r\n')[0] ?? '';
        if (!head.startsWith('HTTP/1.1 200 ')) reject(new Error(head));
        expected = head.length + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1]);
      }
      received += chunk.length;
      if (received < expected) return;
      received = 0;
      left -= 1;
      if (left > 0) socket.write(REQUEST);
      else resolve(socket.destroy());
    });
  });
}

/** @param {number} port requests a second */
async function measure(port) {
  const begin = process.hrtime.bigint();
  const each = Math.ceil(REQUESTS / CONNECTIONS);
  await Promise.all(Array.from({ length: CONNECTIONS }, () => ask(port, each)));
  return (each * CONNECTIONS * 1e9) / Number(process.hrtime.bigint() - begin);
}

const directory = mkdtempSync(join(tmpdir(), 'perturb-bench-'));
/** @type {import('node:child_process').ChildProcess[]} */
const children = [];
try {
  const manifest = Array.from({ length: 100 }, (_, index) => mutator(index)).join('\n');
  writeFileSync(join(directory, 'mutators.toml'), manifest);
  const serve = ['serve', 'mutators', '--manifest', 'mutators.toml', '--port', '0'];
  const perturb = await start([join(import.meta.dirname, '../dist/bin.cjs'), ...serve], directory);
  children.push(perturb.child);
  const listing = await fetch(`http://127.0.0.1:${perturb.port}/mutator`);
  const bytes = Buffer.from(await listing.arrayBuffer());
  writeFileSync(join(directory, 'listing.json'), bytes);
  const bare = await start(['-e', BARE], directory);
  children.push(bare.child);

  await measure(perturb.port);
  await measure(bare.port);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const floor = await measure(bare.port);
    const rate = await measure(perturb.port);
    rounds.push({ floor, rate, ratio: rate / floor });
  }
  const ratio = median(rounds.map((round) => round.ratio));
  const floor = median(rounds.map((round) => round.floor));
  const rate = median(rounds.map((round) => round.rate));
  console.log(`server: list 100 mutators, ${bytes.length} bytes, median of ${ROUNDS} rounds`);
  console.log(`  node:http               ${floor.toFixed(0)} requests/s`);
  console.log(`  perturb serve mutators  ${rate.toFixed(0)} requests/s`);
  console.log(`  ratio                   ${ratio.toFixed(2)} (at least ${FLOOR})`);
  if (ratio < FLOOR) process.exitCode = 1;
} finally {
  for (const child of children) child.kill();
  await Promise.all(children.map((child) => once(child, 'close')));
  rmSync(directory, { recursive: true });
}
