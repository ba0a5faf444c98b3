import { type EventRecord, REQUEST, RESPONSE } from '../../session/index.js';
import { aborted } from '../aborted.js';
import { nowNs } from '../now.js';
import { answerAttributes } from './answer.js';
import { type Asker, openAsker } from './ask.js';
import type { Poll, PollContext } from './poll.js';

/*
 * Polls ask at their rate, regardless of the answers' latency: a slow system gets as many questions as a fast one.
 * A question that could not be sent when it was due is sent as soon as possible; none is skipped.
 */

/** The running polls. */
export interface Polling {
  /** Resolves once each poll has its first answer, or the signal is aborted. */
  begun(signal: AbortSignal): Promise<void>;
  /**
   * Prepares for the end of the command: stops the polls of servers that it started, and resolves when their pending
   * requests are answered, or the signal is aborted.
   */
  settle(signal: AbortSignal): Promise<void>;
  /** Stops the polls of servers that the command started. */
  commandEnded(): void;
  /**
   * Continues until each poll has an answer to a question sent from now on, and then ends the polls. Resolves when
   * all questions have an answer, or the signal is aborted.
   */
  finish(signal: AbortSignal): Promise<void>;
  /** Ends the polls without waiting for answers. */
  stop(): void;
}

/**
 * Starts the polls.
 *
 * @param receive called with the events, in order
 * @param hasCommand true if a command follows, which may start what is polled
 */
export function startPolls(
  polls: readonly Poll[],
  context: PollContext,
  receive: (event: EventRecord) => void,
  hasCommand = false,
): Polling {
  const running = polls.map(
    (poll) => new RunningPoll(poll, openAsker(poll, context), receive, hasCommand),
  );
  const unlessAborted = (signal: AbortSignal, wait: (one: RunningPoll) => Promise<unknown>) =>
    Promise.race([Promise.all(running.map(wait)), aborted(signal)]);
  return {
    async begun(signal) {
      await unlessAborted(signal, (one) => one.answered(0));
    },
    async settle(signal) {
      await unlessAborted(signal, async (one) => one.isOfCommand && one.settled());
    },
    commandEnded() {
      for (const one of running) if (one.isOfCommand) one.askNoMore();
    },
    async finish(signal) {
      await unlessAborted(signal, async (one) => one.isOfCommand || one.answered(one.asked));
      await unlessAborted(signal, (one) => one.settled());
      for (const one of running) one.finish();
    },
    stop() {
      for (const one of running) one.stop();
    },
  };
}

/** A wait for the answer to a question with at least this number. */
interface Wait {
  readonly from: number;
  readonly end: () => void;
}

class RunningPoll {
  readonly #poll: Poll;
  readonly #asker: Asker;
  readonly #receive: (event: EventRecord) => void;
  #isStopped = false;
  readonly #begun = performance.now();
  #asked = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #open = new Set<Promise<void>>();
  #lastAnswered = -1;
  readonly #waits = new Set<Wait>();
  /** For each timeline, true if a question on it has no answer yet. */
  readonly #isBusy: boolean[] = [];
  /** The events recorded while every answer was a refusal; absent where no command may start the system. */
  #early: EventRecord[] | undefined;
  #isOfCommand = false;

  constructor(
    poll: Poll,
    asker: Asker,
    receive: (event: EventRecord) => void,
    hasCommand: boolean,
  ) {
    this.#poll = poll;
    this.#asker = asker;
    this.#receive = receive;
    if (hasCommand) this.#early = [];
    this.#askDue();
  }

  /** True if the command starts what is polled: nothing listened there before. */
  get isOfCommand(): boolean {
    return this.#isOfCommand;
  }

  /** The number of questions sent. */
  get asked(): number {
    return this.#asked;
  }

  /** Waits for the answer to a question with at least this number. */
  answered(from: number): Promise<void> {
    if (this.#lastAnswered >= from || this.#isStopped) return Promise.resolve();
    return new Promise((end) => this.#waits.add({ from, end }));
  }

  askNoMore(): void {
    clearTimeout(this.#timer);
  }

  /** Ends the poll, and waits until all questions have an answer. */
  async settled(): Promise<void> {
    this.askNoMore();
    await Promise.all(this.#open);
  }

  /** Stops, after all questions have an answer; what never listened has refused them all. */
  finish(): void {
    for (const event of this.#early ?? []) this.#receive(event);
    this.stop();
  }

  stop(): void {
    this.#isStopped = true;
    this.askNoMore();
    this.#asker.close();
    for (const { end } of this.#waits) end();
  }

  /** The time at which the next question is due. */
  get #due(): number {
    return this.#begun + this.#asked * this.#poll.everyMs;
  }

  /** Sends all questions that are due. More may be due by the end, but answers have to be read, too. */
  #askDue(): void {
    const now = performance.now();
    for (; this.#due <= now; this.#asked++) {
      const asking = this.#ask(this.#asked, this.#due).finally(() => this.#open.delete(asking));
      this.#open.add(asking);
    }
    this.#timer = setTimeout(() => this.#askDue(), this.#due - performance.now());
  }

  async #ask(question: number, due: number): Promise<void> {
    const free = this.#isBusy.indexOf(false);
    const lane = free < 0 ? this.#isBusy.length : free;
    this.#isBusy[lane] = true;
    const { name } = this.#poll;
    const id = `perturb.poll.${name}.${question}`;
    const number = ['question', integer(BigInt(question))] as const;
    const common = { kind: 'event', probe: name, timeline: `${name}.${lane + 1}` } as const;
    const late = ['late', integer(toNs(performance.now() - due))] as const;
    this.#record({
      ...{ ...common, name: REQUEST, time: nowNs(), id, attributes: new Map([number, late]) },
    });
    const sent = performance.now();
    const answer = await this.#asker.ask();
    const latency = ['latency', integer(toNs(performance.now() - sent))] as const;
    this.#isBusy[lane] = false;
    if (this.#isStopped) return;
    const attributes = new Map([number, latency, ...answerAttributes(answer)]);
    const response = { ...common, name: RESPONSE, time: nowNs(), after: [id], attributes };
    this.#record(response, answer.error === 'refused');
    this.#lastAnswered = Math.max(this.#lastAnswered, question);
    for (const wait of this.#waits) {
      if (question < wait.from) continue;
      this.#waits.delete(wait);
      wait.end();
    }
  }

  /** Passes an event on, unless it is one of a question that was refused before the system listened. */
  #record(event: EventRecord, isRefusal = false): void {
    const early = this.#early;
    if (early === undefined) {
      this.#receive(event);
      return;
    }
    early.push(event);
    if (event.name !== RESPONSE) return;
    if (isRefusal) {
      this.#isOfCommand = true;
      return;
    }
    this.#early = undefined;
    const refused = new Set(
      early.flatMap(({ after = [] }) => (after === event.after ? [] : after)),
    );
    const isRefused = ({ id, after = [] }: EventRecord) =>
      [id, ...after].some((one) => one !== undefined && refused.has(one));
    for (const one of early) if (!isRefused(one)) this.#receive(one);
  }
}

function integer(value: bigint) {
  return { type: 'integer', value } as const;
}

function toNs(ms: number): bigint {
  return BigInt(Math.round(ms * 1_000)) * 1_000n;
}
