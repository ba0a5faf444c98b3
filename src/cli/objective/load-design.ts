import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadObjective, type Objective, rules } from '../../objective/index.js';
import type { ReporterName } from '../../reporters/index.js';
import { decodeSource } from '../../source/index.js';
import { readConfig } from '../config/config.js';
import { report } from '../files/report.js';
import type { CommandContext } from '../runtime/command.js';
import { exitCodes, Failure, systemReason } from '../runtime/command.js';
import { readStdin } from '../runtime/io.js';
import { isFileWord } from './is-file-word.js';
import { findRevision, type StoreFlags, withStoreOf } from './store.js';

/**
 * The objective that a word stands for: of a file or stdin (`isFileWord`), else of the store. It is
 * linted by the levels of perturb.toml; errors are reported.
 *
 * @returns undefined when it has errors
 * @throws Failure (usage) when there is no such objective
 */
export async function loadDesign(
  context: CommandContext,
  word: string,
  flags: StoreFlags & { readonly format: ReporterName },
): Promise<Objective | undefined> {
  const { io, color } = context;
  const config = await readConfig(context, flags.config);
  const { name, bytes } =
    word === '-'
      ? { name: word, bytes: await readStdin(io) }
      : isFileWord(io.cwd, word)
        ? { name: word, bytes: readBytes(resolve(io.cwd, word), word) }
        : await withStoreOf(context, flags, config, 'fail', async (store) => {
            const { name, revision, original } = await findRevision(store, word);
            return { name: `${name}@${revision}`, bytes: original };
          });
  const { objective, findings } = loadObjective(decodeSource(name, bytes), {
    levels: config.levels,
  });
  if (objective !== undefined) return objective;
  if (!findings.some(({ severity }) => severity === 'error')) {
    throw new Failure(
      exitCodes.findings,
      `a silenced finding hides a part of ${name}`,
      'Find it with perturb objective lint --no-inline-ignores, or in [lint.rules].',
    );
  }
  await report(
    io,
    color,
    { format: [{ format: flags.format }] },
    { findings, fileCount: 1, rules, unread: [] },
  );
  return undefined;
}

function readBytes(path: string, word: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Failure(exitCodes.usage, `cannot read ${word}: ${systemReason(error)}`);
  }
}
