import { statSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * Whether a word means a file, and not the name of an objective of the store: it is `-` for stdin, it
 * ends in `.toml`, or there is such a file. `.` and `..` are no names either.
 */
export function isFileWord(cwd: string, word: string): boolean {
  if (/^(?:-|\.\.?)$|\.toml$/.test(word)) return true;
  return statSync(resolve(cwd, word), { throwIfNoEntry: false })?.isFile() === true;
}
