import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Server } from 'node:net';
import { openListener } from './door.js';
import { type FaultName, type FaultOf, type Faults, isHttpFault } from './faults.js';
import { answerRequest } from './http.js';
import { join } from './pump.js';

export const HOST = '127.0.0.1';

/**
 * Opens a port in front of an echo service for a single connection, which one fault affects regardless of its share. A
 * check therefore consumes none of the fault's requests and does not reach the real service.
 */
export async function openProbePort(name: FaultName, faults: Faults): Promise<number> {
  const faultOf: FaultOf = (candidate) => (candidate === name ? faults.get(candidate) : undefined);
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
    join(client, connect({ host: HOST, port, allowHalfOpen: true }), faults, faultOf);
  });
  return openOnce(probe);
}

/** Timeout for the connection. The requesting process has been killed by then. */
const LONGEST_WAIT_MS = 10_000;

async function openOnce(server: Server): Promise<number> {
  const timer = setTimeout(() => server.close(), LONGEST_WAIT_MS);
  server.once('connection', () => {
    clearTimeout(timer);
    server.close();
  });
  return (await openListener(server, { host: HOST, port: 0 })).port;
}
