import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  ClientError,
  type ClientErrorCode,
  type EndCause,
  type EndedMutation,
  type MutatorClient,
  type ServerStatus,
} from '../../mutators/index.js';
import { durationText } from '../../values/index.js';
import type { PlannedInjection, SpaceMutator } from '../plan/space.js';

/** A run's clients, keyed by the user's name for each server. */
export type Servers = ReadonlyMap<string, MutatorClient>;

/** Error codes of requests that left the mutator unchanged. After any other code, the mutator may be mutated. */
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

/** Error codes for a server that is down or unresponsive, but may recover. */
const OUTAGE_CODES: ReadonlySet<ClientErrorCode> = new Set([
  'unknown-host',
  'refused',
  'unreachable',
  'timed-out',
  'reset',
  'failed',
]);

/** A request that a server refused or left without a response. */
interface Refusal {
  readonly reason: string;
  /** True if the mutator may be mutated nevertheless. */
  readonly maybe: boolean;
  /** True if the server did not respond. */
  readonly outage: boolean;
  /** True if the server's injections are stopped. */
  readonly held: boolean;
}

/** Injects a mutation. @param mutation UUID of the mutation */
export async function inject(
  servers: Servers,
  { server, id, params }: PlannedInjection,
  mutation: string,
): Promise<ServerStatus | Refusal> {
  try {
    return await clientOf(servers, server).inject(id, { id: mutation, params });
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const { message, code } = error;
    const [maybe, outage] = [!UNCHANGED_CODES.has(code), OUTAGE_CODES.has(code)];
    return { reason: message, maybe, outage, held: code === 'held' };
  }
}

/** The time for which to retry an unresponsive server. */
export interface RetryTimeout {
  readonly ms: number;
  /** Aborted when the user stops waiting. An abort limits the wait to a few seconds. */
  readonly signal?: AbortSignal;
}

/** A reset's acknowledgement. */
interface ResetAnswer extends ServerStatus {
  /** True if the server did not respond at first. */
  readonly hadOutage: boolean;
}

/** Pauses between the first tries, in milliseconds. Together, they are long enough for a server to restart. */
const PAUSES_MS = [100, 400, 1_000, 2_000];
/** Pause between all further tries, in milliseconds. */
const LAST_PAUSE_MS = 2_000;

/**
 * Resets a mutator. Retries for a few seconds while the server returns errors, and until the timeout while the server
 * is unresponsive.
 *
 * @param patience undefined to try only once
 */
