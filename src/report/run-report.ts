import { plural } from '../basics/index.js';
import {
  type AttemptPart,
  type CausePart,
  plannedText,
  type RunReportDocument,
  type ShrinkingPart,
  shortValue,
  type UnfinishedRunPart,
} from '../results/index.js';
import type { Outcome, Plan } from '../runner/index.js';
import { durationText, equals } from '../values/index.js';
import {
  capitalize,
  columns,
  disclosure,
  divs,
  figure,
  figures,
  filledTable,
  html,
  htmlTable,
  type Markup,
  type MarkupContent,
  page,
  sections,
} from './markup.js';
import { evaluationTables, evidenceParts, nameCell, verdictText } from './measure-report.js';
import { ratesFigure, renderChartFigure } from './parameters.js';
import { outcomeStrip } from './plots.js';

/** Maximum number of attempts to list. The journal contains all attempts. */
const MAX_ATTEMPTS = 1_000;
const OUTCOMES = ['failed', 'guarded', 'inconclusive', 'skipped', 'passed'] as const;

/** Interval at which a browser reloads an unfinished run's report. */
const RELOAD_SECONDS = 2;

/** Returns a run's report, an HTML file without external style sheets or scripts. */
export function renderRunReport(document: RunReportDocument): string {
  const { objective, headline, causes, unfinishedRun } = document;
  return page(
    objective,
    unfinishedRun?.progress === undefined ? 0 : RELOAD_SECONDS,
    html`<p class="lead"><strong class="${headline.verdict}">${headline.text}</strong></p>`,
    unfinishedRun && unfinishedRunNote(unfinishedRun),
    sections(
      ['Failures', causes.filter(({ failed }) => failed.length > 0).map(failures)],
      ['Evidence', causes.map(evidence)],
      ['The run', overview(document)],
      ['Measurements', verdicts(document)],
      ['Failure rates', rates(document)],
      ['Attempts', attemptTables(document.attempts)],
    ),
  );
}

/**
 * Returns a cause's section, with its chart, shrunk sets, and commands that repeat its attempts.
 */
function failures(cause: CausePart): Markup {
  const { name, title, failed, shrunk } = cause;
  const rows = failed.map(({ n, plan, shrinks, repeat }) => [
    shrinks !== undefined ? n : html`<a href="#attempt-${n}">${n}</a>`,
    mutationTexts(plan).join(' + '),
    commandOf(repeat),
  ]);
  return html`${[
    html`<h3>${name}</h3>`,
    columns(
      renderChartFigure(cause),
      html`<div>${[html`<p>${title}.</p>`, shrunk.map(smallest)]}</div>`,
    ),
    disclosure(
      `Mutation sets of ${plural(failed.length, 'failed attempt')}, with commands to repeat the attempts`,
      htmlTable(undefined, ['attempt', 'set', 'command'], rows),
    ),
  ]}`;
}

/** Returns an unfinished run's progress, and the command that resumes a killed run. */
function unfinishedRunNote({ at, progress, inForce, resume }: UnfinishedRunPart): Markup {
  const rows = [
    ['attempts', progress?.counts],
    ['time left', progress?.left],
    ['closest to failing', progress?.closest],
    ...(progress?.attempts ?? []).map(({ n, bench, set, phase }) => [
      `${set === undefined ? 'baseline' : 'attempt'} ${n}${bench === undefined ? '' : ` on bench ${bench}`}`,
      [phase, set].filter(Boolean).join(': '),
    ]),
    ['in force', inForce.length === 0 ? 'nothing' : divs(inForce)],
  ];
  const presentRows = rows.filter(([, value]) => value !== undefined && value !== '');
  return html`<div class="unfinished"><p>This run was unfinished at ${at}. If it was killed, resume it with <code>${resume}</code>.</p>${htmlTable(undefined, [], presentRows)}</div>`;
}

function commandOf(repeat: string): Markup {
  // Browsers may break lines at hyphens, but the flag must stay in one piece.
  const [, command, flag] = /^(.*)(--attempt \d+)$/s.exec(repeat) ?? [];
  return html`<code>${command}<span class="flag">${flag}</span></code>`;
}

function overview(document: RunReportDocument): Markup {
  const { facts, attempts } = document;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['ended', facts.ended],
    ['attempts', facts.attempts],
    ['sets', facts.sets],
    ['baseline', facts.baseline ?? 'none'],
    ...document.unlikeBenches.map((line) => ['bench', line] as const),
    ...document.repeated.map((line) => ['repeated', line] as const),
    ...document.closest.map(
      ({ name, text }) => ['closest to failing', `${name}: ${text}`] as const,
    ),
    ...document.vacuous.map(
      ({ name, lines }) => ['vacuous', `${name}: ${lines.join('; ')}`] as const,
    ),
    ...document.unused.map(({ name, text }) => ['never in force', `${name} ${text}`] as const),
    ['began', facts.began],
    ['time', facts.time],
    ['strategy', facts.strategy],
    ['versions', facts.versions],
    ['objective', facts.origin],
    ['only', facts.only],
    ['servers', facts.servers],
    ['command', facts.command ?? 'none'],
    ['kept in', facts.directory],
  ];
  const presentRows = rows.filter(([, value]) => value !== undefined);
  return figures(
    divs([htmlTable(undefined, [], presentRows)]),
    attempts.length > 0
      ? figure(outcomeStrip(attempts), 'The outcome of each attempt, in order.')
      : undefined,
  );
}

