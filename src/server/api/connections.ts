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
  readonly client: string | undefined;
  /** Whether it has sent a request that was let in. */
  isTrusted: boolean;
  /** How many of its requests are not answered yet. */
  open: number;
  /** The latest of its requests. */
  last?: {
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    /** Whether it came before its predecessor was answered. */
    readonly isEarly: boolean;
  };
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
    const own = all.filter((one) => one.client === remoteAddress);
    const isMany = own.length >= connectionsPerClient;
    if (isMany || all.length >= connections) {
      const spare = isMany ? spareOf(own, connectionsPerClient) : spareOf(all, connections);
      (spare?.socket ?? socket).destroy();
      if (spare === undefined) return;
      this.#remove(spare);
    }
    const connection = { ...UNKNOWN, socket, client: remoteAddress };
    this.#all.set(keyOf(socket), connection);
    socket.once('close', () => this.#remove(connection));
  }

  /** Takes a request in its turn. */
  take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const { pipelined } = this.#limits;
    const connection = this.#use(socket) ?? { ...UNKNOWN, socket, client: undefined };
    const isEarly = isOpen(connection);
    const before = connection.last?.response;
    if (before === undefined) holdBack(socket, () => connection.open >= pipelined);
    connection.last = { request, response, isEarly };
    connection.open += 1;
    if (connection.open >= pipelined) socket.pause();
    response.once('close', () => {
      connection.open -= 1;
      connection.isTrusted ||= !isDenial(response.statusCode);
      this.#use(socket);
      if (connection.open === pipelined - 1 && !socket.destroyed) socket.resume();
    });
    if (!isEarly) this.#listener(request, response);
    // In order: what a client sends in one go is meant to be done one after the other.
    else before?.once('close', () => socket.destroyed || this.#listener(request, response));
  }

  /** Whether a request still waits for its answer. */
  isServing(socket: Socket): boolean {
    return isOpen(this.#all.get(keyOf(socket)));
  }

  /**
   * Whether a connection waits for us: its latest request is complete and still to be answered, or so
   * many are unanswered that it is not read any further.
   */
  isWaiting(socket: Socket): boolean {
    const found = this.#all.get(keyOf(socket));
    const { open = 0, last } = found ?? {};
    return open >= this.#limits.pipelined || (isOpen(found) && last?.request.complete === true);
  }

  /** Whether an answer to what cannot be read cannot be mistaken for the answer to an earlier request. */
  isFree(socket: Socket): boolean {
    const found = this.#all.get(keyOf(socket));
    const { last } = found ?? {};
    if (last === undefined || !isOpen(found)) return true;
    return !last.isEarly && !last.request.complete && !last.response.headersSent;
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

const UNKNOWN = { isTrusted: false, open: 0 };

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
function isComplete({ open, last }: Connection): boolean {
  return open > 1 || (open === 1 && last?.request.complete !== false);
}

function isOpen(connection: Connection | undefined): boolean {
  return connection?.last?.response.writableFinished === false;
}

/** Whether a client was turned away for who it is. */
function isDenial(status: number): boolean {
  return status === 400 || status === 401;
}

/** Keeps a connection from being read while a condition holds: Node resumes it after each answer. */
function holdBack(socket: Socket, isHeld: () => boolean): void {
  const resume = socket.resume.bind(socket);
  socket.resume = () => (isHeld() ? socket : resume());
}
