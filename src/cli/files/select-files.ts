import { relative, resolve, sep } from 'node:path';
import { unmatched } from '../../config/index.js';
import type { Finding } from '../../diagnostics/index.js';
import type { Config } from '../config/config.js';
import { objectiveFiles } from '../runtime/file-kind.js';
import { type Discovery, discover, findGlob } from './discover.js';

/** The objective files to check, and the globs of perturb.toml that match nothing. */
export interface Selection extends Discovery {
  readonly findings: readonly Finding[];
}

/**
 * Chooses the objective files of a run: those that the paths stand for; without
 * any, those that perturb.toml includes, or else those below the working
 * directory. What perturb.toml excludes is left out unless it was named.
 */
export async function selectFiles(
  paths: readonly string[],
  config: Config,
  cwd: string,
): Promise<Selection> {
  const isExcluded = await excluder(config);
  if (paths.length > 0 || config.include === undefined) {
    const words = paths.length > 0 ? paths : ['.'];
    const found = await discover(words, { cwd, kind: objectiveFiles, isExcluded });
    return { ...found, findings: [] };
  }
  const { directory } = config;
  const absolute = (file: string): string => resolve(directory, file);
  const matches = async (globs: readonly string[]) =>
    Promise.all(globs.map(async (glob) => ({ glob, files: await findGlob(glob, directory) })));
  const [included, excluded] = await Promise.all([
    matches(config.include),
    matches(config.exclude),
  ]);
  const files = new Set(
    included.flatMap((match) => match.files.map(absolute)).filter((file) => !isExcluded(file)),
  );
  const idle = (all: typeof included): string[] =>
    all.filter((match) => match.files.length === 0).map(({ glob }) => glob);
  return {
    files: [...files].map((file) => relative(cwd, file)).sort(),
    problems: files.size === 0 ? ['no file matches "include" of perturb.toml'] : [],
    findings: [
      ...unmatched(config, 'include', idle(included)),
      ...unmatched(config, 'exclude', idle(excluded)),
    ],
  };
}

async function excluder({ directory, exclude }: Config): Promise<(path: string) => boolean> {
  if (exclude.length === 0) return () => false;
  const { default: picomatch } = await import('picomatch');
  const matches = picomatch([...exclude], { dot: true });
  return (path) => matches(relative(directory, path).split(sep).join('/'));
}
