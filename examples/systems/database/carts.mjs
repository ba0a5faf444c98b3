/*
 * Shopping carts in Redis, or in store.mjs, over a pool of connections. Visitors put things into carts for a
 * while; each request and its response are lines of carts.log.
 *
 *   node carts.mjs [--fixed]
 */
import { appendFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const isFixed = process.argv.includes('--fixed');
const [host, port] = (process.env.PERTURB_PROXY ?? '127.0.0.1:6379').split(':');
const CONNECTIONS = 8;
const TIMEOUT_MS = 500;

const idle = Array.from({ length: CONNECTIONS }, () => undefined);
const waiting = [];

/** A connection of the pool, or undefined if one has to be opened. */
const take = () => (idle.length > 0 ? idle.pop() : new Promise((done) => waiting.push(done)));

function give(connection) {
  const usable = connection?.destroyed ? undefined : connection;
  if (waiting.length > 0) waiting.shift()(usable);
  else idle.push(usable);
}

/** Sends a command, and returns the line that answers it. */
function send(connection, command) {
  return new Promise((done, fail) => {
    const end = (error) => connection.destroy(error ?? new Error('the connection was closed'));
    const timer = setTimeout(end, TIMEOUT_MS, new Error(`no answer in ${TIMEOUT_MS} ms`));
    connection.removeAllListeners().once('data', (line) => {
      clearTimeout(timer);
      done(String(line).trim());
    });
    connection.once('end', end).on('error', fail);
    connection.write(`${command}\r\n`);
  });
}

async function query(command) {
  let connection = await take();
  if (isFixed) {
    try {
      connection ??= connect(port, host);
      return await send(connection, command);
    } finally {
      give(connection);
    }
  }
  // The mistake: where the query fails, the connection is never returned.
  connection ??= connect(port, host);
  const answer = await send(connection, command);
  give(connection);
  return answer;
}

function log(level, msg, more) {
  const line = { time: Date.now(), level, service: 'carts', msg, ...more };
  appendFileSync('carts.log', `${JSON.stringify(line)}\n`);
}

async function add(request_id) {
  log('info', 'request', { request_id });
  const answer = await query(`INCR cart:${request_id % 10}`).catch((error) => error);
  const status = answer instanceof Error ? 503 : 200;
  log('info', 'response', { request_id, status, reason: answer.message });
}

const requests = [];
for (let id = 1; id <= 24; id += 1) {
  requests.push(add(id));
  await pause(25);
}
// Nobody waits longer than that.
await Promise.race([Promise.all(requests), pause(3_000)]);
process.exit();
