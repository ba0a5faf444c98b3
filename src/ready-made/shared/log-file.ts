import { constants, fstatSync, openSync } from 'node:fs';
import { explainDistrust, explainIrregularFile } from './state-file.js';

/**
 * Opens a log for appending, and returns its file descriptor.
 *
 * @throws Error for a file that another user may have created
 */
export function openLog(path: string): number {
  const refusal = (reason: string) =>
    new Error(`refusing to write to ${path}: ${reason}. Move or remove this file.`);
  const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;
  let log: number;
  try {
    log = openSync(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (error) {
    const reason = explainIrregularFile(error);
    throw reason === undefined ? error : refusal(reason);
  }
  const reason = explainDistrust(fstatSync(log));
  if (reason !== undefined) throw refusal(reason);
  return log;
}
