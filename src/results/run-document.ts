import { plural } from '../basics/index.js';
import type { Metadata } from '../diagnostics/index.js';
import {
  type BorderRecord,
  causesOf,
  causeText,
  type DoneAttempt,
  hasPassed,
  nonMeasurementFailuresOf,
  type Plan,
  plannedValues,
  type RunState,
  type ShrunkRecord,
} from '../runner/index.js';
import { type AttributeValue, defined } from '../values/index.js';
import { type AttemptPart, attemptPart, measurementVerdict } from './attempt-part.js';
import { shortValue } from './axis.js';
import { borderText, INTERACTION_NOTE, idleText } from './borders.js';
import { type Chart, chartOf } from './chart.js';
import { type EvaluationPart, evaluationPart } from './evaluation-part.js';
import { mutatorTitle, plannedText } from './evidence-text.js';
import { type Headline, headlineOf } from './headline.js';
import type { MeasurementFindings, Verdict } from './measured.js';
import { picturedEvidence, pictureOf } from './picture.js';
import {
  benchLines,
  benchRates,
  closestAttempts,
  closestText,
  rateText,
  repeatedLines,
} from './rates.js';
import {
  explainingParametersOf,
  isParameter,
  parametersOf,
  type Sample,
  type SpaceParameter,
  samplesOf,
} from './regions.js';
import {
  baselineText,
  countsText,
  failedInShrinking,
  lastShrunkAttempt,
  notShrunkText,
  noVerdictText,
  type RunProgress,
  type RunResult,
  replayCommand,
  setsText,
  shellWord,
  shrunkTexts,
  tookText,
} from './run-facts.js';
import { failsUnused, unusedMutators, unusedText } from './unused.js';
import { describeVacuity, runVacuities } from './vacuity.js';

/** A run's result, prepared for output. */
export interface RunDocument {
  readonly objective: string;
  readonly headline: Headline;
  readonly facts: RunFacts;
  /** The run's duration in milliseconds. */
  readonly ms: number;
  /**
   * The reason for a missing verdict; undefined if the run has a verdict. All attempts may have
   * passed nevertheless.
   */
  readonly noVerdict: { readonly reason: string; readonly text: string } | undefined;
  readonly measurements: readonly RunMeasurementPart[];
  readonly benches: readonly BenchPart[];
  /** Lines on benches that fail significantly more often than the others. */
  readonly unlikeBenches: readonly string[];
  /** For each measurement that never failed, the attempt closest to failing. */
  readonly closest: readonly { readonly name: string; readonly text: string }[];
  readonly vacuous: readonly { readonly name: string; readonly lines: readonly string[] }[];
  readonly findings: MeasurementFindings;
  /** True if vacuous measurements fail the run. */
  readonly failsVacuous: boolean;
  /** Planned mutators that were never in force in a counted attempt, with the reasons. */
  readonly unused: readonly { readonly name: string; readonly text: string }[];
  /** True if unused mutators fail the run. */
  readonly failsUnused: boolean;
  readonly repeated: readonly string[];
  readonly shrunk: readonly ShrinkingPart[];
  readonly baselines: readonly AttemptPart[];
  /** The baseline failure that ended the run, if any. */
  readonly baselineFailure: string | undefined;
  /** All attempts except shrinking attempts. */
  readonly attempts: readonly AttemptPart[];
}

/** A run's result with details of each cause, for a report. */
export interface RunReportDocument extends RunDocument {
  readonly causes: readonly CausePart[];
  readonly parameters: readonly SpaceParameter[];
  /** The state of an unfinished run; undefined if the run has ended. */
  readonly unfinishedRun: UnfinishedRunPart | undefined;
}

/** An unfinished run. It may be running, or may have been killed. */
export interface UnfinishedRunPart {
  /** The time of the run's last known state. */
  readonly at: string;
  /** The run's progress; undefined unless it is running. */
  readonly progress: RunProgress | undefined;
  /** The mutations that are or may be in force. */
  readonly inForce: readonly string[];
  /** The command that resumes the run. */
  readonly resume: string;
}

