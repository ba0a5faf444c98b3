import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { EventSource } from '../../../runner/index.js';
import { exitCodes } from '../../runtime/exit-codes.js';
import { Failure } from '../../runtime/failure.js';

/** The port that OTLP over HTTP has by default. */
const OTLP_PORT = 4318;

/**
 * What `--events` names: `otlp`, `otlp:PORT`, or a file, which need not be there yet.
 *
 * @throws Failure (usage) for what is none of these
 */
export function readEventSource(cwd: string, text: string): EventSource {
  const otlp = /^otlp(?::(\d{1,5}))?$/.exec(text);
  if (otlp === null) return { kind: 'file', path: filePath(cwd, text) };
  const port = Number(otlp[1] ?? OTLP_PORT);
  if (port < 65_536) return { kind: 'otlp', port };
  throw new Failure(exitCodes.usage, `${port} is not a port`, 'A port is at most 65535.');
}

function filePath(cwd: string, text: string): string {
  const path = resolve(cwd, text);
  // Opening a pipe waits for one that writes to it, and a directory has no events.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
    throw new Failure(
      exitCodes.usage,
      `${text} is not a regular file, so no events can be read from it`,
      'Give a file that grows, or otlp to receive events by OTLP.',
    );
  }
  return path;
}
