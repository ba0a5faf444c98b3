import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { FaultName, FaultOf, Faults } from './faults.js';

/** Maximum number of bytes buffered in one direction of a connection; the sender keeps the rest. */
const MOST_WAITING = 1 << 20;
/** Time to pass one piece on, if a rate is set. */
const PIECE_MS = 50;

/** One direction of a connection. */
interface Direction {
  readonly from: Socket;
  readonly to: Socket;
  /** True for the direction from the service. */
  readonly isAnswer: boolean;
}

/** Forwards data from one end of a connection to the other. */
export async function pump(
  { from, to, isAnswer }: Direction,
  faults: Faults,
  faultOf: FaultOf,
): Promise<void> {
  /** Without a chunk it is the end. */
  const waiting: { readonly chunk: Buffer | undefined; readonly due: number }[] = [];
  const news = new EventEmitter();
  let size = 0;
  let last = 0;
  let passed = 0;
  const arrive = (chunk: Buffer | undefined) => {
    const late = faultOf('latency');
    const isLate = ['both', isAnswer ? 'from' : 'to'].includes(late?.direction ?? '');
    const { delay = 0, jitter = 0 } = (isLate && late) || {};
    const before = faults.has('latency') ? last : 0;
    last = Math.max(before, performance.now() + delay + Math.random() * jitter);
    waiting.push({ chunk, due: last });
    size += chunk?.length ?? 0;
    if (size >= MOST_WAITING) from.pause();
    news.emit('more');
  };
  from.on('data', arrive);
  from.once('end', () => arrive(undefined));
  const limitOf = (name: FaultName) => faultOf(name)?.after ?? Number.POSITIVE_INFINITY;
  const strikes = (name: FaultName) => isAnswer && passed >= limitOf(name);
  /** Ends the connection if a fault requires it; returns true if nothing more can be sent. */
  const strike = () => {
    if (strikes('reset')) for (const one of [from, to]) one.resetAndDestroy();
    else if (strikes('cut')) for (const one of [from, to]) one.destroySoon();
    return to.destroyed || to.writableEnded;
  };
  const unwatch = faults.watch(strike);
  strike();
  to.once('close', () => {
    unwatch();
    news.emit('more');
  });
  while (!to.destroyed) {
    const next = waiting.shift();
    if (next === undefined) {
      await once(news, 'more');
      continue;
    }
    const { chunk, due } = next;
    await faults.waitWith('latency', due);
    if (chunk === undefined) {
      while (faultOf('half-open') && !to.destroyed) await faults.nextChange();
      to.end();
      return;
    }
    size -= chunk.length;
    for (let start = 0; start < chunk.length && !to.destroyed; ) {
      while (faultOf('half-open') && !to.destroyed) await faults.nextChange();
      if (strike()) return;
      const { rate } = faultOf('bandwidth') ?? {};
      const limits = isAnswer ? [limitOf('reset') - passed, limitOf('cut') - passed] : [];
      const most = Math.min(
        rate === undefined ? Number.POSITIVE_INFINITY : rate * PIECE_MS,
        ...limits,
      );
      const piece = chunk.subarray(start, start + Math.max(1, most));
      start += piece.length;
      passed += piece.length;
      if (!to.write(piece) && !to.destroyed) {
        await Promise.race([once(to, 'drain'), once(to, 'close')]).catch(() => {});
      }
      if (rate !== undefined) await pause(piece.length / rate);
    }
    if (strike()) return;
    if (size < MOST_WAITING) from.resume();
  }
}

/** Connects both ends with each other. */
export function join(client: Socket, service: Socket, faults: Faults, faultOf: FaultOf): void {
  for (const [one, other] of [
    [client, service],
    [service, client],
  ] as const) {
    one.setNoDelay(true);
    // A failure on one side becomes a failure on the other.
    one.on('error', () => other.resetAndDestroy());
  }
  pump({ from: client, to: service, isAnswer: false }, faults, faultOf).catch(() => {});
  pump({ from: service, to: client, isAnswer: true }, faults, faultOf).catch(() => {});
}
