import { lookup } from 'node:dns/promises';
import { lstatSync, unlinkSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Address } from '../../basics/index.js';
import { createCommandServer, findOwnSocket, sendCommand, socketPathOf } from './control.js';
import { createGate, isOpen, isRefusal, openListener } from './door.js';
import { type FaultName, Faults, HTTP_FAULTS, TCP_FAULTS } from './faults.js';
import { answerRequest, forward } from './http.js';
import { joinSockets } from './pump.js';

/**
 * Parses an address. Port 0 selects any free port.
 *
 * @throws Error for an invalid address
 */
export function parseEndpoint(word = ''): Address {
  const [, host, port] = /^\[?([^[\]]+?)\]?:(\d+)$/.exec(word) ?? [];
  if (host === undefined) throw new Error(`expected HOST:PORT, found ${word}`);
  return { host, port: Number(port) };
}

/** True if connections to the upstream address would reach the proxy itself. */
async function isProxyItself(upstream: Address, ownAddress: Address): Promise<boolean> {
  if (upstream.port !== ownAddress.port) return false;
  const addressOf = async ({ host }: Address) =>
    (await lookup(host).catch(() => undefined))?.address;
  const [upstreamIp = '', ownIp = ''] = await Promise.all([
    addressOf(upstream),
    addressOf(ownAddress),
  ]);
  const isAny = (address: string) => address === '0.0.0.0' || address === '::';
  const machineAddresses = Object.values(networkInterfaces()).flatMap((interfaces = []) =>
    interfaces.map(({ address }) => address),
  );
  // Packets to an unspecified address arrive at the loopback.
  if (isAny(upstreamIp)) return isAny(ownIp) || ownIp === '127.0.0.1' || ownIp === '::1';
  return (
    upstreamIp === ownIp ||
    (isAny(ownIp) && (/^127\./.test(upstreamIp) || machineAddresses.includes(upstreamIp)))
  );
}

/** Runs the proxy until a signal, or until the server that started it has ended. */
export async function run([
  name = '',
  listenText,
  upstreamWord,
  protocol,
]: readonly string[]): Promise<void> {
  const [address, upstream] = [parseEndpoint(listenText), parseEndpoint(upstreamWord)];
  const supportedFaults = protocol === 'http' ? [...TCP_FAULTS, ...HTTP_FAULTS] : TCP_FAULTS;
  if ((await sendCommand(name, { action: 'look' })) !== undefined) {
    throw new Error(`a proxy named ${name} is already running`);
  }
  if (await isProxyItself(upstream, address)) {
    throw new Error(`${upstreamWord} is the proxy itself: specify the service's address`);
  }
  const faults = new Faults();
  let target = upstream;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const service = connect({ ...target, allowHalfOpen: true });
    service.once('error', (error) => {
      if (isRefusal(error)) door.close();
    });
    joinSockets(client, service, faults, faults.drawForConnection());
  });
  if (protocol === 'http') {
    const http = createHttpServer({ requestTimeout: 0 }, (request, response) => {
      const passage = {
        faults,
        faultOf: (name: FaultName) => faults.takeForRequest(name),
        pass: () => forward(request, response, upstream, door),
      };
      answerRequest(request, response, passage).catch(() => response.destroy());
    });
    // A client may close its side and still wait for the response.
    (http as { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true;
    const { port } = await openListener(http, { host: '127.0.0.1', port: 0 });
    target = { host: '127.0.0.1', port };
  }
  const { port } = await openListener(server, { ...address });
  const door = createGate(server, { ...address, port }, upstream);
  if (findOwnSocket(name) !== undefined) unlinkSync(socketPathOf(name));
  process.umask(0o177);
  await openListener(createCommandServer(faults, supportedFaults), { path: socketPathOf(name) });
  const { ino } = lstatSync(socketPathOf(name));
  const end = () => {
    // Another proxy may have replaced the socket.
    if (lstatSync(socketPathOf(name), { throwIfNoEntry: false })?.ino === ino) {
      unlinkSync(socketPathOf(name));
    }
    process.exit();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  // Stdin closes when the server that started the proxy exits.
  if (process.env['PERTURB_PROCESS'] !== undefined) process.stdin.once('end', end).resume();
  if (!(await isOpen(upstream))) door.close();
  process.stdout.write(
    `${name} forwards ${address.host}:${port} to ${upstream.host}:${upstream.port}\n`,
  );
}
