import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  ActuatorError,
  type Clock,
  createActuator,
  type LiveActuator,
  ModuleThreads,
  Semaphore,
  systemClock,
  withoutVariables,
} from '../../actuators/acting/index.js';
import { quote } from '../../diagnostics/index.js';
import type { ManifestMutator } from '../../mutators/index.js';
import type { HostEventListener } from './host.js';
import { LifecycleHost } from './host-lifecycle.js';
import { openStateDirectory, type StateDirectory } from './state-directory.js';

/** Delays before retrying a failed reset, by the number of failures. The last delay applies to all further failures. */
const RETRY_DELAYS_MS = [250, 1_000, 4_000, 15_000, 60_000] as const;

/** Maximum number of operations that may wait for one mutator. */
const QUEUE_LIMIT = 256;

export interface HostOpenOptions {
  /** The mutators of a manifest without findings. */
  readonly mutators: readonly ManifestMutator[];
  /** The manifest's directory, the base of its relative paths. */
  readonly directory: string;
  readonly stateDirectory: string;
  /** The environment for commands, modules and header placeholders. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables that commands and modules receive only where the manifest requests them. */
  readonly secretVariables?: readonly string[];
  readonly events: HostEventListener;
  /** The clock (default: the machine's). */
  readonly clock?: Clock;
  /** True to accept a state directory that was moved or copied. */
  readonly adoptState?: boolean;
  /** Maximum number of waiting operations per mutator (default 256). */
  readonly queueLimit?: number;
}

/**
 * Opens a host that acts on real systems. Call `recover` before accepting requests, and `shutdown` at the end. Rejects
 * with a StateError if the state directory cannot be used, and with an ActuatorError for an actuator that could never
 * act. If an earlier process has left a mutator active, sets the host's `unusable` to the error instead, because the
 * other mutators can still be reset.
 */
export async function openHost(options: HostOpenOptions): Promise<LifecycleHost> {
  const { mutators, environment, events, secretVariables = [] } = options;
  const shares = divideFileLimit(maxOpenFiles());
  const state = await openStateDirectory(options.stateDirectory, {
    mutators: mutators.map(({ id }) => id),
    semaphore: new Semaphore(shares.files),
    adopt: options.adoptState === true,
  });
  const { journal, files, running } = state;
  const actuators = new Map<string, LiveActuator>();
  let failure: ActuatorError | undefined;
  try {
    const context = {
      directory: resolve(options.directory),
      environment,
      childEnvironment: withoutVariables(environment, secretVariables),
      semaphores: {
        commands: new Semaphore(shares.commands),
        requests: new Semaphore(shares.requests),
      },
      threads: new ModuleThreads(),
      files,
      running,
    };
    for (const mutator of mutators) {
      // The start fails. Only mutators that need a reset still matter.
      if (failure !== undefined && !journal.entries.has(mutator.id)) {
        actuators.set(mutator.id, failingActuator(failure));
        continue;
      }
      const creation = createActuator(mutator, context).catch((error: unknown) => {
        if (!(error instanceof ActuatorError) || journal.entries.size === 0) throw error;
        failure ??= error;
        return failingActuator(error);
      });
      actuators.set(mutator.id, await creation);
    }
  } catch (error) {
    await Promise.all([...actuators.values()].map((actuator) => actuator.close()));
    await state.close();
    throw error;
  }
  const unusable = state.unusable ?? failure;
  return new LifecycleHost({
    mutators,
    actuators,
    journal,
    clock: options.clock ?? systemClock,
    events(event) {
      events(event);
      // The whole state directory may be gone, including the journal's records.
      if (event.kind === 'reset-failed') void state.checkPresence();
    },
    ignored: await listIgnored(state, options),
    gone: state.gone,
    retryDelaysMs: RETRY_DELAYS_MS,
    queueLimit: options.queueLimit ?? QUEUE_LIMIT,
    forget: (id) => files.forget(id),
    ...(unusable && { unusable }),
    close: () => state.close(),
  });
}

/** Describes the files in a state directory that belong to no mutator of the manifest. */
async function listIgnored(
  { ignored, files }: StateDirectory,
  { mutators, directory }: HostOpenOptions,
): Promise<readonly string[]> {
  const paths = mutators.flatMap(({ actuator }) =>
    actuator.kind === 'file' ? [resolve(directory, actuator.path)] : [],
  );
  const unreferenced = await files.recordedExcept(paths);
  return [
    ...ignored.map((name) => `${quote(name)} was not created by a server`),
    ...unreferenced.map((path) => `no mutator of kind file has the recorded path ${quote(path)}`),
  ];
}

/** Returns an actuator whose actions always fail, for an actuator that cannot be created. */
function failingActuator(error: ActuatorError): LiveActuator {
  const fail = () => Promise.reject(error);
  return { inject: fail, reset: fail, close: async () => {} };
}

/** Fallback for the open file limit if the system reports no limit. Most systems allow at least this many files. */
const DEFAULT_LIMIT = 1_024;

/** Returns the maximum number of files, sockets and pipes that this process can have open. */
export function maxOpenFiles(): number {
  try {
    const [, limit = ''] = /^Max open files +(\d+|unlimited)/m.exec(
      readFileSync('/proc/self/limits', 'latin1'),
    ) as RegExpExecArray;
    return limit === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(limit);
  } catch {
    return DEFAULT_LIMIT;
  }
}

/**
 * Divides the open file limit among commands (two pipes each), requests to systems, files and client connections.
 * Returns the maximum number of each in parallel.
 */
export function divideFileLimit(limit: number) {
  const share = (divisor: number, max: number) =>
    Math.max(8, Math.min(max, Math.floor(limit / divisor)));
  return {
    commands: share(8, 64),
    requests: share(8, 256),
    files: share(32, 16),
    connections: share(4, 1_000),
  };
}
