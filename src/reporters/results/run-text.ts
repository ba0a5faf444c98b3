import { visible } from '../../basics/index.js';
import {
  type AttemptDocument,
  type AttemptMeasurement,
  type AttemptPart,
  type BenchPart,
  planText,
  type RunDocument,
  type RunMeasurementPart,
  type ShrinkingPart,
} from '../../results/index.js';
import { renderFacts, renderTable, type TableStyle } from '../terminal/table.js';
import { eventLines, indentLines, noteLines } from './evaluation-text.js';
import { findingsText } from './measure-text.js';

/** Maximum number of listed attempts that did not pass. The journal contains all attempts. */
const MOST_SHOWN = 5;

/** Returns a run's results as human-readable text. */
export function summaryText(document: RunDocument, look: TableStyle): string {
  const { headline, facts, closest, vacuous } = document;
  const parts = [
    linesText([headline.text]),
    renderFacts(
      [
        ['objective', document.objective],
        ['ended', facts.ended],
        ['attempts', facts.attempts],
        ['sets', facts.sets],
        ['baseline', facts.baseline],
        ['time', facts.time],
        facts.repeats === undefined ? ['strategy', facts.strategy] : ['repeats', facts.repeats],
        ['kept in', facts.directory],
      ],
      look,
    ),
    measurementTable(document.measurements, look),
    benchTable(document.benches, look) + linesText(document.unlikeBenches),
    linesText(closest.map(({ name, text }) => `${name} is closest to failing: ${text}`)),
    linesText(
      vacuous.flatMap(({ name, lines }) => lines.map((line) => `${name} is vacuous: ${line}`)),
    ),
    linesText(document.unused.map(({ name, text }) => `${name} ${text}`)),
    findingsText([...document.findings.values()].flat()),
    attemptTable(document.attempts, look),
    linesText(document.repeated),
    ...document.shrunk.map((one) => shrunkText(one, look)),
    renderFacts([['not shrunk', facts.notShrunk]], look),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function measurementTable(measurements: readonly RunMeasurementPart[], look: TableStyle): string {
  if (measurements.length === 0) return '';
  const rows = measurements.map(({ name, counts, failedInShrinking = '' }) =>
    [name, counts.passed, counts.failed, counts.undecided, failedInShrinking].map(String),
  );
  const heads = ['MEASUREMENT', 'PASSED', 'FAILED', 'UNDECIDED', 'FAILED IN SHRINKING?'];
  return renderTable(heads, rows, look);
}

function benchTable(benches: readonly BenchPart[], look: TableStyle): string {
  if (benches.length === 0) return '';
  const rows = benches.map(({ bench, passed, failed, rate }) => [
    ...[bench, `${passed}`, `${failed}`, rate],
  ]);
  return renderTable(['BENCH', 'PASSED', 'FAILED', 'FAILURE RATE'], rows, look);
}

function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${visible(line)}\n`).join('');
}

/**
 * Returns the first attempts that did not pass, the number of omitted attempts, and the command
 * that repeats a failed attempt.
 */
export function attemptsToList(attempts: readonly AttemptPart[]) {
  const notPassed = attempts.filter(({ outcome }) => outcome !== 'passed');
  const order = ['failed', 'guarded', 'inconclusive', 'skipped'];
  const shown = [...notPassed]
    .sort((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome) || a.n - b.n)
    .slice(0, MOST_SHOWN);
  const [first, ...others] = shown.filter(({ outcome }) => outcome === 'failed');
  const numbers = others.length === 0 ? '' : ` (or ${others.map(({ n }) => n).join(', ')})`;
  return {
    ...{ shown, more: notPassed.length - shown.length },
    ...{ repeat: first?.repeat, others: numbers },
  };
}

function attemptTable(attempts: readonly AttemptPart[], look: TableStyle): string {
  const { shown, more, repeat, others } = attemptsToList(attempts);
  if (shown.length === 0) return '';
  const rows = shown.map(({ n, bench = '', outcome, plan, why }) => [
    ...[`${n}`, bench, outcome, planText(plan), why.join('; ')],
  ]);
  const rest = more > 0 ? `and ${more} more\n` : '';
  const again = repeat === undefined ? '' : `to repeat: ${repeat}${others}\n`;
  const heads = ['ATTEMPT', 'BENCH?', 'OUTCOME', 'SET', 'WHY'];
  return renderTable(heads, rows, look) + rest + again;
}

function shrunkText(part: ShrinkingPart, look: TableStyle): string {
  return renderFacts(
    part.none === undefined
      ? [
          [part.title, planText(part.plan)],
          ...part.borders.map((text) => ['border', text] as const),
          ['fails', part.rate],
          ['found in', part.found],
          ['to repeat', part.repeat],
        ]
      : [[`attempt ${part.of}`, part.none]],
    look,
  );
}

/** Returns an attempt's result as human-readable text. */
export function attemptText(document: AttemptDocument, look: TableStyle): string {
  const { measurements } = document;
  const facts = renderFacts(
    [
      ['attempt', document.title],
      ['bench', document.bench],
      ['outcome', document.outcome],
      ...document.why.map((reason) => ['why', reason] as const),
      ['set', planText(document.plan)],
      ['command', document.command],
      ['recovered', document.recovered],
      ['events', `${document.events}`],
      ['took', document.took],
      ['session', document.session],
      ['output', document.output],
      ['to repeat', document.repeat],
    ],
    look,
  );
  if (measurements.length === 0) return facts;
  const rows = measurements.map(({ name, verdict, found }) => [name, verdict, found]);
  const table = renderTable(['MEASUREMENT', 'VERDICT', 'FOUND'], rows, look);
  return [facts, table, ...measurements.map(measurementText)]
    .filter((part) => part !== '')
    .join('\n');
}

/** Renders the evidence of an attempt's failed measurement, indented below its name. */
function measurementText(part: AttemptMeasurement): string {
  const text = part.verdict === 'failed' ? evidenceText(part) : '';
  return text === '' ? '' : `${visible(part.name)}\n${text}`;
}

/** Renders the evidence of an attempt's measurement, indented; empty if the journal has none. */
export function evidenceText({ evaluation }: Pick<AttemptMeasurement, 'evaluation'>): string {
  const look = { textWidth: Number.POSITIVE_INFINITY };
  const parts = [
    ...noteLines(evaluation).map((line) => `${line}\n`),
    ...evaluation.evidence.map((one) => {
      return `${visible(one.title)}:\n${indentLines(eventLines(one, look), '  ')}`;
    }),
  ];
  return indentLines(parts.join(''), '  ');
}
