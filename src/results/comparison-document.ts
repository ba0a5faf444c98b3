import { plural } from '../basics/index.js';
import {
  type ComparedAttempts,
  type DetectableDifference,
  type MatchedMeasurements,
  type RunAttempts,
  type RunComparison,
  type RunDifference,
  type SharedSet,
  setsFailingOnlyIn,
} from '../comparison/index.js';
import type { Plan, RunState } from '../runner/index.js';
import { tally } from '../runner/index.js';
import {
  type ContrastPart,
  differenceText,
  isTimeContrast,
  toContrastPart,
} from './contrast-part.js';

/** Two runs and their differences. */
export interface ComparisonResult {
  readonly a: RunOfComparison;
  readonly b: RunOfComparison;
  readonly attempts: ComparedAttempts;
  readonly measurements: MatchedMeasurements;
  /** The names of the settings that differ between the runs. */
  readonly settings: readonly string[];
  readonly comparison: RunComparison;
}

export interface RunOfComparison {
  /** The directory, as specified by the user. */
  readonly directory: string;
  readonly state: RunState;
  /** Number of compared attempts whose sessions are missing. */
  readonly gone: number;
}

/** The verdict on B, compared with A. */
export type ComparisonVerdict = 'worse' | 'better' | 'different' | 'same' | 'not comparable';

/** A comparison of two runs, prepared for output. */
export interface ComparisonDocument {
  readonly verdict: ComparisonVerdict;
  /** The result in one or two sentences. */
  readonly sentence: string;
  readonly a: ComparedRunPart;
  readonly b: ComparedRunPart;
  /** Notes on compared and excluded aspects. */
  readonly notes: readonly string[];
  readonly contrasts: readonly ContrastPart[];
  /** Lines on event names that occur in only one run, in too few attempts for a conclusion. */
  readonly names: readonly string[];
  readonly sets: readonly SetPart[];
  /** Number of omitted sets that failed in only one run. */
  readonly moreSets: number;
}

export interface ComparedRunPart {
  readonly directory: string;
  readonly objective: string;
  /** The numbers of compared and omitted attempts. */
  readonly attempts: string;
}

/** A set that failed in only one of the runs. */
export interface SetPart {
  readonly fails: 'A' | 'B';
  readonly plan: Plan;
  /** Run A's attempts with this set; `b` contains run B's attempts. */
  readonly a: readonly number[];
  readonly b: readonly number[];
}

const MAX_SETS = 5;
const MAX_NAMES = 5;
/** Maximum number of differences in the sentence. */
const MAX_REPORTED = 2;

export function comparisonDocument(result: ComparisonResult): ComparisonDocument {
  const { a, b, attempts, comparison } = result;
  const sets = (['b', 'a'] as const).flatMap((run) =>
    setsFailingOnlyIn(attempts.sets, run).map((set) => setPart(set, run === 'a' ? 'A' : 'B')),
  );
  return {
    verdict: comparisonVerdict(result),
    sentence: sentenceOf(result),
    a: runPart(a, attempts.a),
    b: runPart(b, attempts.b),
    notes: notesOf(result),
    contrasts: comparison.differences.filter(isReported).map(toContrastPart),
    names: nameLines(comparison.differences),
    sets: sets.slice(0, MAX_SETS),
    moreSets: Math.max(0, sets.length - MAX_SETS),
  };
}

/** Returns the verdict on B, according to the significant differences. */
export function comparisonVerdict({ attempts, comparison }: ComparisonResult): ComparisonVerdict {
  const found = comparison.differences.filter(({ isSignificant }) => isSignificant);
  const has = (tendency: RunDifference['tendency']) =>
    found.some((one) => one.tendency === tendency);
  if (has('worse')) return 'worse';
  if (found.length > 0) return has('other') ? 'different' : 'better';
  const isCompared = [attempts.a, attempts.b].every(({ judged }) => judged.length > 0);
  return isCompared ? 'same' : 'not comparable';
}

/**
 * True if a difference is listed. Event differences are listed only if significant, because there
 * are many events. Missing verdicts and failing sets are listed only if a run has any.
 */
function isReported({ contrast, isSignificant }: RunDifference): boolean {
  const { kind, a, b } = contrast;
  if (kind === 'event') return isSignificant;
  return (kind !== 'no-verdict' && kind !== 'sets') || a.count + b.count > 0;
}

function sentenceOf(result: ComparisonResult): string {
  const { attempts, comparison } = result;
  const found = comparison.differences.filter(({ isSignificant }) => isSignificant);
  if (found.length === 0) {
    return comparisonVerdict(result) === 'same'
      ? `A and B do not differ significantly. ${visibleText(comparison.detectable, attempts)}`
      : `A and B cannot be compared: ${whyNot(attempts)}.`;
  }
  const [first] = found;
  const reportedDifferences = found
    .filter(({ tendency }) => tendency === first?.tendency)
    .slice(0, MAX_REPORTED);
  const others = found.length - reportedDifferences.length;
  const restText =
    others === 0
      ? 'nothing else differs'
      : `${others} more ${others === 1 ? 'difference' : 'differences'} below`;
  return `${titleOf(reportedDifferences)}: ${[...reportedDifferences.map(differenceText), restText].join('; ')}.`;
}

function titleOf(reportedDifferences: readonly RunDifference[]): string {
  const [first] = reportedDifferences;
  if (first?.tendency === 'other') return 'B differs';
  if (first?.tendency === 'better') return 'B is better';
  const isSlower = ({ contrast }: RunDifference) =>
    'delta' in contrast && contrast.delta > 0 && isTimeContrast(contrast);
  const isFailing = ({ contrast: { kind } }: RunDifference) =>
    kind === 'failed' || kind === 'measurement' || kind === 'sets';
  if (reportedDifferences.every(isSlower)) return 'B is slower';
  return reportedDifferences.every(isFailing) ? 'B fails more often' : 'B is worse';
}

