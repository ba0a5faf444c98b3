import {
  baselineText,
  countsText,
  failedInShrinking,
  notShrunkText,
  type RunResult,
  setsText,
  shrunkTexts,
} from '../../results/index.js';
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

/** The results of a run, for people. */
export function summaryText(result: RunResult, look: TableLook): string {
  const { state, directory, ended, time } = result;
  const { run } = state;
  const baseline = baselineText(state);
  const sets = setsText(result);
  const notShrunk = notShrunkText(state);
  const parts = [
    renderFacts(
      [
        ['objective', run?.objective.name ?? ''],
        ['ended', ended],
        ['attempts', countsText(state)],
        ...(sets === undefined ? [] : [['sets', sets] as const]),
        ...(baseline === undefined ? [] : [['baseline', baseline] as const]),
        ['time', time],
        ['strategy', `${run?.strategy ?? ''}, seed ${run?.seed ?? ''}`],
        ['kept in', directory],
      ],
      look,
    ),
    measurementTable(state, look),
    attemptTable(state, look),
    ...state.shrunk.map((one) => shrunkText(one, look)),
    notShrunk === undefined ? '' : renderFacts([['not shrunk', notShrunk]], look),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function measurementTable(state: RunState, look: TableLook): string {
  const { attempts } = state;
  const hasShrunk = attempts.some(({ shrinks }) => shrinks !== undefined);
  const byName = new Map<string, MeasurementResult[]>();
  for (const { shrinks, result } of attempts) {
    if (shrinks !== undefined) continue;
    for (const one of result.measurements) {
      byName.set(one.name, [...(byName.get(one.name) ?? []), one]);
    }
  }
  if (byName.size === 0) return '';
  const rows = [...byName].map(([name, results]) => {
    const count = (value: boolean | undefined) =>
      `${results.filter((one) => hasPassed(one) === value).length}`;
    const shrinking = hasShrunk ? [`${failedInShrinking(state, name)}`] : [];
    return [name, count(true), count(false), count(undefined), ...shrinking];
  });
  const heads = ['MEASUREMENT', 'PASSED', 'FAILED', 'UNDECIDED'];
  return renderTable(hasShrunk ? [...heads, 'FAILED IN SHRINKING'] : heads, rows, look);
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

function shrunkText(record: ShrunkRecord, look: TableLook): string {
  const { none, title, rate, found } = shrunkTexts(record);
  return renderFacts(
    none === undefined
      ? [
          [title, planText(record.plan)],
          ['fails', rate],
          ['found by', found],
        ]
      : [[`attempt ${record.of}`, none]],
    look,
  );
}
