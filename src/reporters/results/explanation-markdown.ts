import { codeBlock, escapeMarkdown, markdownTable } from '../../basics/index.js';
import type { ContrastDocument } from '../../results/index.js';
import type { ResultLook } from '../terminal/paint.js';
import { divergenceText, titleOfStatements } from './explanation-text.js';

/** Returns a contrast as Markdown, for a ticket or a pull request comment. */
export function contrastMarkdown(document: ContrastDocument, look: ResultLook): string {
  const { paragraph, statements, divergence, limits } = document;
  const rows = statements.map(({ title, evidence, notes }) => [
    escapeMarkdown(title),
    escapeMarkdown([evidence, ...notes].join('; ')),
  ]);
  const parts = [
    `${escapeMarkdown(paragraph)}\n`,
    rows.length === 0
      ? ''
      : `**${escapeMarkdown(titleOfStatements(document))}**\n\n${markdownTable(['statement', 'evidence'], rows)}`,
    divergence === undefined
      ? ''
      : [
          `**${escapeMarkdown(divergence.text)}**\n`,
          ...(divergence.note === undefined ? [] : [`${escapeMarkdown(divergence.note)}\n`]),
          `${codeBlock('text', divergenceText(divergence, look).trimEnd())}\n`,
        ].join('\n'),
    limits.map((limit) => `- ${escapeMarkdown(limit)}\n`).join(''),
  ];
  return parts.filter((part) => part !== '').join('\n');
}
