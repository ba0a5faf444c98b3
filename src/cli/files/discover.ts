import { statSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { plural } from '../../basics/index.js';
import { findUnmatchedGlobs } from '../../config/index.js';
import type { Finding } from '../../diagnostics/index.js';
import { codeOf, findByGlob } from '../../durable/index.js';
import { CONFIG_NAME, type Config } from '../config/config.js';

/** A file type that a directory search recognizes by name. */
export interface FileKind {
  readonly names: string;
  readonly includes: (name: string) => boolean;
}

const objectiveFiles: FileKind = {
  names: '*.objective.toml',
  includes: (name) => name.endsWith('.objective.toml'),
};

/** The default file name of a manifest. */
export const MANIFEST = 'mutators.toml';

export const manifestFiles: FileKind = {
  names: `${MANIFEST} or *.${MANIFEST}`,
  includes: (name) => name === MANIFEST || name.endsWith(`.${MANIFEST}`),
};

/** The files that the command-line arguments name or match, and the problems. */
interface Discovery {
  /** Display paths in order, without duplicates. */
  readonly files: readonly string[];
  /** One line for the user about each argument or directory without files. */
  readonly problems: readonly string[];
}

/**
 * Finds the files named by the user's words. Accepts any existing file. Searches a directory for
 * files of the given type, except git-ignored files. Treats a word with `*`, `?`, `[` or `{` as a
 * glob, unless the word is an existing file. `-` is stdin.
 *
 * @param isExcluded true for an absolute path to skip unless the user named it
 */
export async function discover(
  words: readonly string[],
  cwd: string,
  kind: FileKind,
  isExcluded: (path: string) => boolean = () => false,
): Promise<Discovery> {
  const problems: string[] = [];
  const found: string[] = [];
  for (const word of words) {
    for (const path of await expand(word, cwd, kind, isExcluded, problems)) found.push(path);
  }
  return { files: words.length > 1 ? distinct(found, cwd) : found, problems };
}

/** Removes duplicate paths to the same file. */
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
  cwd: string,
  kind: FileKind,
  isExcluded: (path: string) => boolean,
  problems: string[],
): Promise<readonly string[]> {
  if (word === '-') return [word];
  const nothing = (problem: string): readonly string[] => {
    problems.push(problem);
    return [];
  };
  const path = resolve(cwd, word);
  const found = lookAt(path);
  if (found === 'file') return [word];
  if (found === 'other') return nothing(`${word} is not a regular file`);
  if (found === 'directory') {
    const { filesInProject, walk } = await import('./walk.js');
    const before = problems.length;
    const all = walk(path, kind.includes, problems);
    const found = all.filter((file) => !isExcluded(file));
    // Joins the common part of the paths only once, because a directory may contain many files.
    const shown = join(word, 'x').slice(0, -1);
    const inside = join(path, 'x').length - 1;
    const shownAs = (file: string): string => shown + file.slice(inside);
    const files = filesInProject(found, path, shownAs, problems);
    if (files.length === 0 && problems.length === before) {
      problems.push(
        all.length > 0
          ? `no files to check in ${word}: perturb.toml excludes ${plural(all.length, 'matching file')}`
          : `no files to check in ${word}: no ${kind.names} found (git-ignored files are skipped)`,
      );
    }
    return files.map(shownAs);
  }
  if (!/[*?[\]{}]/.test(word)) return nothing(`cannot read ${word}: no such file or directory`);
  const all = await findGlob(word, cwd);
  const files = all.filter((file) => !isExcluded(resolve(cwd, file)));
  if (files.length > 0) return files;
  const excluded = `no files to check for ${word}: perturb.toml excludes ${plural(all.length, 'matching file')}`;
  return nothing(all.length === 0 ? `no file matches ${word}` : excluded);
}

/**
 * Returns the files that a glob matches, relative to the glob's directory, in order. Excludes
 * perturb.toml, which is never an objective.
 */
async function findGlob(pattern: string | readonly string[], cwd: string): Promise<string[]> {
  const files = await findByGlob(pattern, cwd);
  return files.filter(
    (file) => basename(file) !== CONFIG_NAME && lookAt(resolve(cwd, file)) === 'file',
  );
}

function lookAt(path: string): 'file' | 'directory' | 'other' | undefined {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) return 'directory';
    return stats.isFile() ? 'file' : 'other';
  } catch (error) {
    // A later read reports a file that exists but cannot be examined.
    return codeOf(error) === 'ENOENT' ? undefined : 'file';
  }
}

