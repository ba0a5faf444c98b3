import { type Dirent, readdirSync } from 'node:fs';
import { sep } from 'node:path';
import { reasonOf } from '../runtime/failure.js';
import { type Ignored, ignoresAbove, withIgnoresOf } from './gitignore.js';

/**
 * The files below a directory whose names end with a suffix, in order, without
 * what git ignores. Links to directories are not followed.
 *
 * @param problems takes a line for each directory that can't be read
 */
export function walk(directory: string, suffix: string, problems: string[]): string[] {
  return walkBelow(directory, suffix, ignoresAbove(directory), problems);
}

function walkBelow(
  directory: string,
  suffix: string,
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
      files.push(...walkBelow(path, suffix, ignored, problems));
    } else if (entry.name.endsWith(suffix) && !ignored(path, false)) {
      files.push(path);
    }
  }
  return files;
}

function entriesOf(directory: string, problems: string[]): Dirent[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    problems.push(`can't read ${directory}: ${reasonOf(error)}`);
    return [];
  }
}
