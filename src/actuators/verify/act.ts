import { once } from 'node:events';
import { connect } from 'node:net';
import { quote } from '../../diagnostics/index.js';
import { codeOf } from '../../durable/index.js';
import type { LiveActuator, Mutation } from '../actuator.js';
import { ActuatorError } from '../actuator-error.js';
import type { ActuatorContext } from '../context.js';
import { inputOf, runCommand } from '../exec/run-command.js';
import { exchange, hasSucceeded, headersOf, messageOf } from '../http/act.js';
import { waitFor } from '../scheduling.js';
import { fillText, placeholderValues, type ValueOf } from '../template.js';
import type { Check, Probe, Verify } from './format.js';

/** The outcome of one try of a probe. */
interface Outcome {
  /** A description of the outcome. */
  readonly says: string;
  readonly kind: 'success' | 'other' | 'refused' | 'late';
}

/** Tries a probe once, within a time limit. */
type Try = (limitMs: number, signal: AbortSignal | undefined) => Promise<Outcome>;

/** Makes a try for a mutation, or without one for a reset. */
type MakeTry = (mutation?: Mutation) => Try;

/** The share of the time for one try, because one that hangs must not be the only one. */
const SHARE_OF_TRY = 1 / 3;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Returns an actuator whose injections and resets succeed only once their checks hold. Acting and
 * checking together take no longer than the actuator's timeout. Throws an ActuatorError for a
 * request that cannot be sent.
 */
export function verified(
  actuator: LiveActuator,
  { injected, reset, placeholders }: Verify,
  timeoutMs: number,
  context: ActuatorContext,
): LiveActuator {
  const valuesFor = (mutation: Mutation | undefined) =>
    mutation === undefined ? () => undefined : placeholderValues(placeholders, mutation.params);
  const checker = (check: Check | undefined) => {
    if (check === undefined) return async () => {};
    const make = makerOf(check.probe, valuesFor, context);
    return (until: Until, mutation?: Mutation) => verify(check, make(mutation), until);
  };
  const [afterInjection, afterReset] = [checker(injected), checker(reset)];
  return {
    async inject(mutation, signal) {
      const until = {
        subject: 'the injection',
        due: performance.now() + timeoutMs,
        timeoutMs,
        signal,
      };
      await actuator.inject(mutation, signal);
      await afterInjection(until, mutation);
    },
    async reset(signal, onGone) {
      const until = { subject: 'the reset', due: performance.now() + timeoutMs, timeoutMs, signal };
      await actuator.reset(signal, onGone);
      await afterReset(until);
    },
    close: () => actuator.close(),
  };
}

interface Until {
  readonly subject: string;
  /** On the clock of `performance`. */
  readonly due: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Tries until a check holds. Rejects with an ActuatorError when the time is up. */
async function verify(check: Check, attempt: Try, until: Until): Promise<void> {
  const { subject, due, timeoutMs, signal } = until;
  const { slowerThanMs = 0, probe } = check;
  // A missing response counts as slower, unless its status or its exit counts too.
  const isTimed = slowerThanMs > 0 && probe.kind !== 'command' && !hasStatus(probe);
  let reason: string | undefined;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const began = performance.now();
    const most = isTimed ? slowerThanMs : Math.max(timeoutMs * SHARE_OF_TRY, slowerThanMs);
    const limitMs = Math.max(1, Math.min(most, due - began));
    const outcome = await attempt(limitMs, signal).catch((error: unknown) => {
      throw signal?.aborted ? new ActuatorError('aborted', subject) : error;
    });
    const now = objection(check, outcome, performance.now() - began, isTimed);
    if (now === undefined) return;
    // A try without enough time for a response is less informative than an earlier response.
    if (outcome.kind !== 'late' || limitMs >= most) reason = now;
    if (signal?.aborted) throw new ActuatorError('aborted', subject);
    if (performance.now() + pauseMs >= due) {
      throw new ActuatorError('not-verified', subject, reason ?? now);
    }
    await waitFor(new Promise(() => {}), pauseMs, signal);
  }
}

const hasStatus = (probe: Probe) => probe.kind === 'request' && probe.status !== undefined;

