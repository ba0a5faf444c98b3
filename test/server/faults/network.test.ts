import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownPort } from '../../adversary/harness/systems.js';
import { perturb } from '../../cli/program.js';
import { ask, inject, MUTATION, reset, startServer } from '../programs/server-program.js';
import { killedAgainAndAgain, readyMade, serveIn, startSpeaking } from './ready-made.js';

const run = (command: string, ...args: readonly string[]) =>
  execFileSync(command, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  });

/** What these tests need and is not here; skipped tests name it. */
const missing = [
  ...(process.getuid?.() === 0 ? [] : ['root']),
  ...['ip', 'tc', 'nft', 'flock'].filter((one) => spawnSync(one, ['--version']).error),
];
const hasNetem = missing.length === 0 && knowsNetem();
const without = missing.length === 0 ? '' : ` (skipped: no ${missing.join(', ')})`;

/** Whether the kernel has netem; tried in a namespace of its own. */
function knowsNetem(): boolean {
  const name = `ptk${randomBytes(3).toString('hex')}`;
  if (spawnSync('ip', ['netns', 'add', name]).status !== 0) return false;
  const words = ['-n', name, 'qdisc', 'add', 'dev', 'lo', 'root', 'netem', 'delay', '1ms'];
  const { status } = spawnSync('tc', words);
  spawnSync('ip', ['netns', 'delete', name]);
  return status === 0;
}

/** Answers with what it has counted since it was told `n`; data are `d` and a number, at the other port. */
const COUNTING = `
const { createSocket } = require('node:dgram');
let got = [];
const data = createSocket('udp4', (text, from) => {
  if (text[0] === 101) data.send(text, from.port, from.address);
  else got.push(text.readUInt32BE(1));
});
data.bind(7000);
const control = createSocket('udp4', (question, from) => {
  if (question[0] === 110) got = [];
  // What arrived before the question is read first.
  setImmediate(() => control.send(question + JSON.stringify(got), from.port, from.address));
});
// Its answers are to come from the address that was asked.
control.bind(7001, '198.51.100.3', () => console.log('ready'));
`;

/**
 * For each line, which says a host and a size, sends 25 times 20 packets, of which the other side must have seen the last before it sends more, for
 * nothing else is to be lost; and five that come back, one after the other.
 */
const SENDING = `
const { createSocket } = require('node:dgram');
const [, control] = process.argv;
const socket = createSocket('udp4');
// What is dropped before it leaves is told here.
socket.on('error', () => {});
const ask = (text, port, to, tries) => new Promise((done) => {
  const send = () => socket.send(text, port, to);
  let timer = setInterval(() => { if (tries-- > 0) return send(); finish(undefined); }, 200);
  const finish = (answer) => { clearInterval(timer); socket.off('message', hear); done(answer); };
  // The answer to an earlier question may come late.
  const hear = (answer) => String(answer).startsWith(text) && finish(answer);
  socket.on('message', hear);
  send();
});
let questions = 0;
const report = async () => {
  const question = 'r' + questions++ + ':';
  return JSON.parse(String(await ask(question, 7001, control, 1000)).slice(question.length));
};
const measure = async (host, size) => {
  const trips = [];
  await ask('n' + questions++ + ':', 7001, control, 1000);
  for (let n = 0; n < 5; n++) {
    const start = performance.now();
    if ((await ask('e' + questions++ + ':', 7000, host, 10)) === undefined) break;
    trips.push(performance.now() - start);
  }
  let got = [];
  const start = performance.now();
  for (let batch = 0; batch < 25; batch++) {
    for (let n = 0; n < 20; n++) {
      const packet = Buffer.alloc(Number(size), 'd');
      packet.writeUInt32BE(batch * 20 + n, 1);
      socket.send(packet, 7000, host);
    }
    got = await report();
  }
  const ms = performance.now() - start;
  got = await report();
  const overtaken = got.filter((one, at) => at > 0 && one < got[at - 1]).length;
  console.log(JSON.stringify({ trip: Math.min(...trips), ms, count: got.length, different: new Set(got).size, overtaken }));
};
require('node:readline').createInterface(process.stdin).on('line', (line) => measure(...line.split(' ')));
console.log('ready');
`;

const SENT = 500;

