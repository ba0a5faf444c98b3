import { resolve } from 'node:path';
import type { EventSource } from '../../../runner/index.js';

/** What `--events` names. */
export function readEventSource(cwd: string, text: string): EventSource {
  return { kind: 'file', path: resolve(cwd, text) };
}
