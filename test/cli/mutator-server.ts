import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { serveHttp } from '../mutators/client/servers.js';

/** A request that changes something, as the server saw it. */
export interface Change {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

export interface TestServer {
  readonly url: string;
  /** In the order of arrival. */
  readonly changes: readonly Change[];
}

export interface ServerSetup {
  /** The body of the listing; that of a drone bench unless given. */
  readonly listing?: string;
  /** Answers 400 and 401 as the API has it. */
  readonly key?: string;
  /** The status of a change, when it is no success. */
  readonly statusOf?: (change: Change) => number | undefined;
}

export const DRONE = readFileSync('fixtures/mutators/drone.listing.json', 'utf8');

/** A mutator server on the loopback, until the test ends. */
export async function serveMutators({
  listing = DRONE,
  key,
  statusOf = () => undefined,
}: ServerSetup = {}): Promise<TestServer> {
  const changes: Change[] = [];
  const url = await serveHttp(async (request, response) => {
    const given = request.headers['mutator_apikey'];
    if (key !== undefined && given !== key) {
      response.writeHead(given === undefined ? 400 : 401).end();
    } else if (request.method === 'GET' && request.url === '/bench/mutator') {
      response.end(listing);
    } else {
      const change = {
        method: request.method ?? '',
        path: request.url ?? '',
        body: await bodyOf(request),
      };
      changes.push(change);
      response.writeHead(statusOf(change) ?? (change.method === 'POST' ? 201 : 200)).end();
    }
  });
  return { url: `${url}/bench`, changes };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