/** Describes the smallest detectable differences. */
function visibleText(
  { more, fewer, share, isPaired }: DetectableDifference,
  { a, b }: ComparedAttempts,
): string {
  const [inA, inB] = [a.judged.length, b.judged.length];
  const failures = [
    ...(more === undefined ? [] : [`${more} or more failures in B`]),
    ...(fewer === undefined ? [] : [`${fewer} or fewer failures in B`]),
    ...(share === undefined
      ? []
      : [`a greater value in B in ${Math.ceil(100 * share)} % of ${isPaired ? 'sets' : 'pairs'}`]),
  ];
  const [last, ...others] = failures.toReversed();
  const attempts = `With ${inA} attempts of A and ${inB} of B`;
  if (last === undefined) return `${attempts}, no difference would be significant.`;
  const allFailures = others.length === 0 ? last : `${others.toReversed().join(', ')} or ${last}`;
  return `${attempts}, ${allFailures} would be significant.`;
}

function whyNot({ basis, a, b }: ComparedAttempts): string {
  const isMade = [a, b].every(({ judged, unjudged }) => judged.length + unjudged.length > 0);
  if (!isMade && basis === 'baselines') return 'A or B has no baseline attempts';
  if (!isMade) return 'A and B have no attempts with sets chosen in the same way';
  const name = a.judged.length === 0 ? 'A' : 'B';
  return `no attempt of ${name} had a verdict`;
}

function runPart({ directory, state }: RunOfComparison, own: RunAttempts): ComparedRunPart {
  const { judged, unjudged, guided, unmatched } = own;
  const { skipped, inconclusive, guarded } = tally({ attempts: unjudged });
  const counts = Object.entries({ skipped, inconclusive, guarded });
  const omissions = [
    ...counts.flatMap(([word, count]) => (count > 0 ? [`${count} ${word}`] : [])),
    ...(guided > 0 ? [`${guided} with sets chosen by margins`] : []),
    ...(unmatched > 0 ? [`${unmatched} without a counterpart`] : []),
  ];
  const omissionText = omissions.length === 0 ? '' : `; left out: ${omissions.join(', ')}`;
  return {
    directory,
    objective: state.run?.objective.name ?? '',
    attempts: `${judged.length} compared${omissionText}`,
  };
}

function notesOf(result: ComparisonResult): readonly string[] {
  const { a, b, measurements, settings } = result;
  const [one, other] = [a.state.run, b.state.run];
  const differ = <T>(read: (run: typeof one) => T) => read(one) !== read(other);
  const { changed, inAAlone, inBAlone } = measurements;
  const notCompared = [
    ...changed.map((name) => `${name} (its check differs)`),
    ...inAAlone.map((name) => `${name} (only in A)`),
    ...inBAlone.map((name) => `${name} (only in B)`),
  ];
  const benches = (run: typeof one) => run?.benches?.map(({ name }) => name).join(', ');
  const missingText = (name: string, { gone }: RunOfComparison) =>
    gone === 0 ? [] : [`event names: ${plural(gone, 'session')} of ${name} missing`];
  return [
    basisNote(result),
    ...(differ((run) => run?.objective.digest) ? ['the objectives differ'] : []),
    ...(notCompared.length === 0 ? [] : [`not compared: ${notCompared.join(', ')}`]),
    ...(settings.length === 0 ? [] : [`different in A and B: ${settings.join(', ')}`]),
    ...(differ(benches)
      ? [`benches: ${benches(one) ?? 'none'} in A, ${benches(other) ?? 'none'} in B`]
      : []),
    ...(differ((run) => run?.perturb)
      ? [
          `versions: Perturb ${one?.perturb ?? 'unknown'} in A, Perturb ${other?.perturb ?? 'unknown'} in B`,
        ]
      : []),
    ...missingText('A', a),
    ...missingText('B', b),
  ];
}

/** Describes the compared attempts, and the basis of the comparison. */
function basisNote({ a, b, attempts: { basis, sets } }: ComparisonResult): string {
  if (basis === 'baselines') return 'only the baseline attempts are compared';
  if (basis === 'same-sets')
    return `A and B chose sets in different ways, so only sets judged in both are compared (${plural(sets.length, 'set')})`;
  const seedText = a.state.run?.seed === b.state.run?.seed ? 'the same seed' : 'different seeds';
  return `A and B chose sets in the same way, with ${seedText}, and have ${plural(sets.length, 'judged set')} in common`;
}

/** Returns lines on events that occur in only one run, possibly by chance. */
function nameLines(differences: readonly RunDifference[]): readonly string[] {
  const events = differences.flatMap(({ contrast, isSignificant }) =>
    contrast.kind === 'event' && !isSignificant ? [contrast] : [],
  );
  return (['a', 'b'] as const).flatMap((run) => {
    const other = run === 'a' ? 'b' : 'a';
    const own = events
      .filter((one) => one[other].count === 0)
      .sort((x, y) => y[run].count - x[run].count);
    if (own.length === 0) return [];
    const shown = own.slice(0, MAX_NAMES).map((one) => `${one.name} (${one[run].count})`);
    const more = own.length > MAX_NAMES ? ` and ${own.length - MAX_NAMES} more` : '';
    return [
      `events of ${run.toUpperCase()} alone, in too few attempts for a conclusion: ${shown.join(', ')}${more}`,
    ];
  });
}

function setPart({ plan, a, b }: SharedSet, fails: 'A' | 'B'): SetPart {
  return { fails, plan, a: a.map(({ n }) => n), b: b.map(({ n }) => n) };
}
