import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { codeOf } from '../../durable/index.js';
import { RunError } from '../run-error.js';
import type { OpenSource } from './open-source.js';

/** A larger request is refused. */
const MOST_BYTES = 64 * 1024 * 1024;

/** What events are made of; metrics are taken, and left out. */
const PATHS: ReadonlySet<string> = new Set(['/v1/traces', '/v1/logs', '/v1/metrics']);

const unzip = promisify(gunzip);

/**
 * Receives traces and logs as OTLP over HTTP, in its JSON form, on the loopback. What arrives while
 * nobody listens is of no attempt, and dropped.
 */
export async function openOtlpReceiver(port: number): Promise<OpenSource> {
  let receive: ((document: string) => void) | undefined;
  const server = createServer((request, response) => {
    answer(request, response, (document) => receive?.(document)).catch(() => {
      response.destroy();
    });
  });
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    throw new RunError('no-port', `127.0.0.1:${port}`, codeOf(error));
  }
  const { port: actual } = server.address() as AddressInfo;
  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${actual}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    },
    async listen({ otlp }) {
      receive = otlp;
      return {
        drain: async () => {},
        stop: async () => {
          receive = undefined;
        },
      };
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
  receive: (document: string) => void,
): Promise<void> {
  const end = (status: number) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  };
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (!PATHS.has(pathname)) return end(404);
  if (request.method !== 'POST') return end(405);
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) return end(415);
  const body = await readBody(request);
  if (body === undefined) return end(413);
  let text: string;
  try {
    const bytes =
      request.headers['content-encoding'] === 'gzip'
        ? await unzip(body, { maxOutputLength: MOST_BYTES })
        : body;
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    JSON.parse(text);
  } catch {
    return end(400);
  }
  if (pathname !== '/v1/metrics') receive(text);
  end(200);
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size <= MOST_BYTES) chunks.push(chunk as Buffer);
  }
  return size > MOST_BYTES ? undefined : Buffer.concat(chunks);
}
