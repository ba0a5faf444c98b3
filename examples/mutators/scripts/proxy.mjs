/*
 * A proxy that can be made to fail, and the commands that make it.
 *
 *   node proxy.mjs run NAME LISTEN UPSTREAM [http]      runs it; addresses are HOST:PORT
 *   node proxy.mjs inject NAME FAULT SECONDS < MUTATION has it make a fault, for at most SECONDS
 *   node proxy.mjs reset NAME FAULT                     has it end that fault
 *   node proxy.mjs look NAME                            prints the faults that it makes
 *
 * Faults are only in the memory of the proxy: one that has ended has none. It takes commands at the
 * socket NAME.sock in the working directory, which only its user can open.
 */
import { lookup } from 'node:dns/promises';
import { EventEmitter, once } from 'node:events';
import { lstatSync, unlinkSync } from 'node:fs';
import { Agent, createServer as createHttpServer, request as requestHttp } from 'node:http';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

const TCP = ['latency', 'bandwidth', 'reset', 'half-open', 'cut'];
const HTTP = ['http-delay', 'http-status', 'http-abort'];
/** How much of one direction of a connection waits here; more stays with the sender. */
const MOST_WAITING = 1 << 20;

/** The faults that are made now, by name, each with its parameters. */
const faults = new Map();
/** Says that they have changed. */
const changes = new EventEmitter().setMaxListeners(0);

function parseAddress(word) {
  const [, host, port] = /^\[?([^[\]]+?)\]?:(\d+)$/.exec(word ?? '') ?? [];
  if (host === undefined) throw new Error(`${word} is not of the form HOST:PORT`);
  return { host, port: Number(port) };
}

/** Waits until a time while a fault is made: its reset lets through everything that waits. */
async function waitWith(name, due) {
  while (faults.has(name) && performance.now() < due) {
    const end = new AbortController();
    const { signal } = end;
    await Promise.race([pause(due - performance.now(), undefined, { signal }), once(changes, 'change', { signal })]).catch(() => {});
    end.abort();
  }
}

/** Brings what one end of a connection sends to the other. */
async function pump(from, to, isAnswer, both) {
  const waiting = [];
  const news = new EventEmitter();
  let size = 0;
  let last = 0;
  let passed = 0;
  const arrive = (chunk) => {
    const { delay = 0, jitter = 0 } = (isAnswer && faults.get('latency')) || {};
    last = Math.max(faults.has('latency') ? last : 0, performance.now() + delay + Math.random() * jitter);
    waiting.push({ chunk, due: last });
    size += chunk?.length ?? 0;
    if (size >= MOST_WAITING) from.pause();
    news.emit('more');
  };
  from.on('data', arrive);
  from.once('end', () => arrive(undefined));
  /** Whether the fault of that name strikes now. */
  const strikes = (name) => isAnswer && passed >= (faults.get(name)?.after ?? Infinity);
  const strike = () => {
    if (strikes('reset')) for (const one of both) one.resetAndDestroy();
    else if (strikes('cut')) for (const one of both) one.destroySoon();
    return to.destroyed || to.writableEnded;
  };
  changes.on('change', strike);
  strike();
  to.once('close', () => {
    changes.off('change', strike);
    news.emit('more');
  });
  while (!to.destroyed) {
    if (waiting.length === 0) {
      await once(news, 'more');
      continue;
    }
    const { chunk, due } = waiting.shift();
    await waitWith('latency', due);
    if (chunk === undefined) {
      while (faults.has('half-open') && !to.destroyed) await once(changes, 'change');
      return to.end();
    }
    size -= chunk.length;
    for (let start = 0; start < chunk.length && !to.destroyed; ) {
      while (faults.has('half-open') && !to.destroyed) await once(changes, 'change');
      if (strike()) return;
      const { rate } = faults.get('bandwidth') ?? {};
      const after = isAnswer ? ['reset', 'cut'].map((name) => faults.get(name)?.after ?? Infinity) : [];
      // A piece takes a twentieth of a second.
      const most = Math.min(rate === undefined ? Infinity : rate * 50, ...after.map((one) => one - passed));
      const piece = chunk.subarray(start, start + Math.max(1, most));
      start += piece.length;
      passed += piece.length;
      if (!to.write(piece) && !to.destroyed) await Promise.race([once(to, 'drain'), once(to, 'close')]).catch(() => {});
      if (rate !== undefined) await pause(piece.length / rate);
    }
    if (strike()) return;
    if (size < MOST_WAITING) from.resume();
  }
}

/** Each connection of a client gets one to the service. */
function pass(client, upstream) {
  const service = connect({ ...upstream, allowHalfOpen: true });
  const both = [client, service];
  for (const [one, other] of [both, [service, client]]) {
    one.setNoDelay(true);
    // What ended badly on one side ends badly on the other.
    one.on('error', () => other.resetAndDestroy());
  }
  pump(client, service, false, both).catch(() => {});
  pump(service, client, true, both).catch(() => {});
}

/** The fault of that name, if it still strikes a request; counts the request. */
function take(name) {
  const fault = faults.get(name);
  if (fault === undefined || fault.requests <= 0) return undefined;
  fault.requests -= 1;
  return fault;
}

/** Answers a request as the service would, except for the faults. */
async function answer(request, response, upstream, agent) {
  const late = take('http-delay');
  if (late !== undefined) await waitWith('http-delay', performance.now() + late.delay);
  if (take('http-abort') !== undefined) return request.socket.resetAndDestroy();
  const status = take('http-status');
  if (status !== undefined) {
    request.resume();
    return response.writeHead(status.status, { 'content-length': 0 }).end();
  }
  const { method, url, rawHeaders: headers } = request;
  const forward = requestHttp({ ...upstream, agent, method, path: url, headers });
  forward.on('error', () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(502, { 'content-length': 0 }).end();
  });
  forward.on('response', (given) => {
    response.writeHead(given.statusCode, given.statusMessage, given.rawHeaders);
    given.on('error', () => response.destroy());
    given.pipe(response);
  });
  response.on('close', () => forward.destroy());
  request.pipe(forward);
}

