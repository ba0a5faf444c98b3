import { visible } from '../../basics/index.js';
import type { ExplanationDocument, Statement } from '../../results/index.js';
import { fitted, type ResultLook } from '../terminal/paint.js';

/** An explanation of a failing attempt, for people: a paragraph for a ticket, then what it rests on. */
export function explanationText(document: ExplanationDocument, look: ResultLook): string {
  const { paragraph, statements, limits } = document;
  const parts = [
    `${fitted(visible(paragraph), look, 0)}\n`,
    statementList(
      statements.some((one) => one.isSignificant)
        ? 'What separates failing attempts from passing ones:'
        : 'What differs most between failing attempts and passing ones, and may be chance:',
      statements,
      look,
    ),
    limits.map((limit) => `note: ${fitted(visible(limit), look, 6)}\n`).join(''),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

/** Statements, numbered, with their evidence below them. */
function statementList(title: string, statements: readonly Statement[], look: ResultLook): string {
  if (statements.length === 0) return '';
  const lines = statements.map((statement, n) => {
    const head = `${`${n + 1}.`.padStart(3)} `;
    const indent = ' '.repeat(head.length);
    return [
      `${head}${look.paint.bold(fitted(visible(statement.title), look, head.length))}`,
      ...[statement.evidence, ...statement.notes].map(
        (text) => `${indent}${fitted(visible(text), look, indent.length)}`,
      ),
    ].join('\n');
  });
  return `${title}\n${lines.join('\n')}\n`;
}
