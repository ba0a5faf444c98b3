import { type EventRecord, REQUEST, RESPONSE } from '../../session/index.js';
import { nowNs } from '../now.js';
import { whenAborted } from '../when-aborted.js';
import { responseAttributes } from './answer.js';
import { openPollClient, type PollClient } from './ask.js';
import type { Poll, PollContext } from './poll.js';

/*
 * Polls send requests at a fixed rate, regardless of latency, so a slow system receives as many requests as a fast
 * system. A late request is sent as soon as possible. No request is skipped.
 */

/** The running polls. */
export interface RunningPolls {
  /** Resolves when each poll has its first response or the signal is aborted. */
  waitForFirstAnswers(signal: AbortSignal): Promise<void>;
  /**
   * Stops the polls of servers that the command started, before the command ends. Resolves when these polls have no
   * pending requests or the signal is aborted.
   */
  settle(signal: AbortSignal): Promise<void>;
  /** Stops the polls of servers that the command started. */
  commandEnded(): void;
  /**
   * Ends each poll after its first response to a request sent after this call. Resolves when no request is pending or
   * the signal is aborted.
   */
  finish(signal: AbortSignal): Promise<void>;
  /** Ends the polls without waiting for responses. */
  stop(): void;
}

/**
 * Starts the polls.
 *
 * @param receive called with the events, in order
 * @param hasCommand true if a command follows and may start the polled servers
 */
export function startPolls(
  polls: readonly Poll[],
  context: PollContext,
  receive: (event: EventRecord) => void,
  hasCommand = false,
): RunningPolls {
  const runningPolls = polls.map(
    (poll) => new RunningPoll(poll, openPollClient(poll, context), receive, hasCommand),
  );
  const waitForAll = (signal: AbortSignal, operation: (poll: RunningPoll) => Promise<unknown>) =>
    Promise.race([Promise.all(runningPolls.map(operation)), whenAborted(signal)]);
  return {
    async waitForFirstAnswers(signal) {
      await waitForAll(signal, (poll) => poll.waitForAnswer(0));
    },
    async settle(signal) {
      await waitForAll(signal, async (poll) => poll.isStartedByCommand && poll.finishPending());
    },
    commandEnded() {
      for (const poll of runningPolls) if (poll.isStartedByCommand) poll.stopSending();
    },
    async finish(signal) {
      await waitForAll(
        signal,
        async (poll) => poll.isStartedByCommand || poll.waitForAnswer(poll.requestCount),
      );
      await waitForAll(signal, (poll) => poll.finishPending());
      for (const poll of runningPolls) poll.finish();
    },
    stop() {
      for (const poll of runningPolls) poll.stop();
    },
  };
}

/** A wait for the response to the request with a given number or to any later request. */
interface Wait {
  readonly minRequest: number;
  readonly end: () => void;
}

class RunningPoll {
  readonly #poll: Poll;
  readonly #asker: PollClient;
  readonly #receive: (event: EventRecord) => void;
  #isStopped = false;
  readonly #startedAt = performance.now();
  #requestCount = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #pending = new Set<Promise<void>>();
  #lastAnswered = -1;
  readonly #waits = new Set<Wait>();
  /** For each timeline, true if a request is pending. */
  readonly #busyLanes: boolean[] = [];
  /**
   * Events deferred while the server refuses all connections. Undefined after the first response, or if no command can
   * start the server.
   */
  #deferred: EventRecord[] | undefined;
  #isStartedByCommand = false;

  constructor(
    poll: Poll,
    asker: PollClient,
    receive: (event: EventRecord) => void,
    hasCommand: boolean,
  ) {
    this.#poll = poll;
    this.#asker = asker;
    this.#receive = receive;
    if (hasCommand) this.#deferred = [];
    this.#sendDue();
  }

  /** True if the server refused connections at first. The command is then assumed to start the server. */
  get isStartedByCommand(): boolean {
    return this.#isStartedByCommand;
  }

  /** The number of requests sent so far. */
  get requestCount(): number {
    return this.#requestCount;
  }

