import type { Server } from 'node:http';
import { hostsOf, ownHosts } from '../../mutators/index.js';
import { createHttpServer, defaultLimits } from '../api/http-server.js';
import { listen, urlOf } from '../startup/address.js';
import type { Metrics } from './metrics.js';

/** A server for those who operate ours. */
export type Admin = Awaited<ReturnType<typeof startAdmin>>;

export interface AdminOptions {
  readonly metrics: Metrics;
  /** The document of the API, asked for when it is read. */
  readonly openApi: () => object;
  /** Whether the API takes requests. */
  readonly isReady: () => boolean;
  /** The ids of mutators whose resets fail. */
  readonly failing: () => readonly string[];
}

interface Page {
  readonly status?: number;
  readonly type: string;
  readonly text: string;
}

const TEXT = 'text/plain; charset=utf-8';

const LOOPBACK = '127.0.0.1';

/** Of the ids beyond these, only the number is given. */
const MOST_NAMED = 10;

/** Few: whoever watches a server needs one or two, and resets need to open files. */
const MOST_CONNECTIONS = 16;

const limits = {
  ...defaultLimits,
  connections: MOST_CONNECTIONS,
  connectionsPerClient: MOST_CONNECTIONS,
};

/** Starts it, for programs on this machine. Rejects with a ServeError when the port cannot be used. */
export async function startAdmin(port: number, options: AdminOptions) {
  const server = buildAdmin(options);
  const bound = await listen(server, { address: LOOPBACK, port });
  return {
    url: urlOf({ address: LOOPBACK, port: bound }, 'http'),
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Builds the server for those who operate it; it is not for clients, and does not listen yet. */
export function buildAdmin(options: AdminOptions): Server {
  const { metrics, openApi, isReady, failing } = options;
  const isOwnHost = ownHosts({ address: LOOPBACK });
  const pages: Readonly<Record<string, () => Page | Promise<Page>>> = {
    '/healthz': () => ({ type: TEXT, text: 'ok\n' }),
    '/readyz': () => {
      if (!isReady()) return { status: 503, type: TEXT, text: 'not ready\n' };
      const ids = failing();
      // Still a success: a client that resets by hand needs the API.
      const named = ids.slice(0, MOST_NAMED).map((id) => JSON.stringify(id));
      if (ids.length > MOST_NAMED) named.push(`${ids.length - MOST_NAMED} more`);
      const text = ids.length === 0 ? 'ready' : `degraded: resets of ${named.join(', ')} fail`;
      return { type: TEXT, text: `${text}\n` };
    },
    '/metrics': async () => ({ type: metrics.contentType, text: await metrics.read() }),
    '/openapi.json': () => ({
      type: 'application/json',
      text: `${JSON.stringify(openApi(), null, 2)}\n`,
    }),
  };
  const { server, endBadClient } = createHttpServer(limits, async (request, response) => {
    const { method, url = '' } = request;
    if (!hostsOf(request).every(isOwnHost)) {
      response.writeHead(403).end();
      return;
    }
    const path = url.replace(/\?.*/s, '');
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (page === undefined) {
      response.writeHead(404).end();
    } else if (method !== 'GET' && method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
    } else {
      const { status = 200, type, text } = await page();
      response.writeHead(status, {
        'content-type': type,
        'content-length': Buffer.byteLength(text),
      });
      response.end(method === 'HEAD' ? undefined : text);
    }
  });
  server.on('clientError', endBadClient);
  return server;
}
