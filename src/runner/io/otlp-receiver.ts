import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { codeOf } from '../../durable/index.js';
import { createHostCheck, denyForeignRequest, foreignHost } from '../../mutators/index.js';
import { type NeutralRecord, otlpToJson } from '../../session/index.js';
import { isJsonObject, type Json, parseJson } from '../../values/index.js';
import { RunError } from '../run-error.js';

/** A source that listens during attempts. */
export interface OpenEventSource {
  /** The environment variables that configure a command to send events to the source. */
  readonly env: Readonly<Record<string, string>>;
  listen(receive: SourceCallbacks): Promise<EventReceiver>;
  close(): Promise<void>;
}

/** Callbacks for a source's input. */
export interface SourceCallbacks {
  /** Receives lines of the neutral form. */
  readonly lines: (lines: readonly string[]) => void;
  readonly records: (records: readonly NeutralRecord[]) => void;
  /** Receives a whole OTLP document. */
  readonly otlp: (document: Json) => void;
  /** Called with the reason when input that may contain events is rejected. */
  readonly lost: (reason: string, count?: number) => void;
  /** Reports a note about the source to the user. */
  readonly note: (text: string) => void;
}

export interface EventReceiver {
  /** Reads the events that have arrived. Absent if the source delivers events immediately. */
  drain?(end: LastLineHandling, isLast: boolean): Promise<void>;
  /** Returns the reason if events may be missing. Absent if the source never loses events. */
  problem?(): string | undefined;
  stop(): Promise<void>;
}

/** The treatment of an incomplete last line. */
export type LastLineHandling = 'take' | 'leave' | 'if-event';

/** Maximum size of a request's body in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Accepted signals. Metrics are ignored. */
const KINDS = ['traces', 'logs', 'metrics'] as const;

/** Content types of OTLP over HTTP. */
const FORMS = ['application/x-protobuf', 'application/json'] as const;

const ADDRESS = '127.0.0.1';
const isOwnHost = createHostCheck({ address: ADDRESS });

const unzip = promisify(gunzip);

/**
 * Opens a receiver for OTLP traces and logs over HTTP on the loopback interface, in binary or JSON encoding. Drops
 * requests that arrive between attempts. Rejects with a RunError if the port is unavailable.
 */
export async function openOtlpReceiver(port: number): Promise<OpenEventSource> {
  let receiver: SourceCallbacks | undefined;
  const server = createServer((request, response) => {
    answer(request, response, receiver).catch(() => {
      response.destroy();
    });
  });
  try {
    server.listen(port, ADDRESS);
    await once(server, 'listening');
  } catch (error) {
    throw new RunError('no-port', `${ADDRESS}:${port}`, codeOf(error));
  }
  const { port: actualPort } = server.address() as AddressInfo;
  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://${ADDRESS}:${actualPort}`,
      // Every SDK supports this protocol.
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    },
    async listen(receive) {
      receiver = receive;
      const stop = async () => {
        receiver = undefined;
      };
      return { stop };
    },
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  receiver: SourceCallbacks | undefined,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', `http://${ADDRESS}`);
  const kind = KINDS.find((kind) => pathname === `/v1/${kind}`);
  const type = (request.headers['content-type'] ?? '').replace(/\s*;.*$/s, '').toLowerCase();
  const form = FORMS.find((form) => form === type);
  const end = (status: number, message?: string) => {
    const isBinary = status === 200 && form === 'application/x-protobuf';
    response
      .writeHead(status, { 'content-type': isBinary ? form : 'application/json' })
      // In the binary encoding, a response without fields is empty.
      .end(isBinary ? '' : JSON.stringify({ message }));
  };
  const refusalMessage = denyForeignRequest(request.headers, () => foreignHost(request, isOwnHost));
  if (refusalMessage !== undefined) return end(401, refusalMessage);
  if (kind === undefined)
    return end(404, `expected one of ${KINDS.map((kind) => `/v1/${kind}`).join(', ')}`);
  if (request.method !== 'POST') return end(405, 'expected POST');
  const refuse = (status: number, message: string) => {
    if (kind !== 'metrics') receiver?.lost(`a request to ${pathname} was refused: ${message}`);
    end(status, message);
  };
  if (form === undefined) {
    const forms = FORMS.join(' or ');
    return refuse(415, `expected ${forms}: set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf`);
  }
  const body = await readBody(request);
  if (body === undefined) return refuse(413, `expected at most ${MAX_BYTES} bytes`);
  let document: Json | undefined;
  try {
    const isZipped = request.headers['content-encoding'] === 'gzip';
    const bytes = isZipped ? await unzip(body, { maxOutputLength: MAX_BYTES }) : body;
    if (kind !== 'metrics') document = parseDocument(kind, form, bytes);
  } catch {
    return refuse(400, `expected OTLP as ${form}`);
  }
  // An empty document has no events.
  if (Object.keys(document ?? {}).length > 0) receiver?.otlp(document as Json);
  end(200);
}

function parseDocument(
  kind: 'traces' | 'logs',
  form: (typeof FORMS)[number],
  bytes: Uint8Array,
): Json {
  if (form === 'application/x-protobuf') return otlpToJson(kind, bytes);
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  const json = parseJson(text);
  if ('problem' in json) throw new SyntaxError(json.problem);
  if (!isJsonObject(json.value)) throw new SyntaxError('expected an object');
  return json.value;
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size <= MAX_BYTES) chunks.push(chunk as Buffer);
  }
  return size > MAX_BYTES ? undefined : Buffer.concat(chunks);
}
