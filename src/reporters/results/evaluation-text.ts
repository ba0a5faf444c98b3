import {
  type Binding,
  type Evaluation,
  type Evidence,
  type LabelResult,
  placeText,
} from '../../evaluation/index.js';
import type { Excerpt } from '../../excerpt/index.js';
import type { Details } from '../../records/index.js';
import {
  evidenceTitle,
  keyText,
  shownEvents,
  sidesOfMeasure,
  summaryLines,
  type Verdict,
  valueTexts,
} from '../../results/index.js';
import { fitted, inside, type ResultLook } from '../terminal/paint.js';
import { renderTable } from '../terminal/table.js';
import { visible } from '../text.js';
import { spaceTimeText } from './space-time.js';

/** The measures of AGGREGATE with both of their sides; without AGGREGATE, whether there is a binding. */
function measureLines(
  { measures, status, bindings, groups }: Evaluation,
  look: ResultLook,
): string[] {
  const isGrouped = groups !== undefined;
  if (measures.length === 0) {
    if (status === 'undecided') return [];
    if (status === 'fails') return ['there is no binding'];
    if (bindings === undefined) return ['there is a binding'];
    return [bindings === '1' ? 'there is 1 binding' : `there are ${bindings} bindings`];
  }
  return measures.map((measure) => {
    const { text, holds } = measure;
    const verdict = holds === undefined ? 'undecided' : holds ? 'passed' : 'failed';
    const values = visible(isGrouped ? text : sidesOfMeasure(measure));
    return `${look.paint[verdict](markOf(verdict, look))} ${fitted(values, look, 2)}`;
  });
}

export function markOf(verdict: Verdict, { glyphs }: ResultLook): string {
  return verdict === 'undecided' ? '?' : glyphs[verdict];
}

/** How many events were left for each label, stage by stage. */
export function stagesTable(labels: readonly LabelResult[], { paint }: ResultLook): string {
  return renderTable(
    ['LABEL', 'MATCHED', 'AFTER FILTER', 'AFTER WHEN'],
    labels.map(({ label, matched, filtered, ordered }) =>
      [label, matched, filtered, ordered].map(String),
    ),
    { title: paint.dim },
  );
}

/** How the groups came out, the worst that do not satisfy the measures, and on what an absence was tested. */
export function noteLines(details: Details): string[] {
  const { groups } = details;
  const shown = groups?.worst.filter(({ holds }) => holds !== true) ?? [];
  const worst = shown.map(({ keys, measures }) => {
    const sides = measures.filter(({ holds }) => holds !== true);
    return `${keys.map(keyText).join(', ')}: ${sides.map(sidesOfMeasure).join('; ')}`;
  });
  const failing = groups?.hold === undefined ? 0 : groups.all - groups.hold;
  const more = failing > shown.length ? [`and ${failing - shown.length} more`] : [];
  return [...summaryLines(details), ...worst, ...more].map(visible);
}

/** Why there is no binding: the first stage that is empty, or that an absence leaves none. */
export function emptyReason({ bindings, labels, status }: Evaluation): string | undefined {
  if (bindings !== '0') return undefined;
  const absent = labels.filter((one) => one.absent).map(({ label }) => label);
  const present = labels.filter((one) => !one.absent);
  for (const [stage, what] of [
    ['matched', 'no event matches the pattern of'],
    ['filtered', 'FILTER leaves no event of'],
    ['ordered', 'WHEN leaves no event of'],
  ] as const) {
    const empty = present.filter((label) => label[stage] === 0).map(({ label }) => label);
    if (empty.length > 0) return `${what} ${empty.join(', ')}`;
  }
  if (absent.length === 0) {
    return 'each label has events, but no choice of them satisfies all clauses together';
  }
  if (status !== 'fails') return undefined;
  const what = `there is an event that should not be there: ${absent.join(' or ')}`;
  const others = present.map(({ label }) => label).join(', ');
  return present.length === 0 ? what : `for each choice of ${others} ${what}`;
}

/** Why there is no verdict, and what would help. */
export function undecidedLines({ undecided }: Evaluation): string[] {
  if (undecided === undefined) return [];
  const { clause, reason, help } = undecided;
  return [`${clause}: ${reason}`, `help: ${help}`].map(visible);
}

/**
 * Lines about a result, below its head: what was measured, why there is no verdict, or no binding.
 *
 * @param vacuity why it says nothing, one line each; none if it says something
 */
