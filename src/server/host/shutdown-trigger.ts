import { fstatSync } from 'node:fs';
import { watchParent } from './parent.js';

/** The reason for a server's shutdown. */
export type ShutdownTrigger =
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  /** The reflector that started the server has closed the server's stdin. */
  | { readonly kind: 'stdin' }
  /** The reflector that started the server has exited. */
  | { readonly kind: 'parent' }
  /** The state directory has been removed, so nothing can be recorded any more. */
  | { readonly kind: 'state'; readonly error: Error }
  /** A bug in Perturb or in a user's module. */
  | { readonly kind: 'error'; readonly error: unknown };

/** The members of `process` that report reasons to shut down. */
export type Process = Pick<NodeJS.Process, 'on' | 'off' | 'stdin' | 'ppid'>;

export interface TriggerOptions {
  readonly process: Process;
  /** True if a reflector started the program. The reflector's death and a closed stdin are then triggers. */
  readonly plugin: boolean;
  /** The reflector's pid, as its executable saw it (default: the current parent's). */
  readonly parentPid?: number;
  /** Called when the user sends a second signal instead of waiting. */
  readonly onSecondSignal: () => void;
  /** Called for each uncaught error after the first trigger. */
  readonly onError: (error: unknown) => void;
  /** Returns the current time in milliseconds. */
  readonly now?: () => number;
}

/** Signals that end a server. A closed terminal sends SIGHUP. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Time during which a repeated signal is ignored. Wrappers such as npm forward a Ctrl-C that the terminal has already
 * sent to all processes.
 */
const ECHO_MS = 250;

/** Watches for shutdown triggers. Until `stop` is called, signals and uncaught errors do not end the process. */
export function watchShutdownTriggers(options: TriggerOptions) {
  const { process, now = performance.now.bind(performance) } = options;
  let current: ShutdownTrigger | undefined;
  let firstSignal: { readonly signal: NodeJS.Signals; readonly at: number } | undefined;
  let resolve: (trigger: ShutdownTrigger) => void;
  const first = new Promise<ShutdownTrigger>((resolvePromise) => {
    resolve = resolvePromise;
  });
  const end = (trigger: ShutdownTrigger): void => {
    current ??= trigger;
    resolve(trigger);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (firstSignal === undefined) {
      firstSignal = { signal, at: now() };
      end({ kind: 'signal', signal });
    } else if (signal !== firstSignal.signal || now() - firstSignal.at > ECHO_MS) {
      options.onSecondSignal();
    }
  };
  const onError = (error: unknown) => {
    if (current !== undefined) options.onError(error);
    end({ kind: 'error', error });
  };
  const onStdin = () => end({ kind: 'stdin' });

  for (const signal of SIGNALS) process.on(signal, onSignal);
  process.on('uncaughtException', onError);
  process.on('unhandledRejection', onError);
  const stdin = options.plugin && isPipe() ? process.stdin : undefined;
  stdin?.on('end', onStdin).on('error', onStdin).resume();
  // Watching stdin is not enough, because stdin may be /dev/null.
  const unwatchParent = options.plugin
    ? watchParent(process, options.parentPid, () => end({ kind: 'parent' }))
    : () => {};

  return {
    /** Resolves with the first trigger. */
    first,
    /** Returns the first trigger; undefined if there has been none. */
    current: () => current,
    /** Stops watching. */
    stop(): void {
      for (const signal of SIGNALS) process.off(signal, onSignal);
      process.off('uncaughtException', onError);
      process.off('unhandledRejection', onError);
      stdin?.off('end', onStdin).off('error', onStdin).destroy();
      unwatchParent();
    },
  };
}

/** True if stdin is a pipe or a socket. A file or /dev/null ends at once, which is no reason to shut down. */
function isPipe(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    return false;
  }
}
