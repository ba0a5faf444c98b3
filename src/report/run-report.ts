import {
  attemptWith,
  baselineText,
  countsText,
  failedInShrinking,
  type RunResult,
  replayCommand,
  setsText,
  shrunkTexts,
} from '../results/index.js';
import {
  type DoneAttempt,
  hasPassed,
  type MeasurementResult,
  type Plan,
  type RunState,
  type ShrunkRecord,
  tally,
  tallyOf,
} from '../runner/index.js';
import { equals } from '../values/index.js';
import {
  all,
  element,
  figure,
  htmlTable,
  type Markup,
  type MarkupContent,
  page,
  section,
} from './markup.js';
import { type Details, evaluationTables, verdictText } from './measure-report.js';
import { pairFigures, parameterFigures, parametersOf } from './parameters.js';
import { outcomeStrip, shortValue } from './plots.js';
import { spaceTime } from './space-time.js';

/** So many attempts are listed; the journal has all. */
const MOST_ATTEMPTS = 1_000;

/** For each measurement that failed, the attempt whose evidence is shown: one of the smallest sets. */
export function attemptsToShow({ attempts }: RunState): ReadonlyMap<string, DoneAttempt> {
  const shown = new Map<string, DoneAttempt>();
  for (const attempt of attempts) {
    for (const one of attempt.result.measurements) {
      if (hasPassed(one) !== false) continue;
      const known = shown.get(one.name)?.plan.length ?? Number.POSITIVE_INFINITY;
      // Of the same size, those of shrinking come closer and closer to the least effect.
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
  return page(
    state.run?.objective.name ?? 'objective',
    lead(state),
    overview(input),
    section('Verdicts', verdicts(state)),
    section(
      'Smallest failing sets',
      state.shrunk.map((one) => smallest(one, input)),
    ),
    section('Outcomes', own.length > 0 ? outcomes(own) : undefined),
    section('Parameters', parameterFigures(state.attempts, space)),
    section('Pairs of parameters', pairFigures(state, space)),
    section('Evidence', evidence(input)),
    section('Attempts', attemptTable(own)),
  );
}

/** What it has come to, in a line. */
function lead(state: RunState): Markup {
  const { attempts, passed, failed } = tally(state);
  if (failed > 0) return leadOf('failed', `Failed: ${failed} of ${attempts} attempts`);
  if (passed > 0) return leadOf('passed', `Passed: ${passed} of ${attempts} attempts; none failed`);
  return leadOf('undecided', 'Undecided: no attempt came to a verdict');
}

function leadOf(verdict: string, text: string): Markup {
  return element('p', { class: 'lead' }, element('strong', { class: verdict }, text));
}

function overview(result: RunResult): Markup {
  const { state, ended, time } = result;
  const sets = setsText(result);
  const baseline = baselineText(state);
  const facts: readonly (readonly [string, string])[] = [
    ['ended', ended],
    ['attempts', countsText(state)],
    ...(sets === undefined ? [] : [['sets', sets] as const]),
    ...(baseline === undefined ? [] : [['baseline', baseline] as const]),
    ['time', time],
    ['strategy', `${state.run?.strategy ?? ''}, seed ${state.run?.seed ?? ''}`],
    ['objective', state.run?.objective.origin ?? ''],
    ['command', state.run?.command?.join(' ') ?? 'none'],
  ];
  return htmlTable('The run', [], facts);
}

function verdicts(state: RunState): Markup {
  const names = new Map<string, MeasurementResult>();
  for (const { result } of state.attempts) {
    for (const one of result.measurements) names.set(one.name, one);
  }
  const hasShrunk = state.attempts.some(({ shrinks }) => shrinks !== undefined);
  const rows = [...names.values()].map(({ name, shouldPass }) => {
    const { passed, failed } = tallyOf(state, name);
    const verdict = failed > 0 ? 'failed' : passed > 0 ? 'passed' : 'undecided';
    const should = shouldPass ? 'hold' : 'not hold';
    const shrinking = hasShrunk ? [failedInShrinking(state, name)] : [];
    return [name, should, verdictText(verdict), passed, failed, ...shrinking];
  });
  if (rows.length === 0) return element('p', {}, 'Nothing was measured.');
  const heads = ['measurement', 'should', 'verdict', 'passed', 'failed'];
  return htmlTable('Measurements', hasShrunk ? [...heads, 'failed in shrinking'] : heads, rows);
}

function outcomes(own: readonly DoneAttempt[]): Markup {
  return figure(outcomeStrip(own), 'The outcome of each attempt, in their order.');
}

function smallest(record: ShrunkRecord, { state, space, directory }: RunResult) {
  const { of, plan } = record;
  const { none, title, rate, found } = shrunkTexts(record);
  if (none !== undefined) return element('p', {}, `Attempt ${of}: ${none}.`);
  const known = parametersOf(space);
  const rows = plan.flatMap(({ server, id, name, probe, params }) =>
    [...params].map(([key, value]) => {
      const parameter = known.find(
        (one) => one.server === server && one.id === id && one.key === key,
      );
      const least = parameter?.dimension.leastEffect;
      const isLeast = least !== undefined && equals(least, value);
      return [
        `${probe === undefined ? name : `${name}@${probe}`} ${key}`,
        shortValue(value),
        least === undefined ? 'not known' : isLeast ? 'this' : shortValue(least),
      ];
    }),
  );
  return all(
    htmlTable(`${title}, from attempt ${of}`, ['parameter', 'value', 'least effect'], rows),
    element('p', {}, `Fails: ${rate}. Found by ${found}.`),
    repeatText(directory, attemptWith(state, record) ?? of),
  );
}

function repeatText(directory: string, attempt: number): Markup {
  return element('p', {}, 'To repeat: ', element('code', {}, replayCommand(directory, attempt)));
}

function evidence({ state, sessions, directory }: RunResult): MarkupContent {
  return [...attemptsToShow(state)].map(([name, attempt]) => {
    const measured = attempt.result.measurements.find((one) => one.name === name);
    const details = parseDetails(measured?.details);
    const session = sessions.get(attempt.n);
    const first = details.evidence?.[0];
    const picture = session && first && spaceTime(session, first);
    const heading = element('h3', {}, `${name}, attempt ${attempt.n}`);
    const set = element('p', {}, setText(attempt.plan));
    return all(
      heading,
      set,
      repeatText(directory, attempt.n),
      evaluationTables(details),
      picture === undefined
        ? element('p', {}, 'No binding shows it: what it asks for did not happen.')
        : figure(picture, 'The events of the first binding, and how one led to the other.'),
    );
  });
}

function parseDetails(text: string | undefined): Details {
  return text === undefined ? {} : (JSON.parse(text) as Details);
}

function setText(plan: Plan): string {
  return mutationTexts(plan).join(' + ');
}

/** A line for each mutation. */
function setLines(plan: Plan): MarkupContent {
  return mutationTexts(plan).map((text) => element('div', {}, text));
}

function mutationTexts(plan: Plan): readonly string[] {
  return plan.map(({ name, probe, params }) =>
    [
      probe === undefined ? name : `${name}@${probe}`,
      ...[...params].map(([key, value]) => `${key}=${shortValue(value)}`),
    ].join(' '),
  );
}

function attemptTable(own: readonly DoneAttempt[]): MarkupContent {
  if (own.length === 0) return undefined;
  const shown = own.slice(0, MOST_ATTEMPTS);
  const rows = shown.map(({ n, plan, result }) => [
    n,
    verdictText(result.outcome),
    setLines(plan),
    [
      ...result.measurements.filter((one) => hasPassed(one) === false).map(({ name }) => name),
      ...result.reasons,
    ].join('; '),
    result.events,
    `${result.ms}\u00a0ms`,
  ]);
  const more = own.length - shown.length;
  return [
    htmlTable(
      'All attempts',
      ['attempt', 'outcome', 'set', 'why', 'events', 'took'],
      rows,
      (at) => `attempt-${shown[at]?.n}`,
    ),
    more > 0 ? element('p', {}, `And ${more} more, in the journal.`) : undefined,
  ];
}
