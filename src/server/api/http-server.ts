import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
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
  /** Gives the status that was sent; undefined for a connection that had ended already. */
  readonly endBadClient: (
    error: NodeJS.ErrnoException,
    socket: Socket,
  ) => number | 'closed' | undefined;
}

/** The status lines for requests that are not HTTP, or not in time. */
const statusLines: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** How often Node looks for requests that are late, unless a limit is shorter. */
const CHECK_MS = 1_000;

/** A request, and its answer. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether it came before the one before it was answered. */
  readonly early: boolean;
}

/** Makes the server within its limits; with TLS where an identity is given. */
export function createHttpServer(limits: Limits, listener: RequestListener, tls?: Tls): HttpServer {
  /** The latest of each connection. */
  const exchanges = new WeakMap<Socket, Exchange>();

  const take: RequestListener = (request, response) => {
    const { socket } = request;
    const last = exchanges.get(socket);
    const early = isOpen(last);
    exchanges.set(socket, { request, response, early });
    if (!early) {
      listener(request, response);
      return;
    }
    // In their order: what a client sends in one go, it means one after the other.
    last.response.once('close', () => {
      if (!socket.destroyed) listener(request, response);
    });
  };

  const options = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(CHECK_MS, limits.headersMs, limits.requestMs),
  };
  const server =
    tls === undefined
      ? createServer(options, take)
      : (createTlsServer(
          { ...options, ...tls, handshakeTimeout: limits.headersMs },
          take,
        ) as unknown as Server);
  server.maxConnections = limits.connections;
  server.setTimeout(limits.unreadMs, (socket: Socket) => {
    // A client that waits for an actuator may be silent for long; one that has
    // nothing to wait for, or does not read, may not.
    if (!isOpen(exchanges.get(socket)) || socket.writableLength > 0) socket.destroy();
  });

  return {
    server,
    endBadClient(error, socket) {
      // It hung up, or what follows a bad request comes in.
      const over = !socket.writable || error.code === 'ECONNRESET';
      if (over || !isNext(exchanges.get(socket))) {
        socket.destroy();
        return over ? undefined : 'closed';
      }
      const line = statusLines[error.code ?? ''] ?? '400 Bad Request';
      socket.end(`HTTP/1.1 ${line}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return Number.parseInt(line, 10);
    },
  };
}

/** Whether a request still waits for its answer. */
function isOpen(exchange: Exchange | undefined): exchange is Exchange {
  return exchange !== undefined && !exchange.response.writableFinished;
}

/** Whether an answer to what can't be read would pass for that of no earlier request. */
function isNext(last: Exchange | undefined): boolean {
  if (!isOpen(last)) return true;
  return !last.early && !last.request.complete && !last.response.headersSent;
}