/** Two namespaces with a wire between them; the far one has two addresses, .2 and .3. */
async function wire(...options: readonly string[]) {
  const id = randomBytes(3).toString('hex');
  const [near, far] = [`ptn${id}`, `ptf${id}`];
  for (const one of [near, far]) {
    run('ip', 'netns', 'add', one);
    onTestFinished(() => void spawnSync('ip', ['netns', 'delete', one]));
    run('ip', '-n', one, 'link', 'set', 'lo', 'up');
  }
  run(
    'ip',
    '-n',
    near,
    'link',
    'add',
    'wire',
    'type',
    'veth',
    'peer',
    'name',
    'wire',
    'netns',
    far,
  );
  const addresses = [
    [near, '198.51.100.1/24'],
    [far, '198.51.100.2/24'],
    [far, '198.51.100.3/24'],
  ] as const;
  for (const [one, address] of addresses) {
    run('ip', '-n', one, 'address', 'add', address, 'dev', 'wire');
    run('ip', '-n', one, 'link', 'set', 'wire', 'up');
  }
  const cwd = await readyMade({}, [...options, '--namespace', near]);
  const inside = (one: string) => ['netns', 'exec', one, process.execPath, '-e'] as const;
  const startEnds = async () => {
    await startSpeaking(cwd, 'ip', ...inside(far), COUNTING);
    const sender = await startSpeaking(cwd, 'ip', ...inside(near), SENDING, '198.51.100.3');
    const lines = createInterface(sender.stdout as Readable);
    return (line: string) => {
      sender.stdin?.write(`${line}\n`);
      return once(lines, 'line');
    };
  };
  let ends: ReturnType<typeof startEnds> | undefined;
  /** What passes from near to far now. */
  const measure = async (host = '198.51.100.2', size = 100) => {
    ends ??= startEnds();
    const [line] = await (await ends)(`${host} ${size}`);
    return JSON.parse(line) as Record<'trip' | 'ms' | 'count' | 'different' | 'overtaken', number>;
  };
  const qdisc = () => run('tc', '-n', near, 'qdisc', 'show', 'dev', 'wire', 'root');
  const tables = () => run('ip', 'netns', 'exec', near, 'nft', 'list', 'tables');
  return { cwd, near, far, measure, qdisc, tables };
}

