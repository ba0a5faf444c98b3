import { readFileSync } from 'node:fs';
import { isAbsolute, sep } from 'node:path';
import type { Finding } from '../../diagnostics/index.js';
import { type LintOptions, lint } from '../../objective/index.js';
import { type DecodedSource, decodeSource, sourceOfText } from '../../source/index.js';
import { reasonOf } from '../runtime/failure.js';
import { FileQueue } from './file-queue.js';

/** What threads check together; it crosses from one to another. */
export interface LintWork {
  /** Paths as the user would type them. */
  readonly files: readonly string[];
  readonly cwd: string;
  readonly options: LintOptions;
  readonly queue: SharedArrayBuffer;
}

/** A file that there is something to say about. */
export type Noted =
  | { readonly index: number; readonly findings: readonly Finding[] }
  | { readonly index: number; readonly unread: string };

/**
 * Checks files until the queue has no more, and says which.
 *
 * @param step is called after each file
 */
export function lintFromQueue(
  { files, cwd, options, queue }: LintWork,
  step: () => void,
): { readonly noted: readonly Noted[]; readonly count: number } {
  const shared = new FileQueue(queue, files.length);
  const noted: Noted[] = [];
  let count = 0;
  for (let batch = shared.take(); batch !== undefined; batch = shared.take()) {
    for (let index = batch.start; index < batch.end; index += 1) {
      const found = lintFile(files[index] as string, cwd, options);
      if (typeof found === 'string') noted.push({ index, unread: found });
      else if (found.length > 0) noted.push({ index, findings: found });
      count += 1;
      step();
    }
  }
  return { noted, count };
}

/** The findings of a file, or why it cannot be read. */
function lintFile(path: string, cwd: string, options: LintOptions): readonly Finding[] | string {
  let source: DecodedSource;
  try {
    source = readSource(path, isAbsolute(path) ? path : `${cwd}${sep}${path}`);
  } catch (error) {
    return `cannot read ${path}: ${reasonOf(error)}`;
  }
  return lint(source, options);
}

/** Node reads a text in one step, and bytes in several. */
function readSource(path: string, absolute: string): DecodedSource {
  const source = sourceOfText(path, readFileSync(absolute, 'utf8'));
  return source ?? decodeSource(path, readFileSync(absolute));
}
