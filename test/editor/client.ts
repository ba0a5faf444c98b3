import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { Client, type Position } from './connection.js';

export type { Client, Diagnostic, Position, Range } from './connection.js';

/** A client of the built program. */
export interface ProgramClient extends Client {
  /** Ends the server as an editor does, and gives its exit code. */
  end(): Promise<number | null>;
}

/** The client of a server that was started. */
export function clientOf(
  child: ChildProcessByStdio<Writable, Readable, Readable | null>,
): ProgramClient {
  const client = Object.assign(new Client(child.stdout, child.stdin), {
    async end() {
      await client.request('shutdown', null);
      client.notify('exit', null);
      const [code] = await once(child, 'exit');
      return code as number | null;
    },
  });
  return client;
}

/** Starts the built language server in a directory, for one test. */
export async function startClient(
  directory: string,
  options: { readonly encodings?: readonly string[]; readonly trusted?: boolean } = {},
): Promise<ProgramClient> {
  const child = spawn(process.execPath, [resolve('dist/bin.cjs'), 'lsp', '--stdio'], {
    cwd: directory,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const client = clientOf(child);
  await client.request('initialize', {
    processId: process.pid,
    rootUri: pathToFileURL(directory).href,
    capabilities: {
      ...(options.encodings && { general: { positionEncodings: options.encodings } }),
    },
    initializationOptions: { trusted: options.trusted ?? true },
  });
  client.notify('initialized', {});
  return client;
}

/** A text without its `|`, and where that stood. */
export function cursorIn(marked: string): { readonly text: string; readonly position: Position } {
  const at = marked.indexOf('|');
  const before = marked.slice(0, at).split('\n');
  return {
    text: marked.slice(0, at) + marked.slice(at + 1),
    position: { line: before.length - 1, character: (before.at(-1) as string).length },
  };
}
