import * as nodeFs from 'node:fs';
import { join } from 'node:path';

/** Names of directories to skip, unless the pattern contains the directory's name. */
const SKIPPED_NAMES = ['node_modules', '.git'];

/**
 * Returns the regular files that match a glob, sorted, with paths relative to a directory. Includes
 * symbolic links to files, but does not follow links to directories, which could lead to the whole
 * disk.
 */
export async function findByGlob(
  pattern: string | readonly string[],
  directory: string,
): Promise<string[]> {
  const { glob } = await import('tinyglobby');
  const patterns = [pattern].flat();
  const ignore = SKIPPED_NAMES.filter(
    (name) => !patterns.some((pattern) => pattern.includes(name)),
  );
  const files = await glob(patterns, {
    cwd: directory,
    dot: true,
    expandDirectories: false,
    ignore: ignore.map((name) => `**/${name}/**`),
    fs: { readdir: readWithoutLinkedDirectories as typeof nodeFs.readdir },
  });
  return files.sort();
}

function readWithoutLinkedDirectories(
  path: string,
  options: { readonly withFileTypes: true },
  callback: (error: NodeJS.ErrnoException | null, entries: nodeFs.Dirent[]) => void,
): void {
  nodeFs.readdir(path, options, (error, entries = []) => {
    const isKept = (entry: nodeFs.Dirent): boolean =>
      entry.isSymbolicLink() ? leadsToFile(join(path, entry.name)) : true;
    callback(error, entries.filter(isKept));
  });
}

function leadsToFile(path: string): boolean {
  try {
    return nodeFs.statSync(path).isFile();
  } catch {
    return false;
  }
}