export function resultLines(
  evaluation: Evaluation,
  look: ResultLook,
  vacuity: readonly string[],
): string[] {
  const reason = emptyReason(evaluation);
  const notes = [
    ...noteLines(evaluation),
    ...undecidedLines(evaluation),
    ...(vacuity.length > 0 || reason === undefined ? [] : [reason]),
    ...vacuity.map((line) => visible(`vacuous: ${line}`)),
  ];

  return [...measureLines(evaluation, look), ...notes.map((line) => fitted(line, look, 0))];
}

export function indented(text: string, by: string): string {
  return text.replace(/^(?=.)/gm, by);
}

const STATUS = { holds: 'passed', fails: 'failed', undecided: 'undecided' } as const;

/** The result of one expression, for people. */
export function evaluationText(
  evaluation: Evaluation,
  look: ResultLook,
  vacuity: readonly string[],
): string {
  const { status, labels } = evaluation;
  const verdict = STATUS[status];
  const result = resultLines(evaluation, inside(look, 2), vacuity).map((line) => `${line}\n`);
  const head = `${look.paint[verdict](`${markOf(verdict, look)} ${status}`)}\n`;
  const stages = labels.length === 0 ? '' : `\n${stagesTable(labels, look)}`;
  return `${head}${indented(result.join(''), '  ')}${stages}`;
}

/** Bindings as a table: a column for each label, `PROBE #seq` in it. */
export function bindingsTable(
  labels: readonly string[],
  bindings: readonly Binding[],
  { paint }: ResultLook,
): string {
  if (bindings.length === 0) return 'no bindings\n';
  const rows = bindings.map((binding) =>
    labels.map((label) => {
      const place = binding[label];
      return place === undefined ? '' : placeText(place);
    }),
  );
  return renderTable(labels, rows, { title: paint.dim });
}

/**
 * Each piece of evidence, below what it is evidence of: as a diagram, or as lines if the session is
 * not at hand. Of several for one reason, each of less weight than the one before, only the first
 * is drawn; the neighbours of a value, and what has already been drawn, are lines.
 *
 * @param excerpts what to draw of each
 */
export function drawEvidence(
  { evidence }: Pick<Evaluation, 'evidence'>,
  excerpts: readonly Excerpt[] | undefined,
  look: ResultLook,
): string {
  const known = new Set<string>();
  const drawn = new Set<string>();
  return evidence
    .map((one, at) => {
      // Where all labels are absent there is nothing to show.
      if (Object.keys(one.binding).length === 0) return '';
      const title = evidenceTitle(one);
      const isNext = one.why !== 'first' && known.has(title);
      known.add(title);
      const events = shownEvents(one)
        .map(({ place }) => place)
        .join();
      const isDrawn = !isNext && !NEIGHBOURS.has(one.why) && !drawn.has(events);
      drawn.add(events);
      const excerpt = isDrawn ? excerpts?.[at] : undefined;
      const body =
        excerpt !== undefined
          ? spaceTimeText(excerpt, look) + factLines(one, look)
          : eventLines(one, look);
      return `${isNext ? 'next' : visible(title)}:\n${body}`;
    })
    .join('\n');
}

const NEIGHBOURS: ReadonlySet<string> = new Set<Evidence['why']>(['below', 'above']);

/** A line for each bound event with what there is to say of it; below the diagram, as the texts are long. */
function factLines(one: Evidence, look: ResultLook): string {
  const lines = shownEvents(one)
    .filter(({ facts }) => facts.length > 0)
    .map(({ labels, facts }) => `${labels}: ${factsText(facts)}`);
  const text = textLines([...lines, ...valueTexts(one)], look);
  return text === '' ? '' : `\n${text}`;
}

/** A line for each event, when there is no diagram, and what the differences come to. */
export function eventLines(one: Evidence, look: Pick<ResultLook, 'textWidth'>): string {
  const lines = shownEvents(one).map(({ labels, name, place, facts }) => {
    const what = [`${labels}:`, ...(name === '' ? [] : [name]), place].join(' ');
    return facts.length === 0 ? what : `${what}, ${factsText(facts)}`;
  });
  return textLines([...lines, ...valueTexts(one)], look);
}

function textLines(lines: readonly string[], look: Pick<ResultLook, 'textWidth'>): string {
  return lines.map((line) => `${fitted(visible(line), look, 0)}\n`).join('');
}

function factsText(facts: readonly { readonly name: string; readonly text: string }[]): string {
  return facts.map(({ name, text }) => `${name} ${text}`).join(', ');
}
