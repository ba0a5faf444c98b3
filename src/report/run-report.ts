import {
  attemptWith,
  baselineText,
  benchLines,
  benchRates,
  closestIn,
  closestText,
  countsText,
  evaluationPart,
  failedInShrinking,
  mutatorTitle,
  noVerdictText,
  pictureOf,
  plannedText,
  type RunResult,
  rateText,
  repeatedLines,
  replayCommand,
  runVacuities,
  setsText,
  shrunkTexts,
  vacuityLines,
} from '../results/index.js';
import {
  causesOf,
  causeText,
  type DoneAttempt,
  failuresBeside,
  hasPassed,
  type MeasurementResult,
  type Outcome,
  type Plan,
  type RunState,
  type ShrunkRecord,
  type Space,
  tally,
  tallyOf,
} from '../runner/index.js';
import { durationText, equals } from '../values/index.js';
import { shortValue } from './axis.js';
import {
  capitalized,
  divs,
  figure,
  figures,
  filledTable,
  folded,
  html,
  htmlTable,
  type Markup,
  type MarkupContent,
  page,
  sections,
} from './markup.js';
import { evaluationTables, evidenceParts, nameCell, verdictText } from './measure-report.js';
import { pairsOf, ratesOf } from './parameters.js';
import { outcomeStrip } from './plots.js';
import { parametersOf, samplesOf } from './regions.js';

/** How many attempts are listed; the journal has all of them. */
const MOST_ATTEMPTS = 1_000;
const OUTCOMES = ['failed', 'guarded', 'inconclusive', 'skipped', 'passed'] as const;

/** For each measurement that failed, the attempt whose evidence is shown: one of the smallest sets. */
export function attemptsToShow({ attempts }: RunState): ReadonlyMap<string, DoneAttempt> {
  const shown = new Map<string, DoneAttempt>();
  for (const attempt of attempts) {
    for (const one of attempt.result.measurements) {
      if (hasPassed(one) !== false) continue;
      const known = shown.get(one.name)?.plan.length ?? Number.POSITIVE_INFINITY;
      // Among sets of the same size, those of shrinking come closer and closer to the least effect.
      const isSmaller = attempt.plan.length < known;
      if (isSmaller || (attempt.plan.length === known && attempt.shrinks !== undefined)) {
        shown.set(one.name, attempt);
      }
    }
  }
  return shown;
}

/** The report of a run: one HTML file, complete without style sheets and scripts. */
export function runReport(input: RunResult): string {
  const { state, space } = input;
  const own = state.attempts.filter(({ shrinks }) => shrinks === undefined);
  const causes = causesIn(state);
  const pairs = causes.flatMap(({ cause, name }) => pairsOf(state, space, cause, name));
  return page(
    state.run?.objective.name ?? 'objective',
    lead(state),
    sections(
      [
        'Failures',
        causes.filter(({ failed }) => failed.length > 0).map((one) => failures(one, input)),
      ],
      ['Evidence', evidence(input, causes)],
      ['The run', overview(input)],
      ['Measurements', verdicts(input)],
      ['Failure rates', rates(state, space, causes)],
      ['Pairs of parameters', pairs.length > 0 ? figures(...pairs) : undefined],
      ['Attempts', attemptTables(own)],
    ),
  );
}

/** What attempts may fail for: a measurement, or the command. */
interface Cause {
  /** As the journal has it. */
  readonly cause: string;
  readonly name: string;
  /** The attempts that failed for it, those with the fewest mutations first; those of shrinking only where there are no others. */
  readonly failed: readonly DoneAttempt[];
  readonly judged: number;
}

function causesIn(state: RunState): readonly Cause[] {
  const names = new Set(
    state.attempts.flatMap(({ result }) => [
      ...result.measurements.map(({ name }) => name),
      ...failuresBeside(result).map(([cause]) => cause),
    ]),
  );
  return [...names].map((cause) => {
    const all = state.attempts
      .filter((one) => causesOf(one).includes(cause))
      .sort((a, b) => a.plan.length - b.plan.length || a.n - b.n);
    const own = all.filter(({ shrinks }) => shrinks === undefined);
    return {
      cause,
      name: causeText(cause),
      failed: own.length > 0 ? own : all,
      judged: samplesOf(state.attempts, cause).length,
    };
  });
}

/** What came of the run, in a line. */
function lead(state: RunState): Markup {
  const { attempts, passed, failed } = tally(state);
  if (failed > 0) return leadOf('failed', `Failed: ${failed} of ${attempts} attempts`);
  const vacuous = runVacuities(state).map(({ name }) => name);
  if (vacuous.length > 0 && state.run?.failVacuous)
    return leadOf('failed', `Failed: vacuous: ${vacuous.join(', ')}`);
  const but = vacuous.length === 0 ? '' : `; vacuous: ${vacuous.join(', ')}`;
  if (passed === 0) return leadOf('undecided', 'Undecided: no attempt came to a verdict');
  const cause = noVerdictText(state);
  const title = cause === undefined ? 'Passed' : `Undecided: ${cause}; passed`;
  const text = `${title}: ${passed} of ${attempts} attempts; none failed${but}`;
  return leadOf(cause === undefined ? 'passed' : 'undecided', text);
}

