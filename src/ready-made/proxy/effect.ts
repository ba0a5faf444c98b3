import { connect } from 'node:net';
import { codeOf } from '../../durable/index.js';
import type { Fault, FaultName } from './faults.js';
import { HOST } from './probe-port.js';

/** A client's view of a connection. */
export interface Seen {
  readonly text: string;
  /** The time until the data or the end. */
  readonly ms: number;
  /** `open`, `end`, or the code of an error. */
  readonly state: string;
}

/** A client's check of a fault. */
interface Check {
  readonly sends: string;
  /** The number of bytes to wait for. */
  readonly length: number;
  /** The time to wait (default: the actuator's timeout). */
  readonly limitMs?: number;
  /** Returns true if the fault has its effect. */
  readonly holds: (seen: Seen) => boolean;
}

/** Maximum part of a longer delay to wait for. */
const LONGEST_DELAY_MS = 300;
/** Required time without data, and for slow data. */
const WAIT_MS = 100;
const MOST_BYTES = 1 << 16;
/** Tolerance for early timers. */
const EARLY_MS = 1;

const REQUEST = 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n';

const lateCheck = (sends: string, limitMs: number): Check => ({
  ...{ sends, length: 1, limitMs },
  holds: ({ ms, state }) => state === 'open' && ms >= limitMs - EARLY_MS,
});

/** Returns a check of a connection that ends; none for one that ends later than after so many bytes. */
const endCheck = (after: number, holds: Check['holds']): Check | undefined =>
  after < MOST_BYTES ? { sends: 'x'.repeat(after + 1), length: after + 1, holds } : undefined;

const isReset = ({ state }: Seen) => state === 'ECONNRESET' || state === 'EPIPE';

/** The checks of faults; undefined for a fault without an effect that a check sees soon. */
const CHECKS: Readonly<Record<FaultName, (fault: Fault) => Check | undefined>> = {
  latency: ({ delay = 0 }) => lateCheck('x', Math.min(delay, LONGEST_DELAY_MS)),
  bandwidth({ rate = Number.POSITIVE_INFINITY }) {
    const length = Math.min(Math.ceil(rate * WAIT_MS), MOST_BYTES) + 1;
    return {
      ...{ sends: 'x'.repeat(length), length },
      holds: ({ ms }) => ms >= (length - 1) / rate - EARLY_MS,
    };
  },
  reset: ({ after = 0 }) => endCheck(after, isReset),
  cut: ({ after = 0 }) =>
    endCheck(after, ({ text, state }) => state === 'end' && text.length === after),
  'half-open': () => ({
    ...{ sends: 'x', length: 1, limitMs: WAIT_MS },
    holds: ({ text, state }) => text === '' && state === 'open',
  }),
  'http-delay': ({ delay = 0 }) => lateCheck(REQUEST, Math.min(delay, LONGEST_DELAY_MS)),
  'http-status': ({ status }) => ({
    ...{ sends: REQUEST, length: 12 },
    holds: ({ text }) => text.startsWith(`HTTP/1.1 ${status}`),
  }),
  'http-abort': () => ({ sends: REQUEST, length: 1, holds: isReset }),
};

/** Rejects unless a connection to a probe port shows the effect of a fault. */
export async function verifyEffect(port: number, name: FaultName, fault: Fault): Promise<void> {
  const check = CHECKS[name](fault);
  if (check === undefined) return;
  const seen = await exchange(port, check);
  if (check.holds(seen)) return;
  const { text, ms, state } = seen;
  throw new Error(
    `the proxy makes the fault ${name} without effect: ${text.length} bytes in ${Math.round(ms)} ms, then ${state}`,
  );
}

/** Sends a check's data, and waits for its response. */
function exchange(port: number, { sends, length, limitMs }: Check): Promise<Seen> {
  const socket = connect({ host: HOST, port, allowHalfOpen: true }).setEncoding('latin1');
  let [text, began] = ['', performance.now()];
  return new Promise<Seen>((done) => {
    const finish = (state: string) => done({ text, ms: performance.now() - began, state });
    socket.once('connect', () => {
      began = performance.now();
      socket.write(sends);
      if (limitMs !== undefined) setTimeout(() => finish('open'), limitMs);
    });
    socket.on('data', (piece) => {
      text += piece;
      if (text.length >= length) finish('open');
    });
    socket.once('end', () => finish('end'));
    socket.once('error', (error) => finish(codeOf(error) ?? error.message));
  }).finally(() => socket.destroy());
}
