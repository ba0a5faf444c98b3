import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CommandFailure, exitCodes, fileErrorReason, hasCode } from '../runtime/command.js';

/**
 * Replaces a file's content in one step: a reader sees the old bytes or the new
 * ones, and a failure leaves the old ones. A link stays a link; the mode stays.
 *
 * @throws the system's error
 */
export function writeFileAtomically(path: string, bytes: Uint8Array): void {
  const target = realPath(path);
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  try {
    const file = openSync(temporary, 'wx', modeOf(target));
    try {
      let written = 0;
      while (written < bytes.length) written += writeSync(file, bytes, written);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, target);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) rmSync(temporary, { force: true });
    throw error;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return path;
    throw error;
  }
}

function modeOf(path: string): number {
  try {
    return statSync(path).mode & 0o7777;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0o666;
    throw error;
  }
}

/**
 * Writes the text of a report, and makes the directories on the way.
 *
 * @param file as the user wrote it
 * @throws Failure (usage) when the file cannot be written
 */
export function writeReportFile(cwd: string, file: string, text: string): void {
  checkReportPath(cwd, file);
  orFail(file, () => writeFileAtomically(resolve(cwd, file), Buffer.from(text)));
}

/**
 * Makes sure, before long work, that a report can be written, and makes the directories on the way.
 *
 * @throws Failure (usage) when it cannot
 */
export function checkReportPath(cwd: string, file: string): void {
  const path = resolve(cwd, file);
  orFail(file, () => {
    mkdirSync(dirname(path), { recursive: true });
    accessSync(dirname(path), constants.W_OK);
  });
  // A device must not be replaced by a file.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
    throw new CommandFailure(exitCodes.usage, `cannot write ${file}: it is not a regular file`);
  }
}

function orFail(file: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new CommandFailure(exitCodes.usage, `cannot write ${file}: ${fileErrorReason(error)}`);
  }
}

/** A text with the name that a patch gives it. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** What `diff -u` prints for two texts: a patch. */
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
