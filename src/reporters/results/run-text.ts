import { visible } from '../../basics/index.js';
import {
  type AttemptDocument,
  type AttemptMeasurement,
  type AttemptPart,
  type BenchPart,
  plannedText,
  type RunDocument,
  type RunMeasurementPart,
  type ShrunkPart,
} from '../../results/index.js';
import type { Plan } from '../../runner/index.js';
import { renderFacts, renderTable, type TableLook } from '../terminal/table.js';
import { eventLines, indented, noteLines } from './evaluation-text.js';
import { findingsText } from './measure-text.js';

/** A set as people read it: `wind speed=12.5 mode=gust + link loss=0.4`. */
export function planText(plan: Plan): string {
  return plan.length === 0 ? 'no mutation' : plan.map((one) => plannedText(one)).join(' + ');
}

/** How many of the attempts that did not pass are shown; the journal has all. */
const MOST_SHOWN = 5;

/** The results of a run, for people. */
export function summaryText(document: RunDocument, look: TableLook): string {
  const { facts, closest, vacuous } = document;
  const parts = [
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

function measurementTable(measurements: readonly RunMeasurementPart[], look: TableLook): string {
  if (measurements.length === 0) return '';
  const rows = measurements.map(({ name, counts, failedInShrinking = '' }) =>
    [name, counts.passed, counts.failed, counts.undecided, failedInShrinking].map(String),
  );
  const heads = ['MEASUREMENT', 'PASSED', 'FAILED', 'UNDECIDED', 'FAILED IN SHRINKING?'];
  return renderTable(heads, rows, look);
}

function benchTable(benches: readonly BenchPart[], look: TableLook): string {
  if (benches.length === 0) return '';
  const rows = benches.map(({ bench, passed, failed, rate }) => [
    ...[bench, `${passed}`, `${failed}`, rate],
  ]);
  return renderTable(['BENCH', 'PASSED', 'FAILED', 'FAILURE RATE'], rows, look);
}

function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${visible(line)}\n`).join('');
}

function attemptTable(attempts: readonly AttemptPart[], look: TableLook): string {
  const notPassed = attempts.filter(({ outcome }) => outcome !== 'passed');
  const order = ['failed', 'guarded', 'inconclusive', 'skipped'];
  const shown = [...notPassed]
    .sort((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome) || a.n - b.n)
    .slice(0, MOST_SHOWN);
  if (shown.length === 0) return '';
  const rows = shown.map(({ n, bench = '', outcome, plan, why }) => [
    ...[`${n}`, bench, outcome, planText(plan), why.join('; ')],
  ]);
  const more = notPassed.length - shown.length;
  const rest = more > 0 ? `and ${more} more\n` : '';
  const [first, ...others] = shown.filter(({ outcome }) => outcome === 'failed');
  const numbers = others.length === 0 ? '' : ` (or ${others.map(({ n }) => n).join(', ')})`;
  const again = first === undefined ? '' : `to repeat: ${first.repeat}${numbers}\n`;
  const heads = ['ATTEMPT', 'BENCH?', 'OUTCOME', 'SET', 'WHY'];
  return renderTable(heads, rows, look) + rest + again;
}

function shrunkText(part: ShrunkPart, look: TableLook): string {
  return renderFacts(
    part.none === undefined
      ? [
          [part.title, planText(part.plan)],
          ['fails', part.rate],
          ['found by', part.found],
          ['to repeat', part.repeat],
        ]
      : [[`attempt ${part.of}`, part.none]],
    look,
  );
}

/** One attempt, for people. */
export function attemptText(document: AttemptDocument, look: TableLook): string {
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
  return [facts, table, ...measurements.map(evidenceText)].filter((part) => part !== '').join('\n');
}

function evidenceText({ name, verdict, evaluation }: AttemptMeasurement): string {
  if (verdict !== 'failed') return '';
  const look = { textWidth: Number.POSITIVE_INFINITY };
  const parts = [
    ...noteLines(evaluation).map((line) => `${line}\n`),
    ...evaluation.evidence.map((one) => {
      return `${visible(one.title)}:\n${indented(eventLines(one, look), '  ')}`;
    }),
  ];
  if (parts.length === 0) return '';
  return `${visible(name)}\n${indented(parts.join(''), '  ')}`;
}
