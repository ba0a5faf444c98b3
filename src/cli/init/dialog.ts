import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { PerturbError } from '../../basics/index.js';
import { type Io, unavailableFailure, usageFailure } from '../runtime/command.js';

/** A question to the user. */
export interface Prompt<Answer> {
  readonly text: string;
  /** The error where nobody can be asked. */
  readonly missing: string;
  /** The answer that Enter gives; without it, one has to be typed. */
  readonly otherwise?: string;
  /** Reads an answer. Throws what is wrong with it. */
  readonly read: (answer: string) => Answer | Promise<Answer>;
}

/** Asks one thing. */
export type Ask = <Answer>(prompt: Prompt<Answer>) => Promise<Answer>;

/**
 * Asks on a terminal, and again after a wrong answer. Where there is none, or all defaults are accepted, a prompt's
 * default is its answer.
 */
export function dialogOn(io: Io, acceptsDefaults: boolean): Ask {
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

/** A line from the terminal. @throws CommandFailure (unavailable) after Ctrl-C or Ctrl-D */
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
