import { Command, type Option } from 'commander';
import type { CommandEntry, CommandTable } from '../runtime/command.js';
import { rootCommand } from './root-command.js';

/** The program as its help texts describe it, for what is made from them. */
export interface ProgramDescription {
  /** The flags of the program itself, which every command takes too. */
  readonly flags: readonly FlagDescription[];
  readonly groups: readonly GroupDescription[];
}

export interface GroupDescription {
  readonly name: string;
  readonly summary: string;
  /** The command that the group alone stands for. */
  readonly alone?: string;
  readonly commands: readonly CommandDescription[];
}

export interface CommandDescription {
  readonly name: string;
  readonly summary: string;
  /** As in `perturb objective lint [options] [paths...]`, without the words of the command. */
  readonly usage: string;
  readonly arguments: readonly ArgumentDescription[];
  readonly flags: readonly FlagDescription[];
  /** What the help says after the flags: notes, exit codes and examples. */
  readonly notes: string;
}

export interface ArgumentDescription {
  readonly summary: string;
  readonly value: Value;
  readonly required: boolean;
  readonly variadic: boolean;
}

export interface FlagDescription {
  /** As in `-f`. */
  readonly short?: string;
  /** As in `--format`. */
  readonly long: string;
  readonly summary: string;
  /** The summary with the choices and the default, as the help has it. */
  readonly details: string;
  /** Absent for a flag that takes no value. */
  readonly value?: Value;
  readonly repeatable: boolean;
}

/** What an argument or a flag takes. */
export interface Value {
  /** Its name in the help. */
  readonly name: string;
  /** The words that it may be. */
  readonly words: readonly string[];
  /** Whether it may be a path, or end in one as `sarif=FILE` does. */
  readonly path?: 'file' | 'directory' | 'file after =';
}

/** The names that the help gives to values that are paths. */
const PATHS: Readonly<Record<string, Value['path']>> = {
  path: 'file',
  paths: 'file',
  file: 'file',
  source: 'file',
  before: 'file',
  after: 'file',
  directory: 'directory',
  'name[=file]': 'file after =',
};

/** Describes the program from the same data as its help: the table, and what commands declare. */
export async function describeProgram({
  groups,
  commands,
}: CommandTable): Promise<ProgramDescription> {
  const described = await Promise.all(
    commands.map(async (entry) => ({ group: entry.words[0], command: await describe(entry) })),
  );
  return {
    flags: flagsOf(rootCommand(), {}),
    groups: Object.entries(groups).map(([name, { summary, alone }]) => ({
      name,
      summary,
      ...(alone !== undefined && { alone }),
      commands: described.filter(({ group }) => group === name).map(({ command }) => command),
    })),
  };
}

async function describe({ words, summary, load }: CommandEntry): Promise<CommandDescription> {
  const { configure, completions = {} } = await load();
  const command = new Command(words[1]).helpOption('-h, --help', 'show this help');
  configure(command);
  return {
    name: words[1],
    summary,
    usage: command.usage(),
    arguments: command.registeredArguments.map((argument) => ({
      summary: command.createHelp().argumentDescription(argument),
      value: valueFor(argument.name(), argument.argChoices, completions),
      required: argument.required,
      variadic: argument.variadic,
    })),
    flags: flagsOf(command, completions),
    notes: notesOf(command),
  };
}

type Completions = Readonly<Record<string, readonly string[]>>;

function flagsOf(command: Command, completions: Completions): readonly FlagDescription[] {
  const help = command.createHelp();
  return help.visibleOptions(command).map((option) => ({
    ...(option.short !== undefined && { short: option.short }),
    long: option.long as string,
    summary: option.description,
    details: help.optionDescription(option),
    ...((option.required || option.optional) && {
      value: valueFor(placeholderOf(option), option.argChoices, completions),
    }),
    repeatable: Array.isArray(option.defaultValue),
  }));
}

/** `path` of `--config <path>`. */
function placeholderOf({ flags }: Option): string {
  return flags.slice(flags.search(/[<[]/) + 1, -1);
}

function valueFor(
  name: string,
  choices: readonly string[] | undefined,
  completions: Completions,
): Value {
  const path = Object.hasOwn(PATHS, name) ? PATHS[name] : undefined;
  return { name, words: choices ?? completions[name] ?? [], ...(path && { path }) };
}

/** What `addHelpText` adds after the help. */
function notesOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text.slice(command.helpInformation().length).trim();
}