describe.skipIf(missing.length > 0)(`in network namespaces of their own${without}`, () => {
  const NETEM = ['netem', '--interface', 'wire'];

  const netem = test.skipIf(!hasNetem);
  const kernel = hasNetem ? '' : ' (skipped: the kernel has no netem)';

  netem(
    `netem: delay, loss, duplication, reordering and corruption are as asked, and gone after${kernel}`,
    async () => {
      const { cwd, measure, qdisc } = await wire(...NETEM);
      const { url } = await serveIn(cwd);
      const well = { count: SENT, different: SENT, overtaken: 0 };
      const none = qdisc();
      expect(await measure()).toMatchObject(well);
      const during = async (fault: string, params: object) => {
        expect(await inject(url, `netem-${fault}`, params)).toBe(201);
        const measured = await measure();
        expect(await reset(url, `netem-${fault}`)).toBe(200);
        expect(qdisc()).toBe(none);
        return measured;
      };
      const late = await during('delay', { delay: 120 });
      expect(late).toMatchObject(well);
      expect(late.trip / 120).toBeGreaterThanOrEqual(0.99);
      const lost = await during('loss', { share: 30 });
      expect(lost).toMatchObject({ overtaken: 0 });
      expect(lost.count / SENT).toBeGreaterThan(0.55);
      expect(lost.count / SENT).toBeLessThan(0.85);
      const twice = await during('duplicate', { share: 50 });
      expect(twice.different).toBe(SENT);
      expect(twice.count / SENT).toBeGreaterThan(1.35);
      expect(twice.count / SENT).toBeLessThan(1.65);
      const reordered = await during('reorder', { share: 50, delay: 50 });
      expect(reordered.overtaken / SENT).toBeGreaterThan(0.05);
      expect((await during('corrupt', { share: 50 })).different / SENT).toBeLessThan(0.8);
      expect(await measure()).toMatchObject(well);
      // On a busy machine, not each trip is short.
      await expect.poll(async () => (await measure()).trip).toBeLessThan(late.trip);
    },
    120_000,
  );

  test('a rate, and a partition of the same name, are gone after a reset, or the next start', async () => {
    const { cwd, near, measure, qdisc, tables } = await wire(...NETEM, '--name', 'net');
    const words = ['--port', '7000', '--namespace', near, '--name', 'net', '--manifest'];
    await readyMade({}, ['partition', ...words, join(cwd, 'mutators.toml')]);
    const first = await serveIn(cwd);
    const { url } = first;
    const none = qdisc();
    expect(await inject(url, 'net-rate', { rate: 2_000 })).toBe(201);
    // 500,000 bytes, of which the first 64 kB may pass at once, and the last batch still wait.
    const slow = await measure(undefined, 1_000);
    expect([slow.count, slow.ms / 1_700 >= 0.95]).toEqual([SENT, true]);
    expect(await inject(url, 'net')).toBe(201);
    expect(await reset(url, 'net-rate')).toBe(200);
    expect([qdisc(), tables() === '']).toEqual([none, false]);
    expect(await reset(url, 'net')).toBe(200);
    expect(tables()).toBe('');
    await expect.poll(async () => (await measure(undefined, 1_000)).ms).toBeLessThan(slow.ms);

    const faults = [
      ['net-rate', { rate: 9 }],
      ['net', {}],
      ...(hasNetem ? ([['net-loss', { share: 9 }]] as const) : []),
    ] as const;
    const isActive = () => qdisc() !== none || tables() !== '';
    await killedAgainAndAgain({ cwd, faults, isActive, first });
    expect(readdirSync(cwd).filter((name) => name.endsWith('.state.json'))).toEqual([]);
  }, 3_600_000);

  netem(
    `netem: several are in force together, and the reset of one leaves the others${kernel}`,
    async () => {
      const { cwd, qdisc } = await wire(...NETEM);
      const { url } = await serveIn(cwd);
      const both = await Promise.all([
        inject(url, 'netem-delay', { delay: 50, jitter: 5 }),
        inject(url, 'netem-loss', { share: 10 }),
      ]);
      expect([both, qdisc()]).toEqual([
        [201, 201],
        expect.stringMatching(/delay 50ms {2}5ms loss 10%/),
      ]);
      expect(await inject(url, 'netem-loss', { share: 20 })).toBe(201);
      expect(await reset(url, 'netem-delay')).toBe(200);
      expect(qdisc()).toMatch(/limit 100000 loss 20% *$/m);
      expect(await reset(url, 'netem-loss')).toBe(200);
      expect(qdisc()).not.toContain('netem');
    },
  );

  test('netem: a qdisc of somebody else is refused, and stays', async () => {
    const { cwd, near, qdisc } = await wire(...NETEM);
    const program = await serveIn(cwd);
    const own = ['qdisc', 'add', 'dev', 'wire', 'root', 'handle', '5:', 'pfifo'];
    run('tc', '-n', near, ...own);
    const there = qdisc();
    expect(await inject(program.url, 'netem-rate', { rate: 9 })).toBe(500);
    await program.said(/wire has a qdisc from another program: pfifo 5:/);
    expect(await reset(program.url, 'netem-rate')).toBe(200);
    expect(qdisc()).toBe(there);
    run('ip', 'netns', 'delete', near);
    expect(await inject(program.url, 'netem-rate', { rate: 9 })).toBe(500);
    await program.said(/there is no network namespace/);
  });

  test('netem: what the server is reached by is refused', async () => {
    const { near } = await wire(...NETEM);
    const cwd = await readyMade(
      {},
      [...NETEM, '--name', 'wire'],
      ['netem', '--interface', 'lo'],
      ['netem', '--interface', 'lo', '--namespace', near, '--name', 'same'],
      ['partition', '--address', '198.51.100.1'],
    );
    const server = ['serve', 'mutators', '--port', '0', '--allow-unauthenticated', '--host'];
    for (const host of ['0.0.0.0', '198.51.100.1']) {
      const words = [
        process.execPath,
        join(import.meta.dirname, '../../../dist/bin.cjs'),
        ...server,
        host,
      ];
      const program = await startSpeaking(cwd, 'ip', 'netns', 'exec', near, ...words);
      const [, port] = /:(\d+)$/.exec(program.line) ?? [];
      const asked = ['wire-rate', 'netem-rate', 'same-rate'].map((id) => ({
        at: `http://198.51.100.1:${port}/mutator/${id}/mutation`,
        body: JSON.stringify({ mutation: MUTATION, params: { rate: 1 } }),
      }));
      // At any address, its own are all that the machine has.
      if (host === '0.0.0.0') {
        const at = `http://127.0.0.1:${port}/mutator/partition/mutation`;
        asked.push({ at, body: JSON.stringify({ mutation: MUTATION, params: {} }) });
      }
      const script = `const { request } = require('node:http');
const ask = ([one, ...more]) => {
  if (one === undefined) process.exit();
  request(one.at, { method: 'POST' }, (response) => {
    console.log(response.statusCode);
    response.resume().on('end', () => ask(more));
  }).end(one.body);
};
ask(${JSON.stringify(asked)});`;
      const statuses = run('ip', 'netns', 'exec', near, process.execPath, '-e', script);
      expect([host, statuses]).toEqual([host, '500\n'.repeat(asked.length)]);
      program.kill('SIGKILL');
      await once(program, 'close');
    }
    expect(run('tc', '-n', near, 'qdisc', 'show')).not.toContain('tbf');
  });

  test('partition: nothing passes to an address, or from a port, until the reset', async () => {
    const address = ['partition', '--address', '198.51.100.2'];
    const { cwd, near, measure, tables } = await wire(...address);
    const port = ['--port', '7000', '--namespace', near, '--name', 'port', '--manifest'];
    await readyMade({}, ['partition', ...port, join(cwd, 'mutators.toml')]);
    expect((await measure()).count).toBe(SENT);
    const { url } = await serveIn(cwd);
    expect(await inject(url, 'partition')).toBe(201);
    expect(await measure()).toMatchObject({ trip: null, count: 0 });
    expect((await measure('198.51.100.3')).count).toBe(SENT);
    expect(await inject(url, 'partition', { direction: 'from' })).toBe(201);
    expect(await measure()).toMatchObject({ trip: null, count: SENT });
    expect(await reset(url, 'partition')).toBe(200);
    expect(await measure()).toMatchObject({ trip: expect.any(Number), count: SENT });
    expect(await inject(url, 'port')).toBe(201);
    expect(await measure('198.51.100.3')).toMatchObject({ trip: null, count: 0 });
    run('ip', 'netns', 'exec', near, 'nft', 'create', 'table', 'inet', 'other');
    expect(await reset(url, 'port')).toBe(200);
    expect(await reset(url, 'port')).toBe(200);
    expect(tables()).toBe('table inet other\n');
  }, 120_000);

  test('partition: the server, its clients, wildcards and what is no address are refused', async () => {
    const cut = /this would cut the server off from its clients/;
    const port = await ownPort();
    const cases = [
      ['address=127.0.0.1', 'port=', cut],
      ['address=::1', 'port=', cut],
      ['address=', `port=${port}`, cut],
      ['address=127.0.0.1', `port=${port}`, cut],
      ['address=0.0.0.0', 'port=7', /0\.0\.0\.0 is not the address of one host/],
      ['address=10.0.0.0/8', 'port=', /10\.0\.0\.0\/8 is not the address of one host/],
      ['address=', 'port=', /expected an address, a port, or both/],
      ['address=', 'port=1-9', /1-9 is not a port/],
    ] as const;
    const { stdout } = await perturb([
      'mutators',
      'new',
      'partition',
      '--port',
      '1',
      '--manifest',
      '-',
    ]);
    const manifest = cases.map(([address, at], index) =>
      stdout
        .replaceAll('"address="', `"${address}"`)
        .replaceAll('"port=1"', `"${at}"`)
        .replaceAll('"partition"', `"p${index}"`),
    );
    const cwd = await readyMade({}, ['partition', '--port', '1']);
    writeFileSync(join(cwd, 'mutators.toml'), manifest.join('\n'));
    const program = await startServer(['--port', `${port}`], { cwd });
    for (const [index, [, , says]] of cases.entries()) {
      expect([index, await inject(program.url, `p${index}`)]).toEqual([index, 500]);
      await program.said(new RegExp(`injection failed: p${index}: .*${says.source}`));
    }
    expect(await ask(`${program.url}/mutator`, 'GET')).toBe(200);
    expect(readdirSync(cwd).filter((name) => name.endsWith('.state.json'))).toEqual([]);
  }, 60_000);
});
