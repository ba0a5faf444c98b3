import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Server } from 'node:net';
import { openListener } from './door.js';
import { type FaultLookup, type FaultName, type Faults, isHttpFault } from './faults.js';
import { answerRequest } from './http.js';
import { joinSockets } from './pump.js';

export const HOST = '127.0.0.1';

/**
 * Opens a port for a single connection to an echo service. The named fault affects the connection regardless of its
 * share. A check therefore does not count as one of the fault's requests, and does not reach the real service.
 */
export async function openProbePort(name: FaultName, faults: Faults): Promise<number> {
  const faultOf: FaultLookup = (candidate) =>
    candidate === name ? faults.get(candidate) : undefined;
  if (isHttpFault(name)) {
    const http = createHttpServer((request, response) => {
      const pass = () => void response.writeHead(204).end();
      answerRequest(request, response, { faults, faultOf, pass }).catch(() => response.destroy());
    });
    return openOnce(http);
  }
  const echo = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {}).pipe(socket);
  });
  const port = await openOnce(echo);
  const probe = createServer({ allowHalfOpen: true }, (client) => {
    joinSockets(client, connect({ host: HOST, port, allowHalfOpen: true }), faults, faultOf);
  });
  return openOnce(probe);
}

/** Timeout for the connection. By then, the requesting process has been killed. */
const LONGEST_WAIT_MS = 10_000;

async function openOnce(server: Server): Promise<number> {
  const timer = setTimeout(() => server.close(), LONGEST_WAIT_MS);
  server.once('connection', () => {
    clearTimeout(timer);
    server.close();
  });
  return (await openListener(server, { host: HOST, port: 0 })).port;
}
