import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { perturb } from '../harness/program.js';
import { few, inject, injectAll, reset, serve, until } from '../harness/server.js';
import { listen, ownPort } from '../harness/systems.js';

/** @import { Place, Scenario, Size } from '../harness/scenario.js' */
/** @import { Server } from '../harness/server.js' */

/**
 * What ready-made mutators act on.
 *
 * @typedef {object} Target
 * @property {readonly string[]} options of `perturb mutators new`, after the name
 * @property {() => Promise<boolean> | boolean} isActive
 * @property {() => Promise<void>} [begin] called once the mutators are written
 */

/** How many are active together where each has a target of its own. */
const MANY = { small: 3, full: 12 };
/** How often the server is killed, and how often a script is. */
const SERVER_KILLS = { small: 2, full: 25 };
const SCRIPT_KILLS = { small: 3, full: 100 };

/** Kills a process that may have ended. @param {number} pid */
function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Starts a process that is killed in the end. @param {Place} place @param {string} command @param {readonly string[]} args */
function start({ directory, defer }, command, args) {
  const child = spawn(command, args, { cwd: directory, stdio: ['ignore', 'pipe', 'ignore'] });
  defer(() => child.kill('SIGKILL'));
  return child;
}

/** What a file in /proc says; empty for a process that has ended. @param {string | number} pid @param {string} file */
function procText(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** The pids of the processes that work in a directory. @param {string} directory @returns {readonly number[]} */
function processesIn(directory) {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === directory ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });
}

/** A namespace of the network that is removed in the end; undefined where none can be made. @param {Place} place */
function makeNamespace({ defer }) {
  const namespace = `pta${randomBytes(3).toString('hex')}`;
  if (spawnSync('ip', ['netns', 'add', namespace]).status !== 0) return undefined;
  defer(() => spawnSync('ip', ['netns', 'delete', namespace]));
  return namespace;
}

/** Starts a process whose pid is in a file. @param {Place} place @param {string} file */
function startNamed(place, file) {
  const { pid } = start(place, 'sleep', ['3600']);
  writeFileSync(join(place.directory, file), `${pid}`);
  return pid;
}

const NO_NAMESPACE = 'no network namespace can be made here';

/** A target, or why there can be none. @type {Record<string, (place: Place, name: string) => Promise<Target | string>>} */
const kinds = {
  async proxy(place, name) {
    const upstream = await listen(createServer(), place);
    const addresses = [`127.0.0.1:${await ownPort()}`, `127.0.0.1:${upstream}`];
    return {
      options: ['--listen', `${addresses[0]}`, '--upstream', `${addresses[1]}`],
      async begin() {
        // It outlives servers, so none starts it.
        const manifest = join(place.directory, 'mutators.toml');
        const processes = /^\[\[process\]\]\n(?:.+\n)+/gm;
        writeFileSync(manifest, readFileSync(manifest, 'utf8').replaceAll(processes, ''));
        const words = ['proxy.mjs', 'run', name, ...addresses];
        await once(start(place, process.execPath, words).stdout, 'data');
      },
      async isActive() {
        const socket = connect(join(place.directory, `${name}.sock`)).on('error', () => {});
        socket.end('{"action":"look"}');
        return (await text(socket)) !== '';
      },
    };
  },

  async pause(place, name) {
    const pid = startNamed(place, `${name}.pid`);
    const isActive = () => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return { options: ['--pid-file', `${name}.pid`], isActive };
  },

  async kill(place, name) {
    const file = `${name}.pid`;
    startNamed(place, file);
    const pid = () => readFileSync(join(place.directory, file), 'utf8').trim();
    place.defer(() => kill(Number(pid())));
    return {
      options: ['--pid-file', file, '--command', 'sleep 3600'],
      isActive: () => !/^State:\s+[^Z]/m.test(procText(pid(), 'status')),
    };
  },

  async netem(place) {
    const namespace = makeNamespace(place);
    if (namespace === undefined) return NO_NAMESPACE;
    const show = () =>
      String(spawnSync('tc', ['-n', namespace, 'qdisc', 'show', 'dev', 'lo']).stdout);
    const none = show();
    return {
      options: ['--interface', 'lo', '--namespace', namespace],
      isActive: () => show() !== none,
    };
  },

  async partition(place) {
    const namespace = makeNamespace(place);
    if (namespace === undefined) return NO_NAMESPACE;
    const words = ['netns', 'exec', namespace, 'nft', 'list', 'tables'];
    if (spawnSync('ip', words).status !== 0) return 'there is no nft';
    return {
      options: ['--port', '7', '--namespace', namespace],
      isActive: () => String(spawnSync('ip', words).stdout) !== '',
    };
  },

  async stress({ directory }, name) {
    if (spawnSync('stress-ng', ['--version']).error) return 'there is no stress-ng';
    return {
      options: [],
      isActive: () =>
        processesIn(directory).some(
          (pid) =>
            procText(pid, 'cmdline').startsWith('stress-ng') &&
            procText(pid, 'cmdline').includes(`${name}-io`),
        ),
    };
  },

  async disk({ directory, defer }, name) {
    const path = join(directory, `${name}.disk`);
    mkdirSync(path);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'none', path]);
    if (mounted.status !== 0) return 'no file system can be mounted here';
    defer(() => spawnSync('umount', ['-l', path]));
    return { options: ['--path', `${name}.disk`], isActive: () => readdirSync(path).length > 0 };
  },
};

/** Whether the kernel has netem; tried in a namespace of its own. */
function hasNetem() {
  const namespace = `pta${randomBytes(3).toString('hex')}`;
  spawnSync('ip', ['netns', 'add', namespace]);
  const words = ['-n', namespace, 'qdisc', 'add', 'dev', 'lo', 'root', 'netem', 'delay', '1ms'];
  const { status } = spawnSync('tc', words);
  spawnSync('ip', ['netns', 'delete', namespace]);
  return status === 0;
}

