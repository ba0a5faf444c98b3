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
import { createValueLookup, fillText, type ValueOf } from '../template.js';
import type { Check, EffectVerification, Probe } from './format.js';

/** The outcome of one attempt. */
interface Outcome {
  /** A description of the outcome. */
  readonly description: string;
  readonly kind: 'success' | 'other' | 'refused' | 'late';
}

/** Runs a probe once, with a timeout. */
type Attempt = (limitMs: number, signal: AbortSignal | undefined) => Promise<Outcome>;

/** Creates an attempt to verify a mutation, or a reset if there is no mutation. */
type AttemptFactory = (mutation?: Mutation) => Attempt;

/** An attempt's share of the timeout. A hanging attempt leaves time for retries. */
const SHARE_OF_TRY = 1 / 3;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Returns an actuator whose injections and resets succeed only if their checks succeed. The actuator's timeout covers
 * both the action and the check. Throws an ActuatorError for a request that cannot be sent.
 */
export function withVerification(
  actuator: LiveActuator,
  { injected, reset, placeholders }: EffectVerification,
  timeoutMs: number,
  context: ActuatorContext,
): LiveActuator {
  const valuesFor = (mutation: Mutation | undefined) =>
    mutation === undefined ? () => undefined : createValueLookup(placeholders, mutation.params);
  const createChecker = (check: Check | undefined) => {
    if (check === undefined) return async () => {};
    const createAttempt = createFactory(check.probe, valuesFor, context);
    return (deadline: Deadline, mutation?: Mutation) =>
      verify(check, createAttempt(mutation), deadline);
  };
  const [afterInjection, afterReset] = [createChecker(injected), createChecker(reset)];
  return {
    async inject(mutation, signal) {
      const deadline = {
        subject: 'the injection',
        dueAt: performance.now() + timeoutMs,
        timeoutMs,
        signal,
      };
      await actuator.inject(mutation, signal);
      await afterInjection(deadline, mutation);
    },
    async reset(signal, onGone) {
      const deadline = {
        subject: 'the reset',
        dueAt: performance.now() + timeoutMs,
        timeoutMs,
        signal,
      };
      await actuator.reset(signal, onGone);
      await afterReset(deadline);
    },
    close: () => actuator.close(),
  };
}

interface Deadline {
  readonly subject: string;
  /** The deadline, as a time from `performance.now()`. */
  readonly dueAt: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Retries a check until it succeeds. Rejects with an ActuatorError on a timeout. */
async function verify(check: Check, attempt: Attempt, deadline: Deadline): Promise<void> {
  const { subject, dueAt, timeoutMs, signal } = deadline;
  const { slowerThanMs = 0, probe } = check;
  // A missing response counts as slow, unless the check also requires a status or an exit status.
  const isTimed = slowerThanMs > 0 && probe.kind !== 'command' && !hasStatus(probe);
  let reason: string | undefined;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const startedAt = performance.now();
    const maxMs = isTimed ? slowerThanMs : Math.max(timeoutMs * SHARE_OF_TRY, slowerThanMs);
    const limitMs = Math.max(1, Math.min(maxMs, dueAt - startedAt));
    const outcome = await attempt(limitMs, signal).catch((error: unknown) => {
      throw signal?.aborted ? new ActuatorError('aborted', subject) : error;
    });
    const currentReason = explainFailure(check, outcome, performance.now() - startedAt, isTimed);
    if (currentReason === undefined) return;
    // The reason from an attempt with a shortened timeout is less informative than an earlier reason.
    if (outcome.kind !== 'late' || limitMs >= maxMs) reason = currentReason;
    if (signal?.aborted) throw new ActuatorError('aborted', subject);
    if (performance.now() + pauseMs >= dueAt) {
      throw new ActuatorError('not-verified', subject, reason ?? currentReason);
    }
    await waitFor(new Promise(() => {}), pauseMs, signal);
  }
}

const hasStatus = (probe: Probe) => probe.kind === 'request' && probe.status !== undefined;

/** Returns the reason why an outcome fails a check; undefined if it passes. */
function explainFailure(
  { isRefused, slowerThanMs = 0 }: Check,
  { kind, description }: Outcome,
  ms: number,
  isTimed: boolean,
): string | undefined {
  if (isRefused)
    return kind === 'refused'
      ? undefined
      : `${description}, but the connection should have been refused`;
  const isSuccess = kind === 'success' || (kind === 'late' && isTimed);
  if (!isSuccess) return description;
  if (ms >= slowerThanMs) return undefined;
  return `${description} after ${Math.round(ms)} ms, but must take at least ${slowerThanMs} ms`;
}

function createFactory(
  probe: Probe,
  valuesFor: (mutation: Mutation | undefined) => ValueOf,
  context: ActuatorContext,
): AttemptFactory {
  switch (probe.kind) {
    case 'command':
      return (mutation) => createCommandAttempt(probe, valuesFor(mutation), mutation, context);
    case 'request': {
      const headers = headersOf(probe.request, context);
      return (mutation) => {
        const message = messageOf(probe.request, headers, valuesFor(mutation));
        return (limitMs, signal) =>
          context.semaphores.requests.run(() => sendProbe(probe, message, limitMs, signal), signal);
      };
    }
    case 'tcp':
      return () => (limitMs, signal) => connectProbe(probe, limitMs, signal);
  }
}

function createCommandAttempt(
  { vector: words, exit }: Extract<Probe, { kind: 'command' }>,
  valueFor: ValueOf,
  mutation: Mutation | undefined,
  context: ActuatorContext,
): Attempt {
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
    const description = `${subject} ended with ${failure?.detail ?? 'code 0'}`;
    if (status === exit) return { kind: 'success', description };
    if (failure?.code === 'not-started') {
      return { kind: 'other', description: `${subject} cannot be started: ${failure.detail}` };
    }
    if (failure?.code !== 'timed-out') return { kind: 'other', description };
    return { kind: 'late', description: `${subject} took longer than ${failure.detail}` };
  };
}

async function sendProbe(
  { status }: Extract<Probe, { kind: 'request' }>,
  message: ReturnType<typeof messageOf>,
  limitMs: number,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const { subject } = message;
  const result = await exchange(message, limitMs, signal);
  if ('interruption' in result) return lateOutcome(subject, limitMs);
  if ('failure' in result) return failureOutcome(subject, result.failure);
  const { statusCode } = result.answer;
  const isSuccess = status === undefined ? hasSucceeded(result.answer) : statusCode === status;
  return {
    kind: isSuccess ? 'success' : 'other',
    description: `${subject} received status ${statusCode}`,
  };
}

async function connectProbe(
  { address }: Extract<Probe, { kind: 'tcp' }>,
  limitMs: number,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const subject = `a connection to ${address.host}:${address.port}`;
  const socket = connect(address);
  try {
    const result = await waitFor(once(socket, 'connect'), limitMs, signal);
    if (typeof result === 'string') return lateOutcome(subject, limitMs);
    return { kind: 'success', description: `${subject} was accepted` };
  } catch (error) {
    return failureOutcome(subject, codeOf(error) ?? String(error));
  } finally {
    // The connection may fail after the timeout.
    socket.on('error', () => {}).destroy();
  }
}

function lateOutcome(subject: string, limitMs: number): Outcome {
  return {
    kind: 'late',
    description: `${subject} received no response within ${Math.round(limitMs)} ms`,
  };
}

function failureOutcome(subject: string, code: string): Outcome {
  if (code === 'ECONNREFUSED') return { kind: 'refused', description: `${subject} was refused` };
  return { kind: 'other', description: `${subject} failed: ${code}` };
}
