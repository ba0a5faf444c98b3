import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { quote } from '../../diagnostics/index.js';
import { MANIFEST } from '../files/discover.js';
import { processesOf } from '../mutators/manifests.js';
import { type CommandContext, unavailableFailure, usageFailure } from '../runtime/command.js';

/** A running service. */
export interface Service {
  /** The address on which the service listens, as HOST:PORT. */
  readonly endpoint: string;
  /** The service's URL; absent if unknown. */
  readonly url?: URL;
}

const ENDPOINT = /^(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i;

/** True if a text is an address, not a command. */
export const isAddress = (text: string) => /^https?:\/\//.test(text) || ENDPOINT.test(text);

/** Returns a URL's HOST:PORT. */
export const endpointOf = ({ hostname, port }: URL) => `${hostname}:${port || 80}`;

const REACH_MS = 5_000;
const RETRY_MS = 100;

/**
 * Returns the service at an address.
 *
 * @throws CommandFailure if the address is invalid, or if nothing accepts connections there
 */
export async function reach(address: string): Promise<Service> {
  const url = URL.canParse(address) && address.includes('://') ? new URL(address) : undefined;
  const endpoint = url === undefined ? address : endpointOf(url);
  const [, six, name, port] = ENDPOINT.exec(endpoint) ?? [];
  if (port === undefined || Number(port) > 65_535 || (url && url.protocol !== 'http:')) {
    const help = 'Expected http://HOST:PORT/PATH or HOST:PORT.';
    throw usageFailure(`cannot put a proxy in front of ${quote(address)}`, help);
  }
  const giveUp = performance.now() + REACH_MS;
  let problem = await connecting(six ?? name ?? '', Number(port));
  // A newly started service may not be listening yet.
  while (problem === 'ECONNREFUSED' && performance.now() < giveUp) {
    await pause(RETRY_MS);
    problem = await connecting(six ?? name ?? '', Number(port));
  }
  if (problem !== undefined) {
    const help = 'Start the service first, or correct the address. Nothing was written.';
    throw unavailableFailure(`cannot connect to ${endpoint}: ${problem}`, help);
  }
  return { endpoint, ...(url !== undefined && { url }) };
}

/**
 * Tries once to connect.
 *
 * @returns the reason for a failure; undefined after success
 */
async function connecting(host: string, port: number): Promise<string | undefined> {
  const socket = connect({ host, port, timeout: REACH_MS });
  const problem = await new Promise<string | undefined>((done) => {
    socket.once('connect', () => done(undefined));
    socket.once('timeout', () => done(`no response within ${REACH_MS / 1000}s`));
    socket.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
  });
  socket.destroy();
  return problem;
}

/**
 * Returns the arguments for adding a service's proxy to a manifest. The proxy listens on an unused
 * port.
 */
export async function proxyArguments({ endpoint, url }: Service): Promise<readonly string[]> {
  const mode = url === undefined ? 'tcp' : 'http';
  const address = `${PROXY_HOST}:${await findUnusedPort()}`;
  return ['proxy', '--listen', address, '--upstream', endpoint, '--mode', mode];
}

const PROXY_HOST = '127.0.0.1';

/*
 * The manifest keeps the port for later runs. Between runs, the operating system must not assign
 * the same port to a client. The port is therefore below the ephemeral ports of Linux (from 32768),
 * and of macOS, BSD and Windows (from 49152).
 */
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 32_767;

/** Returns a random port on which nothing listens. */
async function findUnusedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT + 1);
    const server = createServer().listen(port, PROXY_HOST);
    const isFree = await once(server, 'listening').then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error;
        return false;
      },
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Returns the address of the manifest's proxy, to which clients connect. */
export function proxyAddress({ io }: CommandContext): string {
  const text = readFileSync(resolve(io.cwd, MANIFEST), 'utf8');
  const ready = processesOf(text).find(({ ready }) => ready !== undefined)?.ready;
  if (ready !== undefined) return ready;
  const help = 'Move the file away, and run perturb init again to write one.';
  throw usageFailure(`${MANIFEST} exists but has no proxy`, help);
}
