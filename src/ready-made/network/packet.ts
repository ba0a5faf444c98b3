import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import { codeOf } from '../../durable/index.js';
import type { Action } from '../shared/script.js';
import { type Namespace, runInside } from './namespaces.js';

/** A UDP packet. */
export interface Packet {
  readonly address: string;
  readonly port: number;
  /** The source address. */
  readonly localAddress?: string;
  readonly localPort?: number;
}

/** The port of the discard service, which ignores its input. */
export const DISCARD_PORT = 9;

/**
 * Sends a packet in a network namespace. Resolves with the error code if sending fails, such as EPERM for a dropped
 * packet.
 */
export async function sendInside(
  namespace: Namespace,
  packet: Packet,
): Promise<string | undefined> {
  if (!namespace) return send(packet);
  const [, script = ''] = process.argv;
  const settings = Object.entries(packet).map(([key, value]) => `${key}=${value}`);
  const output = runInside(namespace, process.execPath, [script, 'send', 'packet', ...settings]);
  return output === '' ? undefined : output;
}

/** Sends the packet described by the settings. Prints the error code if sending fails. */
export const sendPacket: Action = async (_name, settings) => {
  const { address = '', port, localAddress, localPort } = settings;
  const code = await send({
    ...{ address, port: Number(port) },
    ...(localAddress && { localAddress }),
    ...(localPort && { localPort: Number(localPort) }),
  });
  process.stdout.write(code ?? '');
};

function send({ address, port, localAddress, localPort }: Packet): Promise<string | undefined> {
  const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4');
  return new Promise<string | undefined>((resolve) => {
    const fail = (error: Error) => resolve(codeOf(error) ?? error.message);
    socket.once('error', fail);
    const local = {
      ...(localPort && { port: localPort }),
      ...(localAddress && { address: localAddress }),
    };
    socket.bind(local, () => {
      socket.send('', port, address, (error) => (error ? fail(error) : resolve(undefined)));
    });
  }).finally(() => socket.close());
}
