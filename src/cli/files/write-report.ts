import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { exitCodes } from '../runtime/exit-codes.js';
import { Failure, reasonOf } from '../runtime/failure.js';
import { writeFileAtomically } from './write-file.js';

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
    throw new Failure(exitCodes.usage, `cannot write ${file}: it is not a regular file`);
  }
}

function orFail(file: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new Failure(exitCodes.usage, `cannot write ${file}: ${reasonOf(error)}`);
  }
}
