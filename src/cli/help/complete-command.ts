import type { CommandTable } from '../runtime/command.js';
import type { Io } from '../runtime/io.js';
import { type Completion, complete } from './complete.js';
import { joinBashWords } from './shells.js';

/**
 * `perturb complete SHELL -- WORDS`, which the scripts of `perturb completion`
 * ask: prints what the last word may become. It has no help, for nobody types it.
 */
export async function printCompletions(
  io: Io,
  [shell, , ...words]: readonly string[],
  table: CommandTable,
): Promise<void> {
  const isBash = shell === 'bash';
  const { words: whole, kept } = isBash ? joinBashWords(words) : { words, kept: '' };
  const completion = await complete(whole, table);
  io.stdout.write(isBash ? linesForBash(completion, kept) : linesOf(completion));
}

function linesOf({ candidates, paths }: Completion): string {
  const lines = candidates.map(({ text, summary }) => (summary ? `${text}\t${summary}` : text));
  return [...lines, ...(paths === undefined ? [] : [`:${paths}`])]
    .map((line) => `${line}\n`)
    .join('');
}

/** Bash replaces only a part of the word, and has no room for summaries. */
function linesForBash({ candidates, paths }: Completion, kept: string): string {
  const bare = candidates.map(({ text }) => ({ text: text.slice(kept.length) }));
  return linesOf({ candidates: bare, ...(paths && { paths }) });
}