export interface RunFacts {
  readonly ended: string;
  readonly attempts: string;
  readonly sets: string | undefined;
  readonly baseline: string | undefined;
  readonly began: string | undefined;
  readonly time: string;
  readonly strategy: string;
  readonly repeats: string | undefined;
  readonly notShrunk: string | undefined;
  readonly versions: string;
  readonly origin: string;
  readonly only: string | undefined;
  readonly servers: string;
  readonly command: string | undefined;
  readonly directory: string;
}

export interface RunMeasurementPart {
  readonly name: string;
  readonly metadata: Metadata | undefined;
  readonly shouldPass: boolean;
  /** The formatted expression; undefined if it is not in the journal. */
  readonly check: string | undefined;
  readonly verdict: Verdict;
  /** The number of attempts with each verdict, excluding shrinking. */
  readonly counts: Readonly<Record<Verdict, number>>;
  /** Number of failures during shrinking; undefined for a run without shrinking. */
  readonly failedInShrinking: number | undefined;
}

export interface BenchPart {
  readonly bench: string;
  readonly passed: number;
  readonly failed: number;
  /** The failure rate; empty if the bench judged no attempt. */
  readonly rate: string;
}

/** The result of shrinking. */
export interface ShrinkingPart {
  /** The attempt whose set was shrunk. */
  readonly of: number;
  /**
   * The reason if shrinking found no set that causes the failure. If present, the other members are
   * meaningless.
   */
  readonly none: string | undefined;
  readonly title: string;
  readonly rate: string;
  readonly found: string;
  /** Sentences on the values at which parameters begin to matter. */
  readonly borders: readonly string[];
  readonly plan: Plan;
  readonly values: readonly {
    readonly parameter: string;
    readonly value: AttributeValue;
    readonly leastEffect: AttributeValue | undefined;
  }[];
  readonly repeat: string;
}

/** A cause of failures: a measurement, or another cause such as the command. */
export interface CausePart {
  readonly name: string;
  /** A sentence on the number of attempts that failed for this cause. */
  readonly title: string;
  /**
   * The attempts that failed for this cause, ordered by their number of mutations. Includes
   * shrinking attempts only if no other attempt failed.
   */
  readonly failed: readonly AttemptPart[];
  readonly shrunk: readonly ShrinkingPart[];
  /** The evidence of an attempt with the fewest mutations. */
  readonly evidence?: { readonly attempt: number; readonly evaluation: EvaluationPart };
  /** The sets of the judged attempts, for plots. */
  readonly samples: readonly Sample[];
  /**
   * The attempts in the plane of the parameters that best explain the failures; undefined if no
   * attempt failed.
   */
  readonly chart: Chart | undefined;
}

export function runDocument(result: RunResult): RunDocument {
  const { state } = result;
  const { run, end } = state;
  const noVerdict = noVerdictText(state);
  return {
    objective: run?.objective.name ?? '',
    headline: headlineOf(result),
    facts: factsOf(result),
    ms: state.elapsed,
    noVerdict:
      noVerdict === undefined ? undefined : { reason: end?.reason ?? 'not-ended', text: noVerdict },
    measurements: measurementParts(result),
    benches: benchRates(state).map(({ bench, tried, failed }) => ({
      ...{ bench, passed: tried - failed, failed },
      rate: tried === 0 ? '' : rateText(failed, tried),
    })),
    unlikeBenches: benchLines(state),
    closest: closestAttempts(state).map((one) => ({ name: one.name, text: closestText(one) })),
    vacuous: runVacuities(state).map((one) => ({ name: one.name, lines: describeVacuity(one) })),
    findings: result.findings,
    failsVacuous: run?.failVacuous === true,
    unused: unusedMutators(state).map((one) => {
      return { name: mutatorTitle(one.mutator), text: unusedText(one) };
    }),
    failsUnused: failsUnused(state),
    repeated: repeatedLines(state),
    shrunk: state.shrunkSets.map((one) => shrinkingPart(one, result)),
    baselines: state.baselines.map((one) => attemptPart(one, result)),
    baselineFailure: end?.reason === 'baseline' ? (end.detail ?? '') : undefined,
    attempts: ownAttempts(state).map((one) => attemptPart(one, result)),
  };
}

