import type { Server } from 'node:http';
import type { ServerLimits } from '../../../src/server/api/http-server.js';

const LONG_MS = 600_000;

/** Limits in time that no busy machine reaches. */
export const PATIENT: Partial<ServerLimits> = {
  headTimeoutMs: LONG_MS,
  requestTimeoutMs: LONG_MS,
  keepAliveMs: LONG_MS,
  readTimeoutMs: LONG_MS,
};

/** From now on every request that has not arrived is late. */
export function losePatience(server: Server): void {
  server.headersTimeout = 1;
  server.requestTimeout = 1;
}

/** From now on no request is late. */
export function bePatient(server: Server): void {
  server.headersTimeout = LONG_MS;
  server.requestTimeout = LONG_MS;
}
