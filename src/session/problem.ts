import { exitCodes, PerturbError } from '../basics/index.js';
import { quote } from '../diagnostics/index.js';
import { defined } from '../values/index.js';

/** A problem with a recorded session. */
export interface Problem {
  /** The file, if the session has several files. */
  readonly file?: string;
  /** The line of the file, from 1; absent if the problem is not on a single line. */
  readonly line?: number;
  /** The column in the line, from 1. */
  readonly column?: number;
  readonly message: string;
  /** The number of records, events or interactions concerned (default 1). */
  readonly count?: number;
}

/** A kind of part omitted because of a problem. */
export type DroppedPart = 'record' | 'event' | 'interaction';

/** The number of omitted parts of each kind. `record` counts unreadable records. */
export type Dropped = Readonly<Record<DroppedPart, number>>;

/**
 * A disagreement between two hosts' clocks. According to the clocks, `returns` children on one host ended before their
 * parents on the other host. These orders are omitted, because they contradict cause and effect.
 */
export interface ClockDisagreement {
  readonly child: string;
  readonly parent: string;
  readonly returns: number;
  /** The minimum lag of the child's clock, in nanoseconds, with which all these children ended after their parents. */
  readonly offset: bigint;
}

/** A host whose clock contradicts cause and effect, for example because the clock was set back. */
export interface ClockSetBack {
  readonly clock: string;
  /** The number of omitted clock orders between an event on this host and another event. */
  readonly orders: number;
}

/** Maximum number of problems to keep. Further problems are only counted. */
const MAX_KEPT = 100;

/** A session's problems. Keeps the first hundred problems, and counts all further problems. */
export class Problems {
  readonly list: Problem[] = [];
  /** The current file, if the session has several files. */
  file: string | undefined;
  /** The line of the current document, if the file has one document per line. */
  line: number | undefined;
  readonly dropped: Record<DroppedPart, number> = { record: 0, event: 0, interaction: 0 };
  /** Signs, other than problems, that the order of events may differ from the order in the system. */
  readonly notes: Problem[] = [];
  /** The number of omitted duplicate spans. */
  merged = 0;
  /** The number of spans whose parent is missing. */
  orphans = 0;

  readonly #alike = new Map<
    string,
    { readonly problem: { message: string; count?: number }; message(count: number): string }
  >();
  readonly #disagreements = new Map<string, ClockDisagreement>();
  readonly #setBacks = new Map<string, ClockSetBack>();

  /** The pairs of hosts whose clocks disagree, sorted by name. */
  get disagreements(): readonly ClockDisagreement[] {
    return sortByKey(this.#disagreements);
  }

  disagree(child: string, parent: string, offset: bigint): void {
    const key = JSON.stringify([child, parent]);
    const disagreement = this.#disagreements.get(key) ?? { returns: 0, offset: 0n };
    this.#disagreements.set(key, {
      ...{ child, parent, returns: disagreement.returns + 1 },
      offset: disagreement.offset > offset ? disagreement.offset : offset,
    });
  }

  /** The hosts whose clocks contradict cause and effect, sorted by name. */
  get setBacks(): readonly ClockSetBack[] {
    return sortByKey(this.#setBacks);
  }

  /** Counts an order omitted because of a host's clock. */
  setBack(clock: string): void {
    const orders = (this.#setBacks.get(clock)?.orders ?? 0) + 1;
    this.#setBacks.set(clock, { clock, orders });
  }

  add(part: DroppedPart, problem: Problem): void {
    this.dropped[part] += problem.count ?? 1;
    if (this.list.length >= MAX_KEPT) return;
    this.list.push({ ...this.location, ...problem });
  }

  get location(): RecordPosition {
    return defined({ file: this.file, line: this.line });
  }

  /**
   * Adds an unreadable record. Similar records share one problem.
   *
   * @param repeatKey a key common to a file's similar records
   * @param message formats the number of records; the first record's function is used
   */
  addAlike(repeatKey: string, message: (count: number) => string, line = this.line): void {
    const key = JSON.stringify([this.file, repeatKey]);
    const problem = this.#alike.get(key);
    this.dropped.record++;
    if (problem !== undefined) {
      problem.problem.count = (problem.problem.count ?? 1) + 1;
      problem.problem.message = problem.message(problem.problem.count);
    } else if (this.list.length < MAX_KEPT) {
      const problem = { ...this.location, ...defined({ line }), message: message(1) };
      this.list.push(problem);
      this.#alike.set(key, { problem, message });
    }
  }

  /** Adds a record that lacks a required part, such as a span of "stock" without `a startTime`. */
  addLacking(part: string, record: string, service?: string): void {
    const ofService = service === undefined ? '' : ` of ${quote(service)}`;
    this.addAlike(`${record}${ofService} ${part}`, (count) => {
      const single = `a ${record}${ofService} lacks ${part}`;
      return count === 1 ? single : `${count} ${record}s${ofService}, from here on, lack ${part}`;
    });
  }

  /** Adds a line that is neither an event nor part of an event. @param text quoted for the first such line */
  addLine(repeatKey: string, line: number | undefined, text: string): void {
    const firstText = text.trim() === '' ? '' : `: ${quote(text.trim())}`;
    const message = (count: number) =>
      `${count === 1 ? 'a line' : `${count} lines, from here on,`} ${repeatKey}${firstText}`;
    this.addAlike(repeatKey, message, line);
  }

  /** Returns the kept problems, sorted by line. */
  sorted(): readonly Problem[] {
    return this.list.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  }

  get count(): number {
    return this.dropped.record + this.dropped.event + this.dropped.interaction;
  }
}

function sortByKey<Item>(items: ReadonlyMap<string, Item>): readonly Item[] {
  return [...items].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

/** The error for an impossible session, for example with a duplicate `seq` or a cycle of interactions. */
export class SessionError extends PerturbError<'impossible-session'> {
  constructor(readonly problems: readonly Problem[]) {
    super('impossible-session', problems.map(problemText).join('\n'), exitCodes.usage);
  }
}

/** Formats a problem as `12:3: message`. */
export function problemText({ line, column, message }: Problem): string {
  const location = [line, column].filter((part) => part !== undefined).join(':');
  return location === '' ? message : `${location}: ${message}`;
}

/** A record's position: its file, if the session has several, and its line, if known. */
export type RecordPosition = Pick<Problem, 'file' | 'line'>;

/** Formats a record's line, with its file if the problem is in another file. */
export function lineText({ file, line }: RecordPosition, ownFile: string | undefined): string {
  return file === ownFile ? `line ${line}` : `line ${line} of ${file}`;
}
