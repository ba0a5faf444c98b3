import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What connections may take of the server. */
export interface ConnectionLimits {
  /** How many there may be; the next takes the place of one that is idle. */
  readonly connections: number;
  /** How many from one address. */
  readonly connectionsPerClient: number;
  /** With this many unanswered requests, a connection is not read any further. */
  readonly pipelined: number;
}

/** A connection, and what is known of who is at the other end. */
interface Connection {
  /** What carries it; with TLS this is not the socket of its requests. */
  readonly socket: Socket;
  /** Whether it has sent a request that was let in. */
  isTrusted: boolean;
  /** Its requests that are not answered yet, in their order. Only the first one has been begun. */
  readonly open: Exchange[];
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * The connections of a server, and their requests, each of which is begun when the one before it is
 * answered. When there are too many connections, a new one takes the place of the one that has been
 * idle for longest, preferably one that has not been let in: so nobody who merely holds connections
 * keeps others out. Those that were let in hold no more than half of the places while they are idle,
 * because a new one needs time to send its first request. Those that have sent a request in full, and
 * wait for its answer, stay.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #listener: RequestListener;
  /** By both ends, in the order in which they were last used. */
  readonly #all = new Map<string, Connection>();

  constructor(limits: ConnectionLimits, listener: RequestListener) {
    this.#limits = limits;
    this.#listener = listener;
  }

  /** Takes a connection in, or destroys it where there is no room. */
  add(socket: Socket): void {
    const { connections, connectionsPerClient } = this.#limits;
    const { remoteAddress } = socket;
    const all = [...this.#all.values()];
    const own = all.filter((one) => one.socket.remoteAddress === remoteAddress);
    const isMany = own.length >= connectionsPerClient;
    if (isMany || all.length >= connections) {
      const spare = isMany ? spareOf(own, connectionsPerClient) : spareOf(all, connections);
      (spare?.socket ?? socket).destroy();
      if (spare === undefined) return;
      this.#remove(spare);
    }
    const connection = { socket, isTrusted: false, open: [] };
    this.#all.set(keyOf(socket), connection);
    socket.once('close', () => this.#remove(connection));
  }

  /** Takes a request in its turn: what a client sends in one go is meant to be done in order. */
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

  /** Whether a request still waits for its answer. */
  isServing(socket: Socket): boolean {
    return this.#openOf(socket).length > 0;
  }

  /**
   * Whether a connection waits for us: its latest request is complete and still to be answered, or so
   * many are unanswered that it is not read any further.
   */
  isWaiting(socket: Socket): boolean {
    const open = this.#openOf(socket);
    return open.length >= this.#limits.pipelined || open.at(-1)?.request.complete === true;
  }

  /** Whether an answer to what cannot be read cannot be mistaken for the answer to an earlier request. */
  isFree(socket: Socket): boolean {
    const [first, second] = this.#openOf(socket);
    if (first === undefined) return true;
    return second === undefined && !first.request.complete && !first.response.headersSent;
  }

  #openOf(socket: Socket): readonly Exchange[] {
    return this.#all.get(keyOf(socket))?.open ?? [];
  }

  /** Finds a connection, and notes that it is the one that was used last. */
  #use(socket: Socket): Connection | undefined {
    const key = keyOf(socket);
    const connection = this.#all.get(key);
    if (connection !== undefined && this.#all.delete(key)) this.#all.set(key, connection);
    return connection;
  }

  #remove(connection: Connection): void {
    const key = keyOf(connection.socket);
    if (this.#all.get(key) === connection) this.#all.delete(key);
  }
}

/** The other end: the same for a socket and for the TLS socket on top of it. */
function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** The connection that can best be spared. */
function spareOf(all: readonly Connection[], limit: number): Connection | undefined {
  const idle = all.filter((one) => !isComplete(one));
  const trusted = idle.filter(({ isTrusted }) => isTrusted);
  if (trusted.length > limit / 2) return trusted[0];
  return idle.find(({ isTrusted }) => !isTrusted) ?? trusted[0];
}

/** Whether a client waits for the answer to what it has sent in full. */
function isComplete({ open }: Connection): boolean {
  return open.length > 1 || open[0]?.request.complete === true;
}

/** Whether a client was turned away for who it is. */
function isDenial(status: number): boolean {
  return status === 400 || status === 401;
}

/** Keeps a connection from being read: Node would resume it after the next answer. */
function hold(socket: Socket): void {
  socket.pause().resume = () => socket;
}

function release(socket: Socket): void {
  Reflect.deleteProperty(socket, 'resume');
  socket.resume();
}