/** Returns the reason why an outcome does not satisfy a check; undefined if it does. */
function objection(
  { isRefused, slowerThanMs = 0 }: Check,
  { kind, says }: Outcome,
  ms: number,
  isTimed: boolean,
): string | undefined {
  if (isRefused) return kind === 'refused' ? undefined : `${says}, and is to be refused`;
  const isRight = kind === 'success' || (kind === 'late' && isTimed);
  if (!isRight) return says;
  if (ms >= slowerThanMs) return undefined;
  return `${says} after ${Math.round(ms)} ms, and is to take at least ${slowerThanMs} ms`;
}

function makerOf(
  probe: Probe,
  valuesFor: (mutation: Mutation | undefined) => ValueOf,
  context: ActuatorContext,
): MakeTry {
  switch (probe.kind) {
    case 'command':
      return (mutation) => commandOf(probe, valuesFor(mutation), mutation, context);
    case 'request': {
      const headers = headersOf(probe.request, context);
      return (mutation) => {
        const message = messageOf(probe.request, headers, valuesFor(mutation));
        return (limitMs, signal) =>
          context.gates.requests.run(() => ask(probe, message, limitMs, signal), signal);
      };
    }
    case 'tcp':
      return () => (limitMs, signal) => reach(probe, limitMs, signal);
  }
}

function commandOf(
  { vector: words, exit }: Extract<Probe, { kind: 'command' }>,
  valueFor: ValueOf,
  mutation: Mutation | undefined,
  context: ActuatorContext,
): Try {
  const vector = words.map((text) => fillText(text, valueFor));
  const subject = `the command ${quote(vector[0] ?? '')}`;
  const { env, stdin } = mutation === undefined ? { env: {}, stdin: '' } : inputOf(mutation);
  const command = {
    ...{ subject, vector, stdin, cwd: context.directory },
    env: { ...context.childEnvironment, ...env },
  };
  return async (timeoutMs, signal) => {
    const failure = await runCommand({ ...command, timeoutMs }, context, signal);
    const status = failure === undefined ? 0 : failure.exit;
    const says = `${subject} ended with ${failure?.detail ?? 'code 0'}`;
    if (status === exit) return { kind: 'success', says };
    if (failure?.code === 'not-started') {
      return { kind: 'other', says: `${subject} cannot be started: ${failure.detail}` };
    }
    if (failure?.code !== 'timed-out') return { kind: 'other', says };
    return { kind: 'late', says: `${subject} took longer than ${failure.detail}` };
  };
}

async function ask(
  { status }: Extract<Probe, { kind: 'request' }>,
  message: ReturnType<typeof messageOf>,
  limitMs: number,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const { subject } = message;
  const got = await exchange(message, limitMs, signal);
  if ('interruption' in got) return lateOutcome(subject, limitMs);
  if ('failure' in got) return failureOutcome(subject, got.failure);
  const { statusCode } = got.answer;
  const isRight = status === undefined ? hasSucceeded(got.answer) : statusCode === status;
  return { kind: isRight ? 'success' : 'other', says: `${subject} was answered ${statusCode}` };
}

async function reach(
  { address }: Extract<Probe, { kind: 'tcp' }>,
  limitMs: number,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const subject = `a connection to ${address.host}:${address.port}`;
  const socket = connect(address);
  try {
    const got = await waitFor(once(socket, 'connect'), limitMs, signal);
    if (typeof got === 'string') return lateOutcome(subject, limitMs);
    return { kind: 'success', says: `${subject} was accepted` };
  } catch (error) {
    return failureOutcome(subject, codeOf(error) ?? String(error));
  } finally {
    // It may fail after the time is up.
    socket.on('error', () => {}).destroy();
  }
}

function lateOutcome(subject: string, limitMs: number): Outcome {
  return { kind: 'late', says: `${subject} was not answered within ${Math.round(limitMs)} ms` };
}

function failureOutcome(subject: string, code: string): Outcome {
  if (code === 'ECONNREFUSED') return { kind: 'refused', says: `${subject} was refused` };
  return { kind: 'other', says: `${subject} failed: ${code}` };
}
