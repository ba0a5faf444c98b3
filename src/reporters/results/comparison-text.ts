import { visible, wrap } from '../../basics/index.js';
import { type ComparisonDocument, planText, type SetPart } from '../../results/index.js';
import type { Plan } from '../../runner/index.js';
import { renderFacts, renderTable, type TableStyle } from '../terminal/table.js';

/** Returns a comparison of two runs as human-readable text. */
export function toComparisonText(document: ComparisonDocument, look: TableStyle): string {
  const { sentence, a, b, notes, contrasts, names } = document;
  const parts = [
    linesText([sentence], look),
    renderFacts(
      [
        ['A', `${a.directory}: ${a.objective}, ${a.attempts}`],
        ['B', `${b.directory}: ${b.objective}, ${b.attempts}`],
      ],
      look,
    ) + linesText(notes, look),
    renderTable(
      ['COMPARED', 'A', 'B', 'P', 'B IS?'],
      contrasts.map((one) => [one.title, one.a, one.b, one.p, one.verdict]),
      look,
    ),
    linesText([...names, ...setLines(document, planText)], look),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function linesText(lines: readonly string[], { width = Number.POSITIVE_INFINITY }: TableStyle) {
  return lines
    .flatMap((line) => wrap(visible(line), width))
    .map((line) => `${line}\n`)
    .join('');
}

/** Returns a line for each set that failed in only one run, and a line on omitted sets. */
export function setLines(
  { sets, moreSets }: Pick<ComparisonDocument, 'sets' | 'moreSets'>,
  show: (plan: Plan) => string,
): readonly string[] {
  const lines = sets.map(
    (set) => `fails in ${set.fails} alone: ${show(set.plan)} (${placeOf(set)})`,
  );
  return moreSets === 0 ? lines : [...lines, `and ${moreSets} more sets`];
}

function placeOf({ a, b }: SetPart): string {
  return `${attemptsText(a)} of A, ${attemptsText(b)} of B`;
}

function attemptsText(numbers: readonly number[]): string {
  return numbers.length === 1 ? `attempt ${numbers[0]}` : `${numbers.length} attempts`;
}
