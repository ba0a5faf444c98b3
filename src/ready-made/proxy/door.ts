import { once } from 'node:events';
import { type AddressInfo, connect, type ListenOptions, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Address } from '../../basics/index.js';
import { codeOf } from '../../durable/index.js';

const RETRY_MS = 100;
const LONGEST_CONNECT_MS = 1_000;

export const isRefusal = (error: unknown): boolean => codeOf(error) === 'ECONNREFUSED';

/** True unless a service refuses connections. */
export async function isOpen(upstream: Address): Promise<boolean> {
  const socket = connect(upstream);
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(LONGEST_CONNECT_MS) });
    return true;
  } catch (error) {
    return !isRefusal(error);
  } finally {
    socket.destroy();
  }
}

/** A gate for new connections to the proxy. */
export interface ProxyGate {
  /** Refuses connections until the service accepts connections again. */
  close(): void;
}

export function createGate(server: Server, address: Address, upstream: Address): ProxyGate {
  const canListen = () =>
    openListener(server, address).then(
      () => true,
      () => false,
    );
  const reopen = async () => {
    while (!(await isOpen(upstream)) || !(await canListen())) await delay(RETRY_MS);
  };
  return {
    close() {
      if (!server.listening) return;
      server.close();
      void reopen();
    },
  };
}

export async function openListener(server: Server, options: ListenOptions): Promise<AddressInfo> {
  server.listen(options);
  await once(server, 'listening');
  return server.address() as AddressInfo;
}
