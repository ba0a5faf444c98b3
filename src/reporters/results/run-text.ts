import { baselineText, countsText, type RunResult } from '../../results/index.js';
import {
  hasPassed,
  type MeasuredRecord,
  type MeasurementResult,
  type Plan,
  type RunState,
  type ShrunkRecord,
} from '../../runner/index.js';
import { format } from '../../values/index.js';
import { renderFacts, renderTable, type TableLook } from '../terminal/table.js';

/** A set as people read it: `wind speed=12.5 mode=gust + link loss=0.4`. */
export function planText(plan: Plan): string {
  if (plan.length === 0) return 'no mutation';
  return plan
    .map(({ name, probe, params }) =>
      [
        probe === undefined ? name : `${name}@${probe}`,
        ...[...params].map(([key, value]) => `${key}=${format(value)}`),
      ].join(' '),
    )
    .join(' + ');
}

/** How many of the attempts that did not pass are shown; the journal has all. */
const MOST_SHOWN = 5;

export function summaryText({ state, directory, ended, time }: RunResult, look: TableLook): string {
  const { run } = state;
  const baseline = baselineText(state);
  const facts = [
    ['objective', run?.objective.name ?? ''],
    ['ended', ended],
    ['attempts', countsText(state)],
    ...(baseline === undefined ? [] : [['baseline', baseline] as const]),
    ['time', time],
    ['strategy', `${run?.strategy ?? ''}, seed ${run?.seed ?? ''}`],
    ['kept in', directory],
  ] as const;
  const parts = [
    renderFacts(facts, look),
    measurementTable(state, look),
    attemptTable(state, look),
    ...state.shrunk.map((one) => shrunkText(one, look)),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function measurementTable({ attempts }: RunState, look: TableLook): string {
  const own = attempts.filter(({ shrinks }) => shrinks === undefined);
  const byName = new Map<string, MeasurementResult[]>();
  for (const { result } of own) {
    for (const one of result.measurements) {
      byName.set(one.name, [...(byName.get(one.name) ?? []), one]);
    }
  }
  if (byName.size === 0) return '';
  const rows = [...byName].map(([name, results]) => {
    const count = (value: boolean | undefined) =>
      `${results.filter((one) => hasPassed(one) === value).length}`;
    return [name, count(true), count(false), count(undefined)];
  });
  return renderTable(['MEASUREMENT', 'PASSED', 'FAILED', 'UNDECIDED'], rows, look);
}

function attemptTable({ attempts }: RunState, look: TableLook): string {
  const own = attempts.filter(({ shrinks }) => shrinks === undefined);
  const notPassed = own.filter(({ result }) => result.outcome !== 'passed');
  const order = ['failed', 'inconclusive', 'skipped'];
  const shown = [...notPassed]
    .sort((a, b) => order.indexOf(a.result.outcome) - order.indexOf(b.result.outcome) || a.n - b.n)
    .slice(0, MOST_SHOWN);
  if (shown.length === 0) return '';
  const rows = shown.map(({ n, plan, result }) => [
    `${n}`,
    result.outcome,
    planText(plan),
    whyText(result),
  ]);
  const more = notPassed.length - shown.length;
  const rest = more > 0 ? `and ${more} more\n` : '';
  return renderTable(['ATTEMPT', 'OUTCOME', 'SET', 'WHY'], rows, look) + rest;
}

/** What an attempt failed for, or else why it came to no verdict. */
function whyText({ outcome, measurements, reasons, command }: MeasuredRecord): string {
  if (outcome !== 'failed') return reasons.join('; ');
  const names = measurements.filter((one) => hasPassed(one) === false).map(({ name }) => name);
  return [...names, ...(command?.failure === undefined ? [] : [command.failure])].join('; ');
}

function shrunkText(
  { of, plan, tried, failed, before, attempts, budget }: ShrunkRecord,
  look: TableLook,
) {
  if (plan.length === 0) {
    const rate = `the system fails without mutations: ${failed} of ${tried} times`;
    return renderFacts([[`attempt ${of}`, rate]], look);
  }
  if (before.failed === 0) {
    const passed = `could not be repeated: it passed ${before.tried} of ${before.tried} times`;
    return renderFacts([[`attempt ${of}`, passed]], look);
  }
  const maybe = budget ? '; there may be a smaller one' : '';
  const facts = [
    ['smallest set', planText(plan)],
    ['fails', `${failed} of ${tried} times; before, ${before.failed} of ${before.tried}`],
    ['found by', `${attempts} attempts from attempt ${of}${maybe}`],
  ] as const;
  return renderFacts(facts, look);
}
