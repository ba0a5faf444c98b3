import {
  type Binding,
  type Evaluation,
  type GroupKey,
  type LabelResult,
  placeText,
} from '../../evaluation/index.js';
import { type Excerpt, timeText } from '../../excerpt/index.js';
import { sidesText, type Verdict } from '../../results/index.js';
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
  return measures.map(({ text, left, right, holds }) => {
    const verdict = holds === undefined ? 'undecided' : holds ? 'passed' : 'failed';
    const values = visible(isGrouped ? text : `${text}: ${sidesText(text, left, right)}`);
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

/** How many groups satisfy the measures, and the worst that do not. */
export function groupLines({ groups }: Evaluation): string[] {
  if (groups === undefined) return [];
  const { all, hold, cutOff, worst } = groups;
  const counts = hold === undefined ? `${all} groups` : `${hold} of ${all} groups`;
  const lines = [`satisfied by ${counts}`];
  if (cutOff !== undefined && cutOff > 0) {
    const events = cutOff === 1 ? '1 event lies' : `${cutOff} events lie`;
    lines.push(`${events} in the last window, which the end of the session cuts short`);
  }
  for (const { keys, measures, holds } of worst) {
    if (holds === true) continue;
    const key = keys.map((one) => `${one.key} ${keyText(one)}`).join(', ');
    const sides = measures.filter((one) => one.holds !== true);
    lines.push(
      `${key}: ${sides.map(({ text, left, right }) => `${text}: ${sidesText(text, left, right)}`).join('; ')}`,
    );
  }
  return lines.map(visible);
}

/** Of a window when it begins, as people read it. */
function keyText({ key, value }: GroupKey): string {
  return key.startsWith('window(') && /^\d+$/.test(value) ? timeText(BigInt(value)) : value;
}

/** Why there is no binding: the first stage that is empty. */
export function emptyReason({ bindings, labels }: Evaluation): string | undefined {
  if (bindings !== '0') return undefined;
  for (const [stage, what] of [
    ['matched', 'no event matches the pattern of'],
    ['filtered', 'FILTER leaves no event of'],
    ['ordered', 'WHEN leaves no event of'],
  ] as const) {
    const empty = labels.filter((label) => label[stage] === 0).map(({ label }) => label);
    if (empty.length > 0) return `${what} ${empty.join(', ')}`;
  }
  return 'each label has events, and no choice of them satisfies all clauses together';
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
 * @param vacuity why it says nothing, a line each; none where it says something
 */
export function resultLines(
  evaluation: Evaluation,
  look: ResultLook,
  vacuity: readonly string[],
): string[] {
  const reason = emptyReason(evaluation);
  const notes = [
    ...groupLines(evaluation),
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
 * The evidence, each below what it is evidence of: as diagrams, or as the places of its events
 * where these are not at hand.
 *
 * @param excerpts what to draw of each
 */
export function drawEvidence(
  { evidence }: Evaluation,
  excerpts: readonly Excerpt[] | undefined,
  look: ResultLook,
): string {
  return evidence
    .map((one, at) => {
      // Where all labels are absent there is nothing to show.
      if (Object.keys(one.binding).length === 0) return '';
      const excerpt = excerpts?.[at];
      const drawn =
        excerpt === undefined
          ? bindingsTable(Object.keys(one.binding), [one.binding], look)
          : spaceTimeText(excerpt, look) + factLines(excerpt, look);
      const { why, of } = one;
      const title =
        {
          first: 'a binding:',
          group: 'in the worst group:',
        }[why as string] ?? `the binding with ${visible(of ?? why)}:`;
      return `${title}\n${drawn}`;
    })
    .join('\n');
}

/** A line for each bound event with what there is to say of it; below the diagram, for the texts are long. */
function factLines({ events }: Excerpt, look: ResultLook): string {
  const lines = events
    .filter(({ facts }) => facts.length > 0)
    .map(({ labels, facts }) => {
      const texts = facts.map(({ name, text }) => `${name} ${text}`).join(', ');
      return `${fitted(visible(`${labels.join(', ')}: ${texts}`), look, 0)}\n`;
    });
  return lines.length === 0 ? '' : `\n${lines.join('')}`;
}
