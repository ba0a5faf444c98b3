import type { Session } from '../../session/index.js';
import type { Context } from '../runtime/command.js';
import { Failure } from '../runtime/failure.js';
import { problemLines, readSource, type SourceFlags } from '../session/read-source.js';

/** A session, or why it cannot be read, a line each. */
export type Recording = { readonly session: Session } | { readonly unread: readonly string[] };

/** Reads a session to measure; what is wrong with it also goes to stderr. */
export async function readRecording(
  context: Context,
  path: string,
  flags: SourceFlags,
): Promise<Recording> {
  const { stderr } = context.io;
  try {
    const reading = await readSource(context, path, flags);
    const lines = problemLines(path, reading);
    stderr.write(lines);
    const { session } = reading;
    return session === undefined ? { unread: lines.trimEnd().split('\n') } : { session };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    stderr.write(`perturb: ${error.message}\n`);
    return { unread: [error.message] };
  }
}
