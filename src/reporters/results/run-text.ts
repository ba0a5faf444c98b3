import {
  attemptWith,
  baselineText,
  benchLines,
  benchRates,
  closestIn,
  closestText,
  comparisonPart,
  comparisonText,
  countsText,
  evaluationPart,
  failedInShrinking,
  notShrunkText,
  plannedText,
  type RunResult,
  rateText,
  repeatedLines,
  replayCommand,
  runVacuities,
  setsText,
  shrunkTexts,
  vacuityLines,
} from '../../results/index.js';
import {
  type DoneAttempt,
  failuresBeside,
  hasPassed,
  type MeasuredRecord,
  type MeasurementResult,
  type Plan,
  type RunState,
  type ShrunkRecord,
} from '../../runner/index.js';
import { durationText } from '../../values/index.js';
import { renderFacts, renderTable, type TableLook } from '../terminal/table.js';
import { visible } from '../text.js';
import { eventLines, indented, noteLines } from './evaluation-text.js';

/** A set as people read it: `wind speed=12.5 mode=gust + link loss=0.4`. */
export function planText(plan: Plan): string {
  return plan.length === 0 ? 'no mutation' : plan.map((one) => plannedText(one)).join(' + ');
}

/** How many of the attempts that did not pass are shown; the journal has all. */
const MOST_SHOWN = 5;

