import {
  accessSync,
  constants,
  existsSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf, makeDirectories } from '../../durable/index.js';
import { fileFailure, usageFailure } from '../runtime/command.js';
import { realPath } from './walk.js';

/**
 * Atomically replaces the content of a file that the user named. Readers see either the old or the
 * new bytes. After a failure, the old bytes remain.
 *
 * @throws CommandFailure (usage) if the file cannot be written
 */
export function writeNamedFile(cwd: string, path: string, bytes: Uint8Array): void {
  const { target, temporary, mode } = replacementOf(cwd, path);
  orFail(path, () => {
    try {
      writeFileSync(temporary, bytes, { flag: 'wx', mode, flush: true });
      renameSync(temporary, target);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') rmSync(temporary, { force: true });
      throw error;
    }
  });
}

/**
 * Writes a new file. A failure leaves no file.
 *
 * @returns true if the file was written, false if it already exists
 * @throws CommandFailure (usage) if it cannot be written
 */
export function writeNewFile(cwd: string, file: string, bytes: string | Uint8Array): boolean {
  const path = resolve(cwd, file);
  return orFail(file, () => {
    try {
      writeFileSync(path, bytes, { flag: 'wx' });
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      rmSync(path, { force: true });
      throw error;
    }
  });
}

/**
 * Returns a file's real path, a temporary path beside it for the new content, and the mode.
 *
 * @throws CommandFailure (usage) for a device, a pipe, a directory, a read-only file or a path that
 *   cannot be examined
 */
export function replacementOf(cwd: string, path: string) {
  return orFail(path, () => {
    const target = realPath(resolve(cwd, path));
    const stats = statSync(target, { throwIfNoEntry: false });
    // A rename would replace a device with a file.
    if (stats?.isFile() === false) {
      throw usageFailure(`cannot write ${path}: it is not a regular file`);
    }
    // A rename would replace even a read-only file, and root could write to it.
    if (stats !== undefined && (stats.mode & constants.S_IWUSR) === 0) {
      throw usageFailure(`cannot write ${path}: it is read-only`, `Allow it: chmod u+w ${path}`);
    }
    const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
    return { target, temporary, mode: (stats?.mode ?? 0o666) & 0o7777 };
  });
}

/**
 * Writes a report. Creates missing parent directories.
 *
 * @param file the path as typed
 * @throws CommandFailure (usage) if the file cannot be written
 */
export function writeReportFile(cwd: string, file: string, text: string): void {
  checkReportPath(cwd, file);
  writeNamedFile(cwd, file, Buffer.from(text));
}

/**
 * Checks that a report can be written, before long work. Creates missing parent directories.
 *
 * @throws CommandFailure (usage) if the report cannot be written
 */
export function checkReportPath(cwd: string, file: string): void {
  const path = resolve(cwd, file);
  orFail(file, () => {
    makeDirectories(dirname(path));
    accessSync(dirname(path), constants.W_OK);
  });
  replacementOf(cwd, file);
  // If the user forgets the report's name, a pattern such as *.toml expands to the name of an
  // input.
  if (/\.(?:toml|jsonl)$/.test(file) && existsSync(path)) {
    throw usageFailure(
      `refusing to overwrite ${file} with a report`,
      'Write the report to another file.',
    );
  }
}

function orFail<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fileFailure('write', file, error);
  }
}

interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** Returns a file's change as a patch with git's file names. */
export function fileDiff(path: string, before: string, after: string): Promise<string> {
  return unifiedDiff(
    { name: join('a', path), text: before },
    { name: join('b', path), text: after },
  );
}

/** Returns the differences between two texts in `diff -u` format. */
export async function unifiedDiff(before: NamedText, after: NamedText): Promise<string> {
  const { createTwoFilesPatch } = await import('diff');
  return createTwoFilesPatch(
    before.name,
    after.name,
    before.text,
    after.text,
    undefined,
    undefined,
    { headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true } },
  );
}