function leadOf(verdict: string, text: string): Markup {
  return html`<p class="lead"><strong class="${verdict}">${text}</strong></p>`;
}

/** How many failing attempts of a cause are shown unopened: alone, and beside smallest sets. */
const [MOST_FAILURES, MOST_BESIDE_SET] = [3, 2];

/** How attempts failed for a cause: its smallest sets, and the command that repeats each attempt. */
function failures({ cause, name, failed, judged }: Cause, input: RunResult): Markup {
  const { state, directory } = input;
  const isShrinking = failed.every(({ shrinks }) => shrinks !== undefined);
  const sets = state.shrunk.filter((one) => one.cause === cause);
  const most = sets.length > 0 ? MOST_BESIDE_SET : MOST_FAILURES;
  const more = failed.slice(most);
  const title = isShrinking
    ? `Failed only in attempts that shrank another failure: ${failed.length} of them`
    : `Failed in ${failed.length} of ${judged} attempts, ${rateText(failed.length, judged)}`;
  const table = (some: readonly DoneAttempt[]) =>
    htmlTable(
      title,
      ['attempt', 'set, and the command that repeats it'],
      some.map(({ n, plan, shrinks }) => [
        shrinks === undefined ? html`<a href="#attempt-${n}">${n}</a>` : n,
        html`<div class="apart">${divs([mutationTexts(plan).join(' + '), commandOf(directory, n)])}</div>`,
      ]),
    );
  const rest = more.length > 0 ? folded(`${more.length} more`, table(more)) : '';
  const smallestSets = sets.map((one) => smallest(one, input));
  return html`<h3>${name}</h3>${smallestSets}${table(failed.slice(0, most))}${rest}`;
}

function commandOf(directory: string, attempt: number): Markup {
  // A line may break at a hyphen, and a flag must not be broken.
  const [, command, flag] = /^(.*)(--attempt \d+)$/s.exec(replayCommand(directory, attempt)) ?? [];
  return html`<code>${command}<span class="flag">${flag}</span></code>`;
}

function overview(result: RunResult): Markup {
  const { state, ended, time } = result;
  const { run, began } = state;
  const date = began === undefined ? undefined : new Date(began).toISOString();
  const versions = [
    ...(run?.perturb === undefined ? [] : [`Perturb ${run.perturb}`]),
    `journal ${run?.version ?? ''}`,
    `planner ${run?.planner ?? 1}`,
  ];
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['ended', ended],
    ['attempts', countsText(state)],
    ['sets', setsText(result)],
    ['baseline', baselineText(state) ?? 'none'],
    ...benchLines(state).map((line) => ['bench', line] as const),
    ...repeatedLines(state).map((line) => ['repeated', line] as const),
    ...closestIn(state).map(
      (one) => ['closest to failing', `${one.name}: ${closestText(one)}`] as const,
    ),
    ...runVacuities(state).map(
      (one) => ['vacuous', `${one.name}: ${vacuityLines(one).join('; ')}`] as const,
    ),
    ['began', date && `${date.slice(0, 19).replace('T', ' ')} UTC`],
    ['time', time],
    ['strategy', `${run?.strategy ?? ''}, seed ${run?.seed ?? ''}`],
    ['versions', versions.join(', ')],
    ['objective', run?.objective.origin ?? ''],
    ['only', run?.only?.join(', ')],
    ['servers', run?.servers.join(', ') ?? ''],
    ['command', run?.command?.join(' ') ?? 'none'],
    ['kept in', result.directory],
  ];
  const known = facts.filter(([, value]) => value !== undefined);
  const own = state.attempts.filter(({ shrinks }) => shrinks === undefined);
  return figures(
    divs([htmlTable(undefined, [], known)]),
    own.length > 0
      ? figure(outcomeStrip(own), 'The outcome of each attempt, in order.')
      : undefined,
  );
}