async function listening(server, address) {
  server.listen(address);
  await once(server, 'listening');
  return server.address();
}

/** Ends a fault by itself when whoever made it does not. */
const timers = new Map();

function control({ action, fault, params, seconds }, known) {
  clearTimeout(timers.get(fault));
  faults.delete(fault);
  if (action === 'inject') {
    if (!known.includes(fault)) {
      return HTTP.includes(fault) ? 'the proxy was started without the word http' : `there is no fault ${fault}`;
    }
    faults.set(fault, params);
    timers.set(fault, setTimeout(() => control({ action: 'reset', fault }, known), seconds * 1000));
  }
  changes.emit('change');
  return '';
}

/** All that arrives at a socket, which stays open for the answer. */
async function received(socket) {
  let said = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    said += chunk;
  });
  await once(socket, 'end');
  return said;
}

const socketOf = (name) => `${name}.sock`;

/** The socket of a name; undefined if there is none. Anything else in its place is neither used nor removed. */
function ownSocket(name) {
  const found = lstatSync(socketOf(name), { throwIfNoEntry: false });
  const own = process.geteuid?.() ?? found?.uid;
  if (found === undefined || (found.isSocket() && found.uid === own)) return found;
  const reason = found.isSocket() ? `it belongs to user ${found.uid}, not to ${own}` : 'it is not a socket';
  throw new Error(`refusing ${socketOf(name)}: ${reason}. Nothing was touched. Move it away.`);
}

/** Asks the proxy of a name; gives its answer, or undefined where none runs. */
async function ask(name, question) {
  if (ownSocket(name) === undefined) return undefined;
  const socket = connect(socketOf(name));
  try {
    await once(socket, 'connect');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') return undefined;
    throw error;
  }
  socket.end(JSON.stringify(question));
  return text(socket);
}

/** The answer to a command; one that was cut off, because its sender was killed, changes nothing. */
function answerTo(said, known) {
  let question;
  try {
    question = JSON.parse(said);
  } catch {
    return 'this is not a command';
  }
  if (question?.action === 'look') return [...faults.keys()].join('\n');
  const isCommand = question?.action === 'reset' || (question?.action === 'inject' && question.params && question.seconds > 0);
  return isCommand ? control(question, known) : 'this is not a command';
}

/** Whether connections to the one address arrive at the other. */
async function isSame(upstream, own) {
  if (upstream.port !== own.port) return false;
  const [to, at] = await Promise.all([upstream, own].map(async ({ host }) => (await lookup(host).catch(() => ({}))).address));
  const isAny = (address) => address === '0.0.0.0' || address === '::';
  const ofMachine = Object.values(networkInterfaces()).flat().map(({ address }) => address);
  // What is sent to any address arrives at the loopback.
  if (isAny(to)) return isAny(at) || at === '127.0.0.1' || at === '::1';
  return to === at || (isAny(at) && (/^127\./.test(to) || ofMachine.includes(to)));
}

async function run([name, listen, upstreamWord, protocol]) {
  const [address, upstream] = [parseAddress(listen), parseAddress(upstreamWord)];
  const known = protocol === 'http' ? [...TCP, ...HTTP] : TCP;
  if ((await ask(name, { action: 'look' })) !== undefined) throw new Error(`a proxy named ${name} is already running`);
  if (await isSame(upstream, address)) throw new Error(`${upstreamWord} is the proxy itself: name the service`);
  let target = upstream;
  if (protocol === 'http') {
    const agent = new Agent({ keepAlive: true });
    const http = createHttpServer({ requestTimeout: 0 }, (request, response) => {
      answer(request, response, upstream, agent).catch(() => response.destroy());
    });
    target = { host: '127.0.0.1', port: (await listening(http, { host: '127.0.0.1', port: 0 })).port };
  }
  const server = createServer({ allowHalfOpen: true }, (client) => pass(client, target));
  const { port } = await listening(server, address);
  if (ownSocket(name) !== undefined) unlinkSync(socketOf(name));
  const commands = createServer({ allowHalfOpen: true }, async (socket) => {
    socket.on('error', () => {});
    socket.end(answerTo(await received(socket).catch(() => ''), known));
  });
  process.umask(0o177);
  await listening(commands, { path: socketOf(name) });
  const { ino } = lstatSync(socketOf(name));
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      // Another proxy may have taken its place.
      if (lstatSync(socketOf(name), { throwIfNoEntry: false })?.ino === ino) unlinkSync(socketOf(name));
      process.exit();
    });
  }
  console.log(`${name} passes ${address.host}:${port} on to ${upstream.host}:${upstream.port}`);
}

async function command(action, [name, fault, seconds]) {
  const params = action === 'inject' ? JSON.parse(await text(process.stdin)).params : undefined;
  const answered = await ask(name, { action, fault, params, seconds: Number(seconds) });
  // A proxy that has ended makes no more faults.
  if (answered === undefined && action === 'inject') throw new Error(`no proxy named ${name} is running`);
  if (answered) throw new Error(answered);
}

const [, , action, ...rest] = process.argv;
try {
  if (action === 'run') await run(rest);
  else if (action === 'inject' || action === 'reset') await command(action, rest);
  else if (action === 'look') console.log((await ask(rest[0], { action })) ?? 'it is not running');
  else throw new Error('usage: proxy.mjs run|inject|reset|look NAME ...');
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
