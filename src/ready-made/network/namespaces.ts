import { existsSync, statSync } from 'node:fs';
import { run } from '../shared/command.js';

/** The name of a network namespace; undefined for the server's namespace. */
export type Namespace = string | undefined;

const pathOf = (namespace: string) => `/run/netns/${namespace}`;

/** True for the server's own namespace, and for any other existing namespace. */
export const isPresent = (namespace: Namespace): boolean =>
  !namespace || existsSync(pathOf(namespace));

/** Runs a command in a namespace, like `run`. */
export function runInside(
  namespace: Namespace,
  command: string,
  args: readonly string[],
  input?: string,
): string {
  return namespace
    ? run('ip', ['netns', 'exec', namespace, command, ...args], input)
    : run(command, args, input);
}

/** Throws an Error for a namespace that does not exist. */
export function checkNamespace(namespace: Namespace): void {
  if (!namespace || (/^[\w.-]+$/.test(namespace) && isPresent(namespace))) return;
  throw new Error(`there is no network namespace ${namespace}`);
}

/** True for the namespace in which the server and this process run. */
export const isOwnNamespace = (namespace: Namespace): boolean =>
  !namespace || statSync(pathOf(namespace)).ino === statSync('/proc/self/ns/net').ino;

/** Returns the addresses of an interface. */
export function addressesOf(device: string, namespace: Namespace): readonly string[] {
  const output = runInside(namespace, 'ip', ['-json', 'address', 'show', 'dev', device]);
  const [{ addr_info: addresses }] = JSON.parse(output) as readonly [
    { readonly addr_info: readonly { readonly local: string }[] },
  ];
  return addresses.map(({ local }) => local);
}
