import { quote } from '../../diagnostics/index.js';
import { lastIndexAtMost } from '../../source/index.js';
import { fromJson, parseJson, pushTo } from '../../values/index.js';
import { setValue } from '../builder.js';
import type { EventTable } from '../columns/event-table.js';
import type { Problems } from '../problem.js';
import { TIMELINE, ValueKind } from '../session.js';
import { ImportedAttributes } from './json-access.js';
import { parseTime } from './times.js';

/** The options for reading a ShiViz log. */
export interface ShivizOptions {
  /** A regular expression with the groups `host`, `clock` and `event`. */
  readonly pattern?: string;
  /** A regular expression for the line above each execution, with the execution's name in the group `trace`. */
  readonly delimiter?: string;
  /** The name of the execution to read, or its number from 1. */
  readonly execution?: string;
}

interface Execution {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const MAX_LISTED = 8;

/**
 * Returns the text of one execution, after line breaks that preserve its line numbers. Reports a missing or ambiguous
 * execution as a problem.
 */
function selectExecution(
  text: string,
  delimiter: RegExp,
  selector: string | undefined,
  problems: Problems,
): string {
  const executions = splitExecutions(text, delimiter);
  const [single] = executions;
  const execution =
    selector === undefined
      ? executions.length === 1 && single
      : (executions.find(({ name }) => name === selector) ?? executions[Number(selector) - 1]);
  if (!execution) {
    const names = executions.slice(0, MAX_LISTED).map(({ name }) => quote(name));
    const list = [...names, ...(executions.length > MAX_LISTED ? ['...'] : [])].join(', ');
    const contents = `the file contains ${executions.length} executions: ${list}`;
    const message =
      selector === undefined
        ? `${contents}; choose one with "perturb session import --execution"`
        : `there is no execution ${quote(selector)}; ${contents}`;
    problems.add('record', { message });
    return '';
  }
  const linesBefore = text.slice(0, execution.start).split('\n').length - 1;
  return '\n'.repeat(linesBefore) + text.slice(execution.start, execution.end);
}

/** Matches the usual heading of an execution in a log. */
const HEADING = /^=== (?<trace>.*) ===[ \t]*\r?$/gm;

function compileDelimiter(text: string, delimiter: string | undefined): RegExp | undefined {
  if (delimiter === undefined) return text.search(HEADING) < 0 ? undefined : HEADING;
  try {
    return new RegExp(delimiter, 'gm');
  } catch (error) {
    throw new SyntaxError(`the delimiter: ${(error as SyntaxError).message}`);
  }
}

function splitExecutions(text: string, delimiter: RegExp): Execution[] {
  const executions: Execution[] = [];
  let current = { name: '', start: 0 };
  const close = (end: number) => {
    if (text.slice(current.start, end).trim() === '') return;
    const name = current.name === '' ? String(executions.length + 1) : current.name;
    executions.push({ name, start: current.start, end });
  };
  for (const match of text.matchAll(delimiter)) {
    close(match.index);
    current = {
      name: match.groups?.['trace']?.trim() ?? '',
      start: match.index + match[0].length,
    };
  }
  close(text.length);
  return executions;
}

/** Matches the beginning of a line with a host and its clock. */
const CLOCK = String.raw`(?:\d{16,19} )?\S+ \{\s*"(?:[^"\\\n]|\\.)*"\s*:\s*\d+\s*[,}]`;

/**
 * The recognized layouts, with `HOST {CLOCK}` above, below or beside the event. A line with another clock is not an
 * event.
 */
const LAYOUTS = {
  above: String.raw`^(?:(?<time>\d{16,19}) )?(?<host>\S+) (?<clock>\{.*\})[ \t]*\r?\n(?!${CLOCK})(?<event>.*)$`,
  below: String.raw`^(?!${CLOCK})(?<event>.*)\r?\n(?:(?<time>\d{16,19}) )?(?<host>\S+) (?<clock>\{.*\})[ \t]*\r?$`,
  beside: String.raw`^(?:(?<time>\d{16,19}) )?(?<host>\S+) (?<clock>\{.*?\})[ \t]+(?<event>\S.*)$`,
} as const;

const CLOCK_LINE = new RegExp(`^${CLOCK}`);
const LONE_CLOCK = /^(?:\d{16,19} )?\S+ \{.*\}\s*$/;
/** Matches the level that GoVector writes before a text. */
const LEVEL = /^(DEBUG|INFO|WARNING|ERROR|FATAL)(?: -)? +(?=\S)/;
/** Matches valid lines that are neither events nor clocks. */
const IGNORED_LINE = /^\s*(?:$|#|\/\/)/;

interface Entry {
  readonly host: string;
  readonly name: string;
  readonly line: number;
  readonly ownCount: number;
  /** The event's time in nanoseconds. */
  readonly time: bigint | undefined;
  readonly clock: ReadonlyMap<string, number>;
  readonly attributes: ImportedAttributes;
}

/**
 * Reads a log with vector clocks like ShiViz. `pattern` is a regular expression with the groups `host`, `clock` and
 * `event`; other groups become attributes. All unmatched lines, except comments, are reported as one problem. The probe
 * is the host, and `seq` is the clock's entry for that host.
 *
 * Compares each event's clock with the clock of the host's previous event. If the entry for another host has increased,
 * the other host's event with that `seq` comes before the event. If the log lacks an event with that `seq`, the other
 * host's last earlier event comes before the event.
 *
 * @throws {SyntaxError} for an invalid pattern or delimiter, or a pattern without a required group
 */
export function readShiviz(
  logText: string,
  problems: Problems,
  { pattern, delimiter: delimiterText, execution }: ShivizOptions,
  table: EventTable,
): void {
  const delimiter = compileDelimiter(logText, delimiterText);
  const text =
    delimiter === undefined ? logText : selectExecution(logText, delimiter, execution, problems);
  const byHost = new Map<string, Entry[]>();
  const layout = compile(pattern ?? recognizeLayout(text));
  for (const entry of readEntries(text, layout, pattern !== undefined, problems)) {
    pushTo(byHost, entry.host, entry);
  }
  const restart = delimiter === undefined ? findRestart(byHost) : undefined;
  if (restart !== undefined) {
    let count = 0;
    for (const [host, hostEntries] of byHost) {
      const entriesBefore = hostEntries.filter(({ line }) => line < restart.line);
      count += hostEntries.length - entriesBefore.length;
      byHost.set(host, entriesBefore);
    }
    const message = `the clock of ${quote(restart.host)} restarts, so nothing is read from here on: if the file contains several executions, match the line above each execution with --delimiter`;
    problems.add('event', { line: restart.line, count, message });
  }
  const firstEvents = new Map<string, number>();
  for (const [host, hostEntries] of byHost) {
    hostEntries.sort((a, b) => a.ownCount - b.ownCount || a.line - b.line);
    firstEvents.set(host, table.size);
    for (const entry of hostEntries) addEvent(table, entry);
  }
  for (const [receiver, hostEntries] of byHost) {
    let previousClock: ReadonlyMap<string, number> = new Map();
    for (const [index, { clock, line }] of hostEntries.entries()) {
      for (const [host, count] of clock) {
        if (host === receiver || count <= (previousClock.get(host) ?? 0)) continue;
        const sender = lastAtMostCount(byHost.get(host) ?? [], count);
        if (sender < 0) continue;
        const [from, to] = [firstEvents.get(host) as number, firstEvents.get(receiver) as number];
        table.addInteraction(from + sender, to + index, line);
      }
      previousClock = clock;
    }
  }
}

/** Returns the first event at which the clock's entry for the event's host restarts; undefined if there is none. */
function findRestart(byHost: ReadonlyMap<string, readonly Entry[]>): Entry | undefined {
  let earliest: Entry | undefined;
  for (const entries of byHost.values()) {
    const [first] = entries;
    const restart = entries.findIndex(
      ({ ownCount }, at) => at > 1 && first !== undefined && ownCount <= first.ownCount,
    );
    const previous = entries[restart - 1];
    const isRestart =
      previous !== undefined && first !== undefined && previous.ownCount > first.ownCount;
    const line = entries[restart]?.line ?? 0;
    if (isRestart && line < (earliest?.line ?? Number.POSITIVE_INFINITY))
      earliest = entries[restart];
  }
  return earliest;
}

export function hasClocks(text: string): boolean {
  return text.split('\n', 50).some((line) => CLOCK_LINE.test(line));
}

/**
 * Returns the layout in which the most clocks have an event. On a tie, prefers clocks above events, because the first
 * line may be a heading.
 */
function recognizeLayout(text: string): string {
  const counts = { above: 0, below: 0, beside: 0 };
  let previousKind: 'text' | 'clock' | undefined;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end);
    start = end + 1;
    const isClock = CLOCK_LINE.test(line);
    const isText = !isClock && !IGNORED_LINE.test(line);
    if (isClock && !LONE_CLOCK.test(line)) counts.beside++;
    else if (isClock && previousKind === 'text') counts.below++;
    else if (isText && previousKind === 'clock') counts.above++;
    previousKind = isClock ? 'clock' : isText ? 'text' : undefined;
  }
  const { above, below, beside } = counts;
  if (beside > Math.max(above, below)) return LAYOUTS.beside;
  return below > above ? LAYOUTS.below : LAYOUTS.above;
}

