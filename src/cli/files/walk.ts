import { type Dirent, readdirSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import { reasonOf } from '../runtime/failure.js';
import type { FileKind } from '../runtime/file-kind.js';
import { type Ignored, ignoresAbove, withIgnoresOf } from './gitignore.js';

/**
 * The files of a kind below a directory, in order, without what git ignores and
 * without what is not a regular file. Links to directories are not followed.
 *
 * @param problems takes a line for each directory that cannot be read
 */
export function walk(directory: string, kind: FileKind, problems: string[]): string[] {
  return walkBelow(directory, kind, ignoresAbove(directory), problems);
}

function walkBelow(
  directory: string,
  kind: FileKind,
  above: Ignored,
  problems: string[],
): string[] {
  const files: string[] = [];
  const ignored = withIgnoresOf(directory, above);
  const inside = directory.endsWith(sep) ? directory : `${directory}${sep}`;
  for (const entry of entriesOf(directory, problems)) {
    const path = `${inside}${entry.name}`;
    if (entry.isDirectory()) {
      if (entry.name === '.git' || entry.name === 'node_modules' || ignored(path, true)) continue;
      files.push(...walkBelow(path, kind, ignored, problems));
    } else if (kind.includes(entry.name) && isRegular(entry, path) && !ignored(path, false)) {
      files.push(path);
    }
  }
  return files;
}

/** Editors leave links behind that lead nowhere, and a FIFO may have no end. */
function isRegular(entry: Dirent, path: string): boolean {
  return entry.isFile() || (entry.isSymbolicLink() && isRegularFile(path));
}

/** Whether a path leads to a regular file, perhaps over links. */
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
    problems.push(`cannot read ${directory}: ${reasonOf(error)}`);
    return [];
  }
}
