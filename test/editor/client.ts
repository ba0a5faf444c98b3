import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { type Position, ProtocolClient } from './connection.js';

export type { Diagnostic, Position, Range } from './connection.js';

/** A client of a program that was started. */
export class Client extends ProtocolClient {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable | null>;

  constructor(child: ChildProcessByStdio<Writable, Readable, Readable | null>) {
    super(child.stdout, child.stdin);
    this.#child = child;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Ends the server as an editor does, and gives its exit code. */
  async end(): Promise<number | null> {
    await this.request('shutdown', null);
    this.notify('exit', null);
    return this.exited();
  }

  /** The exit code of the server, which has been told to end and still runs. */
  async exited(): Promise<number | null> {
    const [code] = await once(this.#child, 'exit');
    return code as number | null;
  }
}

export interface ClientSetup {
  readonly encodings?: readonly string[];
  /** What it says of the folder: true unless given, and nothing at all if so. */
  readonly trusted?: boolean | 'unsaid';
  /** Whether the client says that it can watch files. */
  readonly watches?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it outlives the test; who starts it kills it then. */
  readonly outlives?: boolean;
}

/** Starts the built language server in a directory, for one test unless it is to outlive that. */
export async function startClient(directory: string, options: ClientSetup = {}): Promise<Client> {
  const child = spawn(process.execPath, [resolve('dist/bin.cjs'), 'lsp', '--stdio'], {
    cwd: directory,
    env: { ...process.env, ...options.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const client = new Client(child);
  if (!options.outlives) onTestFinished(() => client.kill());
  await client.request('initialize', {
    processId: process.pid,
    rootUri: pathToFileURL(directory).href,
    capabilities: {
      ...(options.encodings && { general: { positionEncodings: options.encodings } }),
      ...(options.watches && {
        workspace: { didChangeWatchedFiles: { dynamicRegistration: true } },
      }),
    },
    ...(options.trusted !== 'unsaid' && {
      initializationOptions: { trusted: options.trusted ?? true },
    }),
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
