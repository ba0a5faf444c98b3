import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { NOTE_NAME, ORIGINAL_NAME } from '../../actuators/acting/index.js';
import { StateError } from './state-journal.js';

/*
 * Records contain original files, so anybody who can write records can make the server write files. The server
 * therefore uses records only if no other user can have written them.
 */

type Kind = 'file' | 'directory' | 'socket';

/** The names and types of the files and directories that a server creates, by subdirectory of the state directory. */
const PARTS: Readonly<Record<string, readonly (readonly [RegExp, Kind])[]>> = {
  '': [
    [/^journal(?:\.new|\.damaged(?:\.new)?)?$/, 'file'],
    [/^(?:originals|running)$/, 'directory'],
    [/^server-\d+-[\da-f]+\.sock$/, 'socket'],
  ],
  originals: [[ORIGINAL_NAME, 'file']],
  running: [[NOTE_NAME, 'file']],
};

/**
 * Checks that an existing state directory and everything in it are writable by this user only. Rejects with a
 * StateError that names the offending path.
 *
 * @returns the files that no server has created, which the server leaves alone
 */
export async function checkState(directory: string): Promise<readonly string[]> {
  const foreignNames: string[] = [];
  await check(directory, 'directory', true);
  for (const [part, patterns] of Object.entries(PARTS)) {
    const names = await readdir(join(directory, part)).catch(() => []);
    for (const name of names.sort()) {
      const kind = patterns.find(([pattern]) => pattern.test(name))?.[1];
      if (kind === undefined) foreignNames.push(join(part, name));
      // The server reads only the names of the files in `running`.
      else await check(join(directory, part, name), kind, part !== 'running');
    }
  }
  return foreignNames;
}

/**
 * Checks that a path, if it exists, is of the expected type and belongs to this user. Rejects with a StateError.
 *
 * @param mustBeTrusted true to reject a path that other users can write to
 */
async function check(path: string, kind: Kind, mustBeTrusted: boolean): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  // The file no longer exists. For example, a server that has just ended removes its socket.
  if (stats === undefined) return;
  const matchesKind = {
    file: stats.isFile(),
    directory: stats.isDirectory(),
    socket: stats.isSocket(),
  };
  const user = process.geteuid?.();
  if (!matchesKind[kind]) {
    const noun = kind === 'file' ? 'regular file' : kind;
    throw new StateError('untrusted', path, `it is not a ${noun}`);
  }
  if (user !== undefined && stats.uid !== user) {
    throw new StateError('untrusted', path, `it belongs to user ${stats.uid}, not to ${user}`);
  }
  if (user !== undefined && mustBeTrusted && kind !== 'socket' && (stats.mode & 0o022) !== 0) {
    throw new StateError('untrusted', path, 'other users can write to it: run chmod go-w on it');
  }
}
