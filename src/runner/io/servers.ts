import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  ClientError,
  type ClientErrorCode,
  type EndCause,
  type EndedMutation,
  type MutatorClient,
  type ServerAnswer,
} from '../../mutators/index.js';
import { durationText } from '../../values/index.js';
import type { PlannedInjection, SpaceMutator } from '../plan/space.js';

/** The servers of a run, by the names that the user gave them. */
export type Servers = ReadonlyMap<string, MutatorClient>;

/** After these answers the mutator is unchanged; after any other it may have acted. */
const UNCHANGED_CODES: ReadonlySet<ClientErrorCode> = new Set([
  'bad-url',
  'bad-key',
  'bad-id',
  'unknown-host',
  'refused',
  'tls-untrusted',
  'tls-expired',
  'tls-wrong-host',
  'redirected',
  'key-missing',
  'rejected',
  'unauthorized',
  'no-mutator',
  'undone',
  'in-use',
  'held',
]);

/** After these the server was missing or unresponsive: it may come back. */
const OUTAGE_CODES: ReadonlySet<ClientErrorCode> = new Set([
  'unknown-host',
  'refused',
  'unreachable',
  'timed-out',
  'reset',
  'failed',
]);

/** The refusal of a request by a server. */
interface Refusal {
  readonly reason: string;
  /** True if the mutator may be mutated nevertheless. */
  readonly maybe: boolean;
  /** True if it did not respond at all. */
  readonly outage: boolean;
  /** True if its injections are stopped. */
  readonly held: boolean;
}

/** Injects a mutation. @param mutation its UUID */
export async function inject(
  servers: Servers,
  { server, id, params }: PlannedInjection,
  mutation: string,
): Promise<ServerAnswer | Refusal> {
  try {
    return await clientOf(servers, server).inject(id, { id: mutation, params });
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const { message, code } = error;
    const [maybe, outage] = [!UNCHANGED_CODES.has(code), OUTAGE_CODES.has(code)];
    return { reason: message, maybe, outage, held: code === 'held' };
  }
}

/** The timeout for an unresponsive server. */
export interface Patience {
  readonly ms: number;
  /** Aborted when the user does not want to wait any longer, which limits the wait to a few seconds. */
  readonly signal?: AbortSignal;
}

/** The acknowledgement of a reset. */
interface ResetAnswer extends ServerAnswer {
  /** True if the server did not respond at first. */
  readonly hadOutage: boolean;
}

/** The pauses between tries: a restarting server is back within them. */
const PAUSES_MS = [100, 400, 1_000, 2_000];
/** The pause after them, until the timeout. */
const LAST_PAUSE_MS = 2_000;

/**
 * Resets a mutator. Retries for some seconds while its server fails, and until the timeout while it does not
 * respond.
 *
 * @param patience none to try only once
 */
export async function reset(
  servers: Servers,
  { server, id }: Pick<PlannedInjection, 'server' | 'id'>,
  patience: Patience | undefined,
): Promise<ResetAnswer | { readonly failed: string }> {
  const client = clientOf(servers, server);
  const startedAt = performance.now();
  let hadOutage = false;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return { ...(await client.reset(id)), hadOutage };
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      const isOutage = OUTAGE_CODES.has(error.code);
      hadOutage ||= isOutage;
      const shouldRetry =
        isOutage &&
        patience?.signal?.aborted !== true &&
        performance.now() - startedAt < (patience?.ms ?? 0);
      const delay = PAUSES_MS[attempt] ?? (shouldRetry ? LAST_PAUSE_MS : undefined);
      if (delay === undefined || patience === undefined) return { failed: error.message };
      await pauseFor(delay, patience.signal);
    }
  }
}

/** Waits for any answer of a server; false if the timeout is over first. */
export async function waitForServer(
  servers: Servers,
  server: string,
  { ms, signal }: Patience,
): Promise<boolean> {
  const startedAt = performance.now();
  for (let attempt = 0; signal?.aborted !== true; attempt += 1) {
    if (await isResponding(clientOf(servers, server))) return true;
    if (performance.now() - startedAt >= ms) return false;
    await pauseFor(PAUSES_MS[attempt] ?? LAST_PAUSE_MS, signal);
  }
  return false;
}

/** True if a server currently responds in any way. */
export async function isResponding(client: MutatorClient): Promise<boolean> {
  try {
    await client.list();
    return true;
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return !OUTAGE_CODES.has(error.code);
  }
}

/** Pauses. A signal ends the current pause only; later ones keep their length. */
async function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined || signal.aborted) await pause(ms);
  else await pause(ms, undefined, { signal }).catch(() => {});
}

