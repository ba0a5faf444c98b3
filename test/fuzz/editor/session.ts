import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { createConnection, serveEditor } from '../../../src/editor/index.js';
import { loadCatalog } from '../../../src/mutators/index.js';
import { lint } from '../../../src/objective/index.js';
import { decodeSource } from '../../../src/source/index.js';
import { type Diagnostic, ProtocolClient, RequestError } from '../../editor/connection.js';
import { hold } from '../target.js';
import { ClientText } from './client-text.js';
import { type Asked, features } from './features.js';

/** Errors that the protocol has for requests that fail as they should. */
const CANCELLED = -32800;
const FAILED = -32803;

/** A server of this process, for one input after another. */
export interface Session {
  /** @returns what happened, as a target gives it */
  run(uri: string, text: string, steps: readonly string[]): Promise<string[]>;
  end(): Promise<void>;
}

interface Step {
  readonly word: string;
  readonly waits: boolean;
  readonly numbers: readonly [number, number];
  readonly text: string;
}

/** Starts a server for the files of a directory, whose mutators it has loaded. */
export async function startSession(directory: string): Promise<Session> {
  const [up, down] = [new PassThrough(), new PassThrough()];
  const connection = createConnection(up, down);
  serveEditor(connection, { version: '0', pageOf: () => undefined, env: {} });
  const client = new ProtocolClient(down, up);
  await client.request('initialize', {
    processId: null,
    rootUri: pathToFileURL(directory).href,
    capabilities: {},
  });
  client.notify('initialized', {});
  const { catalog } = await loadCatalog([join(directory, 'bench.mutators.toml')], {
    ...{ offline: true, timeoutMs: 1_000 },
    readFile: async (file) => readFileSync(file),
  });
  const options = { catalog };
  let version = 0;

  return {
    run,
    async end() {
      await client.request('shutdown', undefined);
      connection.dispose();
    },
  };

  async function run(uri: string, opened: string, steps: readonly string[]): Promise<string[]> {
    const isObjective = uri.endsWith('.objective.toml');
    const traits: string[] = [];
    const texts = new Map<number, ClientText>();
    const answers: Promise<void>[] = [];
    let isOpen = false;
    let text = new ClientText(opened);
    const show = (next: ClientText): void => {
      text = next;
      texts.set(version, text);
    };
    const open = (): void => {
      version += 1;
      client.open(uri, text.text, version);
      isOpen = true;
      show(text);
    };
    const settle = async (): Promise<void> => {
      if (!isOpen) return;
      const shown = await client.diagnostics(uri, version);
      const codes = holdDiagnostics(shown, uri, text);
      if (isObjective) holdLint(codes, text.text);
      traits.push(...codes);
    };
    const take = async ({ word, waits, numbers, text: given }: Step): Promise<void> => {
      const [first, second] = numbers;
      const start = first % (text.text.length + 1);
      const end = Math.min(start + second, text.text.length);
      const range = text.rangeOf(start, end);
      const feature = Object.hasOwn(features, word) ? features[word] : undefined;
      if (feature !== undefined) {
        const asked: Asked = {
          ...{ uri, at: text, position: range.start, range, text: given, isObjective, options },
        };
        const params = { textDocument: { uri }, ...feature.params(asked) };
        const answer = client
          .request<never>(`textDocument/${feature.method}`, params)
          .then((value) => {
            if (value !== null) traits.push(`${word} ${feature.hold(value, asked)}`);
          })
          .catch((error: unknown) => {
            if (!(error instanceof RequestError)) throw error;
            const expected = word === 'rename' ? [CANCELLED, FAILED] : [CANCELLED];
            hold(expected.includes(error.code), `${word} fails: ${error.code} ${error.message}`);
            traits.push(`${word} ${error.code}`);
          });
        answers.push(answer);
        // What is wrong with it is seen when all are awaited.
        answer.catch(() => {});
        if (waits) await answer;
        return;
      }
      switch (word) {
        case 'at':
          await client.request('textDocument/hover', {
            ...{ textDocument: { uri }, position: { line: first, character: second } },
          });
          return;
        case 'edit':
        case 'full': {
          if (!isOpen) return;
          version += 1;
          const edited = text.edited([{ range, newText: given }], 'edit');
          client.change(uri, version, given, word === 'full' ? undefined : range);
          show(new ClientText(word === 'full' ? given : edited));
          if (waits) await settle();
          return;
        }
        case 'cancel':
          client.cancel();
          return;
        case 'save':
          client.notify('textDocument/didSave', { textDocument: { uri } });
          return;
        case 'watch':
          client.notify('workspace/didChangeWatchedFiles', { changes: [] });
          return;
        case 'close':
          if (isOpen) client.notify('textDocument/didClose', { textDocument: { uri } });
          isOpen = false;
          return;
        case 'open':
          if (!isOpen) open();
          return;
        default:
      }
    };
    open();
    const seen = client.calls.length;
    try {
      for (const step of steps) await take(read(step));
      await Promise.all(answers);
      await settle();
      for (const { method, params } of client.calls.slice(seen)) {
        if (method !== 'textDocument/publishDiagnostics') continue;
        const published = params as { version?: number; diagnostics: readonly Diagnostic[] };
        const about = texts.get(published.version ?? -1);
        if (about !== undefined) holdDiagnostics(published.diagnostics, uri, about);
      }
    } finally {
      await Promise.allSettled(answers);
      if (isOpen) client.notify('textDocument/didClose', { textDocument: { uri } });
      client.calls.length = 0;
    }
    return traits;
  }

  /** Where a text is TOML, its diagnostics are those of a lint. */
  function holdLint(shown: readonly string[], text: string): void {
    if (/\p{Cs}/u.test(text)) return;
    const [known, unknown] = [options, {}].map((one) =>
      lint(decodeSource('', Buffer.from(text)), one).map(({ rule }) => rule),
    );
    if (known?.includes('toml/syntax')) return;
    // The mutators may be loading.
    const same = [known, unknown].some((rules) => rules?.join() === shown.join());
    hold(same, 'the diagnostics are not those of a lint');
  }
}

function holdDiagnostics(shown: readonly Diagnostic[], uri: string, text: ClientText): string[] {
  for (const { code, range, relatedInformation = [] } of shown) {
    text.spanOf(range, `a diagnostic of ${code}`);
    for (const { location } of relatedInformation) {
      hold(location.uri === uri, 'a related place elsewhere');
      text.spanOf(location.range, `related to ${code}`);
    }
  }
  return shown.map(({ code }) => code);
}

function read(step: string): Step {
  const [, late, word = '', first, second, text = ''] =
    /^(!?)(\w+)(?: (\d{1,9}))?(?: (\d{1,9}))?(?:\n(.*))?$/s.exec(step) ?? [];
  return {
    ...{ word, text, waits: late !== '!' },
    numbers: [Number(first ?? 0), Number(second ?? 0)],
  };
}
