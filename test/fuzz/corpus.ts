import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromBytes } from './bytes.js';

/** The fixtures below some directories whose names end in one way, as inputs. */
export function readCorpus(directories: readonly string[], ending: string): string[] {
  return directories.flatMap((directory) =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith(ending))
      .sort()
      .map((name) => fromBytes(readFileSync(join(directory, name)))),
  );
}
