import {
  comparisonText,
  type EvaluationPart,
  type EvidencePart,
  type MeasurementDocument,
  type MeasurementPart,
  metadataLines,
} from '../results/index.js';
import {
  capitalize,
  columns,
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
  wrapInScrollContainer,
} from './markup.js';
import { spaceTime } from './space-time.js';

/** Returns an HTML report about measurements on sessions, in the style of a run report. */
export function renderMeasurementReport(document: MeasurementDocument): string {
  const { objective, headline, sessions, overall, counts } = document;
  const measured = sessions.flatMap(({ name, measurements }) =>
    measurements.map((one) => [name, one] as const),
  );
  const rows = measured.map(([session, one]) => [
    nameCell(one.name, one.metadata),
    session,
    one.shouldPass ? 'hold' : 'not hold',
    verdictText(one.verdict),
    divs([
      ...valueTextsOf(one.evaluation),
      ...one.evaluation.summary,
      ...one.vacuity.map((line) => html`<strong>vacuous: ${line}</strong>`),
      ...one.evaluation.evidence.flatMap(({ isNearMiss, title }) => (isNearMiss ? [title] : [])),
    ]),
  ]);
  const always = overall.flatMap(({ name, vacuity }) =>
    vacuity.map((line) => html`<p>${name} is vacuous: ${line}</p>`),
  );
  const unread = sessions.flatMap(({ name, unread: lines }) =>
    lines === undefined ? [] : [[name, divs(lines)]],
  );
  return page(
    objective,
    0,
    html`<p class="lead"><strong class="${headline.verdict}">${headline.text}</strong></p>`,
    section(
      'Verdicts',
      html`<p>${counts.map(({ text }) => text).join(', ') || 'Nothing was measured'}.</p>`,
      filledTable('Measurements', ['measurement', 'session', 'should', 'verdict', 'values'], rows),
      sessions.length > 1 ? always : undefined,
      filledTable('Unreadable sessions', ['session', 'why'], unread),
    ),
    section(
      'Evidence',
      measured
        .filter(([, { verdict }]) => verdict !== 'passed')
        .map(([session, one]) => evidenceOf(session, one)),
    ),
  );
}

/**
 * Returns the AGGREGATE comparisons as text. Without AGGREGATE, returns a sentence about the number
 * of bindings, if known.
 */
function valueTextsOf({ comparisons, bindings }: EvaluationPart): readonly string[] {
  if (comparisons.length > 0) return comparisons.map(comparisonText);
  return bindings === undefined ? [] : [bindings];
}

/** Returns a measurement's name, followed by its metadata. */
export function nameCell(name: string, metadata: MeasurementPart['metadata']): MarkupContent {
  const lines = metadataLines(metadata);
  return lines.length === 0 ? name : divs([name, ...lines]);
}

function evidenceOf(session: string, { name, evaluation }: MeasurementPart): Markup {
  const { undecided } = evaluation;
  return html`${[
    html`<h3>${name}, ${session}</h3>`,
    undecided && html`<p>${undecided.clause}: ${undecided.reason}. ${undecided.help}.</p>`,
    evidenceParts(evaluation),
    evaluationTables(evaluation),
  ]}`;
}

/**
 * Returns a diagram of the first evidence with a picture, and a table for each piece of evidence.
 */
export function evidenceParts({ evidence }: EvaluationPart): MarkupContent {
  if (evidence.length === 0) {
    return html`<p>There is no binding to show, because the expected events did not occur.</p>`;
  }
  const shown = evidence.find(({ picture }) => picture !== undefined);
  const which = shown?.isNearMiss ? 'the nearest miss' : 'the first binding';
  return [
    shown?.picture &&
      figure(
        wrapInScrollContainer(spaceTime(shown.picture)),
        `Events of ${which} and their causal order.`,
      ),
    columns(evidence.map(evidenceTable)),
  ];
}

/**
 * Returns a table of the events in a piece of evidence: their positions, times and mentioned
 * attributes.
 */
function evidenceTable({ title, events, values }: EvidencePart): Markup {
  const rows = events.map(({ labels, name, place, facts }) => [
    labels,
    name === '' ? place : `${name} at ${place}`,
    divs(facts.map((fact) => `${fact.name}: ${fact.text}`)),
  ]);
  const table = htmlTable(capitalize(title), ['label', 'event', 'attributes'], rows);
  return html`<div>${table}${values.map((text) => html`<p>${text}</p>`)}</div>`;
}

const HOLDS = { passed: 'yes', failed: 'no', undecided: 'undecided' } as const;

/**
 * Returns tables with each label's matches, each AGGREGATE comparison's values, and the worst
 * groups.
 */
export function evaluationTables(part: EvaluationPart): MarkupContent {
  const tables = [
    filledTable(
      'Events by label',
      ['label', 'matched', 'after FILTER', 'after WHEN'],
      part.labels.map(({ label, absent, matched, filtered, ordered }) => {
        return [absent ? `NOT ${label}` : label, matched, filtered, ordered];
      }),
    ),
    filledTable(
      part.isGrouped ? 'AGGREGATE in the worst group' : 'AGGREGATE',
      ['comparison', 'value', 'holds'],
      part.comparisons.map(({ text, values, verdict }) => [text, values, HOLDS[verdict]]),
    ),
    filledTable(
      'The worst groups',
      ['group', 'values'],
      part.worst.map(({ keys, comparisons }) => [
        divs(keys),
        divs(comparisons.map(comparisonText)),
      ]),
    ),
  ];
  const shown = tables.filter((table) => table !== undefined);
  return shown.length === 0 ? undefined : figures(divs(shown));
}

/**
 * Returns the markup of a verdict or outcome. Everything except `passed` is bold, even without a
 * style sheet.
 */
export function verdictText(word: string): Markup {
  if (word === 'passed') return html`<span class="passed">passed</span>`;
  return html`<strong class="${word}">${word}</strong>`;
}
