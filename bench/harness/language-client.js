import { spawn } from 'node:child_process';
import { environment } from './environment.js';

/*
 * An editor that does no more than it must: it opens a file, types, and waits
 * for what the language server says about it.
 */

/** @typedef {{ readonly id?: number, readonly method?: string, readonly params?: any }} Message */

/**
 * @typedef {object} Editor
 * @property {import('node:child_process').ChildProcess} child
 * @property {() => Promise<void>} initialized resolves with the answer to `initialize`
 * @property {(uri: string, text: string) => Promise<void>} open resolves with its diagnostics
 * @property {(uri: string, range: object, text: string) => Promise<void>} type likewise
 */

/**
 * Starts a language server.
 *
 * @param {readonly string[]} args what Node is given
 * @param {readonly import('node:child_process').IOType[]} more descriptors from 3 on
 * @returns {Editor}
 */
export function startEditor(args, more = []) {
  const child = spawn(process.execPath, args, {
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit', ...more],
  });
  const input = /** @type {import('node:stream').Writable} */ (child.stdin);
  const output = /** @type {import('node:stream').Readable} */ (child.stdout);
  let version = 0;
  /** @type {(() => void) | undefined} */
  let wake;
  /** @type {(message: Message) => boolean} */
  let isAwaited = () => false;
  let buffer = Buffer.alloc(0);
  output.on('data', (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (let message = next(); message !== undefined; message = next()) {
      if (isAwaited(message)) wake?.();
    }
  });

  /** @returns {Message | undefined} */
  function next() {
    const end = buffer.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    const start = end + 4;
    const length = Number(/Content-Length: (\d+)/.exec(buffer.toString('latin1', 0, end))?.[1]);
    if (buffer.length < start + length) return undefined;
    const body = buffer.toString('utf8', start, start + length);
    buffer = buffer.subarray(start + length);
    return JSON.parse(body);
  }

  /** @param {object} message */
  function send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    input.write(`Content-Length: ${body.length}\r\n\r\n`);
    input.write(body);
  }

  /** @param {(message: Message) => boolean} matches @returns {Promise<void>} */
  function received(matches) {
    isAwaited = matches;
    return new Promise((resolve) => {
      wake = resolve;
    });
  }

  /** @param {string} uri @param {string} method @param {object} params */
  function tell(uri, method, params) {
    const diagnosed = received(
      ({ method: name, params: shown }) =>
        name === 'textDocument/publishDiagnostics' &&
        shown.uri === uri &&
        shown.version === version,
    );
    send({ method, params });
    return diagnosed;
  }

  return {
    child,
    async initialized() {
      const params = { processId: null, rootUri: null, capabilities: {} };
      const answered = received(({ id }) => id === 1);
      send({ id: 1, method: 'initialize', params });
      await answered;
      send({ method: 'initialized', params: {} });
    },
    open(uri, text) {
      version += 1;
      const textDocument = { uri, languageId: 'toml', version, text };
      return tell(uri, 'textDocument/didOpen', { textDocument });
    },
    type(uri, range, text) {
      version += 1;
      const contentChanges = [{ range, text }];
      return tell(uri, 'textDocument/didChange', {
        textDocument: { uri, version },
        contentChanges,
      });
    },
  };
}
