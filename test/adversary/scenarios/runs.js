import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { perturb } from '../harness/program.js';
import { few, secondsSince, serve, until } from '../harness/server.js';
import { listen, makeSystem, ownPort } from '../harness/systems.js';

/** @import { Place, Scenario } from '../harness/scenario.js' */

const PROGRAM = resolve(import.meta.dirname, '../../../dist/bin.cjs');

/** What a command does that ends well. */
export const SEEN = `echo '{"probe":"SYSTEM","name":"seen"}' >> "$PERTURB_SESSION"`;

/** @param {number} attempts */
const objective = (attempts) => `name = "attacked"
[mutation_constraints]
max_concurrent_mutations = 2
[[measurement]]
name = "seen"
check = "MATCH (name = 'seen') AS seen"
[stopping_conditions]
attempts = ${attempts}
`;

/** Does not end when it is told to, and has a child in its group and one outside. */
const STUBBORN = `trap '' TERM INT HUP
${SEEN}
setsid sh -c 'trap "" TERM INT HUP; while :; do sleep 0.2; done' &
[ -e go ] || while :; do sleep 0.2; done
exit 0`;

/** Does what is promised within this time. */
const SOON_MS = 2_000;

/**
 * A system, its server, and runs against it.
 *
 * @param {Place} place
 * @param {number} [attempts]
 * @param {string} [more] of each mutator
 */
