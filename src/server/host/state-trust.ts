import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ORIGINAL_NAME, UUID_NAME } from '../../actuators/acting/index.js';
import { StateError } from './state-journal.js';

/*
 * Records say what files were, so whoever can write them can have files written. They are used only
 * where this user alone can have written them.
 */

type Kind = 'file' | 'directory' | 'socket';

/** A directory of the state, and what a server makes in it. */
interface Part {
  readonly name: string;
  readonly kindOf: (name: string) => Kind | undefined;
  /** Whether what a file holds, or only its name, matters. */
  readonly isRead: boolean;
}

const SOCKET = /^server-\d+-[\da-f]+\.sock$/;

const PARTS: readonly Part[] = [
  {
    name: '',
    kindOf: (name) => {
      if (/^journal(?:\.new|\.damaged(?:\.new)?)?$/.test(name)) return 'file';
      if (name === 'originals' || name === 'running') return 'directory';
      return SOCKET.test(name) ? 'socket' : undefined;
    },
    isRead: true,
  },
  {
    name: 'originals',
    kindOf: (name) => (ORIGINAL_NAME.test(name) ? 'file' : undefined),
    isRead: true,
  },
  {
    name: 'running',
    kindOf: (name) => (UUID_NAME.test(name) ? 'file' : undefined),
    isRead: false,
  },
];

/** What a state directory holds beside records. */
interface StateContent {
  /** What no server has made. It is left alone. */
  readonly ignored: readonly string[];
  /** Whether a server that was killed has left its socket: neither repositories nor archives hold one. */
  readonly hasSocket: boolean;
}

/**
 * Looks whether a state directory, which exists, and all in it is this user's alone. Rejects with a
 * StateError that names what is not.
 */
export async function checkState(directory: string): Promise<StateContent> {
  const ignored: string[] = [];
  let hasSocket = false;
  await check(directory, 'directory', true);
  for (const { name: part, kindOf, isRead } of PARTS) {
    for (const name of (await namesIn(join(directory, part))).sort()) {
      const path = join(directory, part, name);
      const kind = kindOf(name);
      if (kind === undefined) ignored.push(join(part, name));
      else await check(path, kind, isRead);
      hasSocket ||= kind === 'socket';
    }
  }
  return { ignored, hasSocket };
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

/** @param isRead whether others must not write to it */
async function check(path: string, kind: Kind, isRead: boolean): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  // A socket, say, of a server that has just ended.
  if (found === undefined) return;
  const is = { file: found.isFile(), directory: found.isDirectory(), socket: found.isSocket() };
  const own = process.geteuid?.();
  if (!is[kind]) {
    throw new StateError('untrusted', path, `it is no ${kind === 'file' ? 'regular file' : kind}`);
  }
  if (own !== undefined && found.uid !== own) {
    throw new StateError('untrusted', path, `it belongs to user ${found.uid}, not to ${own}`);
  }
  if (own !== undefined && isRead && kind !== 'socket' && (found.mode & 0o022) !== 0) {
    throw new StateError('untrusted', path, 'other users may write to it: chmod go-w it');
  }
}
