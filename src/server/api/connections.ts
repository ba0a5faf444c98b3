import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Limits on connections to the server. */
export interface ConnectionLimits {
  /** Maximum number of connections; the next replaces an idle one. */
  readonly connections: number;
  /** Maximum number of connections from one address. */
  readonly connectionsPerClient: number;
  /** With this many unanswered requests, a connection is not read any further. */
  readonly pipelined: number;
}

/** A connection, and the state of its client. */
interface Connection {
  /** The transport; with TLS this is not the socket of its requests. */
  readonly socket: Socket;
  /** True once one of its requests was accepted. */
  isTrusted: boolean;
  /** Its unanswered requests, in order. Only the first one has been started. */
  readonly open: Exchange[];
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * A server's connections, and their requests, each of which is started when the one before it is answered. When
 * there are too many connections, a new one replaces the one that has been idle for longest, preferably one without
 * an accepted request. A client that merely holds connections therefore keeps nobody out. Idle connections with
 * accepted requests hold no more than half of the slots, because a new one needs time to send its first request.
 * Those that have sent a request in full, and wait for its answer, stay.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #listener: RequestListener;
  /** By both ends, in order of last use. */
  readonly #connections = new Map<string, Connection>();

  constructor(limits: ConnectionLimits, listener: RequestListener) {
    this.#limits = limits;
    this.#listener = listener;
  }

  /** Adds a connection, or destroys it if there is no room. */
  add(socket: Socket): void {
    const { connections, connectionsPerClient } = this.#limits;
    const { remoteAddress } = socket;
    const all = [...this.#connections.values()];
    const fromClient = all.filter(
      (connection) => connection.socket.remoteAddress === remoteAddress,
    );
    const isMany = fromClient.length >= connectionsPerClient;
    if (isMany || all.length >= connections) {
      const spare = isMany ? spareOf(fromClient, connectionsPerClient) : spareOf(all, connections);
      (spare?.socket ?? socket).destroy();
      if (spare === undefined) return;
      this.#remove(spare);
    }
    const connection = { socket, isTrusted: false, open: [] };
    this.#connections.set(keyOf(socket), connection);
    socket.once('close', () => this.#remove(connection));
  }

  /** Handles a request in its turn: pipelined requests are run in order. */
  take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const { pipelined } = this.#limits;
    const connection = this.#use(socket) ?? { socket, isTrusted: false, open: [] };
    const { open } = connection;
    open.push({ request, response });
    if (open.length === pipelined) hold(socket);
    response.once('close', () => {
      open.shift();
      connection.isTrusted ||= !isDenial(response.statusCode);
      this.#use(socket);
      if (socket.destroyed) return;
      if (open.length === pipelined - 1) release(socket);
      const [next] = open;
      if (next !== undefined) this.#listener(next.request, next.response);
    });
    if (open.length === 1) this.#listener(request, response);
  }

  /** True if a request still waits for its answer. */
  isServing(socket: Socket): boolean {
    return this.#openOf(socket).length > 0;
  }

  /**
   * True if a connection waits for the server: its latest request is complete and unanswered, or so many are
   * unanswered that it is not read any further.
   */
  isWaiting(socket: Socket): boolean {
    const open = this.#openOf(socket);
    return open.length >= this.#limits.pipelined || open.at(-1)?.request.complete === true;
  }

  /** True if an answer to unreadable bytes cannot be mistaken for the answer to an earlier request. */
  isFree(socket: Socket): boolean {
    const [first, second] = this.#openOf(socket);
    if (first === undefined) return true;
    return second === undefined && !first.request.complete && !first.response.headersSent;
  }

  #openOf(socket: Socket): readonly Exchange[] {
    return this.#connections.get(keyOf(socket))?.open ?? [];
  }

  /** Finds a connection, and marks it as the last one used. */
  #use(socket: Socket): Connection | undefined {
    const key = keyOf(socket);
    const connection = this.#connections.get(key);
    if (connection !== undefined && this.#connections.delete(key))
      this.#connections.set(key, connection);
    return connection;
  }

  #remove(connection: Connection): void {
    const key = keyOf(connection.socket);
    if (this.#connections.get(key) === connection) this.#connections.delete(key);
  }
}

/** Returns the key of the other end: the same for a socket and for the TLS socket on top of it. */
function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Returns the most expendable connection. */
function spareOf(all: readonly Connection[], limit: number): Connection | undefined {
  const idle = all.filter((connection) => !isComplete(connection));
  const trusted = idle.filter(({ isTrusted }) => isTrusted);
  if (trusted.length > limit / 2) return trusted[0];
  return idle.find(({ isTrusted }) => !isTrusted) ?? trusted[0];
}

/** True if a client waits for the answer to a complete request. */
function isComplete({ open }: Connection): boolean {
  return open.length > 1 || open[0]?.request.complete === true;
}

/** True if the status rejects a client's identity. */
function isDenial(status: number): boolean {
  return status === 400 || status === 401;
}

/** Pauses a connection: Node would resume it after the next answer. */
function hold(socket: Socket): void {
  socket.pause().resume = () => socket;
}

function release(socket: Socket): void {
  Reflect.deleteProperty(socket, 'resume');
  socket.resume();
}
