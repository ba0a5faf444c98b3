import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { PerturbError } from '../../basics/index.js';
import { quote } from '../../diagnostics/index.js';
import { codeOf } from '../../durable/index.js';
import { defaultProbeOf, piecesOf, readSessionStream } from '../../session/files/index.js';
import type { Reading, Session, SessionFormat } from '../../session/index.js';
import { runShortCommand, type ShortCommand, shortCommandFailure } from '../short-command.js';

/** Maximum size of a command's output in bytes. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Maximum size in bytes of a file named by the output. */
const MAX_FILE_BYTES = 1024 * 1024 * 1024;
/** Maximum length of a path. */
const MAX_PATH_LENGTH = 4_096;

/** A command in `[run] collect`. */
interface CollectSetup extends Omit<ShortCommand, 'maxBytes'> {
  /** True to skip broken entries. */
  readonly tolerant: boolean;
  /**
   * Returns the settings for reading evidence.
   *
   * @param path absolute path of the evidence's file or of the program that prints the evidence
   */
  readonly readingOf: (path: string) => Reading;
}

/** A `collect` command's evidence. */
interface Evidence {
  readonly session: Session;
  readonly format: SessionFormat;
}

/** A `collect` command's evidence, if any, or the reason for the command's failure. */
export type CollectResult = { readonly evidence?: Evidence } | { readonly failed: string };

/** Runs a command and reads evidence from the command's output, or from the file whose path the command prints. */
export async function collect(setup: CollectSetup): Promise<CollectResult> {
  const { vector, cwd, tolerant, readingOf } = setup;
  const [program = ''] = vector;
  const name = `the "collect" command ${quote(program)}`;
  const end = await runShortCommand({ ...setup, maxBytes: MAX_OUTPUT_BYTES });
  const failure = shortCommandFailure('collect', setup, end);
  if (failure !== undefined) return { failed: failure };
  const { stdout } = end;
  const path = findPath(stdout, cwd);
  if (path === undefined && stdout.toString('latin1').trim() === '') return {};
  const size = path === undefined ? 0 : statSync(path).size;
  if (size > MAX_FILE_BYTES) return { failed: `${name} names a file of more than 1 GiB: ${path}` };
  const source = path === undefined ? Readable.from([stdout]) : piecesOf(path);
  const readFailure = `the evidence from ${name} cannot be read`;
  try {
    const { session, format, problems, more } = await readSessionStream(source, {
      ...{ tolerant, reading: readingOf(path ?? resolve(cwd, program)) },
      ...(path !== undefined && { probe: defaultProbeOf(path) }),
    });
    if (session !== undefined) return { evidence: { session, format } };
    const count = problems.length + more - 1;
    const suffix = count > 0 ? ` (and ${count} more)` : '';
    return { failed: `${readFailure}: ${problems[0]?.message ?? ''}${suffix}` };
  } catch (error) {
    const reason = error instanceof PerturbError ? error.message : codeOf(error);
    if (reason === undefined) throw error;
    return { failed: `${readFailure}: ${reason}` };
  }
}

/** Returns the absolute path if the output is the path of a regular file. */
function findPath(stdout: Buffer, cwd: string): string | undefined {
  if (stdout.length > MAX_PATH_LENGTH) return undefined;
  const text = stdout.toString('utf8').trim();
  if (text === '' || /[\r\n\0]/.test(text)) return undefined;
  const path = resolve(cwd, text);
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? path : undefined;
}
