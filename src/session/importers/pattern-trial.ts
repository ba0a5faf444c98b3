import { Lines } from '../lines.js';
import { LEVEL } from './log-formats.js';
import { cleanLine } from './recognize-log.js';
import { parseTime } from './times.js';

/** Patterns to suggest for lines of unknown formats, in order of priority. */
const PATTERNS = [
  String.raw`^\[ *(?<time>\d+\.\d+)\] (?<probe>[\w-]+): (?<name>\S+)(?: (?<pairs>\w+=.*))?$`,
  String.raw`^(?<time>\d\S+ [\d:.,]+) (?<name>.*)$`,
  String.raw`^(?<time>\d\S+) (?<name>.*)$`,
  String.raw`^\[(?<time>[^\]]+)\] (?<name>.*)$`,
  String.raw`^(?<time>[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ [\d:.]+ \d{4}) (?<name>.*)$`,
  String.raw`^(?<level>\w+) (?<name>.*)$`,
  String.raw`^(?<probe>[\w-]+)(?: *[:|]) (?<name>.*)$`,
  '^(?<name>.*)$',
];

const IS_LEVEL = new RegExp(`^${LEVEL}$`, 'i');

/** Minimum number of events at which names are expected to repeat. */
const FEW_EVENTS = 10;

/** Maximum number of names to keep for detecting the first repetition. */
const MAX_NAMES = 1 << 16;

/** The maximum share of lines that are not events, such as a banner or a stack trace. */
const MAX_NON_EVENTS = 1 / 10;

/** A pattern on trial, with its results so far. */
interface Candidate {
  readonly pattern: string;
  readonly regex: RegExp;
  events: number;
  /** The distinct names so far; undefined once a name has repeated. */
  names: Set<string> | undefined;
}

/** A pattern that fits a file, with the number of unmatched lines and the total number of lines. */
export interface FittingPattern {
  readonly pattern: string;
  readonly nonEvents: number;
  readonly lines: number;
}

/** Tries patterns on all lines of a file. */
export class PatternTrial {
  private readonly candidates = PATTERNS.map(
    (pattern): Candidate => ({
      ...{ pattern, regex: new RegExp(pattern), events: 0, names: new Set() },
    }),
  );
  private count = 0;
  private readonly lines = new Lines((line) => {
    if ('text' in line && line.text.trim() !== '') this.tryLine(cleanLine(line.text));
  });

  push(bytes: Uint8Array): void {
    this.lines.push(bytes);
  }

  finish(): void {
    this.lines.finish();
  }

  private tryLine(line: string): void {
    this.count++;
    for (const candidate of this.candidates) {
      const groups = candidate.regex.exec(line)?.groups;
      if (groups === undefined || !isEvent(groups)) continue;
      const { name = '' } = groups;
      candidate.events++;
      const { names } = candidate;
      if (names?.has(name)) candidate.names = undefined;
      else if (names !== undefined && names.size < MAX_NAMES) names.add(name);
    }
  }

  /** Returns the first pattern that matches nearly all lines and finds repeated names; undefined if no pattern fits. */
  bestFit(): FittingPattern | undefined {
    const candidate = this.candidates.find(
      ({ events, names }) =>
        events > 0 &&
        this.count - events <= this.count * MAX_NON_EVENTS &&
        (events < FEW_EVENTS || names === undefined),
    );
    if (candidate === undefined) return undefined;
    const { pattern, events } = candidate;
    return { pattern, nonEvents: this.count - events, lines: this.count };
  }
}

/** True if the matched time and level, if any, are valid. */
function isEvent({ time, level }: Readonly<Record<string, string | undefined>>): boolean {
  const isTime =
    time === undefined ||
    /^\d+\.\d+$/.test(time) ||
    (/\d:\d/.test(time) && parseTime(time) !== undefined);
  return isTime && (level === undefined || IS_LEVEL.test(level));
}
