import type { Evidence } from '../evaluation/index.js';
import type { Details } from '../records/index.js';
import {
  evidenceTitle,
  keyText,
  type Measured,
  measuredVerdict,
  metadataLines,
  type ObjectiveResult,
  shownEvents,
  sidesOfMeasure,
  sidesText,
  summaryLines,
  vacuities,
  vacuityLines,
  valueTexts,
} from '../results/index.js';
import {
  capitalized,
  divs,
  figure,
  figures,
  filledTable,
  html,
  htmlTable,
  type Markup,
  type MarkupContent,
  page,
  section,
  wide,
} from './markup.js';

/** The report of measurements over sessions, in the style of the report of a run. */
export function measureReport({ objective, sessions }: ObjectiveResult): string {
  const measured = sessions.flatMap((session) =>
    session.measurements.map((one) => ({
      ...{ session: session.name, ...one, verdict: measuredVerdict(one) },
      vacuous: vacuities([session]).find(({ name }) => name === one.name),
    })),
  );
  const counts = (['passed', 'failed', 'undecided'] as const).flatMap((verdict) => {
    const count = measured.filter((one) => one.verdict === verdict).length;
    return count === 0 ? [] : [`${count} ${verdict}`];
  });
  const rows = measured.map(
    ({ name, metadata, session, shouldPass, evaluation, verdict, vacuous }) => [
      nameCell(name, metadata),
      session,
      shouldPass ? 'hold' : 'not hold',
      verdictText(verdict),
      divs([
        ...[...evaluation.measures.map(sidesOfMeasure), ...summaryLines(evaluation)],
        ...(vacuous ? vacuityLines(vacuous) : []).map(
          (line) => html`<strong>vacuous: ${line}</strong>`,
        ),
      ]),
    ],
  );
  const always = vacuities(sessions).flatMap((one) =>
    vacuityLines(one).map((line) => html`<p>${one.name} is vacuous: ${line}</p>`),
  );
  const unread = sessions.flatMap(({ name, unread: lines }) =>
    lines === undefined ? [] : [[name, divs(lines)]],
  );
  return page(
    objective,
    section(
      'Verdicts',
      html`<p>${counts.join(', ') || 'Nothing was measured'}.</p>`,
      filledTable('Measurements', ['measurement', 'session', 'should', 'verdict', 'values'], rows),
      sessions.length > 1 ? always : undefined,
      filledTable('Sessions that cannot be read', ['session', 'why'], unread),
    ),
    section('Evidence', measured.filter(({ verdict }) => verdict !== 'passed').map(evidenceOf)),
  );
}

/** The name of a measurement, and its metadata below it. */
export function nameCell(name: string, metadata: Measured['metadata']): MarkupContent {
  const lines = metadataLines(metadata);
  return lines.length === 0 ? name : divs([name, ...lines]);
}

function evidenceOf(one: Measured & { readonly session: string }): Markup {
  const { name, session, evaluation, picture } = one;
  const { undecided, evidence } = evaluation;
  return html`${[
    html`<h3>${name}, ${session}</h3>`,
    undecided && html`<p>${undecided.clause}: ${undecided.reason}. ${undecided.help}.</p>`,
    evaluationTables(evaluation),
    evidenceParts(evidence, picture),
  ]}`;
}

/** The picture of the first piece of evidence, and a table of each. */
export function evidenceParts(
  evidence: readonly Evidence[],
  picture: Markup | undefined,
): MarkupContent {
  const shown = evidence.filter(({ binding }) => Object.keys(binding).length > 0);
  if (shown.length === 0) {
    return html`<p>No binding shows it: what it asks for did not happen.</p>`;
  }
  return [
    picture &&
      figure(wide(picture), 'The events of the first binding, and how one led to another.'),
    figures(shown.map(evidenceTable)),
  ];
}

/** The events of a piece of evidence: where they are, when they happened, and what the expression mentions of them. */
function evidenceTable(one: Evidence): Markup {
  const rows = shownEvents(one).map(({ labels, name, place, facts }) => [
    labels,
    name === '' ? place : `${name} at ${place}`,
    divs(facts.map((fact) => `${fact.name}: ${fact.text}`)),
  ]);
  const table = htmlTable(capitalized(evidenceTitle(one)), ['label', 'event', 'attributes'], rows);
  return html`<div>${table}${valueTexts(one).map((text) => html`<p>${text}</p>`)}</div>`;
}

/** What each label matched, both sides of each comparison of AGGREGATE, and the worst groups. */
export function evaluationTables({ labels = [], measures = [], groups }: Details): MarkupContent {
  const worst = groups?.worst.filter(({ holds }) => holds !== true) ?? [];
  const tables = [
    filledTable(
      'Events by label',
      ['label', 'matched', 'after FILTER', 'after WHEN'],
      labels.map(({ label, absent, matched, filtered, ordered }) => {
        return [absent ? `NOT ${label}` : label, matched, filtered, ordered];
      }),
    ),
    filledTable(
      groups === undefined ? 'AGGREGATE' : 'AGGREGATE, of the worst group',
      ['comparison', 'value', 'holds'],
      measures.map((measure) => [
        measure.text,
        sidesText(measure),
        measure.holds === undefined ? 'undecided' : measure.holds ? 'yes' : 'no',
      ]),
    ),
    filledTable(
      'The worst groups',
      ['group', 'values'],
      worst.map(({ keys, measures }) => [
        divs(keys.map(keyText)),
        divs(measures.map(sidesOfMeasure)),
      ]),
    ),
  ];
  const shown = tables.filter((table) => table !== undefined);
  return shown.length === 0 ? undefined : figures(divs(shown));
}

/** A verdict or an outcome, which stands out unless it is a success, even without a style sheet. */
export function verdictText(word: string): Markup {
  if (word === 'passed') return html`<span class="passed">passed</span>`;
  return html`<strong class="${word}">${word}</strong>`;
}
