import {
  Agent,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http';
import type { Address } from '../../basics/index.js';
import { isRefusal, type ProxyGate } from './door.js';
import type { FaultOf, Faults } from './faults.js';

/** Reusable connections, each of which has already served a repeatable request. */
const keepAliveAgent = new Agent({ keepAlive: true });

/**
 * True if the service may receive a request twice without harm, and the request has no body, which could be read only
 * once.
 */
export const canBeRepeated = ({
  method = '',
  headers,
}: Pick<IncomingMessage, 'method' | 'headers'>): boolean =>
  ['GET', 'HEAD', 'OPTIONS'].includes(method) &&
  !['content-length', 'transfer-encoding'].some((name) => name in headers);

/** A request on its way through the proxy. */
export interface Passage {
  readonly faults: Faults;
  readonly faultOf: FaultOf;
  /** Passes the request to the service. */
  readonly pass: () => void;
}

/** Answers a request as the service would, except for the faults. */
export async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { faults, faultOf, pass }: Passage,
): Promise<void> {
  const delayFault = faultOf('http-delay');
  if (delayFault !== undefined) {
    await faults.waitWith('http-delay', performance.now() + (delayFault.delay ?? 0));
  }
  if (faultOf('http-abort') !== undefined) {
    request.socket.resetAndDestroy();
    return;
  }
  const status = faultOf('http-status')?.status;
  if (status === undefined) return pass();
  request.resume();
  response.writeHead(status, { 'content-length': 0 }).end();
}

/**
 * Forwards a request to the service, and its answer to the client. A request that cannot be repeated gets a new
 * connection, because the service may be closing a reused connection.
 */
export function forward(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: Address,
  door: ProxyGate,
  canReuse = canBeRepeated(request),
): void {
  const agent = canReuse ? keepAliveAgent : new Agent({ keepAlive: true });
  const { method, url, rawHeaders } = request;
  const outgoing = requestHttp({ ...upstream, agent, method, path: url, headers: rawHeaders });
  outgoing.on('error', (error) => {
    if (response.headersSent || response.destroyed) response.destroy();
    else if (outgoing.reusedSocket) forward(request, response, upstream, door, false);
    else {
      if (isRefusal(error)) door.close();
      // Without the proxy, the client would see its connection end.
      request.socket.resetAndDestroy();
    }
  });
  outgoing.on('response', (incoming) => {
    response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, incoming.rawHeaders);
    incoming.on('error', () => response.destroy());
    incoming.pipe(response);
  });
  response.on('close', () => {
    outgoing.destroy();
    if (!canReuse) agent.destroy();
  });
  request.pipe(outgoing);
}
