import { escapeMarkdown, inlineCode, markdownTable } from '../../basics/index.js';
import { type ComparedRunPart, type ComparisonDocument, planText } from '../../results/index.js';
import { setLines } from './comparison-text.js';

/** Returns a comparison of two runs as Markdown, such as for a pull request comment. */
export function toComparisonMarkdown(document: ComparisonDocument): string {
  const { sentence, a, b, notes, contrasts, names } = document;
  const run = (name: string, { directory, objective, attempts }: ComparedRunPart) =>
    `${name}: ${inlineCode(directory)}, ${escapeMarkdown(`${objective}, ${attempts}`)}`;
  const lines = [
    ...[run('A', a), run('B', b), ...notes.map(escapeMarkdown), ...names.map(escapeMarkdown)],
    ...setLines(document, (plan) => inlineCode(planText(plan))),
  ];
  const rows = contrasts.map((one) =>
    [one.title, one.a, one.b, one.p, one.verdict].map((cell) => escapeMarkdown(cell)),
  );
  return [
    `**${escapeMarkdown(sentence)}**\n`,
    markdownTable(['compared', 'A', 'B', 'p', 'B is'], rows),
    lines.map((line) => `- ${line}\n`).join(''),
  ].join('\n');
}
