import { createReadStream, lstatSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { codeOf } from '../../durable/index.js';
import type { OrderRequest } from '../../evaluation/index.js';
import type { TraceExpression } from '../../objective/index.js';
import {
  type EventRecord,
  type Reading,
  readSession,
  type Session,
  SessionError,
} from '../../session/index.js';
import { defined } from '../../values/index.js';
import { LateEffectWindow, type Recorder } from '../attempt/recorder.js';
import type { AttemptRecord, RunRecord } from '../journal/records.js';
import type { Poll, PollContext } from '../polls/poll.js';
import { startPolls } from '../polls/polling.js';
import { RunError } from '../run-error.js';
import { attemptFiles } from './command.js';
import { type EventFile, followEvents } from './file-events.js';
import { InterruptedError, runInterruptibly } from './interruptible.js';
import {
  type LastLineHandling,
  type OpenEventSource,
  openOtlpReceiver,
  type SourceCallbacks,
} from './otlp-receiver.js';

/** A source of events, in addition to the command's session file. */
export type EventSource =
  /** A growing file. */
  | ({ readonly kind: 'file' } & Omit<EventFile, 'from'>)
  /** OTLP over HTTP on a loopback port. */
  | { readonly kind: 'otlp'; readonly port: number };

/** Opens a source. Rejects with a RunError if the source's port is unavailable. */
export async function openEventSource(source: EventSource): Promise<OpenEventSource> {
  if (source.kind === 'otlp') return openOtlpReceiver(source.port);
  return {
    env: {},
    async listen(receive) {
      const file = await followEvents({ ...source, from: 'end' }, receive);
      // The file's writer may complete the last line after the attempt.
      return { ...file, drain: (_, isLast) => file.drain('leave', isLast) };
    },
    close: async () => {},
  };
}

/**
 * The environment variable for the path of the command's session file, in shell notation. Also the file's name in
 * messages.
 */
export const SESSION_VARIABLE = '$PERTURB_SESSION';

/** Returns a run's recorded settings for reading the named evidence; empty by default. */
export function recordedReadingOf(
  { readings = [] }: Pick<RunRecord, 'readings'>,
  name: string,
): Reading {
  return readings.find(({ of }) => of === name)?.reading ?? {};
}

/** An attempt's open event sources. */
export type AttemptEvents = Awaited<ReturnType<typeof openAttemptEvents>>;

/** Settings for receiving an attempt's events. */
interface EventSetup {
  readonly name: string;
  /** The path of the command's session file; absent without a command. */
  readonly file?: string;
  /** Settings for reading the session file. */
  readonly reading: Reading;
  readonly sources: readonly OpenEventSource[];
  readonly polls: readonly Poll[];
  readonly pollContext: PollContext;
  /** Maximum number of search steps in an evaluation. */
  readonly budget?: number;
  /** Returns the event order for evaluating expressions. */
  readonly order: () => OrderRequest;
  /** Called when input has arrived. */
  readonly onEvents: () => void;
  /** Called with notes about a source for the user. */
  readonly onNote: (text: string) => void;
}

/** Opens all sources of an attempt's events. Rejects with a RunError if a source cannot be opened. */
export async function openAttemptEvents(setup: EventSetup) {
  const { name, file, reading, sources, polls, pollContext, budget, order, onEvents, onNote } =
    setup;
  const pollNames = new Set(polls.map((poll) => poll.name));
  const window = new LateEffectWindow(name, { ...defined({ budget }), order, polls: pollNames });
  const receiveFrom = (origin: string): SourceCallbacks => ({
    lines(lines) {
      window.receive(origin, lines);
      onEvents();
    },
    records(records) {
      window.receiveRecords(origin, records);
      onEvents();
    },
    otlp(document) {
      window.receiveOtlp(document);
      onEvents();
    },
    lost: (reason, count) => window.add((recorder) => recorder.problem(reason, count)),
    note: onNote,
  });
  // An interrupted attempt may have left a file at this path.
  if (file !== undefined) {
    await rewriteFile(file, '').catch((error: unknown) => {
      throw new RunError('not-written', file, codeOf(error));
    });
  }
  const command = file !== undefined && {
    ...{ path: file, name: SESSION_VARIABLE, probe: 'command', reading },
    from: 'start' as const,
  };
  const commandFile = command ? await followEvents(command, receiveFrom('command')) : undefined;
  const listeners = await Promise.all(
    sources.map((source, position) => source.listen(receiveFrom(`source ${position + 1}`))),
  );
  const receivePoll = (event: EventRecord) => {
    window.receivePoll(event);
    onEvents();
  };
  const polling = startPolls(polls, pollContext, receivePoll, file !== undefined);
  return {
    window,
    polling,
    /**
     * Reads the events that have arrived.
     *
     * @param end treatment of an incomplete last line of the command's file
     * @param isLast true if this is the last read
     */
    async drain(end: LastLineHandling, isLast = false): Promise<void> {
      await commandFile?.drain(end, isLast);
      for (const listener of listeners) await listener.drain?.('leave', isLast);
    },
    /** Returns the reason if events may be missing. */
    problem(): string | undefined {
      const reason = commandFile?.problem();
      if (reason !== undefined) return `the command's session file cannot be read: ${reason}`;
      const problem = listeners
        .map((message) => message.problem?.())
        .find((message) => message !== undefined);
      return problem === undefined ? undefined : `the --events file cannot be read: ${problem}`;
    },
    async stop(): Promise<void> {
      polling.stop();
      await commandFile?.stop();
      for (const listener of listeners) await listener.stop();
    },
  };
}

/** Writes an attempt's file. Replaces anything that a command put at the path. */
export async function rewriteFile(path: string, text: string): Promise<void> {
  const write = () => writeFile(path, text, { flag: 'wx' });
  await write().catch(async (error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
    await rm(path, { recursive: true, force: true });
    await write();
  });
}

/**
 * Reads a completed attempt's session.
 *
 * @param directory of the attempts' files
 * @returns undefined if the file was deleted or replaced with something other than a regular file
 */
export async function readAttemptSession(
  directory: string,
  attempt: Pick<AttemptRecord, 'n' | 'baseline'>,
): Promise<Session | undefined> {
  const path = attemptFiles(directory, attempt).session;
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const options = { reading: { from: 'session' }, tolerant: true } as const;
  return (await readSession(createReadStream(path), options)).session;
}

/** Maximum share of time spent on evaluations, to leave CPU time for the system under test. */
const EVALUATION_SHARE = 1 / 5;

/** An expression that is not true yet, with the callbacks that end its wait. */
interface PendingExpression {
  readonly expression: TraceExpression;
  /**
   * Ends the wait.
   *
   * @param ms milliseconds since the arrival of the first new event; absent if the wait was abandoned
   */
  readonly end: (ms?: number) => void;
  readonly fail: (error: unknown) => void;
}

export type ExpressionWatch = ReturnType<typeof watchExpressions>;

/**
 * Evaluates expressions on the recording as events arrive.
 *
 * @param longestPauseMs maximum pause between evaluations (default: unlimited)
 */
export function watchExpressions(
  recorder: () => Recorder,
  longestPauseMs = Number.POSITIVE_INFINITY,
) {
  const pendingExpressions = new Set<PendingExpression>();
  let timer: NodeJS.Timeout | undefined;
  let pauseMs = 0;
  let firstArrival: number | undefined;

  const check = (): void => {
    timer = undefined;
    const startedAt = performance.now();
    const arrivedAt = firstArrival ?? startedAt;
    firstArrival = undefined;
    try {
      const recording = recorder();
      const matches = runInterruptibly(() =>
        [...pendingExpressions].filter(({ expression }) => recording.isTrue(expression)),
      );
      for (const { end } of matches) end(Math.ceil(performance.now() - arrivedAt));
    } catch (error) {
      // Later events may establish the recording's order.
      const isTemporary = error instanceof InterruptedError || error instanceof SessionError;
      if (!isTemporary) for (const { fail } of pendingExpressions) fail(error);
    } finally {
      pauseMs = Math.min(
        (performance.now() - startedAt) * (1 / EVALUATION_SHARE - 1),
        longestPauseMs,
      );
    }
  };

  const removeWait = (wait: PendingExpression): void => {
    pendingExpressions.delete(wait);
    if (pendingExpressions.size > 0) return;
    clearTimeout(timer);
    [timer, firstArrival] = [undefined, undefined];
  };

  return {
    /** Schedules an evaluation. Call this method after new input and at the start of a wait. */
    poll(): void {
      if (pendingExpressions.size === 0) return;
      firstArrival ??= performance.now();
      timer ??= setTimeout(check, pauseMs);
    },
    /**
     * Waits until an expression is true.
     *
     * @returns the number of milliseconds since the arrival of the first new event; undefined if the signal was aborted
     * first
     */
    until(expression: TraceExpression, signal: AbortSignal): Promise<number | undefined> {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return resolve(undefined);
        const wait: PendingExpression = {
          expression,
          end(ms) {
            removeWait(wait);
            resolve(ms);
          },
          fail(error) {
            removeWait(wait);
            reject(error);
          },
        };
        pendingExpressions.add(wait);
        signal.addEventListener('abort', () => wait.end(), { once: true });
      });
    },
  };
}
