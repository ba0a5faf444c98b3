import { visible } from '../../basics/index.js';
import type { ContrastDocument, DivergencePart, Statement } from '../../results/index.js';
import { type ResultLook, wrapAt } from '../terminal/paint.js';
import { spaceTimeText } from './space-time.js';

/** Returns a contrast as text: a summary paragraph for a ticket, followed by the evidence. */
export function contrastText(document: ContrastDocument, look: ResultLook): string {
  const { paragraph, statements, divergence, limits } = document;
  const parts = [
    `${wrapAt(visible(paragraph), look, 0)}\n`,
    statements.length === 0
      ? ''
      : `${titleOfStatements(document)}:\n${statements.map((one, n) => statementText(one, n + 1, look)).join('')}`,
    divergence === undefined
      ? ''
      : `${divergenceNote(divergence, look)}\n${divergenceText(divergence, look)}`,
    limits.map((limit) => `note: ${wrapAt(visible(limit), look, 6)}\n`).join(''),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

/** Returns the statements' title, with a warning if all statements may be due to chance. */
export function titleOfStatements({ statements, noun }: ContrastDocument): string {
  return statements.some((one) => one.isSignificant)
    ? `Differences between failing and passing ${noun}s`
    : `Largest differences between failing and passing ${noun}s, possibly due to chance`;
}

/** Renders a numbered statement, followed by its evidence. */
function statementText(statement: Statement, n: number, look: ResultLook): string {
  const head = `${`${n}.`.padStart(3)} `;
  const indent = ' '.repeat(head.length);
  const title = look.paint.bold(wrapAt(visible(statement.title), look, head.length));
  const lines = [statement.evidence, ...statement.notes].map(
    (text) => `${indent}${wrapAt(visible(text), look, indent.length)}\n`,
  );
  return `${head}${title}\n${lines.join('')}`;
}

function divergenceNote({ text, note }: DivergencePart, look: ResultLook): string {
  return [text, ...(note === undefined ? [] : [note])]
    .map((line) => `${wrapAt(visible(line), look, 0)}\n`)
    .join('');
}

/**
 * Renders the space-time diagrams of a passing and a failing session, around their first
 * difference.
 */
export function divergenceText({ passing, failing }: DivergencePart, look: ResultLook): string {
  const drawn = [
    { title: `${passing.name}, passed`, excerpt: passing.excerpt },
    { title: `${failing.name}, failed`, excerpt: failing.excerpt },
  ];
  return drawn
    .map(({ title, excerpt }) => `${visible(title)}:\n${spaceTimeText(excerpt, look)}`)
    .join('\n');
}
