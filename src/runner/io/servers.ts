import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ClientError, type ClientErrorCode, type MutatorClient } from '../../mutators/index.js';
import type { AttributeValue } from '../../values/index.js';

/** The servers of a run, by the names that the user gave them. */
export type Servers = ReadonlyMap<string, MutatorClient>;

/** After these answers the mutator is as it was; after any other it is not known whether it has acted. */
const NOT_ACTIVE: ReadonlySet<ClientErrorCode> = new Set([
  'bad-url',
  'bad-key',
  'bad-id',
  'unknown-host',
  'blocked-port',
  'refused',
  'tls-untrusted',
  'tls-expired',
  'tls-wrong-host',
  'redirected',
  'key-missing',
  'rejected',
  'unauthorized',
  'no-mutator',
]);

/** Why a server did not do what it was asked for. */
interface Refused {
  readonly reason: string;
  /** Whether the mutator may be mutated nevertheless. */
  readonly maybe: boolean;
}

interface Injection {
  readonly server: string;
  readonly id: string;
  readonly mutation: string;
  readonly params: ReadonlyMap<string, AttributeValue>;
}

/** Injects a mutation; undefined when it was acknowledged. */
export async function inject(
  servers: Servers,
  { server, id, mutation, params }: Injection,
): Promise<Refused | undefined> {
  try {
    await clientOf(servers, server).inject(id, { id: mutation, params });
    return undefined;
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return { reason: error.message, maybe: !NOT_ACTIVE.has(error.code) };
  }
}

/** The pauses between tries: a server that is being started again is back within them. */
const PAUSES_MS = [100, 400, 1_000, 2_000];

/**
 * Resets a mutator, and tries again for some seconds while its server cannot be reached or fails.
 *
 * @returns why it could not be reset, or undefined
 */
export async function reset(
  servers: Servers,
  server: string,
  id: string,
  patient: boolean,
): Promise<string | undefined> {
  for (let attempt = 0; ; attempt += 1) {
    const reason = await resetOnce(clientOf(servers, server), id);
    const wait = PAUSES_MS[attempt];
    if (reason === undefined || wait === undefined || !patient) return reason;
    await pause(wait);
  }
}

async function resetOnce(client: MutatorClient, id: string): Promise<string | undefined> {
  try {
    await client.reset(id);
    return undefined;
  } catch (error) {
    if (error instanceof ClientError) return error.message;
    throw error;
  }
}

function clientOf(servers: Servers, server: string): MutatorClient {
  const client = servers.get(server);
  if (client === undefined) throw new Error(`no client for ${server}`);
  return client;
}

/**
 * The UUID of a mutation: another one for each attempt of each run, and the same when the attempt is
 * repeated after an interruption (version 8 of RFC 9562, whose bits are the maker's own).
 */
export function mutationId(run: string, n: number, at: number): string {
  const hex = createHash('sha256').update(`${run} ${n} ${at}`).digest('hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
