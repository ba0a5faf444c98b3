import { type Command, CommanderError, type HelpConfiguration } from 'commander';
import { PerturbError } from '../basics/index.js';
import { escapeLines } from '../reporters/index.js';
import { version } from '../version.js';
import { commands, groups } from './commands.js';
import { fitHelp, helpStyle, rootCommand, usageError } from './help/help-text.js';
import { readWords } from './help/words.js';
import {
  type CommandContext,
  type CommandEntry,
  type CommandGroup,
  type CommandModule,
  configure,
  type ExitCode,
  exitCodes,
  fileErrorReason,
  type Io,
  type Output,
} from './runtime/command.js';
import { withEscapedOutput, withKnownWidth, withWrappedLines } from './runtime/io.js';
import { refuseEmptyArgument, refuseUnusedStdinFilename } from './runtime/options.js';

export { exitCodes, type Io, withKnownWidth, withWrappedLines };

/**
 * Runs the program.
 *
 * @param argv the arguments after the program's name
 * @returns the exit code; never rejects
 */
export async function main(argv: readonly string[], given: Io): Promise<ExitCode> {
  const color = colorOf(argv);
  const io = withEscapedOutput(given, color);
  let module: CommandModule | undefined;
  try {
    if (argv[0] === 'complete') {
      const { printCompletions } = await import('./complete.js');
      await printCompletions(io, argv.slice(1), { groups, commands });
      return exitCodes.ok;
    }
    const { words, asked } = readWords(argv, { groups, commands }, io.cwd);
    module = await asked?.load();
    const run: { code: ExitCode } = { code: exitCodes.ok };
    await buildProgram({ io, color }, run, asked, module).parseAsync(words, { from: 'user' });
    return run.code;
  } catch (error) {
    if (error instanceof CommanderError) {
      const hint = module?.hints?.[error.code];
      if (hint !== undefined) io.stderr.write(`${hint}\n`);
      return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    }
    if (error instanceof PerturbError) {
      io.stderr.write(escapeLines(`perturb: ${error.message}\n`));
      if (error.help !== undefined) io.stderr.write(escapeLines(`${error.help}\n`));
      return error.exitCode;
    }
    io.stderr.write(escapeLines(describeBug(error, argv.includes('--debug'))));
    return exitCodes.internal;
  }
}

/** Returns the last colour flag, without parsing the command line. */
function colorOf(argv: readonly string[]): boolean | undefined {
  const end = argv.indexOf('--');
  const flags = end === -1 ? argv : argv.slice(0, end);
  const last = flags.findLast((word) => word === '--color' || word === '--no-color');
  return last === undefined ? undefined : last === '--color';
}

/** Prints the reason for a failed write to stdout, such as a full disk. Returns the exit code. */
export function printWriteFailure(error: unknown, stderr: Output): ExitCode {
  stderr.write(`perturb: cannot write to stdout: ${fileErrorReason(error)}\n`);
  return exitCodes.usage;
}

function buildProgram(
  context: CommandContext,
  run: { code: ExitCode },
  asked: CommandEntry | undefined,
  module: CommandModule | undefined,
): Command {
  const { io } = context;
  const program = rootCommand()
    .usage('[options] <command>')
    .helpCommand(false)
    .addHelpText(
      'after',
      `
"perturb help objective lint", or --help after a command, for details.

Example:
  perturb objective lint objectives/
`,
    );
  prepare(program, io, helpOfAll);
  const parents = new Map<string, Command>();
  // The other commands are needed only for help texts and unknown commands.
  for (const entry of asked === undefined ? commands : [asked]) {
    const [group, name] = entry.words;
    let parent = parents.get(group);
    if (parent === undefined) {
      const { summary, example } = groups[group] as CommandGroup;
      parent = program
        .command(group)
        .description(summary)
        .helpCommand(false)
        .addHelpText('after', `\nExample:\n  ${example}\n`);
      prepare(parent, io);
      parents.set(group, parent);
    }
    const command = parent.command(name).description(entry.summary).helpGroup(entry.task);
    prepare(command, io);
    if (entry !== asked || module === undefined) continue;
    configure(command, module);
    command.addHelpText('after', module.help);
    command.action(async (...received: unknown[]) => {
      const values = received.slice(0, -2);
      refuseEmptyArgument(command, values);
      refuseUnusedStdinFilename(command, values);
      run.code = await module.run(context, values, received.at(-2));
    });
  }
  return program;
}

/** The settings of the program's help, which lists each command under its task. */
const helpOfAll: HelpConfiguration = {
  ...helpStyle,
  visibleCommands: (program) => program.commands.flatMap((group) => group.commands),
  subcommandTerm: (command) => {
    const group = command.parent?.name() ?? '';
    return groups[group]?.alone === command.name() ? group : `${group} ${command.name()}`;
  },
};

function prepare(command: Command, io: Io, style: HelpConfiguration = helpStyle): void {
  const { isTTY, columns } = io.stdout;
  command
    .exitOverride()
    .configureHelp(style)
    .showSuggestionAfterError()
    .helpOption('-h, --help', 'show this help')
    .configureOutput({
      writeOut: (text) => io.stdout.write(isTTY && columns ? fitHelp(text, columns) : text),
      writeErr: (text) => io.stderr.write(text),
      ...(columns && { getOutHelpWidth: () => columns }),
      outputError: (text) => io.stderr.write(usageError(text, command)),
    });
}

function describeBug(error: unknown, debug: boolean): string {
  const message = error instanceof Error ? error.message : String(error);
  const stack = debug && error instanceof Error ? `${error.stack}\n` : '';
  return [
    `perturb: internal error: ${message}`,
    `This is a bug in Perturb ${version}, not in your files. Please report it, with the command and`,
    `the file that led to it${debug ? '' : ' (--debug prints the stack trace)'}.`,
    stack,
  ].join('\n');
}
