import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { perturb } from '../harness/program.js';
import { few, injectAll, serve, until } from '../harness/server.js';

/** @import { Place, Scenario, Size } from '../harness/scenario.js' */

/**
 * What ready-made mutators act on.
 *
 * @typedef {object} Target
 * @property {readonly string[]} options of `perturb mutators new`, after the name
 * @property {() => Promise<boolean> | boolean} isActive
 */

/** How many of a kind are active together. */
const MANY = { small: 3, full: 12 };

/** Starts a process that is killed in the end. @param {Place} place @param {string} command @param {readonly string[]} args */
function start({ directory, defer }, command, args) {
  const child = spawn(command, args, { cwd: directory, stdio: ['ignore', 'pipe', 'ignore'] });
  defer(() => child.kill('SIGKILL'));
  return child;
}

/** @type {Record<string, (place: Place, name: string) => Promise<Target | string>>} */
const kinds = {
  /** A target, or why there can be none. */
  async proxy(place, name) {
    const address = '127.0.0.1:0';
    const isActive = async () => {
      const socket = connect(join(place.directory, `${name}.sock`)).on('error', () => {});
      socket.end('{"action":"look"}');
      return (await text(socket)) !== '';
    };
    const { code, stderr } = await perturb(place.directory, [
      ...['mutators', 'new', 'proxy', '--listen', address, '--upstream', '127.0.0.1:1'],
      ...['--name', name],
    ]);
    if (code !== 0) throw new Error(stderr);
    const proxy = start(place, process.execPath, [
      'proxy.mjs',
      'run',
      name,
      address,
      '127.0.0.1:1',
    ]);
    await once(proxy.stdout, 'data');
    return { options: [], isActive };
  },

  async pause(place, name) {
    const { pid } = start(place, 'sleep', ['3600']);
    writeFileSync(join(place.directory, `${name}.pid`), `${pid}`);
    const isActive = () => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return { options: ['--pid-file', `${name}.pid`], isActive };
  },

  async netem({ defer }) {
    const namespace = `pta${randomBytes(3).toString('hex')}`;
    const isMade = spawnSync('ip', ['netns', 'add', namespace]).status === 0;
    if (!isMade) return 'no network namespace can be made here';
    defer(() => spawnSync('ip', ['netns', 'delete', namespace]));
    const show = () =>
      String(spawnSync('tc', ['-n', namespace, 'qdisc', 'show', 'dev', 'lo']).stdout);
    const none = show();
    return {
      options: ['--interface', 'lo', '--namespace', namespace],
      isActive: () => show() !== none,
    };
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
  netem: () =>
    hasNetem()
      ? ['delay', { delay: 10 }, '']
      : ['rate', { rate: 1_000 }, '; rates by tbf, for the kernel has no netem'],
};

/** @param {'proxy' | 'pause' | 'netem'} kind @returns {Scenario} */
const readyMade = (kind) => ({
  name: `ready-${kind}`,
  promise: `ready-made mutators of the kind ${kind}: many that are active when the server is killed are reset by the next start`,
  async run(place, size) {
    if (process.platform !== 'linux') return { figures: '', broken: [], skipped: 'only on Linux' };
    const { directory } = place;
    const [fault, params, note] = injected[kind]?.() ?? ['', {}, ''];
    /** @type {Target[]} */
    const targets = [];
    /** @type {string[]} */
    const ids = [];
    for (let index = 0; index < MANY[size]; index++) {
      const name = `m${index}`;
      const target = await kinds[kind]?.(place, name);
      if (target === undefined) throw new Error(`there is no kind ${kind}`);
      if (typeof target === 'string') return { figures: '', broken: [], skipped: target };
      if (target.options.length > 0) {
        const words = ['mutators', 'new', kind, '--name', name, ...target.options];
        const { code, stderr } = await perturb(directory, words);
        if (code !== 0) throw new Error(stderr);
      }
      targets.push(target);
      ids.push([name, fault].filter((word) => word !== '').join('-'));
    }
    const active = async () => {
      const all = await Promise.all(targets.map(({ isActive }) => isActive()));
      return all.filter((one) => one).length;
    };
    /** @type {string[]} */
    const broken = [];
    const rounds = size === 'full' ? 25 : 2;
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
      figures: `${ids.length} together, ${rounds} kills, ${disturbed} of them with mutators active${note}`,
      broken: few(broken),
    };
  },
});

/** @type {readonly Scenario[]} */
export const readyMadeScenarios = [readyMade('proxy'), readyMade('netem'), readyMade('pause')];