function compile(pattern: string): RegExp {
  const expression = new RegExp(pattern, 'gm');
  const missingGroup = ['host', 'clock', 'event'].find(
    (group) => !pattern.includes(`(?<${group}>`),
  );
  if (missingGroup !== undefined)
    throw new SyntaxError(`the pattern lacks a group (?<${missingGroup}>...)`);
  return expression;
}

/** Yields a log's entries, and reports unmatched lines. @param isUserPattern true if the user specified the pattern */
function* readEntries(
  text: string,
  pattern: RegExp,
  isUserPattern: boolean,
  problems: Problems,
): Generator<Entry> {
  let line = 1;
  let start = 0;
  let matchEnd = 0;
  const reason = isUserPattern ? 'not matched by --pattern' : 'without an event and its clock';
  /** Advances to the line at an offset, and reports unmatched lines before it. */
  const goTo = (offset: number) => {
    for (let end = lineEnd(text, start); end < offset; end = lineEnd(text, start)) {
      const skipped = start < matchEnd ? '' : text.slice(start, end);
      if (!IGNORED_LINE.test(skipped)) problems.addLine(reason, line, skipped);
      line++;
      start = end + 1;
    }
  };
  for (const match of text.matchAll(pattern)) {
    goTo(match.index);
    matchEnd = match.index + match[0].length;
    const {
      host = '',
      clock: clockText = '',
      event = '',
      time,
      ...otherGroups
    } = match.groups ?? {};
    const clock = readClock(clockText);
    if (typeof clock === 'string') {
      problems.add('record', { line, message: clock });
      continue;
    }
    const ownCount = clock.get(host);
    if (ownCount === undefined) {
      const message = `the clock has no entry for its own host ${quote(host)}`;
      problems.add('record', { line, message });
      continue;
    }
    const attributes = new ImportedAttributes();
    for (const [name, value] of Object.entries(otherGroups)) {
      if (name === TIMELINE) attributes.set(name, value);
      else attributes.add(name, value);
    }
    const text = event.trim();
    const level = isUserPattern ? undefined : LEVEL.exec(text);
    if (level) attributes.add('level', level[1]);
    if (isUserPattern) attributes.add('time', time);
    const moment = isUserPattern || time === undefined ? undefined : parseTime(time);
    const name = text.slice(level?.[0].length ?? 0);
    yield { host, name, line, ownCount, time: moment, clock, attributes };
  }
  goTo(text.length + 1);
}