/** Describes a run in full. */
export function runReportDocument(result: RunResult): RunReportDocument {
  return {
    ...runDocument(result),
    causes: causeParts(result),
    parameters: parametersOf(result.space),
    unfinishedRun: result.state.end === undefined ? unfinishedRunPart(result) : undefined,
  };
}

function unfinishedRunPart({ state, directory, progress }: RunResult): UnfinishedRunPart {
  const { startedAt = 0, elapsed, openAttempts, activeMutations } = state;
  return {
    at: dateText(progress?.at ?? startedAt + elapsed),
    progress,
    inForce: activeMutations.map(({ n, at, name, bench }) => {
      const planned = openAttempts.find((one) => one.n === n && one.bench === bench)?.plan[at];
      const where = bench === undefined ? '' : ` on bench ${bench}`;
      return `${planned === undefined ? name : plannedText(planned, shortValue)}${where}`;
    }),
    resume: `perturb objective run --resume ${shellWord(directory)}`,
  };
}

/** Formats a time with seconds, such as `2026-03-02 09:30:00 UTC`. */
function dateText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function ownAttempts({ attempts }: RunState): readonly DoneAttempt[] {
  return attempts.filter(({ shrinks }) => shrinks === undefined);
}

function factsOf({ state, directory, ended, ...result }: RunResult): RunFacts {
  const { run, startedAt, elapsed } = state;
  const replay = run?.replay;
  return {
    ...{ ended, directory, time: tookText(elapsed) },
    attempts: countsText(state),
    sets: setsText({ state, ...result }),
    baseline: baselineText(state),
    began: startedAt === undefined ? undefined : dateText(startedAt),
    strategy: `${run?.strategy ?? ''}, seed ${run?.seed ?? ''}`,
    repeats: replay && `attempt ${replay.attempt} of run ${replay.run}`,
    notShrunk: notShrunkText(state),
    versions: [
      ...(run?.perturb === undefined ? [] : [`Perturb ${run.perturb}`]),
      `journal ${run?.version ?? ''}`,
      `planner ${run?.planner ?? 1}`,
    ].join(', '),
    origin: run?.objective.origin ?? '',
    only: run?.only?.join(', '),
    servers: run?.servers.join(', ') ?? '',
    command: run?.command?.join(' '),
  };
}

function measurementParts({ state, measurements }: RunResult): RunMeasurementPart[] {
  const last = new Map(
    state.attempts.flatMap(({ result }) => result.measurements.map((one) => [one.name, one])),
  );
  const own = ownAttempts(state);
  const hasShrunk = own.length < state.attempts.length;
  return [...last.values()].map(({ name, shouldPass }) => {
    const verdicts = own.flatMap(({ result }) =>
      result.measurements.filter((one) => one.name === name).map(measurementVerdict),
    );
    const count = (verdict: Verdict) => verdicts.filter((one) => one === verdict).length;
    const [passed, failed] = [count('passed'), count('failed')];
    const { check, metadata } = measurements.get(name) ?? {};
    return {
      ...{ name, metadata, shouldPass, check },
      verdict: failed > 0 ? 'failed' : passed > 0 ? 'passed' : 'undecided',
      counts: { passed, failed, undecided: count('undecided') },
      failedInShrinking: hasShrunk ? failedInShrinking(state, name) : undefined,
    };
  });
}