function verdicts({ measurements, benches }: RunReportDocument): Markup {
  if (measurements.length === 0) return html`<p>Nothing was measured.</p>`;
  const hasShrunk = measurements.some((one) => one.failedInShrinking !== undefined);
  const rows = measurements.map(({ name, metadata, verdict, counts, failedInShrinking }) => [
    ...[nameCell(name, metadata), verdictText(verdict), counts.passed, counts.failed],
    ...(hasShrunk ? [failedInShrinking] : []),
  ]);
  const heads = ['measurement', 'verdict', 'passed', 'failed'];
  const expressions = measurements.map(({ name, shouldPass, check }) => {
    const what = html`<strong>${name}</strong> should ${shouldPass ? '' : 'not '}hold:`;
    return html`<p>${what}</p><pre>${check ?? 'The expression is not in the journal.'}</pre>`;
  });
  return html`${[
    filledTable(
      'Benches',
      ['bench', 'passed', 'failed', 'failure rate'],
      benches.map(({ bench, passed, failed, rate }) => [bench, passed, failed, rate]),
    ),
    htmlTable(undefined, hasShrunk ? [...heads, 'failed during shrinking'] : heads, rows),
    figures(divs(expressions)),
  ]}`;
}

/**
 * Returns a chart for each cause. A disclosure widget contains the charts of causes that never
 * failed.
 */
function rates({ causes, parameters }: RunReportDocument): MarkupContent {
  const chart = (cause: CausePart, _: number, all: readonly CausePart[]) =>
    ratesFigure(cause, parameters, all.length === 1);
  const judged = causes.filter(({ samples }) => samples.length > 0);
  const failing = judged.filter(({ failed }) => failed.length > 0);
  const passing = judged.filter(({ failed }) => failed.length === 0);
  return [
    failing.length > 0 ? figures(...failing.map(chart)) : undefined,
    passing.length > 0
      ? disclosure('Measurements that never failed', figures(...passing.map(chart)))
      : undefined,
  ];
}

function smallest(part: ShrinkingPart): Markup {
  const { of, none, title, rate, found, borders, values, repeat } = part;
  if (none !== undefined) return html`<p>Attempt ${of}: ${none}.</p>`;
  const rows = values.map(({ parameter, value, leastEffect: least }) => {
    const isLeast = least !== undefined && equals(least, value);
    const leastText = least === undefined ? 'not known' : isLeast ? 'this' : shortValue(least);
    return [parameter, shortValue(value), leastText];
  });
  const heads = ['parameter', 'value', 'least effect'];
  return html`${[
    htmlTable(capitalize(`${title}, from attempt ${of}`), heads, rows),
    borders.map((text) => html`<p>Border: ${text}.</p>`),
    html`<p>Failures: ${rate}.</p><p>Found in ${found}.</p>`,
    disclosure('Command to repeat the attempt', commandOf(repeat)),
  ]}`;
}

function evidence({ name, evidence: shown }: CausePart): MarkupContent {
  if (shown === undefined) return undefined;
  const { attempt, evaluation } = shown;
  return [
    html`<h3>${name}, attempt ${attempt}</h3>`,
    evidenceParts(evaluation),
    evaluationTables(evaluation),
    evaluation.summary.map((line) => html`<p>${line}</p>`),
  ];
}

function mutationTexts(plan: Plan): readonly string[] {
  return plan.map((mutation) => plannedText(mutation, shortValue));
}

/** Returns a table of attempts for each outcome, each in a disclosure widget. */
function attemptTables(attempts: readonly AttemptPart[]): MarkupContent {
  const shown = attempts.slice(0, MAX_ATTEMPTS);
  const more = attempts.length - shown.length;
  return [
    OUTCOMES.map((outcome) => {
      const some = shown.filter((one) => one.outcome === outcome);
      return some.length === 0
        ? undefined
        : disclosure(`${some.length} ${outcome}`, attemptTable(outcome, some));
    }),
    more > 0 ? html`<p>${plural(more, 'more attempt')} in the journal.</p>` : undefined,
  ];
}

function attemptTable(outcome: Outcome, attempts: readonly AttemptPart[]): Markup {
  const hasBenches = attempts.some(({ bench }) => bench !== undefined);
  const rows = attempts.map(({ n, bench = '', plan, why, events, ms }) => [
    n,
    ...(hasBenches ? [bench] : []),
    divs(mutationTexts(plan)),
    why.join('; '),
    events,
    durationText(ms),
  ]);
  return htmlTable(
    `Attempts: ${outcome}`,
    ['attempt', ...(hasBenches ? ['bench'] : []), 'set', 'why', 'events', 'took'],
    rows,
    (at) => `attempt-${attempts[at]?.n}`,
  );
}
