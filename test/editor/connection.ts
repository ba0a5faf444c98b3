import type { Readable, Writable } from 'node:stream';

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
  readonly codeDescription?: { readonly href: string };
  readonly message: string;
  readonly relatedInformation?: readonly {
    readonly location: { readonly uri: string; readonly range: Range };
    readonly message: string;
  }[];
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** An answer that is an error. */
export class RequestError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The types of the protocol's log messages. */
const ERROR = 1;

/** A client that speaks the protocol byte by byte. */
export class ProtocolClient {
  readonly #output: Writable;
  /** The methods that the server has called, with their parameters. */
  readonly calls: { readonly method: string; readonly params: unknown }[] = [];
  #failure: Error | undefined;
  readonly #answers = new Map<number, (message: Message) => void>();
  readonly #published = new Map<string, { version?: number; diagnostics: readonly Diagnostic[] }>();
  #waiting: (() => void)[] = [];
  #buffer: Buffer = Buffer.alloc(0);
  #next = 1;

  /**
   * @param input what the server writes
   * @param output what it reads
   */
  constructor(input: Readable, output: Writable) {
    this.#output = output;
    input.on('data', (chunk: Buffer) => {
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
    if (message.method !== undefined) {
      this.calls.push({ method: message.method, params: message.params });
    }
    if (message.method === 'textDocument/publishDiagnostics') {
      const { uri, ...published } = message.params as {
        uri: string;
        version?: number;
        diagnostics: readonly Diagnostic[];
      };
      this.#published.set(uri, published);
      for (const wake of this.#waiting.splice(0)) wake();
    } else if (message.method === 'window/logMessage') {
      const { type, message: text } = message.params as { type: number; message: string };
      if (type === ERROR) this.#failure = new Error(text);
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
    this.#output.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.#output.write(body);
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  /** The answer to a request; rejects with the message of an error. */
  request<T>(method: string, params: unknown): Promise<T> {
    const id = this.#next++;
    return new Promise((done, fail) => {
      this.#answers.set(id, ({ result, error }) =>
        error === undefined ? done(result as T) : fail(new RequestError(error.code, error.message)),
      );
      this.#send({ id, method, params });
    });
  }

  /** Takes back the last request that was made. */
  cancel(): void {
    this.notify('$/cancelRequest', { id: this.#next - 1 });
  }

  open(uri: string, text: string, version = 1): void {
    const textDocument = { uri, languageId: 'toml', version, text };
    this.notify('textDocument/didOpen', { textDocument });
  }

  /** Writes a text in place of a range of a document, or of all of it. */
  change(uri: string, version: number, text: string, range?: Range): void {
    this.notify('textDocument/didChange', {
      textDocument: { uri, version },
      contentChanges: [{ ...(range && { range }), text }],
    });
  }

  /** The diagnostics of a version of a document. Rejects when the server logs an error. */
  async diagnostics(uri: string, version = 1): Promise<readonly Diagnostic[]> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      const published = this.#published.get(uri);
      if (published?.version === version) return published.diagnostics;
      await new Promise<void>((done) => this.#waiting.push(done));
    }
  }

  /** Waits until what is shown of a document, of whatever version, is as wanted. */
  async until(
    uri: string,
    isWanted: (shown: readonly Diagnostic[]) => boolean,
  ): Promise<readonly Diagnostic[]> {
    for (;;) {
      const published = this.#published.get(uri);
      if (published !== undefined && isWanted(published.diagnostics)) return published.diagnostics;
      await new Promise<void>((done) => this.#waiting.push(done));
    }
  }

  /** Waits until the server calls a method; gives the parameters of the first call. */
  async called(method: string): Promise<unknown> {
    for (;;) {
      const call = this.calls.find((one) => one.method === method);
      if (call !== undefined) return call.params;
      await new Promise<void>((done) => this.#waiting.push(done));
    }
  }
}
