import { plural } from '../basics/index.js';
import { quote, quoteAtMost } from '../diagnostics/index.js';
import {
  type BorderRecord,
  causesOf,
  causeText,
  type Dimension,
  type DoneAttempt,
  isOtherCause,
  plannedValue,
  type RunState,
  type ShrunkRecord,
  type SpaceMutator,
  tally,
} from '../runner/index.js';
import { type AttributeValue, compare, equals } from '../values/index.js';
import { shortValue } from './axis.js';
import { mutatorTitle, planText } from './evidence-text.js';
import type { Verdict } from './measured.js';
import { closestAttempts, closestText } from './rates.js';
import { noVerdictText, type RunResult } from './run-facts.js';
import { shortfallText } from './shortfall.js';
import { failsUnused, unusedMutators } from './unused.js';
import { runVacuities } from './vacuity.js';

/** A result in one or two sentences. */
export interface Headline {
  readonly verdict: Verdict;
  readonly text: string;
  /** The number of an attempt that shows the failure; undefined if nothing failed. */
  readonly attempt?: number;
}

/** The parts of a run's result that a headline requires. */
type Headlined = Pick<RunResult, 'state' | 'space' | 'measurements'>;

/**
 * Returns a run's result in a sentence, such as `From 980 ms of warehouse delay on, "no order is
 * handled twice" fails; at worst, handled came twice for id 7, wanted once.`
 */
export function headlineOf(result: Headlined): Headline {
  const { state } = result;
  const { attempts, passed, failed } = tally(state);
  if (failed > 0) return failureHeadline(result);
  const [vacuous, unused] = [
    runVacuities(state).map(({ name }) => quote(name)),
    unusedMutators(state).map(({ mutator }) => mutatorTitle(mutator)),
  ];
  const vacuousText = `${inSeries(vacuous)} ${vacuous.length === 1 ? 'is' : 'are'} vacuous`;
  const unusedText = `${inSeries(unused)} ${unused.length === 1 ? 'was' : 'were'} never in force`;
  if (vacuous.length > 0 && state.run?.failVacuous === true) {
    return { verdict: 'failed', text: `Failed because ${vacuousText}.` };
  }
  if (passed === 0) {
    const why = state.end?.reason === 'baseline' ? noVerdictText(state) : undefined;
    return { verdict: 'undecided', text: sentence(why ?? 'no attempt came to a verdict') };
  }
  if (failsUnused(state)) return { verdict: 'failed', text: `Failed because ${unusedText}.` };
  const noVerdict = noVerdictText(state);
  const parts = [
    ...(noVerdict === undefined ? [] : [`undecided: ${noVerdict}`]),
    passed === attempts
      ? `nothing failed in ${plural(attempts, 'attempt')}`
      : `nothing failed; ${passed} of ${plural(attempts, 'attempt')} passed`,
    ...closestParts(state),
    ...(vacuous.length > 0 ? [vacuousText] : []),
    ...(unused.length > 0 ? [unusedText] : []),
  ];
  const verdict = noVerdict === undefined ? 'passed' : 'undecided';
  return { verdict, text: sentence(parts.join('; ')) };
}

function closestParts(state: RunState): string[] {
  const [closest] = [...closestAttempts(state)].sort((a, b) => a.margin - b.margin);
  if (closest === undefined) return [];
  return [`${quote(closest.name)} came closest to failing: ${closestText(closest)}`];
}

/**
 * Returns the failures by cause, excluding failures during shrinking. Explained causes come first,
 * then the most frequent.
 */
function failuresByCause({ attempts, shrunkSets }: RunState) {
  const failures = new Map<string, DoneAttempt[]>();
  for (const attempt of attempts.filter(({ shrinks }) => shrinks === undefined)) {
    for (const cause of causesOf(attempt)) {
      failures.set(cause, [...(failures.get(cause) ?? []), attempt]);
    }
  }
  const all = [...failures].map(([cause, failed]) => {
    const own = shrunkSets.filter((one) => one.cause === cause);
    return { cause, failed, record: own.find(isExplained) ?? own[0] };
  });
  const rank = ({ record }: (typeof all)[number]) => Number(record && isExplained(record));
  return all.sort((a, b) => rank(b) - rank(a) || b.failed.length - a.failed.length);
}

/** True if shrinking reproduced the failure, and only with mutations. */
function isExplained({ ended }: ShrunkRecord): boolean {
  return ended === 'found' || ended === 'budget';
}

function failureHeadline(result: Headlined): Headline {
  const [main, ...others] = failuresByCause(result.state);
  if (main === undefined) return { verdict: 'failed', text: 'Failed.' };
  const { failed } = main;
  const names = others.map(({ cause }) => subjectOf(cause));
  const also = names.length === 0 ? '' : ` ${sentence(`${inSeries(names)} failed too`)}`;
  const attempt = main.record?.of ?? failed[0]?.n;
  return {
    verdict: 'failed',
    text: `${sentence(failureText(result, main))}${also}`,
    ...(attempt !== undefined && { attempt }),
  };
}

