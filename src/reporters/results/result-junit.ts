import type { Metadata } from '../../diagnostics/index.js';
import {
  type ComparisonPart,
  comparisonText,
  type MeasureDocument,
  type MeasurementPart,
  metadataTexts,
  noVerdictText,
  type RunResult,
  runVacuities,
  type TestCase,
  type TestResult,
  vacuityLines,
} from '../../results/index.js';
import { type DoneAttempt, failuresBeside, hasPassed, type RunState } from '../../runner/index.js';
import type { ResultLook } from '../terminal/paint.js';
import { drawEvidence, noteLines, undecidedLines } from './evaluation-text.js';
import { planText } from './run-text.js';

/**
 * A suite for each session, a case for each measurement. Undecided is an error.
 *
 * @param failVacuous whether one that is vacuous in all sessions is a failure
 */
export function measureTests(
  { objective, sessions, overall }: MeasureDocument,
  look: ResultLook,
  failVacuous: boolean,
): TestResult {
  const vacuous = failVacuous ? overall.filter(({ vacuity }) => vacuity.length > 0) : [];
  return {
    name: objective,
    suites: sessions.map(({ name: session, measurements, unread }) => ({
      name: session,
      cases:
        unread === undefined
          ? measurements.map((one) => {
              const tested = measuredCase(session, one, look);
              const found = vacuous.find(({ name }) => name === one.name);
              return found && tested.outcome === undefined
                ? { ...tested, outcome: vacuousOutcome(found.vacuity) }
                : tested;
            })
          : [unreadCase(session, unread)],
    })),
  };
}

function vacuousOutcome(lines: readonly string[]): NonNullable<TestCase['outcome']> {
  return { kind: 'failure', type: 'vacuous', message: lines.join('; ') };
}

function unreadCase(classname: string, unread: readonly string[]): TestCase {
  const [message = ''] = unread;
  const outcome = { kind: 'error', type: 'unread', message, text: unread.join('\n') } as const;
  return { classname, name: 'the session can be read', outcome };
}

function measuredCase(classname: string, part: MeasurementPart, look: ResultLook): TestCase {
  const { name, metadata, status, verdict, evaluation, vacuity } = part;
  const isVacuous = vacuity.length > 0;
  const properties = { ...metadataTexts(metadata), ...(isVacuous && { vacuous: 'true' }) };
  const about = {
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(isVacuous && { output: vacuity.map((line) => `vacuous: ${line}`).join('\n') }),
  };
  if (verdict === 'passed') return { classname, name, ...about };
  const lines = detail(part);
  const [message = ''] = lines;
  const diagram = verdict === 'failed' ? drawEvidence(evaluation, look) : '';
  const text = [...lines, ...(diagram === '' ? [] : ['', diagram])].join('\n');
  const kind = verdict === 'failed' ? 'failure' : 'error';
  return { classname, name, outcome: { kind, type: status, message, text }, ...about };
}

/** The reason for a verdict, line by line; the comparisons that decide it come first. */
function detail({ shouldPass, status, evaluation }: MeasurementPart): string[] {
  const { comparisons, noBinding } = evaluation;
  const isDecisive = ({ verdict }: ComparisonPart) => Number((verdict === 'passed') !== shouldPass);
  const sorted = [...comparisons].sort((a, b) => isDecisive(b) - isDecisive(a));
  const binding = status === 'holds' ? 'there is a binding' : 'there is no binding';
  return [
    ...undecidedLines(evaluation),
    ...(comparisons.length === 0 && status !== 'undecided'
      ? [binding]
      : sorted.map(comparisonText)),
    ...noteLines(evaluation),
    ...(noBinding === undefined ? [] : [noBinding]),
  ];
}

/**
 * A run as a suite: an attempt is a case, and so is what fails the run beside them. A case has the
 * metadata of the measurements that failed in it, or of all if none failed.
 */
