import { codeBlock, markdownTable, prose } from '../../basics/index.js';
import type { ContrastDocument } from '../../results/index.js';
import type { ResultLook } from '../terminal/paint.js';
import { divergenceText, statementsTitle } from './explanation-text.js';

/** Returns a contrast as Markdown, for a ticket or a pull request comment. */
export function contrastMarkdown(document: ContrastDocument, look: ResultLook): string {
  const { paragraph, statements, divergence, limits } = document;
  const rows = statements.map(({ title, evidence, notes }) => [
    prose(title),
    prose([evidence, ...notes].join('; ')),
  ]);
  const parts = [
    `${prose(paragraph)}\n`,
    rows.length === 0
      ? ''
      : `**${prose(statementsTitle(document))}**\n\n${markdownTable(['statement', 'evidence'], rows)}`,
    divergence === undefined
      ? ''
      : [
          `**${prose(divergence.text)}**\n`,
          ...(divergence.note === undefined ? [] : [`${prose(divergence.note)}\n`]),
          `${codeBlock('text', divergenceText(divergence, look).trimEnd())}\n`,
        ].join('\n'),
    limits.map((limit) => `- ${prose(limit)}\n`).join(''),
  ];
  return parts.filter((part) => part !== '').join('\n');
}
