import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { ReporterContext } from '../reporter.js';

/** The path of a source that was read from stdin and has no name. */
export const STDIN = '-';

/**
 * The path of a source file from the repository's root, with forward slashes,
 * whichever directory Perturb ran in. A file outside the repository has its
 * absolute path, because a relative one would lead a reader elsewhere.
 */
export function repositoryPath(path: string, { directory, root }: ReporterContext): string {
  if (path === STDIN) return path;
  const absolute = resolve(directory, path);
  const inside = relative(root, absolute);
  const outside = inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return (outside ? absolute : inside).replaceAll(sep, '/');
}
