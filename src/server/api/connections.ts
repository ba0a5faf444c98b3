import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** How many connections there may be. */
export interface ConnectionLimits {
  readonly connections: number;
  /** Of one address. */
  readonly connectionsPerClient: number;
}

/** A connection, and what is known of who is at the other end. */
interface Connection {
  readonly socket: Socket;
  readonly client: string;
  /** Whether it has sent a request that was let in. */
  isTrusted: boolean;
  /** How many of its requests are not answered yet. */
  requests: number;
  /** The latest of them. */
  last?: Pick<IncomingMessage, 'complete'>;
}

/**
 * The connections of a server. When there are too many, a new one takes the
 * place of the one that was idle for longest, first of those that have not been
 * let in: so nobody who only holds connections keeps others out. Those that were
 * let in hold no more than half of the places while they are idle, for one that is
 * new needs time to send its first request. Those that have sent a request in
 * full, and wait for its answer, stay.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  /** In the order in which they were last used. */
  readonly #all = new Set<Connection>();
  readonly #bySocket = new WeakMap<Socket, Connection>();
  readonly #perClient = new Map<string, number>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Takes a connection in, or destroys it where there is no room. */
  add(socket: Socket): void {
    const client = socket.remoteAddress ?? '';
    const own = this.#perClient.get(client) ?? 0;
    const isCrowded = this.#all.size >= this.#limits.connections;
    const isMany = own >= this.#limits.connectionsPerClient;
    if ((isCrowded || isMany) && !this.#makeRoom(isMany ? client : undefined)) {
      socket.destroy();
      return;
    }
    const connection: Connection = { socket, client, isTrusted: false, requests: 0 };
    this.#all.add(connection);
    this.#bySocket.set(socket, connection);
    this.#perClient.set(client, (this.#perClient.get(client) ?? 0) + 1);
    socket.once('close', () => this.#remove(connection));
  }

  /** Notes that a socket of TLS stands for a connection. */
  secure(socket: Socket): void {
    const { remoteAddress, remotePort } = socket;
    for (const connection of this.#all) {
      const { socket: plain } = connection;
      if (plain.remotePort !== remotePort || plain.remoteAddress !== remoteAddress) continue;
      this.#bySocket.set(socket, connection);
      return;
    }
  }

  /** Notes that a request has begun. */
  begin(request: IncomingMessage): void {
    this.#use(request.socket, (connection) => {
      connection.requests += 1;
      connection.last = request;
    });
  }

  /** Notes that a request has been answered, and whether it was let in. */
  end(socket: Socket, isTrusted: boolean): void {
    this.#use(socket, (connection) => {
      connection.requests -= 1;
      connection.isTrusted ||= isTrusted;
    });
  }

  /** Makes a change of a connection, which is then the one that was used last. */
  #use(socket: Socket, change: (connection: Connection) => void): void {
    const connection = this.#bySocket.get(socket);
    if (connection === undefined) return;
    change(connection);
    if (this.#all.delete(connection)) this.#all.add(connection);
  }

  /** Ends the connection that can best be spared: of a client where one is given. */
  #makeRoom(client: string | undefined): boolean {
    const { connections, connectionsPerClient } = this.#limits;
    const idle = [...this.#all].filter(
      (one) => !isWaiting(one) && (client === undefined || one.client === client),
    );
    const trusted = idle.filter(({ isTrusted }) => isTrusted);
    const isFull = trusted.length > (client === undefined ? connections : connectionsPerClient) / 2;
    const spare = isFull ? trusted[0] : (idle.find(({ isTrusted }) => !isTrusted) ?? trusted[0]);
    if (spare === undefined) return false;
    this.#remove(spare);
    spare.socket.destroy();
    return true;
  }

  #remove(connection: Connection): void {
    if (!this.#all.delete(connection)) return;
    const left = (this.#perClient.get(connection.client) ?? 1) - 1;
    if (left === 0) this.#perClient.delete(connection.client);
    else this.#perClient.set(connection.client, left);
  }
}

/** Whether a client waits for the answer to what it has sent in full. */
function isWaiting({ requests, last }: Connection): boolean {
  return requests > 1 || (requests === 1 && last?.complete !== false);
}
