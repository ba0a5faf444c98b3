import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { perturb } from '../harness/program.js';
import { secondsSince, serve } from '../harness/server.js';
import { listening, makeSystem, ownPort, PATH } from '../harness/systems.js';

/** @import { Place, Scenario, Size } from '../harness/scenario.js' */

const CLIENT = resolve(import.meta.dirname, '../harness/client.js');

/** @param {string} program */
const isMissing = (program) => spawnSync(program, ['-v'], { env: { PATH } }).error !== undefined;

/** nginx with a page, and a log of requests. @param {Place} place @param {string} format of its log */
async function startNginx(place, format) {
  const port = await ownPort();
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    join(place.directory, 'nginx.conf'),
    `${user}
worker_processes 1;
daemon off;
pid nginx.pid;
error_log error.log;
events {}
http {
  ${temporary.map((name) => `${name}_temp_path ${name};`).join(' ')}
  log_format asked '${format}';
  keepalive_requests 1000000;
  server {
    listen 127.0.0.1:${port};
    access_log access.log asked;
    location / { return 200 ok; }
  }
}
`,
  );
  const command = ['nginx', '-p', `${place.directory}/`, '-c', 'nginx.conf', '-e', 'error.log'];
  return { port, child: await listening(place, port, command) };
}

const EVERY_MS = 5;
const MOST_OFF = 0.02;
const MOST_APART_MS = 1;

/** So many seconds a poll is tried, with a client beside it. */
const SECONDS = { small: 1, full: 20 };

/**
 * Asks a poll 200 times a second, with a client beside it, and compares. A small try compares no times.
 *
 * @param {Place} place
 * @param {Size} size
 * @param {'http' | 'tcp'} kind
 * @param {number} port
 * @param {(place: Place) => Promise<number> | number} countOf how many questions the server has had
 */
