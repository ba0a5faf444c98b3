import {
  type Measured,
  type MeasureResult,
  type TestCase,
  type TestResult,
  verdictOf,
} from '../../results/index.js';
import { drawEvidence } from './draw-evidence.js';
import { emptyReason, sidesText, undecidedLines } from './evaluation-text.js';
import type { VerdictLook } from './paint.js';

/** A suite for each session, a case for each measurement. Undecided is an error. */
export function measureTests(
  { objective, sessions }: MeasureResult,
  look: VerdictLook,
): TestResult {
  return {
    name: objective,
    suites: sessions.map(({ name, measurements, unread }) => ({
      name,
      cases:
        unread === undefined
          ? measurements.map((measured) => testCase(name, measured, look))
          : [unreadCase(name, unread)],
    })),
  };
}

function unreadCase(classname: string, unread: readonly string[]): TestCase {
  const [message = ''] = unread;
  const outcome = { kind: 'error', type: 'unread', message, text: unread.join('\n') } as const;
  return { classname, name: 'the session can be read', outcome };
}

function testCase(classname: string, measured: Measured, look: VerdictLook): TestCase {
  const { name, evaluation, excerpts } = measured;
  const verdict = verdictOf(measured);
  if (verdict === 'passed') return { classname, name };
  const lines = detail(measured);
  const [message = ''] = lines;
  const diagram = verdict === 'failed' ? drawEvidence(evaluation, excerpts, look) : '';
  const text = [...lines, ...(diagram === '' ? [] : ['', diagram])].join('\n');
  return {
    classname,
    name,
    outcome:
      verdict === 'failed'
        ? { kind: 'failure', type: evaluation.status, message, text }
        : { kind: 'error', type: 'undecided', message, text },
  };
}

/** What came out, a line each, the decisive one first. */
function detail({ shouldPass, evaluation }: Measured): string[] {
  const { measures, status } = evaluation;
  const isWanted = (holds: boolean | undefined) => (shouldPass ? holds !== true : holds === true);
  const sorted = [...measures].sort(
    (a, b) => Number(isWanted(b.holds)) - Number(isWanted(a.holds)),
  );
  const lines = sorted.map(({ text, left, right }) => `${text}: ${sidesText(text, left, right)}`);
  const reason = emptyReason(evaluation);
  const binding = status === 'holds' ? 'there is a binding' : 'there is no binding';
  return [
    ...undecidedLines(evaluation),
    ...(measures.length === 0 && status !== 'undecided' ? [binding] : lines),
    ...(reason === undefined ? [] : [reason]),
  ];
}
