import { readdirSync, readlinkSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { findAncestors, readProcFile } from '../shared/processes.js';
import { isLoopback, isSameAddress, isUnspecified, parseProcAddress } from './addresses.js';
import { addressesOf, isOwnNamespace, type Namespace } from './namespaces.js';

/** A TCP socket of the server. */
export interface ServerSocket {
  readonly listens: boolean;
  readonly address: string;
  readonly port: number;
  /** The remote address. */
  readonly peer: string;
}

const LISTENS = '0A';

/**
 * Parses a socket table, such as /proc/net/tcp.
 *
 * @param inodes the inodes of the sockets to return
 */
export function parseSockets(table: string, inodes: ReadonlySet<string>): readonly ServerSocket[] {
  const [, ...lines] = table.trim().split('\n');
  return lines.flatMap((line) => {
    const [, local = '', remote = '', state, , , , , , inode = ''] = line.trim().split(/\s+/);
    if (!inodes.has(inode)) return [];
    const [address = '', port = ''] = local.split(':');
    const [peer = ''] = remote.split(':');
    return {
      listens: state === LISTENS,
      address: parseProcAddress(address),
      port: Number.parseInt(port, 16),
      peer: parseProcAddress(peer),
    };
  });
}

function socketInodes(pid: number): ReadonlySet<string> {
  return new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
}

/**
 * Returns the TCP connections and listening sockets of the server that runs this program; empty if a person runs it.
 */
function serverSockets(): readonly ServerSocket[] {
  for (const { pid } of findAncestors()) {
    let inodes: ReadonlySet<string>;
    try {
      inodes = socketInodes(pid);
    } catch {
      return [];
    }
    const sockets = ['tcp', 'tcp6'].flatMap((table) =>
      parseSockets(readProcFile(pid, `net/${table}`), inodes),
    );
    if (sockets.some(({ listens }) => listens)) return sockets;
  }
  return [];
}

/** Throws an Error for an interface on which the server listens. */
export function refuseOwnInterface(name: string, namespace: Namespace): void {
  if (!isOwnNamespace(namespace)) return;
  if (name === 'lo') {
    throw new Error("lo carries the server's own traffic: choose a network namespace");
  }
  const addresses = addressesOf(name, namespace);
  const conflict = serverSockets().find(
    ({ listens, address }) =>
      listens &&
      (isUnspecified(address) ||
        addresses.some((ownAddress) => isSameAddress(ownAddress, address))),
  );
  if (conflict !== undefined) {
    throw new Error(
      `${name} would cut off the server's own address ${conflict.address}:${conflict.port}`,
    );
  }
}

/** Throws an Error if the server needs an address, a port, or an address with a port for its clients. */
export function refuseOwnAddress(
  address: string | undefined,
  port: number | undefined,
  namespace: Namespace,
): void {
  if (!isOwnNamespace(namespace)) return;
  const machineAddresses = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map((entry) => entry.address),
  );
  const hasConflict = serverSockets().some(
    (socket) =>
      (!port || socket.port === port) && (!address || isCutOff(socket, address, machineAddresses)),
  );
  if (hasConflict || (!port && address && isLoopback(address))) {
    throw new Error('this would cut the server off from its clients');
  }
}

/** True if a socket needs packets to or from an address. */
export function isCutOff(
  { listens, address: ownAddress, peer }: ServerSocket,
  address: string,
  machineAddresses: readonly string[],
): boolean {
  return (
    isLoopback(address) ||
    isSameAddress(listens ? ownAddress : peer, address) ||
    (listens && isUnspecified(ownAddress) && machineAddresses.includes(address))
  );
}
