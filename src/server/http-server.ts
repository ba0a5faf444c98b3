import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Limits } from './limits.js';

/** What a server proves itself with: PEM texts. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

/** A server, not yet listening, and how it ends a connection that it can't read. */
export interface HttpServer {
  readonly server: Server;
  /** Gives the status that was sent, or undefined for none. */
  readonly endBadClient: (error: NodeJS.ErrnoException, socket: Socket) => number | undefined;
}

/** The status lines for requests that are not HTTP, or not in time. */
const statusLines: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** How often Node looks for requests that are late, unless a limit is shorter. */
const CHECK_MS = 1_000;

/** Makes the server within its limits; with TLS where an identity is given. */
export function createHttpServer(limits: Limits, listener: RequestListener, tls?: Tls): HttpServer {
  const unanswered = new WeakMap<Socket, Set<ServerResponse>>();
  const answer: RequestListener = (request, response) => {
    const waiting = unanswered.get(request.socket) ?? new Set();
    unanswered.set(request.socket, waiting.add(response));
    response.once('close', () => waiting.delete(response));
    listener(request, response);
  };
  const isAnswering = (socket: Socket) => (unanswered.get(socket)?.size ?? 0) > 0;

  const options = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(CHECK_MS, limits.headersMs, limits.requestMs),
  };
  const server =
    tls === undefined
      ? createServer(options, answer)
      : (createTlsServer({ ...options, ...tls }, answer) as unknown as Server);
  server.maxConnections = limits.connections;
  server.setTimeout(limits.unreadMs, (socket: Socket) => {
    // A client that waits for an actuator may be silent for long; one that has
    // nothing to wait for, or does not read, may not.
    if (!isAnswering(socket) || socket.writableLength > 0) socket.destroy();
  });

  return {
    server,
    endBadClient(error, socket) {
      // While an earlier request waits for its answer, this one would pass for it.
      if (!socket.writable || error.code === 'ECONNRESET' || isAnswering(socket)) {
        socket.destroy();
        return undefined;
      }
      const line = statusLines[error.code ?? ''] ?? '400 Bad Request';
      socket.end(`HTTP/1.1 ${line}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return Number.parseInt(line, 10);
    },
  };
}
