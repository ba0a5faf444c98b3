import { closeSync, openSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';

/** So much of a command's output is kept; the rest is read, so that the command can go on, and dropped. */
const MOST = 1024 * 1024;

/** Keeps the beginning of what a command prints. */
export interface OutputFile {
  listen(stream: Readable | null): void;
  close(): void;
}

/** The file is made when something is printed. A disk that is full loses output, and nothing else. */
export function openOutputFile(path: string): OutputFile {
  let file: number | undefined;
  let left = MOST;
  const write = (bytes: Uint8Array): void => {
    if (left <= 0) return;
    try {
      file ??= openSync(path, 'w', 0o600);
      writeSync(file, bytes.subarray(0, left));
      left -= bytes.length;
      if (left <= 0) writeSync(file, `\n[more than ${MOST} bytes: the rest was dropped]\n`);
    } catch {
      left = 0;
    }
  };
  return {
    listen: (stream) => void stream?.on('data', write).on('error', () => {}),
    close() {
      if (file !== undefined) closeSync(file);
      file = undefined;
      left = 0;
    },
  };
}