async function comparePoll(place, size, kind, port, countOf) {
  const address = kind === 'http' ? `http://127.0.0.1:${port}/` : `127.0.0.1:${port}`;
  const table = `[polls.system]\n${kind} = "${address}"\nevery = "${EVERY_MS}ms"\n`;
  writeFileSync(join(place.directory, 'perturb.toml'), table);
  const seconds = SECONDS[size];
  const before = await countOf(place);
  const client = spawn(process.execPath, [CLIENT, kind, `${port}`, `${EVERY_MS}`, `${seconds}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  place.defer(() => client.kill('SIGKILL'));
  const [{ code, stdout, stderr }, said] = await Promise.all([
    perturb(place.directory, [
      ...['doctor', '--poll', 'system', '--for', `${seconds}s`, '--format', 'json'],
    ]),
    text(client.stdout),
  ]);
  if (code !== 0) return { figures: '', broken: [`ends with ${code}: ${stderr}`] };
  const { poll } = JSON.parse(stdout);
  const independent = (seconds * 1_000) / EVERY_MS;
  const served = (await countOf(place)) - before - independent;
  const median = poll.latency.p50 / 1e6;
  const apart = Math.abs(median - Number(said));
  const broken = [];
  if (poll.ok !== poll.asked) broken.push(`${poll.asked - poll.ok} answers were not ok`);
  if (served !== poll.asked) broken.push(`${poll.asked} questions, of which ${served} were served`);
  if (size === 'full') {
    if (Math.abs((poll.rate * EVERY_MS) / 1_000 - 1) > MOST_OFF)
      broken.push(`${poll.rate.toFixed(1)} questions a second`);
    if (!(apart <= MOST_APART_MS)) broken.push(`the medians are ${apart.toFixed(2)} ms apart`);
  }
  const medians = `median ${median.toFixed(2)} ms, of a client beside it ${Number(said).toFixed(2)} ms`;
  return {
    figures: `${poll.asked} questions, ${poll.rate.toFixed(1)} a second; ${medians}`,
    broken,
  };
}

/** @type {Scenario} */
const pollNginx = {
  name: 'poll-nginx',
  alone: true,
  promise:
    'a poll asks nginx 200 times a second within 2 %, and its median latency is within 1 ms of that of an independent client',
  async run(place, size) {
    if (isMissing('nginx')) return { figures: '', broken: [], skipped: 'there is no nginx' };
    const { port } = await startNginx(place, '$msec');
    const countOf = () =>
      readFileSync(join(place.directory, 'access.log'), 'latin1').split('\n').length;
    return comparePoll(place, size, 'http', port, countOf);
  },
};

/** @type {Scenario} */
const pollRedis = {
  name: 'poll-redis',
  alone: true,
  promise:
    'a poll connects to Redis 200 times a second within 2 %, and its median latency is within 1 ms of that of an independent client',
  async run(place, size) {
    if (isMissing('redis-server')) return { figures: '', broken: [], skipped: 'there is no Redis' };
    const port = await ownPort();
    await listening(place, port, ['redis-server', '--port', `${port}`, '--save', '']);
    const redis = (/** @type {string[]} */ ...args) =>
      spawnSync('redis-cli', ['-p', `${port}`, ...args], { encoding: 'utf8' }).stdout;
    // Each look is a connection, too.
    let looks = 0;
    const countOf = () =>
      Number(/total_connections_received:(\d+)/.exec(redis('info', 'stats'))?.[1]) - ++looks;
    return comparePoll(place, size, 'tcp', port, countOf);
  },
};

const REQUESTS = { small: 2_000, full: 100_000 };

/**
 * Asks nginx for numbered pages, some at a time, while its log is renamed twice, and truncated once: then it waits
 * for a mutation, which the run makes when it has read so far.
 */
const BROWSE = `
import { existsSync, readdirSync, readFileSync, renameSync, truncateSync } from 'node:fs';
import { Agent, get } from 'node:http';
const [port, pid, count] = process.argv.slice(2).map(Number);
const agent = new Agent({ keepAlive: true, maxSockets: 20 });
const ask = (n) => new Promise((done, fail) => {
  get({ agent, port, host: '127.0.0.1', path: '/m' + n }, (got) => got.resume().once('end', done)).once('error', fail);
});
let next = 0;
const askUpTo = (end) => Promise.all(Array.from({ length: 20 }, async () => {
  while (next < end) await ask(next++);
}));
const pause = () => new Promise((done) => setTimeout(done, 5));
const rotate = async (name) => {
  renameSync('access.log', name);
  const asked = askUpTo(next + count / 8);
  process.kill(pid, 'SIGUSR1');
  await asked;
  while (!existsSync('access.log')) await pause();
};
await askUpTo(count / 8);
await rotate('access.log.1');
await askUpTo(count / 2 - 1);
await ask(next++);
while (readdirSync('file').every((name) => readFileSync('file/' + name, 'utf8') === '{"speed": 0}')) await pause();
truncateSync('access.log');
await askUpTo(count * 3 / 4);
await rotate('access.log.2');
await askUpTo(count);
`;

/** @type {Scenario} */
const nginxLog = {
  name: 'nginx-log',
  promise:
    "a run reads nginx's log while it is renamed and truncated: no request is lost, and none is there twice",
  async run(place, size) {
    if (isMissing('nginx')) return { figures: '', broken: [], skipped: 'there is no nginx' };
    const format =
      '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"';
    const { port, child } = await startNginx(place, format);
    const { manifest } = await makeSystem('file', place, 1);
    const { url } = await serve(place, { manifest });
    const count = REQUESTS[size];
    writeFileSync(join(place.directory, 'browse.mjs'), BROWSE);
    writeFileSync(
      join(place.directory, 'log.objective.toml'),
      `name = "log"
[mutation_constraints]
mutation_precondition = "MATCH (name = 'GET /m${count / 2 - 1} HTTP/1.1') AS seen"
[[measurement]]
name = "all"
check = "MATCH (probe = 'access') AS line AGGREGATE count() = ${count}"
[stopping_conditions]
attempts = 1
`,
    );
    const since = performance.now();
    const { code, stderr } = await perturb(place.directory, [
      ...['objective', 'run', 'log.objective.toml', '-s', url, '--events', 'access.log'],
      ...['--seed', '3', '--baseline', '0', '--attempt-time', '300s', '--out', 'out'],
      ...['--', process.execPath, 'browse.mjs', `${port}`, `${child.pid}`, `${count}`],
    ]);
    const took = secondsSince(since);
    /** @type {Map<string, number>} */
    const counts = new Map();
    const stored = readFileSync(join(place.directory, 'out/attempts/1.jsonl'), 'utf8');
    for (const line of stored.trim().split('\n')) {
      const { name } = JSON.parse(line);
      if (/^GET \/m/.test(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    const names = Array.from({ length: count }, (_, n) => `GET /m${n} HTTP/1.1`);
    const lost = names.filter((name) => !counts.has(name)).length;
    const repeated = [...counts.values()].filter((times) => times > 1).length;
    const broken = [];
    if (code !== 0) broken.push(`the run ends with ${code}: ${stderr}`);
    if (lost + repeated > 0 || counts.size !== count)
      broken.push(`${lost} lost, ${repeated} repeated, ${counts.size} of ${count} names`);
    if (!stderr.includes('access.log was truncated')) broken.push('the truncation is not reported');
    const figures = `${count} requests in ${took}, ${lost} lost, ${repeated} repeated; renamed twice, truncated once`;
    return { figures, broken };
  },
};

export const realSystems = [nginxLog, pollNginx, pollRedis];
