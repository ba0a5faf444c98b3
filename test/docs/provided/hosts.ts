import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('hosts.cjs', import.meta.url));

/** Lets the programs of Node find the hosts that end in .example on the loopback. */
export const hostsEnvironment = {
  NODE_OPTIONS: `--require "${script.replace(/["\\]/g, '\\$&')}"`,
} as const;
