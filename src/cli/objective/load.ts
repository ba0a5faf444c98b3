import { resolve } from 'node:path';
import { idFor } from '../../mutators/model/index.js';
import { loadObjective, type Objective, rules } from '../../objective/index.js';
import { type DecodedSource, decodeSource } from '../../source/index.js';
import { readConfig } from '../config/config.js';
import { type ResultFlags, report } from '../files/report.js';
import { isRegularFile } from '../files/walk.js';
import {
  type CommandContext,
  CommandFailure,
  exitCodes,
  refuseExpressionWithoutVerdict,
} from '../runtime/command.js';
import { readInputArgument } from '../runtime/io.js';
import { findRevision, type StoreFlags, withStore } from './store.js';

/** An objective's bytes, with their origin: a path, `-`, or `NAME@REVISION`. */
export interface ObjectiveBytes {
  readonly origin: string;
  readonly bytes: Uint8Array;
}

/**
 * True if a word names a file, not an objective in the store. Such a word is `-` for stdin, ends in
 * `.toml`, or is an existing file. `.` and `..` also count as files.
 */
export function isFileWord(cwd: string, word: string): boolean {
  if (/^(?:-|\.\.?)$|\.toml$/.test(word)) return true;
  return isRegularFile(resolve(cwd, word));
}

/**
 * Returns a file name derived from the objective's name, or `fallback` if the name cannot be
 * converted to ASCII.
 */
export function slugOf(name: string, fallback: string): string {
  const slug = idFor(name).slice(0, 100);
  return /^[a-z0-9-]+$/.test(slug) ? slug : fallback;
}

/**
 * Reads an objective from a file, from stdin (`-`), or from the store.
 *
 * @throws {PerturbError} if the objective cannot be read or does not exist
 */
export async function loadObjectiveBytes(
  context: CommandContext,
  flags: StoreFlags,
  word: string,
): Promise<ObjectiveBytes> {
  if (isFileWord(context.io.cwd, word)) {
    return { origin: word, bytes: await readInputArgument(context.io, word) };
  }
  return withStore(context, flags, async (store) => {
    const { name, revision, original } = await findRevision(store, word);
    return { origin: `${name}@${revision}`, bytes: original };
  });
}

/**
 * Refuses an objective with an expression that cannot have a verdict.
 *
 * @throws CommandFailure (findings)
 */
export function refuseMeaninglessObjective(objective: Objective): void {
  const { mutationConstraints, mutators, measurements } = objective;
  for (const { mutationPrecondition } of [mutationConstraints, ...mutators]) {
    if (mutationPrecondition)
      refuseExpressionWithoutVerdict(mutationPrecondition.text, 'precondition');
  }
  for (const { check } of measurements) refuseExpressionWithoutVerdict(check.text, 'check');
}

/**
 * Returns the failure for an objective that is partly unreadable because of a silenced finding.
 *
 * @param before a prefix for the message
 */
export function silencedFailure(origin: string, before = ''): CommandFailure {
  return new CommandFailure(
    exitCodes.findings,
    `${before}a silenced finding makes part of ${origin} unreadable`,
    'Find it with perturb objective lint --no-inline-ignores, or in [lint.rules].',
  );
}

/**
 * Loads an objective and its source, by file or name. Lints the objective with the levels in
 * perturb.toml, and reports errors.
 *
 * @param beside additional members of the JSON output, which programs expect in a result
 * @returns undefined if there are errors
 * @throws CommandFailure (usage) if there is no such objective
 */
export async function loadDesign(
  context: CommandContext,
  word: string,
  flags: StoreFlags & ResultFlags,
  beside: object,
): Promise<{ readonly objective: Objective; readonly source: DecodedSource } | undefined> {
  const { io, color } = context;
  const { levels } = await readConfig(context, flags.config);
  const { origin, bytes } = await loadObjectiveBytes(context, flags, word);
  const source = decodeSource(origin, bytes);
  const { objective, findings } = loadObjective(source, { levels });
  if (objective !== undefined) {
    refuseMeaninglessObjective(objective);
    return { objective, source };
  }
  if (!findings.some(({ severity }) => severity === 'error')) throw silencedFailure(origin);
  const format = flags.format.flatMap(({ format: name, ...to }) =>
    name === 'html' ? [] : [{ format: name, ...to }],
  );
  // Programs that read HTML from stdout must not receive findings there.
  const isHtmlOnStdout = flags.format.some(({ format, file }) => format === 'html' && !file);
  const to = isHtmlOnStdout ? { ...io, stdout: io.stderr } : io;
  await report(to, color, { format }, { findings, fileCount: 1, rules, unread: [], beside });
  return undefined;
}
