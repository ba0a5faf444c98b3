import type { Command } from 'commander';
import type { ExitCode } from './exit-codes.js';
import type { Io } from './io.js';

/** What a run knows beside its own flags. */
export interface Context {
  readonly io: Io;
  /** `--color` or `--no-color`; undefined when neither was given. */
  readonly color: boolean | undefined;
}

/** A row of the table of commands. */
export interface CommandEntry {
  /** The words that the user types: a group, and a command of it. */
  readonly words: readonly [group: string, name: string];
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

/** A word that only groups commands. */
export interface Group {
  readonly summary: string;
  readonly example: string;
  /** The command that the group alone stands for. */
  readonly alone?: string;
}

/** Every group and every command, in the order of the help. */
export interface CommandTable {
  readonly groups: Readonly<Record<string, Group>>;
  readonly commands: readonly CommandEntry[];
}

/** A command's flags and work, loaded only when it is asked for (also for its help). */
export interface CommandModule {
  /** Adds arguments, flags and help texts. */
  configure(command: Command): void;
  /** The words that complete an argument or the value of a flag, by its name in the help. */
  readonly completions?: Readonly<Record<string, readonly string[]>>;
  /** What to do about wrong usage, by Commander's code for it. */
  readonly hints?: Readonly<Record<string, string>>;
  /** Does the work. `args` are the declared arguments, `flags` the parsed flags. */
  run(context: Context, args: readonly unknown[], flags: unknown): Promise<ExitCode> | ExitCode;
}