/** Describes the result of shrinking. */
export function shrinkingPart(
  record: ShrunkRecord,
  { state, space, directory }: Pick<RunResult, 'state' | 'space' | 'directory'>,
): ShrinkingPart {
  const { of, plan, borders, idle, interacts } = record;
  const known = parametersOf(space);
  const find = (key: BorderRecord['parameter']) => known.find((one) => isParameter(one, key));
  const values = plan.flatMap((planned) => {
    const { server, id } = planned;
    return plannedValues(planned).map(({ key, timing, value }) => {
      const { leastEffect } = find({ server, id, key, ...defined({ timing }) })?.dimension ?? {};
      const name = timing === undefined ? key : `timing.${timing}, ms`;
      return { parameter: `${mutatorTitle(planned)} ${name}`, value, leastEffect };
    });
  });
  const repeat = replayCommand(directory, lastShrunkAttempt(state, record) ?? of);
  const sentences = [
    ...borders.map((one) => {
      const { title = one.parameter.key, dimension } = find(one.parameter) ?? {};
      return borderText(one, title, dimension?.units);
    }),
    ...idle.map((one) => idleText(find(one)?.title ?? one.key)),
    ...(interacts ? [INTERACTION_NOTE] : []),
  ];
  return { of, plan, values, repeat, borders: sentences, ...shrunkTexts(record) };
}

function causeParts(result: RunResult): CausePart[] {
  const { state, space } = result;
  const shown = attemptsToShow(state);
  const names = new Set(
    state.attempts.flatMap(({ result: { measurements, ...others } }) => [
      ...measurements.map(({ name }) => name),
      ...nonMeasurementFailuresOf(others).map(({ cause }) => cause),
    ]),
  );
  return [...names].map((cause) => {
    const all = state.attempts
      .filter((one) => causesOf(one).includes(cause))
      .sort((a, b) => a.plan.length - b.plan.length || a.n - b.n);
    const own = all.filter(({ shrinks }) => shrinks === undefined);
    const failed = own.length > 0 ? own : all;
    const samples = samplesOf(state.attempts, cause);
    const attempt = shown.get(cause);
    const explaining =
      failed.length > 0 ? explainingParametersOf(state, space, cause, samples) : undefined;
    return {
      name: causeText(cause),
      title:
        own.length > 0
          ? `Failed in ${own.length} of ${plural(samples.length, 'attempt')}, ${rateText(own.length, samples.length)}`
          : `Failed only in ${plural(all.length, 'attempt')} that shrank another failure`,
      failed: failed.map((one) => attemptPart(one, result)),
      shrunk: state.shrunkSets
        .filter((one) => one.cause === cause)
        .map((one) => shrinkingPart(one, result)),
      ...(attempt && { evidence: evidenceOf(cause, attempt, result) }),
      samples,
      chart: explaining && chartOf(state, cause, explaining),
    };
  });
}

function evidenceOf(
  name: string,
  { n, result }: DoneAttempt,
  { sessions }: RunResult,
): NonNullable<CausePart['evidence']> {
  const { details = {} } = result.measurements.find((one) => one.name === name) ?? {};
  const session = sessions.get(n);
  const shown = picturedEvidence(details.evidence ?? []);
  const picture = session && shown && pictureOf(session, shown);
  return { attempt: n, evaluation: evaluationPart(details, [], picture) };
}

/**
 * Returns an attempt with the fewest mutations for each failed measurement, to show its evidence.
 */
export function attemptsToShow({ attempts }: RunState): ReadonlyMap<string, DoneAttempt> {
  const shown = new Map<string, DoneAttempt>();
  for (const attempt of attempts) {
    for (const one of attempt.result.measurements) {
      if (hasPassed(one) !== false) continue;
      const known = shown.get(one.name)?.plan.length ?? Number.POSITIVE_INFINITY;
      // Among shrinking attempts with equally many mutations, later attempts are closer to the
      // least effect.
      const isSmaller = attempt.plan.length < known;
      if (isSmaller || (attempt.plan.length === known && attempt.shrinks !== undefined)) {
        shown.set(one.name, attempt);
      }
    }
  }
  return shown;
}
