import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { echo, listen, readyMade } from './ready-made.js';

/*
 * Checks of ready-made mutators where the fault is without effect. That an injection which cannot be verified is
 * undone and answered with 500 holds for every mutator; the tests of each kind show that a fault with its effect
 * can be verified.
 */

/** Runs a script of a directory; returns its exit code and what it complained about. */
async function act(cwd: string, words: readonly string[], params: object = {}) {
  const child = spawn(process.execPath, words, { cwd, stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin.end(JSON.stringify({ params }));
  const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { status, stderr };
}

const well = { status: 0, stderr: '' };

test('proxy: a connection that does not show the fault, and a proxy that does not make it, are told', async () => {
  const addresses = ['--listen', '127.0.0.1:1', '--upstream', '127.0.0.1:2', '--mode', 'http'];
  const cwd = await readyMade({}, ['proxy', ...addresses]);
  const service = createHttpServer((_request, response) => response.end('well'));
  const [tcp, http] = [await listen(echo()), await listen(service)];
  let answer = '';
  const standIn = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {}).resume();
    socket.once('end', () => socket.end(answer));
  });
  standIn.listen(join(cwd, 'proxy.sock'));
  onTestFinished(() => void standIn.close());
  for (const [fault, params] of [
    ['latency', { delay: 60_000 }],
    ['bandwidth', { rate: 1 }],
    ['reset', { after: 0 }],
    ['cut', { after: 1_000 }],
    ['half-open', {}],
    ['http-delay', { delay: 60_000 }],
    ['http-status', { status: 503 }],
    ['http-abort', {}],
  ] as const) {
    answer = `${fault.startsWith('http') ? http : tcp}`;
    const { status, stderr } = await act(cwd, ['proxy.mjs', 'verify', 'proxy', fault], params);
    expect([status, stderr.replace(/\d+ bytes in \d+ ms/, 'N bytes in N ms')]).toEqual([
      1,
      `the proxy's fault ${fault} has no effect: N bytes in N ms, then open\n`,
    ]);
  }
  answer = 'the fault cut is not active in the proxy';
  const words = ['proxy.mjs', 'verify', 'proxy', 'cut'];
  expect(await act(cwd, words)).toEqual({ status: 1, stderr: `${answer}\n` });
  standIn.close();
  expect(await act(cwd, words)).toEqual({
    status: 1,
    stderr: 'no proxy named proxy is running\n',
  });
});

test('clock: a file that does not contain the requested time is told', async () => {
  const files = { 'clock.faketime': '+0 x1.0\n' };
  const cwd = await readyMade(files, ['clock', '--file', 'clock.faketime']);
  const words = ['clock.mjs', 'verify', 'clock', 'fault=ahead', 'file=clock.faketime'];
  expect(await act(cwd, words, { seconds: 60 })).toEqual({
    status: 1,
    stderr: 'clock.faketime does not contain the requested time: "+0 x1.0\\n"\n',
  });
  expect(await act(cwd, words, { seconds: 0 })).toEqual(well);
});

const namespace = `pte${randomBytes(3).toString('hex')}`;
const hasNetwork =
  process.getuid?.() === 0 &&
  ['ip', 'tc', 'nft'].every((one) => spawnSync(one, ['-V']).error === undefined) &&
  ['add', 'delete'].every((one) => spawnSync('ip', ['netns', one, namespace]).status === 0);
const without = hasNetwork ? '' : ' (skipped: no root, ip, tc or nft)';

describe.skipIf(!hasNetwork)(`in a network namespace${without}`, () => {
  const inside = (...words: readonly string[]) =>
    execFileSync('ip', ['netns', 'exec', namespace, ...words], { encoding: 'utf8' });

  test('partition, netem: a packet that passes, and rules that are gone, are told', async () => {
    execFileSync('ip', ['netns', 'add', namespace]);
    onTestFinished(() => void spawnSync('ip', ['netns', 'delete', namespace]));
    inside('ip', 'link', 'set', 'lo', 'up');
    const place = ['--namespace', namespace];
    const cwd = await readyMade(
      {},
      ['partition', '--port', '7', ...place],
      ['netem', '--interface', 'lo', ...place],
    );
    const partition = (action: string, direction: string) =>
      act(
        cwd,
        [
          ...['network.mjs', `${action}-partition`, 'partition'],
          ...['address=', 'port=7', `namespace=${namespace}`],
        ],
        { direction },
      );
    for (const [direction, packet] of [
      ['both', 'to 127.0.0.1:7'],
      ['from', 'from port 7 to 127.0.0.1:9'],
    ] as const) {
      expect(await partition('inject', direction)).toEqual(well);
      expect(await partition('verify', direction)).toEqual(well);
      const [, table = ''] = /table inet (\w+)/.exec(inside('nft', 'list', 'tables')) ?? [];
      inside('nft', 'flush', 'table', 'inet', table);
      expect(await partition('verify', direction)).toEqual({
        status: 1,
        stderr: `a packet ${packet} is not dropped\n`,
      });
      inside('nft', 'delete', 'table', 'inet', table);
      expect(await partition('verify', direction)).toEqual({
        status: 1,
        stderr: 'the nftables table does not exist\n',
      });
      expect(await partition('reset', direction)).toEqual(well);
    }

    const netem = (action: string) =>
      act(
        cwd,
        [
          ...['network.mjs', `${action}-netem`, 'netem'],
          ...['fault=rate', 'interface=lo', `namespace=${namespace}`],
        ],
        { rate: 1_000 },
      );
    expect(await netem('inject')).toEqual(well);
    expect(await netem('verify')).toEqual(well);
    inside('tc', 'qdisc', 'del', 'dev', 'lo', 'root');
    const gone = { status: 1, stderr: 'lo has no qdisc for rate\n' };
    expect(await netem('verify')).toEqual(gone);
    inside('tc', 'qdisc', 'add', 'dev', 'lo', 'root', 'handle', '5:', 'pfifo');
    expect(await netem('verify')).toEqual(gone);
    expect(await netem('reset')).toEqual(well);
    expect(readdirSync(cwd).filter((name) => name.endsWith('.state.json'))).toEqual([]);
  });
});