function failureText(
  { state, space, measurements }: Headlined,
  { cause, failed, record }: ReturnType<typeof failuresByCause>[number],
): string {
  const subject = subjectOf(cause);
  const all = state.attempts.filter((one) => causesOf(one).includes(cause));
  const worst = shortfallText(cause, all, measurements.get(cause)?.check);
  const shortfall = worst && `; ${all.length > 1 ? 'at worst, ' : ''}${worst}`;
  if (record !== undefined && isExplained(record)) {
    const { fails, conditions } = conditionsOf(record, space.mutators);
    const times =
      record.failed < record.tried ? ` (${record.failed} of ${record.tried} times)` : '';
    return `${conditions}, ${subject} ${fails}${times}${shortfall ?? ''}`;
  }
  const smallest = failed.reduce((least, one) =>
    one.plan.length < least.plan.length ? one : least,
  );
  const plan = planText(smallest.plan, shortValue);
  const again = record && `${record.failed} of ${record.tried} times`;
  if (record?.ended === 'unmutated') return `${subject} fails without mutations too, ${again}`;
  if (record?.ended === 'not-repeated') {
    return `${subject} failed with ${plan}, and then ${again}${shortfall ?? ''}`;
  }
  const { attempts } = tally(state);
  const example = failed.length > 1 ? 'for example ' : '';
  return `${subject} failed in ${failed.length} of ${plural(attempts, 'attempt')}, ${example}with ${plan}${shortfall ?? ''}`;
}

/** Maximum length of a quoted name, which suffices for two event names with their probes. */
const LONGEST_NAME = 100;

/** Formats a cause for a sentence: the quoted name of a measurement, or another cause. */
export function subjectOf(cause: string): string {
  return isOtherCause(cause) ? causeText(cause) : quoteAtMost(cause, LONGEST_NAME);
}

/**
 * Returns the conditions under which a set fails, such as `from 980 ms of warehouse delay on`, and
 * the matching verb.
 */
function conditionsOf(
  { plan, borders: own, idle, interacts }: ShrunkRecord,
  mutators: readonly SpaceMutator[],
): { readonly conditions: string; readonly fails: string } {
  type Key = BorderRecord['parameter'];
  // If the parameters interact, the set passes with all values close to their borders.
  const borders = interacts ? [] : own;
  const conditions = plan.flatMap((planned) => {
    const mutator = mutators.find(
      ({ server, id }) => server === planned.server && id === planned.id,
    );
    return (mutator?.dimensions ?? []).flatMap((dimension) => {
      const { key, timing, leastEffect } = dimension;
      const value = plannedValue(planned, dimension);
      const isOf = (one: Key) =>
        one.server === planned.server &&
        one.id === planned.id &&
        one.key === key &&
        one.timing === timing;
      const border = borders.find(({ parameter }) => isOf(parameter));
      const isLeast =
        leastEffect !== undefined && value !== undefined && equals(value, leastEffect);
      if (value === undefined || (border === undefined && isLeast) || idle.some(isOf)) return [];
      const title = parameterTitle(mutator as SpaceMutator, dimension, mutators);
      return [conditionText(title, dimension, value, border)];
    });
  });
  const isGradual = borders.length === 1 && borders[0]?.ended === 'gradual';
  return {
    conditions: conditions.length > 0 ? inSeries(conditions) : `with ${planText(plan, shortValue)}`,
    fails: isGradual ? 'fails more and more often' : 'fails',
  };
}

function conditionText(
  { name, unit }: ParameterTitle,
  dimension: Dimension,
  value: AttributeValue,
  border: BorderRecord | undefined,
): string {
  const amount = (one: AttributeValue) =>
    unit === undefined ? `${name} ${shortValue(one)}` : `${shortValue(one)} ${unit} of ${name}`;
  const exactly = unit === undefined ? amount(value) : `${name} at ${shortValue(value)} ${unit}`;
  const isLine = dimension.kind !== 'choice' && !dimension.circular;
  if (border === undefined || border.ended === 'unclear' || !isLine) return `with ${exactly}`;
  // The far end of the interval that contains the border. Beyond this end, the set fails in any
  // case.
  const at = border.ended === 'gradual' ? border.risesFrom : border.to;
  const isUpwards = (compare(value, border.safe) ?? 0) >= 0;
  return isUpwards ? `from ${amount(at)} on` : `at ${amount(at)} or less`;
}

/** A parameter's name and unit for a sentence. */
interface ParameterTitle {
  readonly name: string;
  readonly unit: string | undefined;
}

/** Units that can end a parameter name, such as `delay_ms`. */
const UNITS = new Set([
  'ns',
  'us',
  'ms',
  'seconds',
  'minutes',
  'percent',
  'bytes',
  'kb',
  'mb',
  'hz',
]);
/**
 * The parameter name to omit, because mutators with a single parameter often use this uninformative
 * name.
 */
const NAMELESS = 'value';

function parameterTitle(
  mutator: SpaceMutator,
  { name, units, timing }: Dimension,
  mutators: readonly SpaceMutator[],
): ParameterTitle {
  const isUnique = mutators.filter((one) => one.name === mutator.name).length === 1;
  const title = isUnique ? mutator.name : mutatorTitle(mutator);
  const own = name === NAMELESS ? '' : (timing ?? name);
  const words = `${title} ${own}`.split(/[-_\s]+/).filter(Boolean);
  const last = words.at(-1)?.toLowerCase() ?? '';
  const unit = units ?? (UNITS.has(last) ? last : undefined);
  const isUnit = words.length > 1 && (last === unit || UNITS.has(last));
  return { name: (isUnit ? words.slice(0, -1) : words).join(' '), unit };
}

/** Joins texts into a series, such as `a, b and c`. */
export function inSeries(parts: readonly string[]): string {
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}

/** Formats a text as a sentence, with a capital letter and a period. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
