import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Limits on connections to the server. */
export interface ConnectionLimits {
  /** Maximum number of connections. A further connection replaces an idle connection. */
  readonly connections: number;
  /** Maximum number of connections from one address. */
  readonly connectionsPerClient: number;
  /** Number of unanswered requests at which the server stops reading from a connection. */
  readonly maxPipelined: number;
}

/** A connection, and the state of its client. */
interface Connection {
  /** The TCP socket. With TLS, requests have a different socket. */
  readonly socket: Socket;
  /** True once the server has accepted a request on the connection. */
  isTrusted: boolean;
  /** Unanswered requests, in order of arrival. The server processes only the first request. */
  readonly exchanges: Exchange[];
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * A server's connections and their requests. Processes a connection's requests one at a time. If there are too many
 * connections, a new connection replaces the connection that has been idle longest, but connections without an accepted
 * request are replaced first. A client that merely keeps connections open therefore cannot block other clients. Idle
 * connections with accepted requests occupy at most half of the slots, because a new connection needs time to send its
 * first request. A connection that waits for the response to a complete request is never replaced.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #listener: RequestListener;
  /** Connections by `keyOf`, in order of last use. */
  readonly #connections = new Map<string, Connection>();

  constructor(limits: ConnectionLimits, listener: RequestListener) {
    this.#limits = limits;
    this.#listener = listener;
  }

  /** Adds a connection, or destroys it if there is no room. */
  add(socket: Socket): void {
    const { connections, connectionsPerClient } = this.#limits;
    const { remoteAddress } = socket;
    const currentConnections = [...this.#connections.values()];
    const fromClient = currentConnections.filter(
      (connection) => connection.socket.remoteAddress === remoteAddress,
    );
    const hasTooMany = fromClient.length >= connectionsPerClient;
    if (hasTooMany || currentConnections.length >= connections) {
      const expendable = hasTooMany
        ? findExpendable(fromClient, connectionsPerClient)
        : findExpendable(currentConnections, connections);
      (expendable?.socket ?? socket).destroy();
      if (expendable === undefined) return;
      this.#remove(expendable);
    }
    const connection = { socket, isTrusted: false, exchanges: [] };
    this.#connections.set(keyOf(socket), connection);
    socket.once('close', () => this.#remove(connection));
  }

  /** Handles a request after all earlier requests on its connection. */
  take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const { maxPipelined } = this.#limits;
    const connection = this.#use(socket) ?? { socket, isTrusted: false, exchanges: [] };
    const { exchanges } = connection;
    exchanges.push({ request, response });
    if (exchanges.length === maxPipelined) pauseReading(socket);
    response.once('close', () => {
      exchanges.shift();
      connection.isTrusted ||= !isDenial(response.statusCode);
      this.#use(socket);
      if (socket.destroyed) return;
      if (exchanges.length === maxPipelined - 1) resumeReading(socket);
      const [next] = exchanges;
      if (next !== undefined) this.#listener(next.request, next.response);
    });
    if (exchanges.length === 1) this.#listener(request, response);
  }

  /** True if a connection has an unanswered request. */
  isAnswering(socket: Socket): boolean {
    return this.#exchangesOf(socket).length > 0;
  }

  /**
   * True if a connection's latest request is complete and unanswered, or if the server has stopped reading from the
   * connection.
   */
  isWaiting(socket: Socket): boolean {
    const exchanges = this.#exchangesOf(socket);
    return (
      exchanges.length >= this.#limits.maxPipelined || exchanges.at(-1)?.request.complete === true
    );
  }

  /** True if the client cannot mistake an error response for the response to an earlier request. */
  canAnswerError(socket: Socket): boolean {
    const [first, second] = this.#exchangesOf(socket);
    if (first === undefined) return true;
    return second === undefined && !first.request.complete && !first.response.headersSent;
  }

  #exchangesOf(socket: Socket): readonly Exchange[] {
    return this.#connections.get(keyOf(socket))?.exchanges ?? [];
  }

  /** Finds a connection, and marks it as last used. */
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

/** Returns a key for a connection's remote end. A TLS socket has the same key as its underlying socket. */
function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Returns the idle connection to replace first, if any. */
function findExpendable(connections: readonly Connection[], limit: number): Connection | undefined {
  const idleConnections = connections.filter((connection) => !isComplete(connection));
  const trustedConnections = idleConnections.filter(({ isTrusted }) => isTrusted);
  if (trustedConnections.length > limit / 2) return trustedConnections[0];
  return idleConnections.find(({ isTrusted }) => !isTrusted) ?? trustedConnections[0];
}

/** True if a client has sent a complete request and waits for the response. */
function isComplete({ exchanges }: Connection): boolean {
  return exchanges.length > 1 || exchanges[0]?.request.complete === true;
}

/** True if the status rejects a client's credentials. */
function isDenial(status: number): boolean {
  return status === 400 || status === 401;
}

/** Pauses reading, and prevents Node from resuming it after the next response. */
function pauseReading(socket: Socket): void {
  socket.pause().resume = () => socket;
}

function resumeReading(socket: Socket): void {
  Reflect.deleteProperty(socket, 'resume');
  socket.resume();
}
