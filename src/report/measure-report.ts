import type { Evaluation, Evidence } from '../evaluation/index.js';
import type { Excerpt } from '../excerpt/index.js';
import {
  type Measured,
  measuredVerdict,
  type ObjectiveResult,
  sidesText,
} from '../results/index.js';
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

function groupCount({ groups }: Evaluation): MarkupContent[] {
  if (groups === undefined) return [];
  return [element('div', {}, `${groups.hold ?? '?'} of ${groups.all} groups`)];
}

/** The report of measurements over sessions, in the manner of that of a run. */
export function measureReport({ objective, sessions }: ObjectiveResult): string {
  const measured = sessions.flatMap(({ name: session, measurements }) =>
    measurements.map((one) => ({ session, ...one, verdict: measuredVerdict(one) })),
  );
  const counts = (['passed', 'failed', 'undecided'] as const).flatMap((verdict) => {
    const count = measured.filter((one) => one.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${verdict}`];
  });
  const rows = measured.map(({ name, session, shouldPass, evaluation, verdict }) => [
    name,
    session,
    shouldPass ? 'hold' : 'not hold',
    verdictText(verdict),
    [
      ...evaluation.measures.map(({ text, left, right }) =>
        element('div', {}, `${text}: ${sidesText(text, left, right)}`),
      ),
      ...groupCount(evaluation),
      ...(evaluation.vacuous
        ? [element('strong', {}, 'vacuous: it says nothing about the system')]
        : []),
    ],
  ]);
  const unread = sessions.flatMap(({ name, unread: lines }) =>
    lines === undefined ? [] : [[name, lines.map((line) => element('div', {}, line))]],
  );
  return page(
    objective,
    section(
      'Verdicts',
      element('p', {}, counts.length === 0 ? 'Nothing was measured.' : `${counts.join(', ')}.`),
      rows.length === 0
        ? undefined
        : htmlTable(
            'Measurements',
            ['measurement', 'session', 'should', 'verdict', 'values'],
            rows,
          ),
      unread.length === 0
        ? undefined
        : htmlTable('Sessions that cannot be read', ['session', 'why'], unread),
    ),
    section('Evidence', measured.filter(({ verdict }) => verdict !== 'passed').map(evidenceOf)),
  );
}

function evidenceOf(one: Measured & { readonly session: string }): Markup {
  const { name, session, evaluation, picture, excerpts } = one;
  const { undecided, evidence } = evaluation;
  const [first] = evidence;
  return all(
    element('h3', {}, `${name}, ${session}`),
    undecided && element('p', {}, `${undecided.clause}: ${undecided.reason}. ${undecided.help}.`),
    evaluationTables(evaluation),
    shown(picture, first && bindingTable(first)),
    excerpts?.[0] && factsTable(excerpts[0]),
  );
}

function shown(picture: Markup | undefined, places: MarkupContent): MarkupContent {
  if (picture !== undefined) {
    return figure(picture, 'The events of a binding, and how one led to the other.');
  }
  return places ?? element('p', {}, 'No binding shows it: what it asks for did not happen.');
}

/** An evaluation, or what was kept of one. */
export type Details = Partial<Pick<Evaluation, 'evidence' | 'labels' | 'measures' | 'bindings'>>;

/** What each label matched, and both sides of each comparison of AGGREGATE. */
export function evaluationTables({ labels = [], measures = [] }: Details): MarkupContent {
  return [
    labels.length > 0
      ? htmlTable(
          'Events by label',
          ['label', 'matched', 'after FILTER', 'after WHEN'],
          labels.map(({ label, matched, filtered, ordered }) => [
            label,
            matched,
            filtered,
            ordered,
          ]),
        )
      : undefined,
    measures.length > 0
      ? htmlTable(
          'AGGREGATE',
          ['comparison', 'value', 'holds'],
          measures.map(({ text, left, right, holds }) => [
            text,
            sidesText(text, left, right),
            holds === undefined ? 'undecided' : holds ? 'yes' : 'no',
          ]),
        )
      : undefined,
  ];
}

/** The events of a binding by their places, where there is no picture of it. */
function bindingTable({ binding }: Evidence): MarkupContent {
  return htmlTable(
    'A binding',
    ['label', 'probe', 'seq'],
    Object.entries(binding).map(([label, { probe, timeline, seq }]) => [
      label,
      timeline === undefined ? probe : `${probe} ${timeline}`,
      `#${seq}`,
    ]),
  );
}

/** When the events of a binding were, and what the expression mentions of them. */
export function factsTable({ events }: Excerpt): MarkupContent {
  const rows = events
    .filter(({ facts }) => facts.length > 0)
    .map(({ labels, name, probe, seq, facts }) => [
      labels.join(', '),
      `${name} at ${probe}, #${seq}`,
      facts.map(({ name, text }) => element('div', {}, `${name}: ${text}`)),
    ]);
  return rows.length === 0
    ? undefined
    : htmlTable('The events of the binding', ['label', 'event', 'attributes'], rows);
}

/** A verdict or an outcome, which stands out where it is no success, also without a style sheet. */
export function verdictText(word: string): Markup {
  return element(word === 'passed' ? 'span' : 'strong', { class: word }, word);
}
