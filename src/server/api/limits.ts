/** What a client may take of the server. Times are in milliseconds. */
export interface Limits {
  /** The largest body, in bytes. */
  readonly bodyBytes: number;
  /** How long the head of a request may take to arrive. */
  readonly headersMs: number;
  /** How long a request may take to arrive, its body included. */
  readonly requestMs: number;
  /** How long a connection stays open between requests. */
  readonly keepAliveMs: number;
  /** How long a client may leave an answer unread. */
  readonly unreadMs: number;
  /** How many connections there may be; the next takes the place of one that is idle. */
  readonly connections: number;
  /** How many of one address. */
  readonly connectionsPerClient: number;
  /** After so many requests without an answer a connection is not read on. */
  readonly pipelined: number;
}

/** Generous for a reflector that polls, tight for one who holds connections. */
export const defaultLimits: Limits = {
  bodyBytes: 1024 * 1024,
  headersMs: 5_000,
  requestMs: 30_000,
  keepAliveMs: 72_000,
  unreadMs: 60_000,
  connections: 1_000,
  connectionsPerClient: 500,
  pipelined: 32,
};

/** Limits for a process that may have so many connections open. */
export function limitsFor(connections: number): Partial<Limits> {
  const most = Math.min(connections, defaultLimits.connections);
  return { connections: most, connectionsPerClient: Math.ceil(most / 2) };
}