function verdicts({ state, measurements }: RunResult): Markup {
  const names = new Map<string, MeasurementResult>();
  for (const { result } of state.attempts) {
    for (const one of result.measurements) names.set(one.name, one);
  }
  const hasShrunk = state.attempts.some(({ shrinks }) => shrinks !== undefined);
  const rows = [...names.keys()].map((name) => {
    const { passed, failed } = tallyOf(state, name);
    const verdict = failed > 0 ? 'failed' : passed > 0 ? 'passed' : 'undecided';
    const shrinking = hasShrunk ? [failedInShrinking(state, name)] : [];
    const cell = nameCell(name, measurements.get(name)?.metadata);
    return [cell, verdictText(verdict), passed, failed, ...shrinking];
  });
  if (rows.length === 0) return html`<p>Nothing was measured.</p>`;
  const benches = benchRates(state).map(({ bench, tried, failed }) => {
    return [bench, tried - failed, failed, tried === 0 ? '' : rateText(failed, tried)];
  });
  const heads = ['measurement', 'verdict', 'passed', 'failed'];
  const expressions = [...names.values()].map(({ name, shouldPass }) => {
    const check = measurements.get(name)?.check ?? 'The expression is not in the journal.';
    const what = html`<strong>${name}</strong> should ${shouldPass ? '' : 'not '}hold:`;
    return html`<p>${what}</p><pre>${check}</pre>`;
  });
  return html`${[
    filledTable('Benches', ['bench', 'passed', 'failed', 'failure rate'], benches),
    htmlTable(undefined, hasShrunk ? [...heads, 'failed in shrinking'] : heads, rows),
    figures(divs(expressions)),
  ]}`;
}

/** A chart for each cause; those that never failed are folded. */
function rates(state: RunState, space: Space, causes: readonly Cause[]): MarkupContent {
  const chart = ({ cause, name }: Cause) => ratesOf(state, space, cause, name);
  const judged = causes.filter((one) => one.judged > 0);
  const failing = judged.filter(({ failed }) => failed.length > 0);
  const passing = judged.filter(({ failed }) => failed.length === 0);
  return [
    failing.length > 0 ? figures(...failing.map(chart)) : undefined,
    passing.length > 0
      ? folded('Measurements that never failed', figures(...passing.map(chart)))
      : undefined,
  ];
}

function smallest(record: ShrunkRecord, { state, space, directory }: RunResult) {
  const { of, plan } = record;
  const { none, title, rate, found } = shrunkTexts(record);
  if (none !== undefined) return html`<p>Attempt ${of}: ${none}.</p>`;
  const known = parametersOf(space);
  const rows = plan.flatMap(({ server, id, params, ...mutator }) =>
    [...params].map(([key, value]) => {
      const parameter = known.find(
        (one) => one.server === server && one.id === id && one.key === key,
      );
      const least = parameter?.dimension.leastEffect;
      const isLeast = least !== undefined && equals(least, value);
      return [
        `${mutatorTitle(mutator)} ${key}`,
        shortValue(value),
        least === undefined ? 'not known' : isLeast ? 'this' : shortValue(least),
      ];
    }),
  );
  const heads = ['parameter', 'value', 'least effect'];
  const again = commandOf(directory, attemptWith(state, record) ?? of);
  return figures(
    divs([htmlTable(capitalized(`${title}, from attempt ${of}`), heads, rows)]),
    html`<div class="beside">${[
      html`<p>Fails: ${rate}.</p><p>Found by ${found}.</p><p>To repeat it: ${again}</p>`,
    ]}</div>`,
  );
}

function evidence({ state, sessions }: RunResult, causes: readonly Cause[]): MarkupContent {
  const shown = attemptsToShow(state);
  return causes.map(({ cause: name }) => {
    const attempt = shown.get(name);
    if (attempt === undefined) return undefined;
    const measured = attempt.result.measurements.find((one) => one.name === name);
    const details = measured?.details ?? {};
    const session = sessions.get(attempt.n);
    const first = details.evidence?.[0];
    const part = evaluationPart(details, [], session && first && pictureOf(session, first));
    return [
      html`<h3>${name}, attempt ${attempt.n}</h3>`,
      evaluationTables(part),
      part.summary.map((line) => html`<p>${line}</p>`),
      evidenceParts(part),
    ];
  });
}

function mutationTexts(plan: Plan): readonly string[] {
  return plan.map((mutation) => plannedText(mutation, shortValue));
}

/** All attempts by outcome, folded. */
function attemptTables(own: readonly DoneAttempt[]): MarkupContent {
  const shown = own.slice(0, MOST_ATTEMPTS);
  const more = own.length - shown.length;
  return [
    OUTCOMES.map((outcome) => {
      const some = shown.filter(({ result }) => result.outcome === outcome);
      return some.length === 0
        ? undefined
        : folded(`${some.length} ${outcome}`, attemptTable(outcome, some));
    }),
    more > 0 ? html`<p>And ${more} more, in the journal.</p>` : undefined,
  ];
}

function attemptTable(outcome: Outcome, attempts: readonly DoneAttempt[]): Markup {
  const hasBenches = attempts.some(({ bench }) => bench !== undefined);
  const rows = attempts.map(({ n, bench, plan, result }) => [
    n,
    ...(hasBenches ? [bench ?? ''] : []),
    divs(mutationTexts(plan)),
    [...causesOf({ plan, result }).map(causeText), ...result.reasons].join('; '),
    result.events,
    durationText(result.ms),
  ]);
  return htmlTable(
    `Attempts: ${outcome}`,
    ['attempt', ...(hasBenches ? ['bench'] : []), 'set', 'why', 'events', 'took'],
    rows,
    (at) => `attempt-${attempts[at]?.n}`,
  );
}
