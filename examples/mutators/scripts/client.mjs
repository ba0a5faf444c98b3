/*
 * Uses a service that speaks HTTP, for `perturb init`: some users send requests for a while, one after another,
 * and each request and each answer is recorded in the session of the attempt.
 *
 *   node client.mjs URL
 */
import { openSync, writeSync } from 'node:fs';

const USERS = 5;
/** How long they send requests, and how long each waits before the next. */
const LASTS_MS = 3_000;
const PAUSE_MS = 50;
/** Users of the service would have given up by then. */
const TIMEOUT_MS = 2_000;

const url = process.argv[2];
const session = process.env.PERTURB_SESSION;
const file = session ? openSync(session, 'a') : process.stdout.fd;
let seq = 0;

function record(name, attributes) {
  const event = { probe: 'CLIENT', name, seq, time: Date.now() * 1e6, attributes };
  seq += 1;
  writeSync(file, `${JSON.stringify(event)}\n`);
}

async function ask(id) {
  record('request', { id });
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    await answer.arrayBuffer();
    record(answer.ok ? 'response' : 'failure', { id, status: answer.status });
  } catch (error) {
    record('failure', { id, reason: error.cause?.code ?? error.name });
  }
}

let id = 0;

async function use() {
  while (performance.now() < LASTS_MS) {
    id += 1;
    await ask(id);
    await new Promise((done) => setTimeout(done, PAUSE_MS));
  }
}

await Promise.all(Array.from({ length: USERS }, use));
process.exit();
