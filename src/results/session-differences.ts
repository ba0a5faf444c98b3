import { plural } from '../basics/index.js';
import {
  type Difference,
  type EventKind,
  type FoundDifferences,
  SIGNIFICANCE_LEVEL,
} from '../explain/index.js';
import { nanosecondsText } from '../values/index.js';
import { shortNumber } from './axis.js';
import { percent } from './rates.js';

/** A statement on a difference between failures and passes, with its evidence and significance. */
export interface Statement {
  /** The statement's subject: mutations or sessions. */
  readonly of: 'mutations' | 'sessions';
  readonly title: string;
  readonly evidence: string;
  /** Caveats about the statement. */
  readonly notes: readonly string[];
  readonly corrected: number;
  readonly isSignificant: boolean;
}

/** The numbers of compared sessions. */
export interface SessionCounts {
  readonly failing: number;
  readonly passing: number;
}

/**
 * Returns session differences as statements.
 *
 * @param noun the noun for a session, such as `attempt`
 */
export function differenceStatements(
  { differences }: FoundDifferences,
  counts: SessionCounts,
  noun: string,
): readonly Statement[] {
  return differences.map((difference) => ({
    of: 'sessions',
    title: titleOf(difference, noun),
    evidence: `${evidenceOf(difference)}; Cliff's delta ${shortNumber(difference.delta)}, ${pText(difference.corrected)}`,
    notes: knownTexts(difference, counts, noun),
    corrected: difference.corrected,
    isSignificant: difference.corrected <= SIGNIFICANCE_LEVEL,
  }));
}

/** Maximum number of insignificant statements to show if no statement is significant. */
const MAX_GUESSES = 3;

/**
 * Returns the significant statements. If there are none, returns the best insignificant statements.
 */
export function statementsToShow(statements: readonly Statement[]): readonly Statement[] {
  const significant = statements.filter((one) => one.isSignificant);
  return significant.length > 0 ? significant : statements.slice(0, MAX_GUESSES);
}

/** Formats a corrected p-value. */
export function pText(p: number): string {
  if (p < 0.0001) return 'p < 0.0001';
  return `p = ${Number(p.toPrecision(2))}`;
}

/** Formats an event kind, such as `RESERVED at stock`. */
export function eventKindText({ name, probe, isEnd }: EventKind): string {
  return `${isEnd ? 'the end of ' : ''}${name} at ${probe}`;
}

function titleOf(
  { feature, failing, passing, failingRange, passingRange }: Difference,
  noun: string,
) {
  const isMore = failing > passing;
  switch (feature.kind) {
    case 'count': {
      const event = eventKindText(feature.event);
      if (failingRange[1] === 0) return `${event} is missing in failing ${noun}s`;
      if (passingRange[1] === 0) return `${event} occurs only in failing ${noun}s`;
      return `${isMore ? 'more' : 'fewer'} ${event}`;
    }
    case 'order': {
      const [first, then] = isMore ? [feature.first, feature.then] : [feature.then, feature.first];
      return `${eventKindText(first)} comes before ${eventKindText(then)} more often`;
    }
    case 'message':
      return `${eventKindText(feature.to)} receives from ${eventKindText(feature.from)} ${isMore ? 'more' : 'less'} often`;
    case 'latency': {
      const longest = feature.statistic === 'max' ? 'the longest ' : '';
      const verb = feature.tie === 'message' ? 'the message from' : 'the time from';
      return `${longest}${longest === '' ? verb : verb.replace('the ', '')} ${eventKindText(feature.from)} to ${eventKindText(feature.to)} is ${isMore ? 'longer' : 'shorter'}`;
    }
    case 'number': {
      const most = feature.statistic === 'max' ? 'the greatest ' : '';
      return `${most}${feature.attribute} of ${eventKindText(feature.event)} is ${isMore ? 'greater' : 'less'}`;
    }
    case 'value': {
      const { attribute, value, event } = feature;
      const what = value === undefined ? `a ${attribute}` : `${attribute} = ${value}`;
      return `${eventKindText(event)} has ${what} ${isMore ? 'more' : 'less'} often`;
    }
  }
}

function evidenceOf(difference: Difference): string {
  const { feature, failing, passing } = difference;
  const isTurned = feature.kind === 'order' && failing < passing;
  const [own, others] = isTurned ? [1 - failing, 1 - passing] : [failing, passing];
  const show = showerOf(difference);
  return `${show(own)} instead of ${show(others)} in the median`;
}

function showerOf({ feature }: Difference): (value: number) => string {
  switch (feature.kind) {
    case 'latency':
      return (value) => nanosecondsText(Number(value.toPrecision(3)));
    case 'order':
    case 'message':
    case 'value':
      return (value) => `${percent(value)} %`;
    default:
      return (value) => shortNumber(value);
  }
}

/** Returns a note if only some sessions have a value for a feature. */
function knownTexts(
  { failingCount, passingCount }: Difference,
  { failing, passing }: SessionCounts,
  noun: string,
): string[] {
  if (failingCount === failing && passingCount === passing) return [];
  return [
    `has a value in ${failingCount} of ${plural(failing, `failing ${noun}`)} and ${passingCount} of ${plural(passing, `passing ${noun}`)}`,
  ];
}

/** Returns the limitations of a comparison of sessions. */
export function differenceLimits(
  { compared, least }: FoundDifferences,
  { failing, passing }: SessionCounts,
  noun: string,
): readonly string[] {
  if (compared === 0) return [`the sessions do not differ in events, times or values`];
  if (least <= SIGNIFICANCE_LEVEL) return [];
  return [
    `${plural(failing, `failing ${noun}`)} and ${plural(passing, `passing ${noun}`)} are too few for a significant difference between sessions: even a difference without exceptions would have ${pText(least)} among the ${compared} compared`,
  ];
}
