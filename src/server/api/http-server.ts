import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { type ConnectionLimits, Connections } from './connections.js';

/** Limits on a client's use of the server. Times are in milliseconds. */
export interface ServerLimits extends ConnectionLimits {
  /** The maximum size of a body, in bytes. */
  readonly bodyBytes: number;
  /** Timeout for the head of a request. */
  readonly headTimeoutMs: number;
  /** Timeout for a whole request, its body included. */
  readonly requestTimeoutMs: number;
  /** The time that a connection stays open between requests. */
  readonly keepAliveMs: number;
  /** Timeout for a client to read an answer. */
  readonly readTimeoutMs: number;
}

/** Default limits: generous for a reflector that polls, tight for a client that merely holds connections. */
export const defaultLimits: ServerLimits = {
  bodyBytes: 1024 * 1024,
  headTimeoutMs: 5_000,
  requestTimeoutMs: 30_000,
  keepAliveMs: 72_000,
  readTimeoutMs: 60_000,
  connections: 1_000,
  connectionsPerClient: 500,
  maxPipelined: 32,
};

/** Returns limits for a process that may have this many connections open. */
export function limitsFor(connections: number): Partial<ServerLimits> {
  const maxConnections = Math.min(connections, defaultLimits.connections);
  return { connections: maxConnections, connectionsPerClient: Math.ceil(maxConnections / 2) };
}

/** The identity of a server, as PEM texts. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

/** A server, not yet listening, and its handler of unreadable connections. */
export type HttpServer = ReturnType<typeof createHttpServer>;

/** Node's code for a request that does not arrive in time. */
const LATE_CODE = 'ERR_HTTP_REQUEST_TIMEOUT';

/** The status lines for requests that are not HTTP, or not in time. */
const statusLines: Readonly<Record<string, string>> = {
  [LATE_CODE]: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** Interval of Node's check for late requests, unless a limit is shorter. */
const CHECK_MS = 1_000;

/** Time for a client that sent an unreadable request to close its connection. */
const LINGER_MS = 1_000;

/** Creates the server within its limits; with TLS if an identity is given. */
export function createHttpServer(
  limits: ServerLimits,
  listener: RequestListener,
  tls?: TlsIdentity,
) {
  const connections = new Connections(limits, listener);
  const take: RequestListener = (request, response) => connections.take(request, response);
  const options = {
    headersTimeout: limits.headTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(CHECK_MS, limits.headTimeoutMs, limits.requestTimeoutMs),
  };
  const server =
    tls === undefined
      ? createServer(options, take)
      : (createTlsServer(
          { ...options, ...tls, handshakeTimeout: limits.headTimeoutMs },
          take,
        ) as unknown as Server);
  // A client that has closed its side after its request still waits for the answer.
  (server as { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true;
  // Without a free file descriptor, a connection cannot be accepted. Its client may retry.
  server.on('error', () => {});
  server.on('connection', (socket) => connections.add(socket));
  server.setTimeout(limits.readTimeoutMs, (socket: Socket) => {
    // A client may be silent for a long time while it waits for an actuator, but not if it waits for nothing or stops
    // reading.
    if (!connections.isAnswering(socket) || socket.writableLength > 0) socket.destroy();
  });

  return {
    server,
    /**
     * Ends a connection after an error.
     *
     * @returns the status sent, or `closed` without one; undefined if the connection had ended, or continues
     */
    endBadClient(error: NodeJS.ErrnoException, socket: Socket): number | 'closed' | undefined {
      // The client's next request is not due before the answer to its previous request.
      if (error.code === LATE_CODE && connections.isWaiting(socket)) return undefined;
      // The client hung up, or sent more after a bad request.
      const hasEnded = !socket.writable || error.code === 'ECONNRESET';
      if (hasEnded || !connections.canAnswerError(socket)) {
        socket.destroy();
        return hasEnded ? undefined : 'closed';
      }
      const line = statusLines[error.code ?? ''] ?? '400 Bad Request';
      socket.end(`HTTP/1.1 ${line}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      // Further bytes are ignored.
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
      return Number.parseInt(line, 10);
    },
  };
}