/**
 * What of a kind is injected: its fault and parameters, and what is to be said of that.
 *
 * @type {Record<string, () => readonly [fault: string, params: object, note: string]>}
 */
const injected = {
  proxy: () => ['half-open', {}, ''],
  pause: () => ['', {}, ''],
  kill: () => ['', {}, ''],
  netem: () =>
    hasNetem()
      ? ['delay', { delay: 10 }, '']
      : ['rate', { rate: 1_000 }, '; rates by tbf, for the kernel has no netem'],
  partition: () => ['', {}, ''],
  stress: () => ['io', { workers: 1 }, ''],
  disk: () => ['', { share: 50 }, ''],
};

/**
 * Kills scripts while they inject, at any moment. An injection that is not acknowledged must have been undone.
 *
 * @param {Server} server
 * @param {string} directory
 * @param {string} id
 * @param {object} params
 * @param {Target['isActive']} isActive
 * @param {number} count
 */
async function killScripts({ url }, directory, id, params, isActive, count) {
  const scripts = () =>
    processesIn(directory).filter((pid) =>
      /^[^\0]*node\0\w+\.mjs\0(?!run\0)/.test(procText(pid, 'cmdline')),
    );
  /** @type {string[]} */
  const broken = [];
  let undone = 0;
  for (let kills = 0; kills < count; ) {
    let isOver = false;
    const answer = inject(url, id, params).finally(() => {
      isOver = true;
    });
    while (!isOver && scripts().length === 0) await new Promise((done) => setTimeout(done, 2));
    await new Promise((done) => setTimeout(done, Math.random() * 100));
    const killed = scripts();
    for (const pid of killed) kill(pid);
    if (killed.length > 0) kills += 1;
    if ((await answer) !== 201) {
      undone += 1;
      if (await isActive()) broken.push(`${id} is active after a script was killed`);
    }
    const status = await reset(url, id);
    if (status !== 200) broken.push(`the reset of ${id} was answered ${status}`);
    if (await isActive()) broken.push(`${id} is active after its reset`);
  }
  return { undone, broken };
}

/** @param {string} kind @returns {Scenario} */
const readyMade = (kind) => ({
  name: `ready-${kind}`,
  promise: `ready-made mutators of the kind ${kind}: an injection whose script is killed is undone; many that are active when the server is killed are reset by the next start`,
  async run(place, size) {
    if (process.platform !== 'linux') return { figures: '', broken: [], skipped: 'only on Linux' };
    const { directory } = place;
    const [fault, params, note] = injected[kind]?.() ?? ['', {}, ''];
    /** @type {Target[]} */
    const targets = [];
    /** @type {string[]} */
    const ids = [];
    // More of stress-ng would leave nothing of the machine.
    const many = kind === 'stress' ? 1 : MANY[size];
    for (let index = 0; index < many; index++) {
      const name = `m${index}`;
      const target = await kinds[kind]?.(place, name);
      if (target === undefined) throw new Error(`there is no kind ${kind}`);
      if (typeof target === 'string') return { figures: '', broken: [], skipped: target };
      const words = ['mutators', 'new', kind, '--name', name, ...target.options];
      const { code, stderr } = await perturb(directory, words);
      if (code !== 0) throw new Error(stderr);
      await target.begin?.();
      targets.push(target);
      ids.push([name, fault].filter((word) => word !== '').join('-'));
    }
    const active = async () => {
      const all = await Promise.all(targets.map(({ isActive }) => isActive()));
      return all.filter((one) => one).length;
    };
    /** @type {string[]} */
    const broken = [];
    const [[id = ''], [first]] = [ids, targets];
    const isActive = () => first?.isActive() ?? false;
    const scripted = await serve(place);
    const scripts = SCRIPT_KILLS[size];
    const killed = await killScripts(scripted, directory, id, params, isActive, scripts);
    broken.push(...killed.broken);
    process.kill(scripted.pid, 'SIGTERM');
    if ((await scripted.exit) !== 0) broken.push('the first server did not end well');
    const rounds = SERVER_KILLS[size];
    let disturbed = 0;
    for (let round = 0; round < rounds; round++) {
      const server = await serve(place);
      if ((await active()) > 0) broken.push(`round ${round}: ${await active()} are left active`);
      const injecting = injectAll(server.url, ids, params).catch(() => []);
      // Every other one while all are active, the rest at any moment.
      if (round % 2 === 0) {
        broken.push(...(await injecting));
        await until(async () => (await active()) === ids.length);
      } else await new Promise((done) => setTimeout(done, Math.random() * 500));
      process.kill(server.pid, 'SIGKILL');
      await Promise.all([server.exit, injecting]);
      if ((await active()) > 0) disturbed += 1;
    }
    const last = await serve(place);
    if ((await active()) > 0) broken.push(`in the end ${await active()} are left active`);
    process.kill(last.pid, 'SIGTERM');
    if ((await last.exit) !== 0) broken.push('the last server did not end well');
    const left = readdirSync(directory).filter((name) => name.endsWith('.state.json'));
    if (left.length > 0) broken.push(`${left.length} states are left`);
    if (disturbed < rounds / 2) broken.push('too few kills found anything active');
    return {
      figures: `${scripts} scripts killed, ${killed.undone} injections undone; ${ids.length} together, ${rounds} kills of the server, ${disturbed} of them with mutators active${note}`,
      broken: few(broken),
    };
  },
});

/** @type {readonly Scenario[]} */
export const readyMadeScenarios = Object.keys(kinds).map(readyMade);
