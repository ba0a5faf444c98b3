import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest directory upwards that holds `.git`, or the directory itself. */
export function repositoryRoot(directory: string): string {
  for (let at = directory; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return directory;
  }
}