function clientOf(servers: Servers, server: string): MutatorClient {
  const client = servers.get(server);
  if (client === undefined) throw new Error(`no client for ${server}`);
  return client;
}

/**
 * Returns the UUID of a mutation: a different one for each attempt of each run, and the same when the attempt is
 * repeated after an interruption (version 8 of RFC 9562, whose bits are free to choose).
 */
export function mutationId(run: string, n: number, at: number): string {
  const bytes = createHash('sha256').update(`${run} ${n} ${at}`).digest();
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex', 0, 16);
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
}

/** The ways in which another client ends a mutation, in words. */
const OTHER_CLIENT_CAUSES = new Map<EndCause, string>([
  ['reset', 'another client reset it'],
  ['replaced', 'another client injected another mutation'],
]);

/** A mutation that a server has acknowledged. */
interface InjectedMutation {
  /** Its UUID. */
  readonly mutation: string;
  /** The time of the request, by the clock of this process. */
  readonly sentAt: number;
  /** The same in milliseconds since 1970. */
  readonly time: number;
  /** The start of the server that answered. */
  readonly instance: string | undefined;
}

/** Watches if the mutations of an attempt were in force until it was over. */
export class ActivityWatch {
  /** The reasons if some were not, or if that is unknown. */
  readonly problems: string[] = [];
  /** True if a server was not up all the time. */
  outage = false;
  readonly #mutators: readonly (SpaceMutator | undefined)[];
  readonly #injected: InjectedMutation[] = [];

  /** @param mutators that of each mutation, by its position */
  constructor(mutators: readonly (SpaceMutator | undefined)[]) {
    this.#mutators = mutators;
  }

  /** Records the acknowledgement of a mutation. */
  injected(at: number, injected: Omit<InjectedMutation, 'time'>): void {
    const time = Date.now() - (performance.now() - injected.sentAt);
    this.#injected[at] = { ...injected, time };
  }

  /**
   * Records the reset of a mutation's mutator.
   *
   * @param neededUntil the time from which the mutation was no longer needed
   * @param earlyEnd the earlier end of the mutation, if its server reports one
   */
  reset(
    at: number,
    { instance, hadOutage }: ResetAnswer,
    neededUntil: number,
    earlyEnd: EndedMutation | undefined,
  ): void {
    const { name = '', server = '', maxActiveMs, endsItself } = this.#mutators[at] ?? {};
    const injected = this.#injected[at];
    if (injected === undefined) return;
    const problem = this.#describeEarlyEnd(injected, server, neededUntil, maxActiveMs, earlyEnd);
    if (problem !== undefined && !endsItself) this.problems.push(`${name}: ${problem}`);
    const isSameInstance = instance === injected.instance;
    if (isSameInstance && (instance !== undefined || !hadOutage)) return;
    this.outage = true;
    this.problems.push(
      isSameInstance
        ? `${name}: ${server} became unreachable, so its mutation may have ended`
        : `${name}: ${server} was restarted, which ended its mutation`,
    );
  }

  /**
   * Returns the time at which a mutation was lost with its server, in milliseconds since 1970; undefined if it was
   * not.
   *
   * @param answer the acknowledgement of its reset
   */
  findLossTime(
    at: number,
    { instance, restartedAt = Date.now() }: ResetAnswer,
  ): number | undefined {
    return instance === this.#injected[at]?.instance ? undefined : restartedAt;
  }

  /** Describes the end of a mutation before it was no longer needed; undefined if there is none. */
  #describeEarlyEnd(
    { sentAt, time }: InjectedMutation,
    server: string,
    neededUntil: number,
    maxActiveMs = Number.POSITIVE_INFINITY,
    earlyEnd?: EndedMutation,
  ): string | undefined {
    const duration = earlyEnd === undefined ? neededUntil - sentAt : earlyEnd.time - time;
    const after = durationText(Math.max(0, Math.round(duration)));
    if (earlyEnd === undefined ? duration >= maxActiveMs : earlyEnd.cause === 'expired') {
      return `its max_active of ${durationText(maxActiveMs)} expired before the attempt was over, after ${after}`;
    }
    if (earlyEnd?.cause === 'gone') return 'its target was removed meanwhile';
    if (earlyEnd?.cause === 'orphaned') {
      return `${server} reset it at ${new Date(earlyEnd.time).toISOString()}, because this run had sent nothing`;
    }
    const otherCause = OTHER_CLIENT_CAUSES.get(earlyEnd?.cause ?? 'undone');
    return otherCause && `${otherCause}, after ${after}`;
  }
}
