import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandContext } from '../../runtime/command.js';
import { exitCodes, Failure, systemReason } from '../../runtime/command.js';
import { readStdin } from '../../runtime/io.js';
import { isFileWord } from '../is-file-word.js';
import { findRevision, type StoreFlags, withStore } from '../store.js';

/** The bytes of an objective, and where they come from. */
export interface ObjectiveBytes {
  readonly origin: string;
  readonly bytes: Uint8Array;
}

/**
 * Reads an objective: a file, `-` for stdin, or an objective of the store.
 *
 * @throws Failure for one that cannot be read or does not exist
 */
export async function loadObjectiveBytes(
  context: CommandContext,
  flags: StoreFlags,
  word: string,
): Promise<ObjectiveBytes> {
  const { io } = context;
  if (isFileWord(io.cwd, word)) {
    const path = resolve(io.cwd, word);
    try {
      return { origin: word, bytes: word === '-' ? await readStdin(io) : readFileSync(path) };
    } catch (error) {
      throw new Failure(exitCodes.usage, `cannot read ${word}: ${systemReason(error)}`);
    }
  }
  return withStore(context, flags, async (store) => {
    const { name, revision, original } = await findRevision(store, word);
    return { origin: `${name}@${revision}`, bytes: original };
  });
}
