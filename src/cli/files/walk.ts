import { type Dirent, existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ignore from 'ignore';
import { readInput } from '../../durable/index.js';
import { repositoryRoot } from '../config/config.js';
import { fileErrorReason, fileFailure } from '../runtime/command.js';

/**
 * Returns the files below a directory with `wanted` names, in order. Skips git-ignored files.
 * Includes only regular files and symbolic links to regular files, because editors leave broken
 * links and reading a FIFO may never end. Does not follow links to directories.
 *
 * @param problems receives one line for each unreadable directory
 */
export function walk(
  directory: string,
  wanted: (name: string) => boolean,
  problems: string[],
  above = ignoresAbove(directory),
): string[] {
  const files: string[] = [];
  const ignored = withIgnoresOf(directory, above);
  const inside = directory.endsWith(sep) ? directory : `${directory}${sep}`;
  for (const entry of entriesOf(directory, problems)) {
    const path = `${inside}${entry.name}`;
    if (entry.isDirectory()) {
      if (entry.name === '.git' || entry.name === 'node_modules' || ignored(path, true)) continue;
      files.push(...walk(path, wanted, problems, ignored));
    } else if (
      wanted(entry.name) &&
      (entry.isFile() || (entry.isSymbolicLink() && isRegularFile(path))) &&
      !ignored(path, false)
    ) {
      files.push(path);
    }
  }
  return files;
}

/**
 * Returns the files inside a directory's project, with symbolic links resolved. The project is the
 * directory's repository, or the directory itself. Returns each file once, preferring its real path
 * to a link.
 *
 * @param shown returns a file's name for messages
 * @param problems receives one line for each file outside the project
 */
export function filesInProject(
  files: readonly string[],
  directory: string,
  shown: (file: string) => string,
  problems: string[],
): string[] {
  const project = join(repositoryRoot(realpathSync.native(directory)), 'x').slice(0, -1);
  const pathOf = new Map<string, string>();
  for (const file of files) {
    const real = realPath(file);
    if (!real.startsWith(project)) {
      problems.push(`${shown(file)} is outside the project; to read it, pass its path`);
    } else if (!pathOf.has(real) || file === real) {
      pathOf.set(real, file);
    }
  }
  const kept = new Set(pathOf.values());
  return files.filter((file) => kept.has(file));
}

/**
 * Returns the real path. Returns a broken link unchanged, because reading the link reports the
 * error.
 */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** True if a path leads to a regular file, possibly through symbolic links. */
export function isRegularFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function entriesOf(directory: string, problems: string[]): Dirent[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    problems.push(`cannot read ${directory}: ${fileErrorReason(error)}`);
    return [];
  }
}

/** A predicate that is true if git ignores an absolute path. */
export type IgnorePredicate = (path: string, directory: boolean) => boolean;

/**
 * Reads the `.gitignore` rules of the directories above a directory, up to the root of its
 * repository.
 */
export function ignoresAbove(directory: string): IgnorePredicate {
  const above: string[] = [];
  for (let at = directory; !existsSync(join(at, '.git')); at = dirname(at)) {
    // Outside a repository, git ignores nothing.
    if (dirname(at) === at) return () => false;
    above.unshift(dirname(at));
  }
  return above.reduce<IgnorePredicate>(
    (ignored, at) => withIgnoresOf(at, ignored),
    () => false,
  );
}

function read(file: string): string {
  try {
    return readInput(file).bytes.toString();
  } catch (error) {
    throw fileFailure('read', file, error);
  }
}

/**
 * Adds a directory's `.gitignore` rules, if any. These override the rules from directories above.
 */
export function withIgnoresOf(directory: string, above: IgnorePredicate): IgnorePredicate {
  const file = join(directory, '.gitignore');
  if (!existsSync(file)) return above;
  const rules = ignore({ ignorecase: process.platform !== 'linux' }).add(read(file));
  return (path, isDirectory) => {
    const inside = relative(directory, path).split(sep).join('/');
    const verdict = rules.test(isDirectory ? `${inside}/` : inside);
    return verdict.ignored || (!verdict.unignored && above(path, isDirectory));
  };
}
