import { connect } from 'node:net';
import { codeOf } from '../../durable/index.js';
import type { Fault, FaultName } from './faults.js';
import { HOST } from './probe-port.js';

/** A connection's result, as seen by the client. */
export interface ConnectionResult {
  readonly text: string;
  /** Time until the data arrived or the connection ended, in milliseconds. */
  readonly ms: number;
  /** `open`, `end` or an error code. */
  readonly state: string;
}

/** A check of a fault from the client's side. */
interface Check {
  readonly input: string;
  /** The number of bytes to wait for. */
  readonly length: number;
  /** Timeout for the bytes, in milliseconds (default: the actuator's timeout). */
  readonly waitMs?: number;
  /** Returns true if the result shows the fault's effect. */
  readonly isEffective: (result: ConnectionResult) => boolean;
}

/** Maximum time to wait for a delay. Longer delays are checked only up to this limit. */
const LONGEST_DELAY_MS = 300;
/** Waiting time for a fault that suppresses data, and minimum transmission time for a bandwidth limit. */
const WAIT_MS = 100;
const MAX_BYTES = 1 << 16;
/** Tolerance for timers that fire early. */
const EARLY_MS = 1;

const REQUEST = 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n';

const createDelayCheck = (input: string, waitMs: number): Check => ({
  ...{ input, length: 1, waitMs },
  isEffective: ({ ms, state }) => state === 'open' && ms >= waitMs - EARLY_MS,
});

/**
 * Returns a check that a connection ends after a number of bytes; undefined if that many bytes would take too long to
 * send.
 */
const createEndCheck = (
  endAfterBytes: number,
  isEffective: Check['isEffective'],
): Check | undefined =>
  endAfterBytes < MAX_BYTES
    ? { input: 'x'.repeat(endAfterBytes + 1), length: endAfterBytes + 1, isEffective }
    : undefined;

const isReset = ({ state }: ConnectionResult) => state === 'ECONNRESET' || state === 'EPIPE';

/** Checks, by fault name. A check is undefined if it would take too long. */
const CHECKS: Readonly<Record<FaultName, (fault: Fault) => Check | undefined>> = {
  latency: ({ delay = 0 }) => createDelayCheck('x', Math.min(delay, LONGEST_DELAY_MS)),
  bandwidth({ rate = Number.POSITIVE_INFINITY }) {
    const length = Math.min(Math.ceil(rate * WAIT_MS), MAX_BYTES) + 1;
    return {
      ...{ input: 'x'.repeat(length), length },
      isEffective: ({ ms }) => ms >= (length - 1) / rate - EARLY_MS,
    };
  },
  reset: ({ after: endAfterBytes = 0 }) => createEndCheck(endAfterBytes, isReset),
  cut: ({ after: endAfterBytes = 0 }) =>
    createEndCheck(
      endAfterBytes,
      ({ text, state }) => state === 'end' && text.length === endAfterBytes,
    ),
  'half-open': () => ({
    ...{ input: 'x', length: 1, waitMs: WAIT_MS },
    isEffective: ({ text, state }) => text === '' && state === 'open',
  }),
  'http-delay': ({ delay = 0 }) => createDelayCheck(REQUEST, Math.min(delay, LONGEST_DELAY_MS)),
  'http-status': ({ status }) => ({
    ...{ input: REQUEST, length: 12 },
    isEffective: ({ text }) => text.startsWith(`HTTP/1.1 ${status}`),
  }),
  'http-abort': () => ({ input: REQUEST, length: 1, isEffective: isReset }),
};

/** Rejects unless a connection to a probe port shows a fault's effect. */
export async function verifyEffect(port: number, name: FaultName, fault: Fault): Promise<void> {
  const check = CHECKS[name](fault);
  if (check === undefined) return;
  const result = await exchange(port, check);
  if (check.isEffective(result)) return;
  const { text, ms, state } = result;
  throw new Error(
    `the proxy's fault ${name} has no effect: ${text.length} bytes in ${Math.round(ms)} ms, then ${state}`,
  );
}

/** Sends a check's input, and waits for the result. */
function exchange(port: number, { input, length, waitMs }: Check): Promise<ConnectionResult> {
  const socket = connect({ host: HOST, port, allowHalfOpen: true }).setEncoding('latin1');
  let [text, startedAt] = ['', performance.now()];
  return new Promise<ConnectionResult>((resolve) => {
    const finish = (state: string) => resolve({ text, ms: performance.now() - startedAt, state });
    socket.once('connect', () => {
      startedAt = performance.now();
      socket.write(input);
      if (waitMs !== undefined) setTimeout(() => finish('open'), waitMs);
    });
    socket.on('data', (chunk) => {
      text += chunk;
      if (text.length >= length) finish('open');
    });
    socket.once('end', () => finish('end'));
    socket.once('error', (error) => finish(codeOf(error) ?? error.message));
  }).finally(() => socket.destroy());
}
