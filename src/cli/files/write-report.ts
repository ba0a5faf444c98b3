import { mkdirSync } from 'node:fs';
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
  const path = resolve(cwd, file);
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileAtomically(path, Buffer.from(text));
  } catch (error) {
    throw new Failure(exitCodes.usage, `cannot write ${file}: ${reasonOf(error)}`);
  }
}
