import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hasCode } from '../runtime/failure.js';
import type { FileKind } from '../runtime/file-kind.js';

/** The files that words stand for, and what could not be read. */
export interface Discovery {
  /** Paths to show, each once, in order. */
  readonly files: readonly string[];
  /** One line for each word or directory that gave nothing, for people. */
  readonly problems: readonly string[];
}

/** How words become files. */
export interface SearchOptions {
  readonly cwd: string;
  /** What a directory is searched for. */
  readonly kind: FileKind;
  /** Whether a file (absolute) that nobody named is to be left out. */
  readonly isExcluded?: (path: string) => boolean;
}

/**
 * Finds the files that the user's words stand for. A file is taken as it is,
 * whatever its name; a directory is searched for files of the kind, leaving
 * out what git ignores; a word with `*`, `?`, `[` or `{` that is no file is a
 * glob. `-` stands for stdin.
 */
export async function discover(
  words: readonly string[],
  options: SearchOptions,
): Promise<Discovery> {
  const problems: string[] = [];
  const found: string[] = [];
  for (const word of words) {
    for (const path of await expand(word, options, problems)) found.push(path);
  }
  return { files: words.length > 1 ? distinct(found, options.cwd) : found, problems };
}

/** Of several paths of one file, the first. */
function distinct(paths: readonly string[], cwd: string): string[] {
  const found = new Map<string, string>();
  for (const path of paths) {
    const key = path === '-' ? path : resolve(cwd, path);
    if (!found.has(key)) found.set(key, path);
  }
  return [...found.values()];
}

async function expand(
  word: string,
  { cwd, kind, isExcluded = () => false }: SearchOptions,
  problems: string[],
): Promise<readonly string[]> {
  if (word === '-') return [word];
  if (word === '') {
    problems.push('a path is empty');
    return [];
  }
  const path = resolve(cwd, word);
  const found = lookAt(path);
  if (found === 'file') return [word];
  if (found === 'other') {
    problems.push(`${word} is not a regular file`);
    return [];
  }
  if (found === 'directory') {
    const { walk } = await import('./walk.js');
    const before = problems.length;
    const files = walk(path, kind, problems).filter((file) => !isExcluded(file));
    if (files.length === 0 && problems.length === before) {
      problems.push(
        `no files to check in ${word}: found no ${kind.names} there, apart from what git ignores`,
      );
    }
    // There may be many: what they have in common is put together once.
    const shown = join(word, 'x').slice(0, -1);
    const inside = join(path, 'x').length - 1;
    return files.map((file) => shown + file.slice(inside));
  }
  if (!/[*?[\]{}]/.test(word)) {
    problems.push(`cannot read ${word}: no such file or directory`);
    return [];
  }
  const files = (await findGlob(word, cwd)).filter((file) => !isExcluded(resolve(cwd, file)));
  if (files.length === 0) problems.push(`no file matches ${word}`);
  return files;
}

/** The files that a glob matches, relative to its directory, in order. */
export async function findGlob(pattern: string, cwd: string): Promise<string[]> {
  const { glob } = await import('tinyglobby');
  const { isRegularFile } = await import('./walk.js');
  const files = await glob(pattern, { cwd, dot: true, expandDirectories: false });
  return files.filter((file) => isRegularFile(resolve(cwd, file))).sort();
}

function lookAt(path: string): 'file' | 'directory' | 'other' | undefined {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) return 'directory';
    return stats.isFile() ? 'file' : 'other';
  } catch (error) {
    // A file that exists and cannot be examined is reported when it is read.
    return hasCode(error, 'ENOENT') ? undefined : 'file';
  }
}
