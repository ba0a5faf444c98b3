import { isIP } from 'node:net';
import { run } from '../shared/command.js';
import { hasShape } from '../shared/state-file.js';
import { type Attachment, type Container, inspect } from './engine.js';

const isName = (value: unknown) => typeof value === 'string' && /^[\w][\w.:-]*$/.test(value);

export const isAttachment = (value: unknown): value is Attachment =>
  hasShape<Attachment>(value, {
    network: isName,
    aliases: (list) => Array.isArray(list) && list.every(isName),
    addresses: (list) => Array.isArray(list) && list.every((address) => isIP(address) !== 0),
  });

/**
 * Returns the networks to disconnect from a container.
 *
 * @param networkName the name of a single network; undefined for all
 * @throws Error if there is no such network, or if a reset could not restore a network's settings
 */
export function findAttachments(
  engine: string,
  { id, name, networks }: Container,
  networkName: string | undefined,
): readonly Attachment[] {
  const entries = Object.entries(networks).filter(
    ([network]) =>
      network !== 'host' && network !== 'none' && (!networkName || network === networkName),
  );
  if (entries.length === 0) {
    throw new Error(
      networkName
        ? `the container ${name} is not connected to the network ${networkName}`
        : `the container ${name} is not connected to a network of its own`,
    );
  }
  return entries.map(([network, settings]) => {
    const { Aliases, DriverOpts, IPAMConfig, Links } = settings;
    if (Links?.length || Object.keys(DriverOpts ?? {}).length > 0) {
      throw new Error(
        `the container ${name} has links or driver options in the network ${network}, which a reset could not restore`,
      );
    }
    const addresses =
      engine === 'podman'
        ? [settings.IPAddress, settings.GlobalIPv6Address]
        : [IPAMConfig?.IPv4Address, IPAMConfig?.IPv6Address];
    return {
      network,
      // The engine adds the container's short id automatically.
      aliases: (Aliases ?? []).filter((alias) => alias !== id.slice(0, 12)),
      addresses: addresses.filter((address): address is string => !!address),
    };
  });
}

export function disconnect(engine: string, id: string, { network }: Attachment): void {
  run(engine, ['network', 'disconnect', network, id]);
}

/**
 * Reconnects a container to a network with its previous settings, unless it is already connected or no longer exists.
 */
export function reconnect(engine: string, id: string, attachment: Attachment): void {
  const container = inspect(engine, id);
  if (container === undefined) return;
  if (engine === 'podman') connectByPodman(id, attachment);
  else if (container.networks[attachment.network] === undefined) {
    run(engine, ['network', 'connect', ...toArguments(attachment), id]);
  }
}

/**
 * Reconnects a container with Podman. An interrupted command leaves the engine's record and the network inconsistent.
 * The first attempt then repairs the network, and the second attempt repairs the record. The last attempt accepts any
 * address, because Podman does not report whether the previous address was requested.
 */
function connectByPodman(id: string, attachment: Attachment): void {
  const attempts = [attachment, attachment, { ...attachment, addresses: [] }];
  for (const [index, attempt] of attempts.entries()) {
    try {
      disconnect('podman', id, attempt);
    } catch {
      // The container may already be disconnected.
    }
    try {
      run('podman', ['network', 'connect', ...toArguments(attempt), id]);
      return;
    } catch (error) {
      if (index === attempts.length - 1) throw error;
    }
  }
}

const toArguments = ({ network, aliases, addresses }: Attachment): readonly string[] => [
  ...aliases.flatMap((alias) => ['--alias', alias]),
  ...addresses.flatMap((address) => [isIP(address) === 6 ? '--ip6' : '--ip', address]),
  network,
];
