import type { Command } from 'commander';
import { type ExitCode, exitCodes, PerturbError, visible } from '../../basics/index.js';
import { codeOf, InputError } from '../../durable/index.js';
import { findBlockingError, type Role } from '../../expression/index.js';
import type { ArgsOf, ArgumentOf, FlagsOf, OptionOf } from './declare.js';

export { type ExitCode, exitCodes };

/** An error that ends a command with a message for the user. */
export class CommandFailure extends PerturbError<'command'> {
  /** @param help the remedy, printed on its own line */
  constructor(exitCode: ExitCode, message: string, help?: string) {
    super('command', message, exitCode, help);
  }
}

/** Returns a failure that the user can correct, such as an invalid flag or an unusable file. */
export function usageFailure(message: string, help?: string): CommandFailure {
  return new CommandFailure(exitCodes.usage, message, help);
}

/**
 * Returns a failure of a resource that the command requires: a store, a server, a port or an
 * engine.
 */
export function unavailableFailure(message: string, help?: string): CommandFailure {
  return new CommandFailure(exitCodes.unavailable, message, help);
}

/**
 * Throws a CommandFailure (findings) for an expression that cannot have a verdict, even if the
 * finding about it is silenced.
 */
export function refuseExpressionWithoutVerdict(text: string, role: Role): void {
  const why = findBlockingError(text, role);
  if (why === undefined) return;
  throw new CommandFailure(
    exitCodes.findings,
    `an expression cannot be evaluated: ${visible(why.message)}`,
    `Correct the expression. ${why.rule} is silenced, but an expression with this finding has no meaning.`,
  );
}

/**
 * Returns the failure for a file that cannot be read or written. Returns a CommandFailure
 * unchanged.
 */
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
  EEXIST: 'a file with this name exists',
  EISDIR: 'it is a directory',
  ENOTDIR: 'part of the path is not a directory',
  ELOOP: 'too many symbolic links',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'no space left on the device',
  EROFS: 'the file system is read-only',
};

/** Describes a file error from the file system or from Perturb. Rethrows any other error. */
export function fileErrorReason(error: unknown): string {
  if (error instanceof InputError) return error.message;
  const code = codeOf(error);
  if (code === undefined || error instanceof PerturbError) throw error;
  const { path } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' && path?.includes('\ufffd')) return 'its name is not UTF-8';
  return reasons[code] ?? code;
}

/** A command's context, without its own flags. */
export interface CommandContext {
  readonly io: Io;
  /** `--color` or `--no-color`; undefined without either flag. */
  readonly color: boolean | undefined;
}

export interface CommandEntry {
  /** The words that the user types: a group, and a command's name within the group. */
  readonly words: readonly [group: string, name: string];
  /** The command's heading in `perturb --help`. */
  readonly task: string;
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

export interface CommandGroup {
  readonly summary: string;
  readonly example?: string;
  /** The group's default command. */
  readonly alone?: string;
}

export interface CommandTable {
  readonly groups: Readonly<Record<string, CommandGroup>>;
  readonly commands: readonly CommandEntry[];
}

/** A command's implementation, which receives the values of the declared arguments and options. */
export type CommandHandler<
  Args extends readonly ArgumentOf[],
  Options extends readonly OptionOf[],
> = (
  context: CommandContext,
  args: ArgsOf<Args>,
  flags: FlagsOf<Options>,
) => Promise<ExitCode> | ExitCode;

/** A command's module, loaded only to run the command or to show its help. */
export interface CommandModule {
  readonly help: string;
  /** The help for usage errors, by Commander's error code. */
  readonly hints?: Readonly<Record<string, string>>;
  readonly args?: readonly ArgumentOf[];
  readonly options?: readonly OptionOf[];
  /** Adds settings that the declarations of arguments and options cannot express. */
  prepare?(command: Command): void;
  // A method, not a property, so a table can contain commands with different flags.
  run(
    context: CommandContext,
    args: readonly unknown[],
    flags: unknown,
  ): Promise<ExitCode> | ExitCode;
}

/** A command whose `run` matches its declared arguments and options. */
export interface TypedCommand<
  Args extends readonly ArgumentOf[],
  Options extends readonly OptionOf[],
> extends CommandModule {
  readonly args?: Args;
  readonly options?: Options;
  readonly run: CommandHandler<Args, Options>;
}

/** Returns the command unchanged. Its declarations determine the parameter types of `run`. */
export function defineCommand<
  const Args extends readonly ArgumentOf[] = [],
  const Options extends readonly OptionOf[] = [],
>(command: TypedCommand<Args, Options>): TypedCommand<Args, Options> {
  return command;
}

/** Adds a module's declarations to a command. */
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

/** A command's environment; `bin` passes the environment of the process. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array> & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}