/** The results of a run, for people. */
export function summaryText(result: RunResult, look: TableLook): string {
  const { state, directory, ended, time } = result;
  const { run } = state;
  const parts = [
    renderFacts(
      [
        ['objective', run?.objective.name ?? ''],
        ['ended', ended],
        ['attempts', countsText(state)],
        ['sets', setsText(result)],
        ['baseline', baselineText(state)],
        ['time', time],
        run?.replay === undefined
          ? ['strategy', `${run?.strategy ?? ''}, seed ${run?.seed ?? ''}`]
          : ['repeats', `attempt ${run.replay.attempt} of run ${run.replay.run}`],
        ['kept in', directory],
      ],
      look,
    ),
    measurementTable(state, look),
    benchTable(state, look),
    linesText(
      closestIn(state).map((one) => `${one.name} is closest to failing: ${closestText(one)}`),
    ),
    linesText(
      runVacuities(state).flatMap((one) =>
        vacuityLines(one).map((line) => `${one.name} is vacuous: ${line}`),
      ),
    ),
    attemptTable(result, look),
    linesText(repeatedLines(state)),
    ...state.shrunk.map((one) => shrunkText(result, one, look)),
    renderFacts([['not shrunk', notShrunkText(state)]], look),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function measurementTable(state: RunState, look: TableLook): string {
  const { attempts } = state;
  const hasShrunk = attempts.some(({ shrinks }) => shrinks !== undefined);
  const results = attempts.flatMap(({ shrinks, result }) =>
    shrinks === undefined ? result.measurements : [],
  );
  const names = [...new Set(results.map(({ name }) => name))];
  if (names.length === 0) return '';
  const rows = names.map((name) => {
    const passed = results.filter((one) => one.name === name).map(hasPassed);
    const count = (value: boolean | undefined) => `${passed.filter((one) => one === value).length}`;
    const shrinking = hasShrunk ? `${failedInShrinking(state, name)}` : '';
    return [name, count(true), count(false), count(undefined), shrinking];
  });
  const heads = ['MEASUREMENT', 'PASSED', 'FAILED', 'UNDECIDED', 'FAILED IN SHRINKING?'];
  return renderTable(heads, rows, look);
}

/** How each bench did, and which fails where others pass; nothing for a run without benches. */
function benchTable(state: RunState, look: TableLook): string {
  const rates = benchRates(state);
  if (rates.length === 0) return '';
  const rows = rates.map(({ bench, tried, failed }) => [
    bench,
    `${tried - failed}`,
    `${failed}`,
    tried === 0 ? '' : rateText(failed, tried),
  ]);
  const titles = ['BENCH', 'PASSED', 'FAILED', 'FAILURE RATE'];
  return renderTable(titles, rows, look) + linesText(benchLines(state));
}

function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${visible(line)}\n`).join('');
}

function attemptTable({ state, directory }: RunResult, look: TableLook): string {
  const { attempts } = state;
  const own = attempts.filter(({ shrinks }) => shrinks === undefined);
  const notPassed = own.filter(({ result }) => result.outcome !== 'passed');
  const order = ['failed', 'guarded', 'inconclusive', 'skipped'];
  const shown = [...notPassed]
    .sort((a, b) => order.indexOf(a.result.outcome) - order.indexOf(b.result.outcome) || a.n - b.n)
    .slice(0, MOST_SHOWN);
  if (shown.length === 0) return '';
  const rows = shown.map(({ n, bench, plan, result }) => [
    `${n}`,
    bench ?? '',
    result.outcome,
    planText(plan),
    whyText(result),
  ]);
  const more = notPassed.length - shown.length;
  const rest = more > 0 ? `and ${more} more\n` : '';
  const [first, ...others] = shown.filter(({ result }) => result.outcome === 'failed');
  const numbers = others.length === 0 ? '' : ` (or ${others.map(({ n }) => n).join(', ')})`;
  const again =
    first === undefined ? '' : `to repeat: ${replayCommand(directory, first.n)}${numbers}\n`;
  const heads = ['ATTEMPT', 'BENCH?', 'OUTCOME', 'SET', 'WHY'];
  return renderTable(heads, rows, look) + rest + again;
}

/** Why an attempt failed, or else why it came to no verdict. */
export function whyText(result: MeasuredRecord): string {
  if (result.outcome !== 'failed') return result.reasons.join('; ');
  const failed = result.measurements.filter((one) => hasPassed(one) === false);
  return [
    ...failed.map(({ name }) => name),
    ...failuresBeside(result).map(([, text]) => text),
  ].join('; ');
}

function shrunkText(
  { state, directory }: RunResult,
  record: ShrunkRecord,
  look: TableLook,
): string {
  const { none, title, rate, found } = shrunkTexts(record);
  const attempt = attemptWith(state, record) ?? record.of;
  return renderFacts(
    none === undefined
      ? [
          [title, planText(record.plan)],
          ['fails', rate],
          ['found by', found],
          ['to repeat', replayCommand(directory, attempt)],
        ]
      : [[`attempt ${record.of}`, none]],
    look,
  );
}

/** One attempt, for people. @param paths where its files are, and the command that repeats it */
export function attemptText(
  { n, bench, plan, shrinks, repeats, result }: DoneAttempt,
  {
    session,
    output,
    repeat,
  }: Readonly<{ session: string; output?: string | undefined; repeat: string }>,
  look: TableLook,
): string {
  const { outcome, reasons, measurements, command, recovery, events, ms } = result;
  const end = command && (command.signal ?? `status ${command.status ?? 'unknown'}`);
  const facts = renderFacts(
    [
      [
        'attempt',
        [
          `${n}`,
          ...(shrinks === undefined ? [] : [`to make attempt ${shrinks} smaller`]),
          ...(repeats === undefined ? [] : [`to repeat attempt ${repeats}`]),
        ].join(', '),
      ],
      ['bench', bench],
      ['outcome', outcome],
      ...reasons.map((reason) => ['why', reason] as const),
      ['set', planText(plan)],
      ['command', end && `${end}${command.timedOut ? ', when its time was up' : ''}`],
      ['recovered', recovery?.recovered ? `after ${durationText(recovery.ms)}` : undefined],
      ['events', `${events}`],
      ['took', durationText(Math.max(100, Math.round(ms / 100) * 100))],
      ['session', session],
      ['output', output],
      ['to repeat', repeat],
    ],
    look,
  );
  if (measurements.length === 0) return facts;
  const rows = measurements.map((one) => {
    const passed = hasPassed(one);
    const verdict = passed === undefined ? 'undecided' : passed ? 'passed' : 'failed';
    return [one.name, verdict, foundText(one)];
  });
  const table = renderTable(['MEASUREMENT', 'VERDICT', 'FOUND'], rows, look);
  return [facts, table, ...measurements.map(evidenceText)].filter((part) => part !== '').join('\n');
}

/** The comparisons of a measurement with their values, or else the number of its bindings. */
function foundText({ reason, details }: MeasurementResult): string {
  if (reason !== undefined) return reason;
  const { measures = [], bindings } = details ?? {};
  if (measures.length > 0) return measures.map(comparisonPart).map(comparisonText).join('; ');
  return bindings === undefined ? '' : `${bindings} bindings`;
}

function evidenceText(result: MeasurementResult): string {
  if (hasPassed(result) !== false) return '';
  const part = evaluationPart(result.details ?? {});
  const look = { textWidth: Number.POSITIVE_INFINITY };
  const parts = [
    ...noteLines(part).map((line) => `${line}\n`),
    ...part.evidence.map((one) => {
      return `${visible(one.title)}:\n${indented(eventLines(one, look), '  ')}`;
    }),
  ];
  if (parts.length === 0) return '';
  return `${visible(result.name)}\n${indented(parts.join(''), '  ')}`;
}
