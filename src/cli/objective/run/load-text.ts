import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Context } from '../../runtime/command.js';
import { exitCodes } from '../../runtime/exit-codes.js';
import { Failure, reasonOf } from '../../runtime/failure.js';
import { readStdin } from '../../runtime/io.js';
import { findRevision } from '../find-revision.js';
import { type StoreFlags, withStore } from '../store.js';

/** The bytes of an objective, and where they come from. */
export interface ObjectiveBytes {
  readonly origin: string;
  readonly bytes: Uint8Array;
}

/**
 * Reads an objective: a file, `-` for stdin, or an objective of the store.
 *
 * @throws Failure for one that cannot be read or is not there
 */
export async function loadObjectiveBytes(
  context: Context,
  flags: StoreFlags,
  word: string,
): Promise<ObjectiveBytes> {
  const { io } = context;
  const path = resolve(io.cwd, word);
  const looksLikeFile = /^(?:-|\.\.?)$|[/\\]|\.toml$/.test(word);
  if (looksLikeFile || statSync(path, { throwIfNoEntry: false })?.isFile() === true) {
    try {
      return { origin: word, bytes: word === '-' ? await readStdin(io) : readFileSync(path) };
    } catch (error) {
      throw new Failure(exitCodes.usage, `cannot read ${word}: ${reasonOf(error)}`);
    }
  }
  return withStore(context, flags, async (store) => {
    const { name, revision, original } = await findRevision(store, word);
    return { origin: `${name}@${revision}`, bytes: original };
  });
}
