import type { Finding } from '../../diagnostics/index.js';
import {
  type AttemptPart,
  type ComparisonPart,
  comparisonText,
  joinMetadataValues,
  type MeasurementDocument,
  type MeasurementPart,
  planText,
  type RunDocument,
  type TestCase,
  type TestResult,
} from '../../results/index.js';
import { compactLine } from '../report.js';
import type { ResultLook } from '../terminal/paint.js';
import { drawEvidence, formatNearMisses, noteLines, undecidedLines } from './evaluation-text.js';
import { evidenceText } from './run-text.js';

/**
 * Returns a suite for each session, with a case for each measurement. An undecided measurement is
 * an error.
 *
 * @param failVacuous true to fail measurements that are vacuous in all sessions
 */
export function testsOfMeasurements(
  { objective, sessions, overall, findings }: MeasurementDocument,
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
              const tested = measuredCase(session, one, findings.get(one.name) ?? [], look);
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

function measuredCase(
  classname: string,
  part: MeasurementPart,
  findings: readonly Finding[],
  look: ResultLook,
): TestCase {
  const { name, metadata, status, verdict, evaluation, vacuity } = part;
  const isVacuous = vacuity.length > 0;
  const { order } = evaluation;
  const properties = {
    ...joinMetadataValues(metadata),
    ...(order !== undefined && { order }),
    ...(isVacuous && { vacuous: 'true' }),
  };
  const output = [
    ...vacuity.map((line) => `vacuous: ${line}`),
    ...(verdict === 'passed' ? formatNearMisses(evaluation, look) : []),
    ...findings.map(compactLine),
  ];
  const about = {
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(output.length > 0 && { output: output.join('\n') }),
  };
  if (verdict === 'passed') return { classname, name, ...about };
  const lines = reasonLines(part);
  const [message = ''] = lines;
  const diagram = verdict === 'failed' ? drawEvidence(evaluation, look) : '';
  const text = [...lines, ...(diagram === '' ? [] : ['', diagram])].join('\n');
  const kind = verdict === 'failed' ? 'failure' : 'error';
  return { classname, name, outcome: { kind, type: status, message, text }, ...about };
}

/** Returns the reasons for a verdict, starting with the decisive comparisons. */
function reasonLines({ shouldPass, status, evaluation }: MeasurementPart): string[] {
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
 * Returns a run as one suite. The cases are the attempts, and the other possible reasons for a
 * run's failure.
 */
export function testsOfRun(document: RunDocument): TestResult {
  const { objective: name, ms, baselines, baselineFailure, attempts } = document;
  const lastBaseline = baselines.at(-1);
  return {
    name,
    time: seconds(ms),
    suites: [
      {
        name,
        cases: [
          ...baselines.map((one) =>
            baselineCase(name, one, one === lastBaseline ? baselineFailure : undefined),
          ),
          ...attempts.map((one) => attemptCase(name, one)),
          ...[...document.findings].map(([measurement, findings]) => ({
            ...{ classname: name, name: `checked: ${measurement}` },
            output: findings.map(compactLine).join('\n'),
          })),
          ...(document.failsVacuous ? document.vacuous : []).map((one) => ({
            ...{ classname: name, name: `tested: ${one.name}` },
            outcome: vacuousOutcome(one.lines),
          })),
          ...(document.failsUnused ? document.unused : []).map(({ name: mutator, text }) => ({
            ...{ classname: name, name: `in force: ${mutator}` },
            outcome: { kind: 'failure', type: 'unused', message: text } as const,
          })),
          ...endCases(document),
        ],
      },
    ],
  };
}

/** Returns an error case for a run without a verdict, because all attempts may have passed. */
function endCases({ objective: classname, noVerdict, baselineFailure }: RunDocument): TestCase[] {
  // The failed baseline already has a case.
  if (noVerdict === undefined || baselineFailure !== undefined) return [];
  const outcome = { kind: 'error', type: noVerdict.reason, message: noVerdict.text } as const;
  return [{ classname, name: 'the run reaches a verdict', outcome }];
}

/**
 * Returns a baseline's case.
 *
 * @param failure this baseline's failure, if it ended the run
 */
function baselineCase(
  classname: string,
  { n, outcome, why }: AttemptPart,
  failure: string | undefined,
): TestCase {
  const tested = { classname, name: `baseline ${n}: no mutation` };
  if (failure !== undefined) {
    return { ...tested, outcome: { kind: 'failure', type: 'baseline', message: failure } };
  }
  if (outcome !== 'inconclusive') return tested;
  return { ...tested, outcome: { kind: 'skipped', message: why.join('\n') } };
}

function attemptCase(classname: string, attempt: AttemptPart): TestCase {
  const { n, outcome, plan, failures, failing, why, metadata, vacuous, lost, ms, repeat } = attempt;
  const text = planText(plan);
  const notable = {
    ...(vacuous.length > 0 && { vacuous: vacuous.join(', ') }),
    ...(lost !== undefined && { lost_lines: String(lost) }),
  };
  const notes = Object.entries(notable).map(([key, value]) => `${key}: ${value}`);
  const properties = { ...joinMetadataValues(metadata), ...notable };
  const tested = {
    ...{ classname, name: `attempt ${n}: ${text}`, time: seconds(ms) },
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(notes.length > 0 && { output: notes.join('\n') }),
  };
  const message = why.join('\n');
  switch (outcome) {
    case 'passed':
      return tested;
    case 'skipped':
      return { ...tested, outcome: { kind: 'skipped', message } };
    case 'inconclusive':
    case 'guarded':
      return { ...tested, outcome: { kind: 'error', type: outcome, message, text } };
    case 'failed': {
      const message = failures.map(({ sentence }) => sentence).join('; ');
      const type = failures[0]?.kind ?? 'measurement';
      const found = failing.map((one) => `${one.name}: ${one.found}\n${evidenceText(one)}`);
      const lines = [text, ...found, `to repeat: ${repeat}`].map((one) => one.trimEnd());
      return { ...tested, outcome: { kind: 'failure', type, message, text: lines.join('\n') } };
    }
  }
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}
