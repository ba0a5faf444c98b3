import { resolve } from 'node:path';
import type { EventSource } from '../../../runner/index.js';
import { exitCodes } from '../../runtime/exit-codes.js';
import { Failure } from '../../runtime/failure.js';

/** The port that OTLP over HTTP has by default. */
const OTLP_PORT = 4318;

/** What `--events` names: `otlp`, `otlp:PORT`, or a file. */
export function readEventSource(cwd: string, text: string): EventSource {
  const otlp = /^otlp(?::(\d{1,5}))?$/.exec(text);
  if (otlp === null) return { kind: 'file', path: resolve(cwd, text) };
  const port = Number(otlp[1] ?? OTLP_PORT);
  if (port < 65_536) return { kind: 'otlp', port };
  throw new Failure(exitCodes.usage, `${port} is not a port`, 'A port is at most 65535.');
}
