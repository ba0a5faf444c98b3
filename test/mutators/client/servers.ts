import { once } from 'node:events';
import { createServer, type Server as HttpServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { onTestFinished } from 'vitest';

/** Listens on a free port of the loopback until the test ends; gives the port. */
async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function untilTestEnds(server: HttpServer): Promise<number> {
  const port = await listen(server);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return port;
}

export async function serveHttp(answer: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await untilTestEnds(createServer(answer))}`;
}

/** The port of an HTTPS server. */
export async function serveTls(
  identity: { readonly key: string; readonly cert: string },
  answer: RequestListener,
): Promise<number> {
  return untilTestEnds(createTlsServer(identity, answer));
}

/** A server that answers the first bytes of each connection as it likes. */
export async function serveTcp(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('data', () => answer(socket));
  });
  const port = await listen(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${port}`;
}

/** A URL at which nothing listens any more. */
export async function deadUrl(): Promise<string> {
  const server = createTcpServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}