  /** Waits for the response to the request with a given number or to any later request. */
  waitForAnswer(minRequest: number): Promise<void> {
    if (this.#lastAnswered >= minRequest || this.#isStopped) return Promise.resolve();
    return new Promise((end) => this.#waits.add({ minRequest, end }));
  }

  stopSending(): void {
    clearTimeout(this.#timer);
  }

  /** Stops sending requests and waits for all pending responses. */
  async finishPending(): Promise<void> {
    this.stopSending();
    await Promise.all(this.#pending);
  }

  /** Stops the poll after the last response. Records the refusals if the server never accepted a connection. */
  finish(): void {
    for (const event of this.#deferred ?? []) this.#receive(event);
    this.stop();
  }

  stop(): void {
    this.#isStopped = true;
    this.stopSending();
    this.#asker.close();
    for (const { end } of this.#waits) end();
  }

  /** The time at which the next request is due. */
  get #dueAt(): number {
    return this.#startedAt + this.#requestCount * this.#poll.everyMs;
  }

  /**
   * Sends the requests that are due at the start of the call. Later requests wait for the next call, because responses
   * must be read, too.
   */
  #sendDue(): void {
    const currentTime = performance.now();
    for (; this.#dueAt <= currentTime; this.#requestCount++) {
      const request = this.#send(this.#requestCount, this.#dueAt).finally(() =>
        this.#pending.delete(request),
      );
      this.#pending.add(request);
    }
    this.#timer = setTimeout(() => this.#sendDue(), Math.max(0, this.#dueAt - performance.now()));
  }

  async #send(index: number, dueAt: number): Promise<void> {
    const freeLane = this.#busyLanes.indexOf(false);
    const lane = freeLane < 0 ? this.#busyLanes.length : freeLane;
    this.#busyLanes[lane] = true;
    const { name } = this.#poll;
    const id = `perturb.poll.${name}.${index}`;
    const number = ['question', integer(BigInt(index))] as const;
    const commonFields = { kind: 'event', probe: name, timeline: `${name}.${lane + 1}` } as const;
    const lateness = ['late', integer(toNs(performance.now() - dueAt))] as const;
    this.#record({
      ...{
        ...commonFields,
        name: REQUEST,
        time: nowNs(),
        id,
        attributes: new Map([number, lateness]),
      },
    });
    const sentAt = performance.now();
    const answer = await this.#asker.ask();
    const latency = ['latency', integer(toNs(performance.now() - sentAt))] as const;
    this.#busyLanes[lane] = false;
    if (this.#isStopped) return;
    const attributes = new Map([number, latency, ...responseAttributes(answer)]);
    const response = { ...commonFields, name: RESPONSE, time: nowNs(), after: [id], attributes };
    this.#record(response, answer.error === 'refused');
    this.#lastAnswered = Math.max(this.#lastAnswered, index);
    for (const wait of this.#waits) {
      if (index < wait.minRequest) continue;
      this.#waits.delete(wait);
      wait.end();
    }
  }

  /** Records an event. Defers events until the server accepts a request, then drops the events for refused requests. */
  #record(event: EventRecord, isRefusal = false): void {
    const deferredEvents = this.#deferred;
    if (deferredEvents === undefined) {
      this.#receive(event);
      return;
    }
    deferredEvents.push(event);
    if (event.name !== RESPONSE) return;
    if (isRefusal) {
      this.#isStartedByCommand = true;
      return;
    }
    this.#deferred = undefined;
    const refusedIds = new Set(
      deferredEvents.flatMap(({ after = [] }) => (after === event.after ? [] : after)),
    );
    const isRefused = ({ id, after = [] }: EventRecord) =>
      [id, ...after].some((reference) => reference !== undefined && refusedIds.has(reference));
    for (const event of deferredEvents) if (!isRefused(event)) this.#receive(event);
  }
}

function integer(value: bigint) {
  return { type: 'integer', value } as const;
}

function toNs(ms: number): bigint {
  return BigInt(Math.round(ms * 1_000)) * 1_000n;
}