export function runTests(
  state: RunState,
  measurements: RunResult['measurements'] = new Map(),
): TestResult {
  const { run, attempts, baselines, elapsed, end } = state;
  const own = attempts.filter(({ shrinks }) => shrinks === undefined);
  const name = run?.objective.name ?? 'objective';
  return {
    name,
    time: seconds(elapsed),
    suites: [
      {
        name,
        cases: [
          ...baselines.map((one) =>
            baselineCase(name, one, one === baselines.at(-1) ? end : undefined),
          ),
          ...own.map((one) => attemptCase(name, one, measurements)),
          ...(run?.failVacuous ? runVacuities(state) : []).map((vacuity) => ({
            ...{ classname: name, name: `tested: ${vacuity.name}` },
            outcome: vacuousOutcome(vacuityLines(vacuity)),
          })),
          ...endCases(name, state),
        ],
      },
    ],
  };
}

/** An error where a run came to no verdict: its attempts alone could all have passed. */
function endCases(classname: string, state: RunState): TestCase[] {
  const message = noVerdictText(state);
  const type = state.end?.reason ?? 'not-ended';
  // The case of that baseline fails.
  if (message === undefined || type === 'baseline') return [];
  const outcome = { kind: 'error', type, message } as const;
  return [{ classname, name: 'the run comes to a verdict', outcome }];
}

/** @param end of the run, for the last baseline: if a baseline ended it, it was that one */
function baselineCase(
  classname: string,
  { n, result }: DoneAttempt,
  end: RunState['end'] | undefined,
): TestCase {
  const tested = { classname, name: `baseline ${n}: no mutation` };
  if (end?.reason === 'baseline') {
    return { ...tested, outcome: { kind: 'failure', type: 'baseline', message: end.detail ?? '' } };
  }
  if (result.outcome !== 'inconclusive') return tested;
  return { ...tested, outcome: { kind: 'skipped', message: result.reasons.join('\n') } };
}

function attemptCase(
  classname: string,
  { n, plan, result }: DoneAttempt,
  measurements: RunResult['measurements'],
): TestCase {
  const text = planText(plan);
  const vacuous = result.measurements.filter((one) => one.vacuous).map(({ name }) => name);
  const notable = {
    ...(vacuous.length > 0 && { vacuous: vacuous.join(', ') }),
    ...(result.lost !== undefined && { lost_lines: String(result.lost) }),
  };
  const notes = Object.entries(notable).map(([key, value]) => `${key}: ${value}`);
  const failed = result.measurements.filter((one) => hasPassed(one) === false);
  const concerned = failed.length > 0 ? failed : result.measurements;
  const metadata = joined(concerned.map(({ name }) => measurements.get(name)?.metadata));
  const properties = { ...metadataTexts(metadata), ...notable };
  const tested = {
    ...{ classname, name: `attempt ${n}: ${text}`, time: seconds(result.ms) },
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(notes.length > 0 && { output: notes.join('\n') }),
  };
  const message = result.reasons.join('\n');
  switch (result.outcome) {
    case 'passed':
      return tested;
    case 'skipped':
      return { ...tested, outcome: { kind: 'skipped', message } };
    case 'inconclusive':
    case 'guarded':
      return { ...tested, outcome: { kind: 'error', type: result.outcome, message, text } };
    case 'failed': {
      const failures = failed.map(
        ({ name, shouldPass }) => `${name} ${shouldPass ? 'fails' : 'holds, but should not'}`,
      );
      const beside = failuresBeside(result);
      const message = [...failures, ...beside.map(([, text]) => text)].join('; ');
      const other = result.command?.failure === undefined ? 'recovery' : 'command';
      const type = failed.length > 0 ? 'measurement' : other;
      return { ...tested, outcome: { kind: 'failure', type, message, text } };
    }
  }
}

/** The metadata of several measurements together, each value once. */
function joined(all: readonly (Metadata | undefined)[]): Metadata {
  const values = new Map<string, Set<string>>();
  for (const [word, some] of all.flatMap((one) => Object.entries(one ?? {}))) {
    values.set(word, new Set([...(values.get(word) ?? []), ...some]));
  }
  return Object.fromEntries([...values].map(([word, some]) => [word, [...some]]));
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}
