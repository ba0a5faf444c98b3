import type { Command } from 'commander';
import type { ExitCode } from './exit-codes.js';
import type { Io } from './io.js';

/** What a run knows beside its own flags. */
export interface Context {
  readonly io: Io;
  /** `--color` or `--no-color`; undefined when neither was given. */
  readonly color: boolean | undefined;
}

/** A command's flags and work, loaded only when it is asked for (also for its help). */
export interface CommandModule {
  /** Adds arguments, flags and help texts. */
  configure(command: Command): void;
  /** Does the work. `args` are the declared arguments, `flags` the parsed flags. */
  run(context: Context, args: readonly unknown[], flags: unknown): Promise<ExitCode> | ExitCode;
}
