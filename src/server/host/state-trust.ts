import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ORIGINAL_NAME, UUID_NAME } from '../../actuators/acting/index.js';
import { StateError } from './state-journal.js';

/*
 * Records hold the originals of files, so whoever can write records can have files written. Records are used only if
 * this user alone can have written them.
 */

type Kind = 'file' | 'directory' | 'socket';

/** The files and directories that a server creates, by subdirectory of the state directory. */
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
 * Checks that an existing state directory and everything in it are writable by this user only. Rejects with a
 * StateError that names the offending path.
 *
 * @returns the files that no server has made; they are left alone
 */
export async function checkState(directory: string): Promise<readonly string[]> {
  const foreignNames: string[] = [];
  await check(directory, 'directory', true);
  for (const [part, patterns] of Object.entries(PARTS)) {
    const names = await readdir(join(directory, part)).catch(() => []);
    for (const name of names.sort()) {
      const kind = patterns.find(([pattern]) => pattern.test(name))?.[1];
      if (kind === undefined) foreignNames.push(join(part, name));
      // Only the names of running commands' notes are used.
      else await check(join(directory, part, name), kind, part !== 'running');
    }
  }
  return foreignNames;
}

/** @param mustBeTrusted true for a path that will be read, which others must not be able to write to */
async function check(path: string, kind: Kind, mustBeTrusted: boolean): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  // For example, a socket of a server that has just ended.
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
    throw new StateError('untrusted', path, 'other users may write to it: chmod go-w it');
  }
}
