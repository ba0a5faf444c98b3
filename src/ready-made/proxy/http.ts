import {
  Agent,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http';
import type { Address } from '../../basics/index.js';
import { isRefusal, type ProxyGate } from './door.js';
import type { FaultLookup, Faults } from './faults.js';

/** Pooled connections, each of which has already served a retryable request. */
const keepAliveAgent = new Agent({ keepAlive: true });

/**
 * True if sending a request to the service twice is harmless, and the request has no body. A body could be read only
 * once.
 */
export const isRetryable = ({
  method = '',
  headers,
}: Pick<IncomingMessage, 'method' | 'headers'>): boolean =>
  ['GET', 'HEAD', 'OPTIONS'].includes(method) &&
  !['content-length', 'transfer-encoding'].some((name) => name in headers);

/** The context of a request that passes through the proxy. */
export interface ForwardingContext {
  readonly faults: Faults;
  readonly faultOf: FaultLookup;
  /** Forwards the request to the service. */
  readonly pass: () => void;
}

/** Responds to a request with a fault, or forwards the request to the service. */
export async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { faults, faultOf, pass }: ForwardingContext,
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
 * Forwards a request to the service, and the service's response to the client. A request that is not retryable gets a
 * new connection, because the service may be closing a pooled connection.
 */
export function forward(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: Address,
  door: ProxyGate,
  canReuse = isRetryable(request),
): void {
  const agent = canReuse ? keepAliveAgent : new Agent({ keepAlive: true });
  const { method, url, rawHeaders } = request;
  const outgoing = requestHttp({ ...upstream, agent, method, path: url, headers: rawHeaders });
  outgoing.on('error', (error) => {
    if (response.headersSent || response.destroyed) response.destroy();
    else if (outgoing.reusedSocket) forward(request, response, upstream, door, false);
    else {
      if (isRefusal(error)) door.close();
      // Without the proxy, the client would see its connection fail.
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
