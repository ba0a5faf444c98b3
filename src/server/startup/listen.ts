import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay, setImmediate as nextRound } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { unusable } from './address.js';

/** Where to listen; the port 0 stands for any free one. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** How long the last answers may take to leave. */
const FLUSH_MS = 500;

/**
 * Listens, and gives the port. Rejects with a ServeError when the address
 * cannot be used.
 */
export async function listen(server: Server, { address, port }: Endpoint): Promise<number> {
  try {
    server.listen(port, address);
    await once(server, 'listening');
  } catch (error) {
    throw unusable(`${address}, port ${port}`, error);
  }
  return (server.address() as AddressInfo).port;
}

/** As `listen`, for an app. */
export async function listenApp(
  app: FastifyInstance,
  { address, port }: Endpoint,
): Promise<number> {
  try {
    await app.listen({ host: address, port });
  } catch (error) {
    throw unusable(`${address}, port ${port}`, error);
  }
  return (app.server.address() as AddressInfo).port;
}

/**
 * Takes no more connections, lets `end` happen, and closes those that are left
 * when their answers are out.
 */
export async function closeAround<T>(app: FastifyInstance, end: () => Promise<T>): Promise<T> {
  const closed = app.close();
  const result = await end();
  // What has just ended is answered in this round.
  await nextRound();
  app.server.closeIdleConnections();
  await Promise.race([closed, delay(FLUSH_MS, undefined, { ref: false })]);
  app.server.closeAllConnections();
  await closed;
  return result;
}