/**
 * Selects the objective files to check: the files named by the paths. Without paths, selects the
 * files included by perturb.toml, otherwise the files below the working directory. Skips files
 * excluded by perturb.toml, unless the user named them. Reports globs in perturb.toml that match
 * nothing.
 */
export async function selectFiles(
  paths: readonly string[],
  config: Config,
  cwd: string,
): Promise<Discovery & { readonly findings: readonly Finding[] }> {
  const isExcluded = await excluder(config);
  if (paths.length > 0) {
    return { ...(await discover(paths, cwd, objectiveFiles, isExcluded)), findings: [] };
  }
  const { directory, include, exclude } = config;
  const matches = async (globs: readonly string[], find: (glob: string) => Promise<string[]>) =>
    Promise.all(globs.map(async (glob) => ({ glob, files: await find(glob) })));
  const idle = (all: Awaited<ReturnType<typeof matches>>): string[] =>
    all.filter((match) => match.files.length === 0).map(({ glob }) => glob);
  const excluded = await matches(exclude, (glob) => findGlob(withContents(glob), directory));
  const findings = findUnmatchedGlobs(config, 'exclude', idle(excluded));
  if (include === undefined) {
    return { ...(await discover(['.'], cwd, objectiveFiles, isExcluded)), findings };
  }
  const problems: string[] = [];
  const { filesInProject, walk } = await import('./walk.js');
  const included = await matches(include, async (glob) => {
    const path = resolve(directory, glob);
    if (lookAt(path) === 'directory') return walk(path, objectiveFiles.includes, problems);
    return (await findGlob(glob, directory)).map((file) => resolve(directory, file));
  });
  const all = new Set(included.flatMap(({ files }) => files));
  const found = [...all].filter((file) => !isExcluded(file));
  const files = filesInProject(found, directory, (file) => relative(cwd, file), problems);
  if (all.size === 0) problems.push('no file matches "include" in perturb.toml');
  else if (found.length === 0) {
    const excluded = plural(all.size, 'file');
    problems.push(`no files to check: "exclude" in perturb.toml removes ${excluded} of "include"`);
  }
  return {
    files: files.map((file) => relative(cwd, file)).sort(),
    problems,
    findings: [...findUnmatchedGlobs(config, 'include', idle(included)), ...findings],
  };
}

/**
 * Selects the objective files to check after changes: the changed objectives. If another changed
 * file affects the check of objectives, adds all files that {@link selectFiles} selects without
 * paths. Skips files excluded by perturb.toml.
 */
export async function selectAffectedFiles(
  paths: readonly string[],
  config: Config,
  cwd: string,
): ReturnType<typeof selectFiles> {
  const isExcluded = await excluder(config);
  // A deleted file is also a change, but cannot be checked.
  const exists = (path: string): boolean => lookAt(resolve(cwd, path)) !== undefined;
  const changed = paths.filter(
    (path) => !isCheckedBy(path) && exists(path) && !isExcluded(resolve(cwd, path)),
  );
  const nothing = { files: [], problems: [], findings: [] };
  const own = changed.length === 0 ? nothing : await selectFiles(changed, config, cwd);
  if (!paths.some(isCheckedBy)) return own;
  const all = await selectFiles([], config, cwd);
  return {
    files: distinct([...own.files, ...all.files], cwd),
    // In a project without objectives, a changed manifest is not a problem.
    problems: [...own.problems, ...(all.files.length === 0 ? [] : all.problems)],
    findings: all.findings,
  };
}

/** True if a file affects the check of objectives: perturb.toml, a manifest or a saved listing. */
function isCheckedBy(path: string): boolean {
  const name = basename(path);
  return name === CONFIG_NAME || manifestFiles.includes(name) || name.endsWith('.json');
}

async function excluder({ directory, exclude }: Config): Promise<(path: string) => boolean> {
  if (exclude.length === 0) return () => false;
  const { default: picomatch } = await import('picomatch');
  const matches = picomatch(exclude.flatMap(withContents), { dot: true });
  return (path) => matches(relative(directory, path).split(sep).join('/'));
}

/** Returns globs for a glob's matches and for the content of matching directories. */
function withContents(glob: string): string[] {
  return [glob, `${glob.replace(/\/+$/, '')}/**`];
}
