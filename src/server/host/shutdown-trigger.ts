import { fstatSync } from 'node:fs';

/** Why a server ends. */
export type ShutdownTrigger =
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  /** The reflector that started it has closed its stdin. */
  | { readonly kind: 'stdin' }
  /** The state directory was removed, so that nothing could be recorded any more. */
  | { readonly kind: 'state'; readonly error: Error }
  /** A bug, or one in a module of the user's. */
  | { readonly kind: 'error'; readonly error: unknown };

/** The part of `process` that says when to end. */
export type Process = Pick<NodeJS.Process, 'on' | 'off' | 'stdin'>;

export interface TriggerOptions {
  readonly process: Process;
  /** Whether a closed stdin is a reason. */
  readonly stdin: boolean;
  /** Called when somebody does not want to wait. */
  readonly onSecondSignal: () => void;
  /** Called for each error after the first reason. */
  readonly onError: (error: unknown) => void;
  /** Milliseconds. */
  readonly now?: () => number;
}

/** SIGHUP is what the end of a terminal sends. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * A wrapper such as npm passes on the Ctrl-C that the terminal has sent to all
 * processes: it comes twice, and counts once.
 */
const ECHO_MS = 250;

/** Waits for reasons to end. From then on, none of them ends the process by itself. */
export function watchShutdownTriggers(options: TriggerOptions) {
  const { process, now = performance.now.bind(performance) } = options;
  let current: ShutdownTrigger | undefined;
  let signalled: { readonly signal: NodeJS.Signals; readonly at: number } | undefined;
  let resolve: (trigger: ShutdownTrigger) => void;
  const first = new Promise<ShutdownTrigger>((done) => {
    resolve = done;
  });
  const end = (trigger: ShutdownTrigger): void => {
    current ??= trigger;
    resolve(trigger);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (signalled === undefined) {
      signalled = { signal, at: now() };
      end({ kind: 'signal', signal });
    } else if (signal !== signalled.signal || now() - signalled.at > ECHO_MS) {
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
  const stdin = options.stdin && isPipe() ? process.stdin : undefined;
  stdin?.on('end', onStdin).on('error', onStdin).resume();

  return {
    /** The first reason to end. */
    first,
    /** The first, if there is one already. */
    current: () => current,
    /** Removes all listeners. */
    stop(): void {
      for (const signal of SIGNALS) process.off(signal, onSignal);
      process.off('uncaughtException', onError);
      process.off('unhandledRejection', onError);
      stdin?.off('end', onStdin).off('error', onStdin).destroy();
    },
  };
}

/** Whether somebody holds the other end of stdin: a file or /dev/null ends at once and means nothing. */
function isPipe(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    return false;
  }
}
