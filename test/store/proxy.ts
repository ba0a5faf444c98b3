import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** What a proxy does in place of one of a server's messages, or after the half of it. */
export interface Fault {
  /** Counts from 0. */
  readonly message: number;
  readonly half: boolean;
  /** Break the connection, end it in order, or say nothing more. */
  readonly how: 'reset' | 'end' | 'silence';
}

export interface Proxy {
  /** The URL of the database through the proxy. */
  readonly url: string;
  /** How many messages the server has sent. */
  readonly messages: () => number;
  /** Whether the fault has come. */
  readonly faulted: () => boolean;
  close(): void;
}

/** Stands between a client and a PostgreSQL server, and fails at one point of what the server says. */
export async function proxyFor(target: string, fault?: Fault): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let count = 0;
  let faulted = false;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroySoon());
    client.on('data', (bytes) => void upstream.write(bytes));
    const messagesIn = splitter();
    upstream.on('data', (bytes) => {
      for (const message of messagesIn(bytes)) {
        if (faulted) return;
        faulted = count === fault?.message;
        count += 1;
        if (!faulted) client.write(message);
        else {
          client.write(message.subarray(0, fault?.half ? message.length - 1 : 0), () => {
            if (fault?.how === 'reset') client.resetAndDestroy();
            if (fault?.how === 'end') client.end();
          });
        }
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  onTestFinished(close);
  return { url: url.href, messages: () => count, faulted: () => faulted, close };
}

/** Splits a stream into messages: a letter, a length that counts itself, and the rest. */
function splitter(): (bytes: Buffer) => readonly Buffer[] {
  let held = Buffer.alloc(0);
  return (bytes) => {
    held = Buffer.concat([held, bytes]);
    const messages: Buffer[] = [];
    while (held.length >= 5 && held.length > held.readUInt32BE(1)) {
      const end = 1 + held.readUInt32BE(1);
      messages.push(held.subarray(0, end));
      held = held.subarray(end);
    }
    return messages;
  };
}
