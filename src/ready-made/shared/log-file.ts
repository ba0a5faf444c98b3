import { constants, fstatSync, openSync } from 'node:fs';
import { distrustReason, irregularReason } from './state-file.js';

/**
 * Opens a log for appending, and returns its descriptor.
 * @throws Error for a file that others may have put there
 */
export function openLog(path: string): number {
  const refusal = (reason: string) =>
    new Error(`refusing to write to ${path}: ${reason}. Move it away.`);
  const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;
  let log: number;
  try {
    log = openSync(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (error) {
    const reason = irregularReason(error);
    throw reason === undefined ? error : refusal(reason);
  }
  const reason = distrustReason(fstatSync(log));
  if (reason !== undefined) throw refusal(reason);
  return log;
}
