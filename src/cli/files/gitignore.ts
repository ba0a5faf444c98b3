import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ignore from 'ignore';

/** Whether git would leave a path (absolute) out. */
export type Ignored = (path: string, directory: boolean) => boolean;

/** What the `.gitignore` files above a directory, up to its repository's root, leave out. */
export function ignoresAbove(directory: string): Ignored {
  const above: string[] = [];
  for (let at = directory; !existsSync(join(at, '.git')); at = dirname(at)) {
    // Outside of a repository nothing is ignored from above.
    if (dirname(at) === at) return () => false;
    above.unshift(dirname(at));
  }
  return above.reduce<Ignored>(
    (ignored, at) => withIgnoresOf(at, ignored),
    () => false,
  );
}

/** Adds the `.gitignore` of a directory, if it has one: it overrides those above it. */
export function withIgnoresOf(directory: string, above: Ignored): Ignored {
  const file = join(directory, '.gitignore');
  if (!existsSync(file)) return above;
  const rules = ignore().add(readFileSync(file, 'utf8'));
  return (path, isDirectory) => {
    const inside = relative(directory, path).split(sep).join('/');
    const verdict = rules.test(isDirectory ? `${inside}/` : inside);
    return verdict.ignored || (!verdict.unignored && above(path, isDirectory));
  };
}
