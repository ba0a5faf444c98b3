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
  /** How many clients may be connected; the next is turned away at once. */
  readonly connections: number;
}

/** Generous for a reflector that polls, tight for one who holds connections. */
export const defaultLimits: Limits = {
  bodyBytes: 1024 * 1024,
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 72_000,
  unreadMs: 60_000,
  connections: 1_000,
};
