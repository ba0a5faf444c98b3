import type { Command } from 'commander';
import { type ExitCode, exitCodes, PerturbError, visible } from '../../basics/index.js';
import { codeOf, InputError } from '../../durable/index.js';
import { type Role, whyMeaningless } from '../../expression/index.js';
import type { ArgsOf, ArgumentOf, FlagsOf, OptionOf } from './declare.js';

export { type ExitCode, exitCodes };

/** Ends a command with a message for the user. */
export class CommandFailure extends PerturbError<'command'> {
  /** @param help what to do about it, on a line of its own */
  constructor(exitCode: ExitCode, message: string, help?: string) {
    super('command', message, exitCode, help);
  }
}

/** A failure that the user can correct: wrong flags, a file that cannot be used. */
export function usageFailure(message: string, help?: string): CommandFailure {
  return new CommandFailure(exitCodes.usage, message, help);
}

/** A failure of what the command needs: a store, a server, a port or an engine. */
export function unavailableFailure(message: string, help?: string): CommandFailure {
  return new CommandFailure(exitCodes.unavailable, message, help);
}

/** @throws CommandFailure (findings) for an expression that has no verdict, even if a level or a comment silences that */
export function refuseWithoutVerdict(text: string, role: Role): void {
  const why = whyMeaningless(text, role);
  if (why === undefined) return;
  throw new CommandFailure(
    exitCodes.findings,
    `an expression cannot be evaluated: ${visible(why.message)}`,
    `Correct it. ${why.rule} is silenced, but an expression that it reports has no meaning.`,
  );
}

/** The failure for a file that cannot be read or written; a failure that already says more is kept. */
export function fileFailure(
  verb: 'read' | 'write',
  shown: string,
  error: unknown,
  help?: string,
): CommandFailure {
  if (error instanceof CommandFailure) return error;
  return usageFailure(`cannot ${verb} ${visible(shown)}: ${fileErrorReason(error)}`, help);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EEXIST: 'a file of that name exists',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is not a directory',
  ELOOP: 'too many symbolic links',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'no space left on the device',
  EROFS: 'the file system is read-only',
};

/** Why the file system or Perturb refused a file, in words. Rethrows any other error. */
export function fileErrorReason(error: unknown): string {
  if (error instanceof InputError) return error.message;
  const code = codeOf(error);
  if (code === undefined || error instanceof PerturbError) throw error;
  const { path } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' && path?.includes('\ufffd')) return 'its name is not UTF-8';
  return reasons[code] ?? code;
}

/** The context of a command beside its own flags. */
export interface CommandContext {
  readonly io: Io;
  /** `--color` or `--no-color`; undefined when neither was given. */
  readonly color: boolean | undefined;
}

export interface CommandEntry {
  /** The words that the user types: a group, and a command of it. */
  readonly words: readonly [group: string, name: string];
  /** The heading in `perturb --help`. */
  readonly task: string;
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

export interface CommandGroup {
  readonly summary: string;
  readonly example?: string;
  /** The command that the group alone stands for. */
  readonly alone?: string;
}

export interface CommandTable {
  readonly groups: Readonly<Record<string, CommandGroup>>;
  readonly commands: readonly CommandEntry[];
}

/** The work of a command: it gets what is given for the arguments and options that the command declares. */
export type Run<Args extends readonly ArgumentOf[], Options extends readonly OptionOf[]> = (
  context: CommandContext,
  args: ArgsOf<Args>,
  flags: FlagsOf<Options>,
) => Promise<ExitCode> | ExitCode;

/** A command, loaded only when the command or its help is asked for. */
export interface CommandModule {
  readonly help: string;
  /** The help for wrong usage, by Commander's code. */
  readonly hints?: Readonly<Record<string, string>>;
  readonly args?: readonly ArgumentOf[];
  readonly options?: readonly OptionOf[];
  /** Adds to the command what neither an argument nor an option says. */
  prepare?(command: Command): void;
  // A method, so that a table can hold commands with different flags.
  run(
    context: CommandContext,
    args: readonly unknown[],
    flags: unknown,
  ): Promise<ExitCode> | ExitCode;
}

/** A command whose work fits what it declares. */
export interface TypedCommand<
  Args extends readonly ArgumentOf[],
  Options extends readonly OptionOf[],
> extends CommandModule {
  readonly args?: Args;
  readonly options?: Options;
  readonly run: Run<Args, Options>;
}

/** Returns the command; its work gets its types from what it declares. */
export function defineCommand<
  const Args extends readonly ArgumentOf[] = [],
  const Options extends readonly OptionOf[] = [],
>(command: TypedCommand<Args, Options>): TypedCommand<Args, Options> {
  return command;
}

/** Adds to a command what its module declares. */
export function configure(
  command: Command,
  { args = [], options = [], prepare }: Pick<CommandModule, 'args' | 'options' | 'prepare'>,
): void {
  for (const one of args) command.addArgument(one);
  for (const one of options) command.addOption(one);
  prepare?.(command);
}

export interface Output {
  write(text: string): void;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The outside world of a command; `bin` passes the process's own. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array> & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}
