import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { FaultLookup, FaultName, Faults } from './faults.js';

/** Maximum number of bytes to buffer for one direction of a connection. Further bytes stay with the sender. */
const MAX_BUFFERED = 1 << 20;
/** Interval between forwarded pieces under a bandwidth limit. */
const PIECE_MS = 50;

/** One direction of a connection. */
interface Direction {
  readonly from: Socket;
  readonly to: Socket;
  /** True for data from the service to the client. */
  readonly isAnswer: boolean;
}

/** Forwards data in one direction of a connection. */
export async function pump(
  { from, to, isAnswer }: Direction,
  faults: Faults,
  faultOf: FaultLookup,
): Promise<void> {
  /** Data to send. An entry without a chunk ends the direction. */
  const queue: { readonly chunk: Buffer | undefined; readonly dueAt: number }[] = [];
  const changes = new EventEmitter();
  let size = 0;
  let lastDue = 0;
  let sentBytes = 0;
  const arrive = (chunk: Buffer | undefined) => {
    const latencyFault = faultOf('latency');
    const isDelayed = ['both', isAnswer ? 'from' : 'to'].includes(latencyFault?.direction ?? '');
    const { delay = 0, jitter = 0 } = (isDelayed && latencyFault) || {};
    const previousDue = faults.has('latency') ? lastDue : 0;
    lastDue = Math.max(previousDue, performance.now() + delay + Math.random() * jitter);
    queue.push({ chunk, dueAt: lastDue });
    size += chunk?.length ?? 0;
    if (size >= MAX_BUFFERED) from.pause();
    changes.emit('more');
  };
  from.on('data', arrive);
  from.once('end', () => arrive(undefined));
  const limitOf = (name: FaultName) => faultOf(name)?.after ?? Number.POSITIVE_INFINITY;
  const mustStrike = (name: FaultName) => isAnswer && sentBytes >= limitOf(name);
  /** Ends the connection if a fault requires it. Returns true if no more data can be sent. */
  const strike = () => {
    if (mustStrike('reset')) for (const socket of [from, to]) socket.resetAndDestroy();
    else if (mustStrike('cut')) for (const socket of [from, to]) socket.destroySoon();
    return to.destroyed || to.writableEnded;
  };
  const unwatch = faults.watch(strike);
  strike();
  to.once('close', () => {
    unwatch();
    changes.emit('more');
  });
  while (!to.destroyed) {
    const next = queue.shift();
    if (next === undefined) {
      await once(changes, 'more');
      continue;
    }
    const { chunk, dueAt } = next;
    await faults.waitWith('latency', dueAt);
    if (chunk === undefined) {
      while (faultOf('half-open') && !to.destroyed) await faults.waitForChange();
      to.end();
      return;
    }
    size -= chunk.length;
    for (let start = 0; start < chunk.length && !to.destroyed; ) {
      while (faultOf('half-open') && !to.destroyed) await faults.waitForChange();
      if (strike()) return;
      const { rate } = faultOf('bandwidth') ?? {};
      const limits = isAnswer ? [limitOf('reset') - sentBytes, limitOf('cut') - sentBytes] : [];
      const maxBytes = Math.min(
        rate === undefined ? Number.POSITIVE_INFINITY : rate * PIECE_MS,
        ...limits,
      );
      const piece = chunk.subarray(start, start + Math.max(1, maxBytes));
      start += piece.length;
      sentBytes += piece.length;
      if (!to.write(piece) && !to.destroyed) {
        await Promise.race([once(to, 'drain'), once(to, 'close')]).catch(() => {});
      }
      if (rate !== undefined) await pause(piece.length / rate);
    }
    if (strike()) return;
    if (size < MAX_BUFFERED) from.resume();
  }
}

/** Forwards data between a client and the service in both directions. */
export function joinSockets(
  client: Socket,
  service: Socket,
  faults: Faults,
  faultOf: FaultLookup,
): void {
  for (const [source, target] of [
    [client, service],
    [service, client],
  ] as const) {
    source.setNoDelay(true);
    // An error on one side resets the connection on the other side.
    source.on('error', () => target.resetAndDestroy());
  }
  pump({ from: client, to: service, isAnswer: false }, faults, faultOf).catch(() => {});
  pump({ from: service, to: client, isAnswer: true }, faults, faultOf).catch(() => {});
}
