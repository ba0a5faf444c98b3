import { visible } from '../../basics/index.js';
import { type Binding, type Evaluation, placeText } from '../../evaluation/index.js';
import {
  comparisonText,
  type EvaluationPart,
  type EvidencePart,
  type Verdict,
} from '../../results/index.js';
import { fitted, inside, type ResultLook } from '../terminal/paint.js';
import { renderTable } from '../terminal/table.js';
import { spaceTimeText } from './space-time.js';

export function markOf(verdict: Verdict, { glyphs }: ResultLook): string {
  return verdict === 'undecided' ? '?' : glyphs[verdict];
}

/** The comparisons of AGGREGATE with both of their sides; without AGGREGATE, whether there is a binding. */
function comparisonLines(
  { comparisons, isGrouped, bindings }: EvaluationPart,
  look: ResultLook,
): readonly string[] {
  if (comparisons.length === 0) return bindings === undefined ? [] : [bindings];
  return comparisons.map((one) => {
    const text = visible(isGrouped ? one.text : comparisonText(one));
    return `${look.paint[one.verdict](markOf(one.verdict, look))} ${fitted(text, look, 2)}`;
  });
}

/** The number of events left for each label, stage by stage. */
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

/** The groups in short, the worst that do not satisfy the measures, and on what an absence was tested. */
export function noteLines({ summary, worst, moreGroups }: EvaluationPart): string[] {
  const groups = worst.map(({ keys, comparisons }) => {
    const failing = comparisons.filter(({ verdict }) => verdict !== 'passed');
    return `${keys.join(', ')}: ${failing.map(comparisonText).join('; ')}`;
  });
  const more = moreGroups > 0 ? [`and ${moreGroups} more`] : [];
  return [...summary, ...groups, ...more].map(visible);
}

/** Why there is no verdict, and what would help. */
export function undecidedLines({ undecided }: EvaluationPart): string[] {
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
  return [...comparisonLines(evaluation, look), ...notes.map((line) => fitted(line, look, 0))];
}

/** Returns the nearest misses, a line each. */
export function nearMissLines(
  { evidence }: Pick<EvaluationPart, 'evidence'>,
  look: ResultLook,
): string[] {
  const near = evidence.filter(({ isNearMiss }) => isNearMiss);
  return near.map(({ title }) => fitted(visible(title), look, 0));
}

export function indented(text: string, by: string): string {
  return text.replace(/^(?=.)/gm, by);
}

const STATUS = { holds: 'passed', fails: 'failed', undecided: 'undecided' } as const;

/** The result of one expression, for people. */
export function evaluationText(
  status: Evaluation['status'],
  evaluation: EvaluationPart,
  look: ResultLook,
  vacuity: readonly string[],
): string {
  const verdict = STATUS[status];
  const result = resultLines(evaluation, inside(look, 2), vacuity).map((line) => `${line}\n`);
  const head = `${look.paint[verdict](`${markOf(verdict, look)} ${status}`)}\n`;
  const stages = evaluation.labels.length === 0 ? '' : `\n${stagesTable(evaluation, look)}`;
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

/** Each piece of evidence, below what it is evidence of: as a diagram, or as lines where it has none. */
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

/** A line for each bound event with what there is to say of it; below the diagram, as the texts are long. */
function factLines({ events, values }: EvidencePart, look: ResultLook): string {
  const lines = events
    .filter(({ facts }) => facts.length > 0)
    .map(({ labels, facts }) => `${labels}: ${factsText(facts)}`);
  const text = textLines([...lines, ...values], look);
  return text === '' ? '' : `\n${text}`;
}

/** A line for each event, when there is no diagram, and what the differences come to. */
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
  return lines.map((line) => `${fitted(visible(line), look, 0)}\n`).join('');
}

function factsText(facts: readonly { readonly name: string; readonly text: string }[]): string {
  return facts.map(({ name, text }) => `${name} ${text}`).join(', ');
}