/** Returns the end of the line at `start`; infinity after the last line. */
function lineEnd(text: string, start: number): number {
  if (start > text.length) return Number.POSITIVE_INFINITY;
  const newline = text.indexOf('\n', start);
  return newline < 0 ? text.length : newline;
}

function readClock(clockText: string): ReadonlyMap<string, number> | string {
  // TLC writes the clock inside a string.
  const json = parseJson(
    clockText.startsWith('{\\"') ? clockText.replaceAll('\\"', '"') : clockText,
  );
  if ('problem' in json) return `the clock is ${json.problem}`;
  const clock = new Map<string, number>();
  for (const [host, count] of Object.entries(json.value ?? {})) {
    const value = fromJson(count);
    if ('problem' in value || value.type !== 'integer' || value.value < 0n) {
      return `the clock's entry for ${quote(host)} is not a count`;
    }
    if (value.value > BigInt(Number.MAX_SAFE_INTEGER)) {
      return `the clock's entry for ${quote(host)} is beyond 2^53`;
    }
    clock.set(host, Number(value.value));
  }
  return clock;
}

function addEvent(table: EventTable, entry: Entry): void {
  const { host, name, line, ownCount, time, attributes } = entry;
  const event = table.addEvent(host, name, line);
  table.seq.add(event, ValueKind.integer, ownCount);
  if (time !== undefined) table.time.addInteger(event, time);
  for (const [key, value] of attributes) setValue(table, key, event, value);
}

/** Returns the index of a host's last entry with an `ownCount` of at most `count`, or -1. */
function lastAtMostCount(entries: readonly Entry[], count: number): number {
  return lastIndexAtMost(count, entries.length, (index) => (entries[index] as Entry).ownCount);
}