export async function reset(
  servers: Servers,
  { server, id }: Pick<PlannedInjection, 'server' | 'id'>,
  patience: RetryTimeout | undefined,
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

/** Waits for any response from a server. Returns false after the timeout. */
export async function waitForServer(
  servers: Servers,
  server: string,
  { ms, signal }: RetryTimeout,
): Promise<boolean> {
  const startedAt = performance.now();
  for (let attempt = 0; signal?.aborted !== true; attempt += 1) {
    if (await isResponding(clientOf(servers, server))) return true;
    if (performance.now() - startedAt >= ms) return false;
    await pauseFor(PAUSES_MS[attempt] ?? LAST_PAUSE_MS, signal);
  }
  return false;
}

/** True if a server responds in any way. */
export async function isResponding(client: MutatorClient): Promise<boolean> {
  try {
    await client.list();
    return true;
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return !OUTAGE_CODES.has(error.code);
  }
}

/** Pauses. An abort ends only the current pause. Later pauses have their full length. */
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
 * Returns a mutation's UUID, derived from the run, the attempt and the position. A retry of an attempt has the same
 * UUIDs. The UUID has version 8 (RFC 9562), whose content is application-specific.
 */
export function mutationId(run: string, n: number, position: number): string {
  const bytes = createHash('sha256').update(`${run} ${n} ${position}`).digest();
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex', 0, 16);
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
}

/** Descriptions of mutation ends caused by another client. */
const OTHER_CLIENT_CAUSES = new Map<EndCause, string>([
  ['reset', 'another client reset it'],
  ['replaced', 'another client injected another mutation'],
]);

/** A mutation that a server has acknowledged. */
interface InjectedMutation {
  /** The mutation's UUID. */
  readonly mutation: string;
  /** The request time, by this process's clock. */
  readonly sentAt: number;
  /** The request time, in milliseconds since 1970. */
  readonly time: number;
  /** The server's instance, which changes when the server restarts. */
  readonly instance: string | undefined;
}

/** A check that an attempt's mutations stayed active while they were needed. */
export class ActivityWatch {
  /** Reasons why a mutation was not active, or may not have been active. */
  readonly problems: string[] = [];
  /** True if a server was down at any time. */
  outage = false;
  readonly #mutators: readonly (SpaceMutator | undefined)[];
  readonly #injected: InjectedMutation[] = [];

  /** @param mutators each mutation's mutator, in plan order */
  constructor(mutators: readonly (SpaceMutator | undefined)[]) {
    this.#mutators = mutators;
  }

  /** Records the acknowledgement of a mutation. */
  injected(position: number, injectedMutation: Omit<InjectedMutation, 'time'>): void {
    const time = Date.now() - (performance.now() - injectedMutation.sentAt);
    this.#injected[position] = { ...injectedMutation, time };
  }

  /**
   * Records the reset of a mutation's mutator.
   *
   * @param neededUntil the time after which the mutation was no longer needed
   * @param earlyEnd the mutation's earlier end, if the server reports one
   */
  reset(
    position: number,
    { instance, hadOutage }: ResetAnswer,
    neededUntil: number,
    earlyEnd: EndedMutation | undefined,
  ): void {
    const { name = '', server = '', maxActiveMs, endsItself } = this.#mutators[position] ?? {};
    const injectedMutation = this.#injected[position];
    if (injectedMutation === undefined) return;
    const problem = this.#describeEarlyEnd(
      injectedMutation,
      server,
      neededUntil,
      maxActiveMs,
      earlyEnd,
    );
    if (problem !== undefined && !endsItself) this.problems.push(`${name}: ${problem}`);
    const isSameInstance = instance === injectedMutation.instance;
    if (isSameInstance && (instance !== undefined || !hadOutage)) return;
    this.outage = true;
    this.problems.push(
      isSameInstance
        ? `${name}: ${server} became unreachable, so the mutation may have ended`
        : `${name}: ${server} was restarted, which ended the mutation`,
    );
  }

  /**
   * Returns the time at which a mutation was lost in a server restart, in milliseconds since 1970; undefined if the
   * mutation was not lost.
   *
   * @param answer the acknowledgement of the mutation's reset
   */
  findLossTime(
    position: number,
    { instance, restartedAt = Date.now() }: ResetAnswer,
  ): number | undefined {
    return instance === this.#injected[position]?.instance ? undefined : restartedAt;
  }

  /** Describes the end of a mutation that was still needed. Returns undefined if the mutation did not end early. */
  #describeEarlyEnd(
    { sentAt, time }: InjectedMutation,
    server: string,
    neededUntil: number,
    maxActiveMs = Number.POSITIVE_INFINITY,
    earlyEnd?: EndedMutation,
  ): string | undefined {
    const duration = earlyEnd === undefined ? neededUntil - sentAt : earlyEnd.time - time;
    const elapsedText = durationText(Math.max(0, Math.round(duration)));
    if (earlyEnd === undefined ? duration >= maxActiveMs : earlyEnd.cause === 'expired') {
      return `its max_active of ${durationText(maxActiveMs)} expired after ${elapsedText}, before the attempt ended`;
    }
    if (earlyEnd?.cause === 'gone') return 'its target was removed during the attempt';
    if (earlyEnd?.cause === 'orphaned') {
      return `${server} reset it at ${new Date(earlyEnd.time).toISOString()} after receiving no requests from this run`;
    }
    const otherCause = OTHER_CLIENT_CAUSES.get(earlyEnd?.cause ?? 'undone');
    return otherCause && `${otherCause}, after ${elapsedText}`;
  }
}
