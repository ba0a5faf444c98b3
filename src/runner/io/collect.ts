import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { quote } from '../../diagnostics/index.js';
import { readSession, type Session } from '../../session/index.js';
import { durationText } from '../../values/index.js';
import { runShortCommand, type ShortCommand } from '../short-command.js';

/** The most that a command may print, and the largest file that it may name. */
const MOST_PRINTED = 64 * 1024 * 1024;
const MOST_IN_FILE = 1024 * 1024 * 1024;
/** A longer line is no path. */
const LONGEST_PATH = 4_096;

/** A command of `[run] collect`. */
interface CollectSetup extends Omit<ShortCommand, 'mostBytes'> {
  /** True to skip broken entries. */
  readonly tolerant: boolean;
}

/** The result of a `collect` command: its events, if any, or the reason for its failure. */
export type Collected = { readonly session?: Session } | { readonly failed: string };

/** Runs a command, and reads the evidence that it prints, or that is in the file whose path it prints. */
export async function collect(setup: CollectSetup): Promise<Collected> {
  const { vector, cwd, timeoutMs, tolerant } = setup;
  const name = `the command ${quote(vector[0] ?? '')} of "collect"`;
  const { status, error, stdout, lastLines } = await runShortCommand({
    ...setup,
    mostBytes: MOST_PRINTED,
  });
  const said = lastLines.length > 0 ? `: ${lastLines.join(' | ')}` : '';
  if (error !== undefined) return { failed: `${name} ${endText(error, timeoutMs)}${said}` };
  if (status !== 0) return { failed: `${name} ended with status ${status}${said}` };
  const path = pathIn(stdout, cwd);
  if (path === undefined && stdout.toString('latin1').trim() === '') return {};
  const size = path === undefined ? 0 : statSync(path).size;
  if (size > MOST_IN_FILE) return { failed: `${name} names a file of more than 1 GiB: ${path}` };
  const input = path === undefined ? stdout : createReadStream(path);
  const { session, problems, more } = await readSession(input, { tolerant });
  const [first] = problems;
  if (session === undefined) {
    const others = problems.length + more - 1;
    const rest = others > 0 ? ` (and ${others} more)` : '';
    return { failed: `the evidence of ${name} cannot be read: ${first?.message ?? ''}${rest}` };
  }
  return { session };
}

/** The path of a regular file, if that is all that was printed. */
function pathIn(stdout: Buffer, cwd: string): string | undefined {
  if (stdout.length > LONGEST_PATH) return undefined;
  const text = stdout.toString('utf8').trim();
  if (text === '' || /[\r\n\0]/.test(text)) return undefined;
  const path = resolve(cwd, text);
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? path : undefined;
}

function endText(error: string, timeoutMs: number): string {
  switch (error) {
    case 'timeout':
      return `did not end within ${durationText(timeoutMs)}`;
    case 'too-long':
      return 'printed more than 64 MiB';
    case 'no-program':
      return 'could not be started: there is no such program';
    default:
      return `was ended by ${error}`;
  }
}
