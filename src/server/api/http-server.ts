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
  /** Timeout for an idle connection between requests. */
  readonly keepAliveMs: number;
  /** Timeout for a client to read a response. */
  readonly readTimeoutMs: number;
}

/** Default limits, generous for a polling reflector but tight for a client that merely keeps connections open. */
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

/** Returns the connection limits for a process that can open at most `connections` connections. */
export function limitsFor(connections: number): Partial<ServerLimits> {
  const maxConnections = Math.min(connections, defaultLimits.connections);
  return { connections: maxConnections, connectionsPerClient: Math.ceil(maxConnections / 2) };
}

/** A server's certificate and private key, in PEM format. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

/** A server that does not listen yet, and its handler for unreadable requests. */
export type HttpServer = ReturnType<typeof createHttpServer>;

/** Node's error code for a request timeout. */
const LATE_CODE = 'ERR_HTTP_REQUEST_TIMEOUT';

/** Status lines by error code, for late or oversized requests. All other codes get a 400. */
const statusLines: Readonly<Record<string, string>> = {
  [LATE_CODE]: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** Maximum interval of Node's check for late requests. A shorter timeout shortens the interval. */
const CHECK_MS = 1_000;

/** Timeout for a client to close its connection after an unreadable request. */
const LINGER_MS = 1_000;

/** Creates a server that enforces the limits. Uses TLS if an identity is given. */
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
  // A client that has closed its side after its request still waits for the response.
  (server as { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true;
  // Without a free file descriptor, the server cannot accept a connection. The client may retry.
  server.on('error', () => {});
  server.on('connection', (socket) => connections.add(socket));
  server.setTimeout(limits.readTimeoutMs, (socket: Socket) => {
    // A client that waits for an actuator may be silent for a long time, unless the client has stopped reading.
    if (!connections.isAnswering(socket) || socket.writableLength > 0) socket.destroy();
  });

  return {
    server,
    /**
     * Ends a connection after an error.
     *
     * @returns the status sent, or `closed` if no status was sent; undefined if the connection had already ended or
     * stays open
     */
    endBadClient(error: NodeJS.ErrnoException, socket: Socket): number | 'closed' | undefined {
      // The client's next request is not due before the response to its previous request.
      if (error.code === LATE_CODE && connections.isWaiting(socket)) return undefined;
      // The client hung up, or sent more data after a malformed request.
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
