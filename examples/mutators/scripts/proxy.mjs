/*
 * A proxy that can be made to fail, and the commands that make it.
 *
 *   node proxy.mjs run NAME LISTEN UPSTREAM [http]      runs it; addresses are HOST:PORT
 *                                                       with http, it reads HTTP/1
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

/** Whether a fault strikes one connection or request, as it strikes its share of them. */
const isDrawn = ({ share = 100 }) => Math.random() * 100 < share;

/** Looks up the faults that strike a connection; for each fault it is drawn once. */
function drawFor() {
  const drawn = new WeakMap();
  return (name) => {
    const fault = faults.get(name);
    if (fault !== undefined && !drawn.has(fault)) drawn.set(fault, isDrawn(fault));
    return drawn.get(fault) ? fault : undefined;
  };
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
async function pump(from, to, isAnswer, both, faultOf) {
  const waiting = [];
  const news = new EventEmitter();
  let size = 0;
  let last = 0;
  let passed = 0;
  const arrive = (chunk) => {
    const late = faultOf('latency');
    const isLate = ['both', isAnswer ? 'from' : 'to'].includes(late?.direction);
    const { delay = 0, jitter = 0 } = isLate ? late : {};
    last = Math.max(faults.has('latency') ? last : 0, performance.now() + delay + Math.random() * jitter);
    waiting.push({ chunk, due: last });
    size += chunk?.length ?? 0;
    if (size >= MOST_WAITING) from.pause();
    news.emit('more');
  };
  from.on('data', arrive);
  from.once('end', () => arrive(undefined));
  /** Whether the fault of that name strikes now. */
  const strikes = (name) => isAnswer && passed >= (faultOf(name)?.after ?? Infinity);
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
      while (faultOf('half-open') && !to.destroyed) await once(changes, 'change');
      return to.end();
    }
    size -= chunk.length;
    for (let start = 0; start < chunk.length && !to.destroyed; ) {
      while (faultOf('half-open') && !to.destroyed) await once(changes, 'change');
      if (strike()) return;
      const { rate } = faultOf('bandwidth') ?? {};
      const after = isAnswer ? ['reset', 'cut'].map((name) => faultOf(name)?.after ?? Infinity) : [];
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

const isRefusal = (error) => error.code === 'ECONNREFUSED';

/** Each connection of a client gets one to the service. */
function pass(client, upstream, door) {
  const service = connect({ ...upstream, allowHalfOpen: true });
  service.once('error', (error) => isRefusal(error) && door.shut());
  const both = [client, service];
  const faultOf = drawFor();
  for (const [one, other] of [both, [service, client]]) {
    one.setNoDelay(true);
    // What ended badly on one side ends badly on the other.
    one.on('error', () => other.resetAndDestroy());
  }
  pump(client, service, false, both, faultOf).catch(() => {});
  pump(service, client, true, both, faultOf).catch(() => {});
}

/** The fault of that name, if it still strikes a request; counts the request. */
function take(name) {
  const fault = faults.get(name);
  if (fault === undefined || fault.requests <= 0 || !isDrawn(fault)) return undefined;
  fault.requests -= 1;
  return fault;
}

/** Connections on which requests that can be repeated have been answered. */
const kept = new Agent({ keepAlive: true });

/** True if the service may get a request twice without harm, and the request has no body that would be gone. */
const canBeRepeated = ({ method, headers }) =>
  ['GET', 'HEAD', 'OPTIONS'].includes(method) && !['content-length', 'transfer-encoding'].some((name) => name in headers);

/** Answers a request as the service would, except for the faults. */
async function answer(request, response, upstream, door) {
  const late = take('http-delay');
  if (late !== undefined) await waitWith('http-delay', performance.now() + late.delay);
  if (take('http-abort') !== undefined) return request.socket.resetAndDestroy();
  const status = take('http-status');
  if (status !== undefined) {
    request.resume();
    return response.writeHead(status.status, { 'content-length': 0 }).end();
  }
  forward(request, response, upstream, door, canBeRepeated(request));
}

/**
 * Sends a request to the service, and its answer to the client. The service may be closing a connection that
 * was kept, so a request that cannot be repeated gets a fresh one.
 */
function forward(request, response, upstream, door, isKept) {
  const agent = isKept ? kept : new Agent({ keepAlive: true });
  const { method, url, rawHeaders: headers } = request;
  const sent = requestHttp({ ...upstream, agent, method, path: url, headers });
  sent.on('error', (error) => {
    if (response.headersSent || response.destroyed) return response.destroy();
    if (sent.reusedSocket) return forward(request, response, upstream, door, false);
    if (isRefusal(error)) door.shut();
    // Without the proxy, the client would see its connection end.
    request.socket.resetAndDestroy();
  });
  sent.on('response', (given) => {
    response.writeHead(given.statusCode, given.statusMessage, given.rawHeaders);
    given.on('error', () => response.destroy());
    given.pipe(response);
  });
  response.on('close', () => {
    sent.destroy();
    if (!isKept) agent.destroy();
  });
  request.pipe(sent);
}

const RETRY_MS = 100;
const LONGEST_CONNECT_MS = 1_000;

/** True unless the service refuses connections. */
async function isOpen(upstream) {
  const socket = connect(upstream);
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(LONGEST_CONNECT_MS) });
    return true;
  } catch (error) {
    return !isRefusal(error);
  } finally {
    socket.destroy();
  }
}

/** Has the proxy refuse connections while the service does. */
function doorOf(server, address, upstream) {
  const canListen = () => listening(server, address).then(() => true, () => false);
  return {
    async shut() {
      if (!server.listening) return;
      server.close();
      while (!(await isOpen(upstream)) || !(await canListen())) await pause(RETRY_MS);
    },
  };
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
  const isCommand = question?.action === 'reset' || (question?.action === 'inject' && typeof question.params === 'object' && question.params && question.seconds > 0);
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
    const http = createHttpServer({ requestTimeout: 0 }, (request, response) => {
      answer(request, response, upstream, door).catch(() => response.destroy());
    });
    // A client may send all and still wait for the answer.
    http.httpAllowHalfOpen = true;
    target = { host: '127.0.0.1', port: (await listening(http, { host: '127.0.0.1', port: 0 })).port };
  }
  const server = createServer({ allowHalfOpen: true }, (client) => pass(client, target, door));
  const { port } = await listening(server, address);
  const door = doorOf(server, { ...address, port }, upstream);
  if (ownSocket(name) !== undefined) unlinkSync(socketOf(name));
  const commands = createServer({ allowHalfOpen: true }, async (socket) => {
    socket.on('error', () => {});
    socket.end(answerTo(await received(socket).catch(() => ''), known));
  });
  process.umask(0o177);
  await listening(commands, { path: socketOf(name) });
  const { ino } = lstatSync(socketOf(name));
  const end = () => {
    // Another proxy may have taken its place.
    if (lstatSync(socketOf(name), { throwIfNoEntry: false })?.ino === ino) unlinkSync(socketOf(name));
    process.exit();
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end);
  // The server that started it has ended, however that was.
  if (process.env.PERTURB_PROCESS !== undefined) process.stdin.once('end', end).resume();
  if (!(await isOpen(upstream))) void door.shut();
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
