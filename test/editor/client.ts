import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';

export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

export interface Diagnostic {
  readonly range: Range;
  readonly severity: number;
  readonly code: string;
  readonly message: string;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** A client that speaks the protocol byte by byte with the built program. */
export class Client {
  readonly #child: ChildProcess;
  readonly #answers = new Map<number, (message: Message) => void>();
  readonly #published = new Map<string, { version?: number; diagnostics: readonly Diagnostic[] }>();
  #waiting: (() => void)[] = [];
  #buffer: Buffer = Buffer.alloc(0);
  #next = 1;

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.on('data', (chunk: Buffer) => {
      this.#buffer = Buffer.concat([this.#buffer, chunk]);
      this.#read();
    });
  }

  #read(): void {
    for (;;) {
      const end = this.#buffer.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = Number(
        /Content-Length: (\d+)/.exec(this.#buffer.toString('latin1', 0, end))?.[1],
      );
      if (this.#buffer.length < end + 4 + length) return;
      const body = this.#buffer.toString('utf8', end + 4, end + 4 + length);
      this.#buffer = this.#buffer.subarray(end + 4 + length);
      this.#take(JSON.parse(body) as Message);
    }
  }

  #take(message: Message): void {
    if (message.method === 'textDocument/publishDiagnostics') {
      const { uri, ...published } = message.params as {
        uri: string;
        version?: number;
        diagnostics: readonly Diagnostic[];
      };
      this.#published.set(uri, published);
      for (const wake of this.#waiting.splice(0)) wake();
    } else if (message.method !== undefined && message.id !== undefined) {
      this.#send({ id: message.id, result: null });
    } else if (message.id !== undefined) {
      this.#answers.get(message.id)?.(message);
      this.#answers.delete(message.id);
    }
  }

  #send(message: object): void {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    this.#child.stdin?.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.#child.stdin?.write(body);
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  /** The answer to a request; rejects with the message of an error. */
  request<T>(method: string, params: unknown): Promise<T> {
    const id = this.#next++;
    return new Promise((done, fail) => {
      this.#answers.set(id, ({ result, error }) =>
        error === undefined ? done(result as T) : fail(new Error(error.message)),
      );
      this.#send({ id, method, params });
    });
  }

  open(uri: string, text: string): void {
    const textDocument = { uri, languageId: 'toml', version: 1, text };
    this.notify('textDocument/didOpen', { textDocument });
  }

  change(uri: string, version: number, text: string): void {
    this.notify('textDocument/didChange', {
      textDocument: { uri, version },
      contentChanges: [{ text }],
    });
  }

  /** The diagnostics of a version of a document. */
  async diagnostics(uri: string, version = 1): Promise<readonly Diagnostic[]> {
    for (;;) {
      const published = this.#published.get(uri);
      if (published?.version === version) return published.diagnostics;
      await new Promise<void>((done) => this.#waiting.push(done));
    }
  }

  /** Ends the server as an editor does, and gives its exit code. */
  async end(): Promise<number | null> {
    await this.request('shutdown', null);
    this.notify('exit', null);
    const [code] = await once(this.#child, 'exit');
    return code as number | null;
  }
}

/** Starts the built language server in a directory, for one test. */
export async function startClient(
  directory: string,
  options: { readonly encodings?: readonly string[]; readonly trusted?: boolean } = {},
): Promise<Client> {
  const child = spawn(process.execPath, [resolve('dist/bin.cjs'), 'lsp', '--stdio'], {
    cwd: directory,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const client = new Client(child);
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
