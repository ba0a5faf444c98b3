import { isIP } from 'node:net';
import type { Action, ScriptSettings } from '../shared/script.js';
import { isToken, newToken, openStateFile } from '../shared/state-file.js';
import { isUnspecified } from './addresses.js';
import { checkNamespace, isPresent, runInside } from './namespaces.js';
import { DISCARD_PORT, type Packet, sendInside } from './packet.js';
import { refuseOwnAddress } from './server-sockets.js';

const stateOf = (name: string, { address, port, namespace }: ScriptSettings) =>
  openStateFile<{ readonly token: string }>(name, { address, port, namespace }, { token: isToken });
const tableName = (token: string) => `perturb_${token}`;

/** The address and port to cut off. */
export interface Target {
  /** A host's address; undefined for all hosts. */
  readonly address?: string | undefined;
  /** The port; undefined for all ports. */
  readonly port?: number | undefined;
}

/**
 * Parses the address and port to cut off.
 *
 * @throws Error if both are absent, for an invalid port, or for anything but a single host's address
 */
export function parseTarget({ address, port: portText }: ScriptSettings): Target {
  const port = Number(portText);
  if (portText && !(port >= 1 && port <= 65_535 && Number.isInteger(port))) {
    throw new Error(`${portText} is not a port`);
  }
  if (!address && !portText) throw new Error('expected an address, a port, or both');
  if (address && (isIP(address) === 0 || isUnspecified(address))) {
    throw new Error(`${address} is not the address of one host`);
  }
  return { address: address || undefined, port: portText ? port : undefined };
}

/**
 * Returns the nft commands for a table that drops packets.
 *
 * @param direction `to` drops packets to the target, `from` drops packets from the target, and `both` drops packets in
 * both directions
 */
export function createTableCommands(table: string, target: Target, direction: string): string {
  const { address, port } = target;
  const match = (side: string) => [
    ...(address
      ? [`ip${isIP(address) === 6 ? '6' : ''} ${side === 'to' ? 'daddr' : 'saddr'} ${address}`]
      : []),
    ...(port ? [`meta l4proto { tcp, udp } th ${side === 'to' ? 'dport' : 'sport'} ${port}`] : []),
  ];
  const sides = direction === 'both' ? ['to', 'from'] : [direction];
  const chains = ['input', 'output', 'forward'].flatMap((hook) => [
    `add chain inet ${table} ${hook} { type filter hook ${hook} priority -300; }`,
    ...sides.map((side) => `add rule inet ${table} ${hook} ${match(side).join(' ')} drop`),
  ]);
  return `${[`create table inet ${table}`, ...chains].join('\n')}\n`;
}

export const injectPartition: Action = async (name, settings, params) => {
  const { namespace } = settings;
  checkNamespace(namespace);
  await resetPartition(name, settings, params);
  const target = parseTarget(settings);
  refuseOwnAddress(target.address, target.port, namespace);
  const token = newToken();
  await stateOf(name, settings).save({ token });
  // nft runs these commands atomically.
  runInside(
    namespace,
    'nft',
    ['-f', '-'],
    createTableCommands(tableName(token), target, `${params['direction']}`),
  );
};

export const resetPartition: Action = async (name, settings) => {
  const { namespace } = settings;
  const file = stateOf(name, settings);
  const state = file.read();
  if (state === undefined) return;
  const table = tableName(state.token);
  if (isPresent(namespace) && hasTable(namespace, table)) {
    runInside(namespace, 'nft', ['delete', 'table', 'inet', table]);
  }
  await file.remove();
};

const hasTable = (namespace: string | undefined, table: string) =>
  runInside(namespace, 'nft', ['list', 'tables']).split('\n').includes(`table inet ${table}`);

/**
 * Rejects unless the table exists and drops a packet to or from the target. Sends no packet if only another host could
 * send a suitable packet.
 */
export const verifyPartition: Action = async (name, settings, { direction }) => {
  const { namespace } = settings;
  const state = stateOf(name, settings).read();
  if (state === undefined || !hasTable(namespace, tableName(state.token))) {
    throw new Error('the nftables table does not exist');
  }
  const packet = createPacket(parseTarget(settings), `${direction}`);
  if (packet === undefined || (await sendInside(namespace, packet)) !== undefined) return;
  const { address, port, localPort } = packet;
  const sourceText = localPort === undefined ? '' : ` from port ${localPort}`;
  throw new Error(`a packet${sourceText} to ${address}:${port} is not dropped`);
};

/** Returns a packet that the table should drop; undefined if only another host can send such a packet. */
export function createPacket({ address, port }: Target, direction: string): Packet | undefined {
  if (direction !== 'from') return { address: address ?? LOOPBACK, port: port ?? DISCARD_PORT };
  return address || !port ? undefined : { address: LOOPBACK, port: DISCARD_PORT, localPort: port };
}

const LOOPBACK = '127.0.0.1';
