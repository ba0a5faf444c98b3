import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { PerturbError } from '../../basics/index.js';
import { type Io, unavailableFailure, usageFailure } from '../runtime/command.js';

/** A prompt for a value from the user. */
export interface Prompt<Answer> {
  readonly text: string;
  /** The error message for a missing required answer. */
  readonly missing: string;
  /** The default answer. Without a default, an answer is required. */
  readonly otherwise?: string;
  /** Parses an answer. Throws for an invalid answer. */
  readonly read: (answer: string) => Answer | Promise<Answer>;
}

/** Prompts the user, and returns the parsed answer. */
export type Prompter = <Answer>(prompt: Prompt<Answer>) => Promise<Answer>;

/**
 * Returns a function that prompts on a terminal, and prompts again after an invalid answer. Without
 * a terminal, or if the user accepts defaults, the function returns a prompt's default.
 */
export function dialogOn(io: Io, acceptsDefaults: boolean): Prompter {
  const isTerminal = io.stdin.isTTY === true && io.stderr.isTTY === true;
  return async ({ text, missing, otherwise, read }) => {
    if (!isTerminal || (acceptsDefaults && otherwise !== undefined)) {
      if (otherwise !== undefined) return read(otherwise);
      throw usageFailure(missing, 'perturb init --help has examples.');
    }
    for (;;) {
      const answer = (await lineOf(text)) || otherwise;
      try {
        if (answer === undefined) throw usageFailure(missing);
        return await read(answer);
      } catch (error) {
        if (!(error instanceof PerturbError)) throw error;
        const { message, help } = error;
        io.stderr.write(`${[message, ...(help === undefined ? [] : [help])].join('\n')}\n\n`);
      }
    }
  };
}

/**
 * Reads a line from the terminal.
 *
 * @throws CommandFailure (unavailable) after Ctrl-C or Ctrl-D
 */
async function lineOf(text: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = once(lines, 'close').then(() => {
    throw unavailableFailure('cancelled; nothing was written');
  });
  // Node rejects the question after Ctrl-D.
  const said = lines.question(`${text}\n> `).catch(() => closed);
  try {
    return (await Promise.race([said, closed])).trim();
  } finally {
    closed.catch(() => undefined);
    lines.close();
  }
}
