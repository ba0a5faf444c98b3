import { visible } from '../../basics/index.js';
import { type Binding, type Evaluation, placeText } from '../../evaluation/index.js';
import {
  comparisonText,
  type EvaluationPart,
  type EvidencePart,
  type Verdict,
} from '../../results/index.js';
import { indentLook, type ResultLook, wrapAt } from '../terminal/paint.js';
import { renderTable } from '../terminal/table.js';
import { spaceTimeText } from './space-time.js';

export function markOf(verdict: Verdict, { glyphs }: ResultLook): string {
  return verdict === 'undecided' ? '?' : glyphs[verdict];
}

/**
 * Returns the AGGREGATE comparisons with both sides' values; without AGGREGATE, the number of
 * bindings.
 */
function comparisonLines(
  { comparisons, isGrouped, bindings }: EvaluationPart,
  look: ResultLook,
): readonly string[] {
  if (comparisons.length === 0) return bindings === undefined ? [] : [bindings];
  return comparisons.map((one) => {
    const text = visible(isGrouped ? one.text : comparisonText(one));
    return `${look.paint[one.verdict](markOf(one.verdict, look))} ${wrapAt(text, look, 2)}`;
  });
}

/** Renders the number of events that remain for each label after each stage. */
export function stagesTable(
  { labels }: Pick<EvaluationPart, 'labels'>,
  { paint }: ResultLook,
): string {
  return renderTable(
    ['LABEL', 'MATCHED', 'AFTER FILTER', 'AFTER WHEN'],
    labels.map(({ label, matched, filtered, ordered }) =>
      [label, matched, filtered, ordered].map(String),
    ),
    { title: paint.dim },
  );
}

/**
 * Returns notes on a result: the number of satisfied groups, the worst groups, and the number of
 * absence checks.
 */
export function noteLines({ summary, worst, moreGroups }: EvaluationPart): string[] {
  const groups = worst.map(({ keys, comparisons }) => {
    const failing = comparisons.filter(({ verdict }) => verdict !== 'passed');
    return `${keys.join(', ')}: ${failing.map(comparisonText).join('; ')}`;
  });
  const more = moreGroups > 0 ? [`and ${moreGroups} more`] : [];
  return [...summary, ...groups, ...more].map(visible);
}

/** Returns the reason for an undecided result, with advice. */
export function undecidedLines({ undecided }: EvaluationPart): string[] {
  if (undecided === undefined) return [];
  const { clause, reason, help } = undecided;
  return [`${clause}: ${reason}`, `help: ${help}`].map(visible);
}

/**
 * Returns lines on a result: its values, and the reason for an undecided result or a lack of
 * bindings.
 *
 * @param vacuity the reasons for a vacuous result; empty for any other result
 */
export function resultLines(
  evaluation: EvaluationPart,
  look: ResultLook,
  vacuity: readonly string[],
): string[] {
  const { noBinding } = evaluation;
  const notes = [
    ...noteLines(evaluation),
    ...undecidedLines(evaluation),
    ...(vacuity.length > 0 || noBinding === undefined ? [] : [noBinding]),
    ...vacuity.map((line) => visible(`vacuous: ${line}`)),
  ];
  return [...comparisonLines(evaluation, look), ...notes.map((line) => wrapAt(line, look, 0))];
}

/** Returns a line for each near miss. */
export function formatNearMisses(
  { evidence }: Pick<EvaluationPart, 'evidence'>,
  look: ResultLook,
): string[] {
  const near = evidence.filter(({ isNearMiss }) => isNearMiss);
  return near.map(({ title }) => wrapAt(visible(title), look, 0));
}

export function indentLines(text: string, by: string): string {
  return text.replace(/^(?=.)/gm, by);
}

const STATUS = { holds: 'passed', fails: 'failed', undecided: 'undecided' } as const;

/** Returns an expression's result as human-readable text. */
export function formatEvaluation(
  status: Evaluation['status'],
  evaluation: EvaluationPart,
  look: ResultLook,
  vacuity: readonly string[],
): string {
  const verdict = STATUS[status];
  const result = resultLines(evaluation, indentLook(look, 2), vacuity).map((line) => `${line}\n`);
  const head = `${look.paint[verdict](`${markOf(verdict, look)} ${status}`)}\n`;
  const stages = evaluation.labels.length === 0 ? '' : `\n${stagesTable(evaluation, look)}`;
  return `${head}${indentLines(result.join(''), '  ')}${stages}`;
}

/** Renders bindings as a table, with a column for each label and cells such as `PROBE #seq`. */
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

/** Renders each piece of evidence below its title, as a diagram if possible, otherwise as lines. */
export function drawEvidence(
  { evidence }: Pick<EvaluationPart, 'evidence'>,
  look: ResultLook,
): string {
  return evidence
    .map((one) => {
      const { title, isNext, excerpt } = one;
      const body =
        excerpt === undefined
          ? eventLines(one, look)
          : spaceTimeText(excerpt, look) + factLines(one, look);
      return `${isNext ? 'next' : visible(title)}:\n${body}`;
    })
    .join('\n');
}

/** Returns the bound events' attributes, and the values. A diagram has no room for either. */
function factLines({ events, values }: EvidencePart, look: ResultLook): string {
  const lines = events
    .filter(({ facts }) => facts.length > 0)
    .map(({ labels, facts }) => `${labels}: ${factsText(facts)}`);
  const text = textLines([...lines, ...values], look);
  return text === '' ? '' : `\n${text}`;
}

/** Returns evidence as lines: one for each event, and the values. */
export function eventLines(
  { events, values }: EvidencePart,
  look: Pick<ResultLook, 'textWidth'>,
): string {
  const lines = events.map(({ labels, name, place, facts }) => {
    const what = [`${labels}:`, ...(name === '' ? [] : [name]), place].join(' ');
    return facts.length === 0 ? what : `${what}, ${factsText(facts)}`;
  });
  return textLines([...lines, ...values], look);
}

function textLines(lines: readonly string[], look: Pick<ResultLook, 'textWidth'>): string {
  return lines.map((line) => `${wrapAt(visible(line), look, 0)}\n`).join('');
}

function factsText(facts: readonly { readonly name: string; readonly text: string }[]): string {
  return facts.map(({ name, text }) => `${name} ${text}`).join(', ');
}
