import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ORIGINAL_NAME, UUID_NAME } from '../../actuators/acting/index.js';
import { StateError } from './state-journal.js';

/*
 * Records say what files were, so whoever can write them can have files written. They are used only
 * where this user alone can have written them.
 */

type Kind = 'file' | 'directory' | 'socket';

/** What a server makes in the directories of a state. */
const PARTS: Readonly<Record<string, readonly (readonly [RegExp, Kind])[]>> = {
  '': [
    [/^journal(?:\.new|\.damaged(?:\.new)?)?$/, 'file'],
    [/^(?:originals|running)$/, 'directory'],
    [/^server-\d+-[\da-f]+\.sock$/, 'socket'],
  ],
  originals: [[ORIGINAL_NAME, 'file']],
  running: [[UUID_NAME, 'file']],
};

/**
 * Checks that a state directory, which exists, and everything in it are this user's alone. Rejects
 * with a StateError that names what is not.
 *
 * @returns what no server has made; it is left alone
 */
export async function checkState(directory: string): Promise<readonly string[]> {
  const ignored: string[] = [];
  await check(directory, 'directory', true);
  for (const [part, made] of Object.entries(PARTS)) {
    const names = await readdir(join(directory, part)).catch(() => []);
    for (const name of names.sort()) {
      const kind = made.find(([pattern]) => pattern.test(name))?.[1];
      if (kind === undefined) ignored.push(join(part, name));
      // Of the notes of what runs, only the names matter.
      else await check(join(directory, part, name), kind, part !== 'running');
    }
  }
  return ignored;
}

/** @param isRead whether it will be read, so that others must not be able to write to it */
async function check(path: string, kind: Kind, isRead: boolean): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  // A socket, say, of a server that has just ended.
  if (found === undefined) return;
  const is = { file: found.isFile(), directory: found.isDirectory(), socket: found.isSocket() };
  const own = process.geteuid?.();
  if (!is[kind]) {
    const noun = kind === 'file' ? 'regular file' : kind;
    throw new StateError('untrusted', path, `it is not a ${noun}`);
  }
  if (own !== undefined && found.uid !== own) {
    throw new StateError('untrusted', path, `it belongs to user ${found.uid}, not to ${own}`);
  }
  if (own !== undefined && isRead && kind !== 'socket' && (found.mode & 0o022) !== 0) {
    throw new StateError('untrusted', path, 'other users may write to it: chmod go-w it');
  }
}