export async function openRuns(place, attempts = 1, more = '') {
  const at = (/** @type {string} */ name) => join(place.directory, name);
  const system = await makeSystem('file', place, 3);
  const server = await serve(place, {
    manifest: system.manifest.replaceAll('[mutator.actuator]', `${more}[mutator.actuator]`),
    options: ['--port', `${await ownPort()}`],
  });
  writeFileSync(at('attacked.objective.toml'), objective(attempts));
  const command = (/** @type {string} */ script) => ['--', 'sh', '-c', script];
  return {
    at,
    system,
    server,
    // An attack may set aside the only attempt that plans a mutator.
    /** The arguments that begin a run. @param {string} out @param {string} script @param {readonly string[]} [flags] */
    args: (out, script, flags = ['--wait']) => [
      ...['objective', 'run', 'attacked.objective.toml', '-s', server.url],
      ...['--seed', '3', '--baseline', '0', '--allow-unused', ...flags, '--out', out],
      ...command(script),
    ],
    /** Starts a run. @param {readonly string[]} args @param {readonly string[]} [before] */
    start(args, before = []) {
      const [program = '', ...rest] = [...before, process.execPath, PROGRAM, ...args];
      const child = spawn(program, rest, {
        cwd: place.directory,
        env: { PATH: process.env['PATH'] },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const ended = once(child, 'close');
      place.defer(() => {
        child.kill('SIGKILL');
        return ended;
      });
      return { child, ended };
    },
    /** How many records the journal of a run has. @param {string} out */
    lines: (out) => recordsOf(at(`${out}/journal`)).length,
    /** How the journal of a run ends. @param {string} out */
    last: (out) => recordsOf(at(`${out}/journal`)).at(-1) ?? '',
    /** The processes of the commands of a run. @param {string} out */
    left: (out) => processesWith(`PERTURB_SESSION=${at(out)}/`),
  };
}

/** @param {string} path */
export function recordsOf(path) {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => /^[\da-f]{8} \{"step":.*\}$/.test(line));
}

/** @param {string} entry */
function processesWith(entry) {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/environ`, 'latin1').includes(entry);
    } catch {
      return false;
    }
  });
}

/** @type {Scenario} */
export const runKills = {
  name: 'run-kills',
  alone: true,
  promise:
    'a run that is killed, or ended by a second signal, takes its command and what that started with it; resumed, it leaves nothing active',
  async run(place, size) {
    const runs = await openRuns(place);
    /** @type {string[]} */
    const broken = [];
    let slowest = 0;
    let disturbed = 0;
    /** @param {string} out */
    const expectGone = async (out) => {
      const since = performance.now();
      if (!(await until(() => runs.left(out).length === 0, 10_000))) {
        broken.push(`${out}: ${runs.left(out).length} processes are left`);
      }
      slowest = Math.max(slowest, performance.now() - since);
    };
    for (const signals of [['SIGKILL'], ['SIGINT', 'SIGTERM']]) {
      const out = signals.join('-');
      const run = runs.start(runs.args(out, STUBBORN));
      await until(() => runs.left(out).length >= 4);
      for (const signal of signals) {
        run.child.kill(/** @type {NodeJS.Signals} */ (signal));
        await new Promise((done) => setTimeout(done, 300));
      }
      await run.ended;
      await expectGone(out);
      await perturb(place.directory, ['objective', 'run', '--resume', out, '--seed', '4']);
      if (runs.system.active() > 0) broken.push(`${out}: ${runs.system.active()} are active`);
    }
    // At every line of the journal of a run that goes through.
    writeFileSync(runs.at('go'), '');
    let kills = 0;
    const step = size === 'full' ? 1 : 3;
    for (let line = size === 'full' ? 1 : 2; ; line += step) {
      const out = `killed-${line}`;
      const run = runs.start(runs.args(out, STUBBORN));
      let hasEnded = false;
      void run.ended.then(() => {
        hasEnded = true;
      });
      while (!hasEnded && runs.lines(out) < line) await new Promise((done) => setTimeout(done, 1));
      if (hasEnded) break;
      run.child.kill('SIGKILL');
      await run.ended;
      kills += 1;
      await expectGone(out);
      if (runs.system.active() > 0) disturbed += 1;
      const isWhole = runs.last(out).includes('"step":"end"');
      const { code, stderr } = await perturb(place.directory, [
        'objective',
        'run',
        '--resume',
        out,
      ]);
      if (code !== 0) broken.push(`line ${line}: resuming ends with ${code}: ${stderr}`);
      if (runs.system.active() > 0) broken.push(`line ${line}: ${runs.system.active()} are active`);
      // Resuming that one asks no server, so its lease lapses: nothing may come after it.
      if (isWhole) break;
    }
    if (disturbed === 0) broken.push('no kill found anything active, which proves nothing');
    if (slowest > SOON_MS && size === 'full') broken.push(`processes went after ${slowest} ms`);
    const figures = `${kills} kills at lines of the journal, ${disturbed} with mutators active; the last process went after ${Math.ceil(slowest)} ms`;
    return { figures, broken: few(broken) };
  },
};

/** What a command writes that is no events, and what it leaves behind. */
const HOSTILE = {
  binary: 'head -c 30000000 /dev/urandom > "$PERTURB_SESSION"',
  'long line': 'head -c 50000000 /dev/zero > "$PERTURB_SESSION"',
  orphans: 'for one in 1 2 3 4 5 6 7 8; do setsid sh -c "while :; do sleep 0.01; done" & done',
};

/** @type {Scenario} */
export const runCommands = {
  name: 'run-commands',
  promise: 'whatever the command of a run writes or starts, its attempt ends, and nothing is left',
  async run(place, size) {
    const runs = await openRuns(place);
    /** @type {string[]} */
    const broken = [];
    const since = performance.now();
    const all = Object.entries(HOSTILE);
    const commands = size === 'full' ? all : all.slice(1, 2);
    for (const [name, script] of commands) {
      const out = name.replace(' ', '-');
      const once = `[ -e ${out}.done ] || { touch ${out}.done; ${script}; exit; }; ${SEEN}`;
      const outcome = await perturb(place.directory, runs.args(out, once));
      if (outcome.code !== 0) broken.push(`${name}: ends with ${outcome.code}: ${outcome.stderr}`);
      if (runs.system.active() > 0) broken.push(`${name}: ${runs.system.active()} are active`);
      if (runs.left(out).length > 0) broken.push(`${name}: ${runs.left(out).length} are left`);
    }
    const figures = `${commands.length} commands, in ${secondsSince(since)}`;
    return { figures, broken: few(broken) };
  },
};

/** @type {Scenario} */
export const runServers = {
  name: 'run-servers',
  promise: 'whatever a server answers to a run, nothing that it acknowledged stays active unnamed',
  async run(place, size) {
    const runs = await openRuns(place);
    /** @type {string[]} */
    const broken = [];
    const { hostname, port } = new URL(runs.server.url);
    /** What is done with the first injection, and the first reset. @type {string} */
    let trick = '';
    /** @type {Set<string>} */
    const done = new Set();
    const proxy = createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const key = `${trick} ${request.method}`;
      const isFirst = request.method !== 'GET' && !done.has(key);
      done.add(key);
      if (isFirst && trick === 'refuse') return void response.writeHead(500).end();
      const body = request.method === 'POST' ? { body: Buffer.concat(chunks) } : {};
      const answer = await fetch(`http://${hostname}:${port}${request.url}`, {
        method: String(request.method),
        ...body,
      });
      const text = await answer.text();
      if (isFirst && trick === 'drop') return void request.socket.destroy();
      if (isFirst && trick === 'hang') return;
      if (isFirst && trick === 'garbage') return void request.socket.end('\0\x1b[2J\r\n\r\n');
      if (isFirst && trick === 'redirect') {
        return void response.writeHead(307, { location: '/elsewhere' }).end();
      }
      if (isFirst && trick === 'endless') {
        response.writeHead(answer.status);
        const timer = setInterval(() => response.write(' '.repeat(1024)), 20);
        return void response.on('close', () => clearInterval(timer));
      }
      response.writeHead(answer.status).end(text);
    });
    const url = `http://127.0.0.1:${await listen(proxy, place)}`;
    const all = ['drop', 'hang', 'refuse', 'garbage', 'redirect', 'endless'];
    const tricks = size === 'full' ? all : all.slice(0, 2);
    for (const one of tricks) {
      trick = one;
      const args = runs.args(one, SEEN).map((word) => (word === runs.server.url ? url : word));
      args.splice(2, 0, '--timeout', '1s');
      const { code, stderr } = await perturb(place.directory, args);
      const isNamed = /These mutators may still be active:\n {2}perturb mutators reset /.test(
        stderr,
      );
      const active = runs.system.active();
      if (active > 0 && !(code === 4 && isNamed))
        broken.push(`${one}: ${active} are active: ${stderr}`);
      if (stderr.includes('\x1b')) broken.push(`${one}: it is shown raw`);
      if (active > 0) await perturb(place.directory, ['objective', 'run', '--resume', one]);
      if (runs.system.active() > 0) broken.push(`${one}: ${active} are active after --resume`);
    }
    return {
      figures: `${tricks.length} ways to answer an injection and a reset`,
      broken: few(broken),
    };
  },
};

/** @type {Scenario} */
export const runDisk = {
  name: 'run-disk',
  promise: 'on a full disk a run resets and ends, whichever record has no room',
  async run(place) {
    const runs = await openRuns(place);
    /** @type {string[]} */
    const broken = [];
    const blocks = [1, 2, 3, 4, 5, 6, 7, 8];
    for (const block of blocks) {
      const out = `disk-${block}`;
      const limit = ['sh', '-c', `ulimit -f ${block}; exec "$@"`, 'sh'];
      const { ended } = runs.start(runs.args(out, SEEN), limit);
      await ended;
      if (runs.system.active() > 0) broken.push(`${out}: ${runs.system.active()} are active`);
    }
    return { figures: `${blocks.length} sizes of a full disk`, broken: few(broken) };
  },
};

export const runScenarios = [runKills, runCommands, runServers, runDisk];
