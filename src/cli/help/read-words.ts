import type { CommandEntry, CommandTable } from '../runtime/command.js';
import { unknownCommand } from './unknown-command.js';

/** The arguments as the commands take them, and the command that they ask for. */
export interface Words {
  readonly words: readonly string[];
  /** Undefined when the arguments ask for a help text, or are wrong. */
  readonly asked: CommandEntry | undefined;
}

/**
 * Finds the command that the arguments ask for. `help X` becomes `X --help`, and a group that
 * stands for one of its commands becomes that command.
 *
 * @throws Failure (usage) for an unknown command where something else was probably meant
 */
export function readWords(argv: readonly string[], table: CommandTable, cwd: string): Words {
  const words = withDefault(helpAsFlag(versionAsFlag(argv), table), table);
  const plain = words.filter((word) => !word.startsWith('-'));
  const asked = table.commands.find((entry) => entry.words.every((word, at) => plain[at] === word));
  if (asked === undefined && plain.length > 0) {
    const failure = unknownCommand(plain, table, cwd);
    if (failure !== undefined) throw failure;
  }
  return { words, asked };
}

/** `version` and `-v`, which other tools have. */
function versionAsFlag(argv: readonly string[]): readonly string[] {
  return argv.length === 1 && (argv[0] === 'version' || argv[0] === '-v') ? ['--version'] : argv;
}

/** `help X` and `GROUP help X` as flags; without the flag for an X that is no command. */
function helpAsFlag(
  argv: readonly string[],
  { groups, commands }: CommandTable,
): readonly string[] {
  const plain = argv.filter((argument) => !argument.startsWith('-'));
  const at = plain.slice(0, 2).indexOf('help');
  if (at === -1 || (at === 1 && !Object.hasOwn(groups, plain[0] as string))) return argv;
  const [group, name] = plain.toSpliced(at, 1);
  if (group === undefined) return ['--help'];
  if (name === undefined) return Object.hasOwn(groups, group) ? [group, '--help'] : [group];
  const isCommand = commands.some(({ words }) => words[0] === group && words[1] === name);
  return isCommand ? [group, name, '--help'] : [group, name];
}

/** `rules` alone, or with flags, stands for `rules list`, and `rules ID` for `rules explain ID`. */
function withDefault(argv: readonly string[], { groups }: CommandTable): readonly string[] {
  const at = argv.findIndex((argument) => !argument.startsWith('-'));
  const [group = '', next] = argv.slice(at);
  const alone = Object.hasOwn(groups, group) ? groups[group]?.alone : undefined;
  if (alone === undefined) return argv;
  if (group === 'rules' && next?.includes('/')) return argv.toSpliced(at + 1, 0, 'explain');
  const bare = next === undefined || (next.startsWith('-') && next !== '--help' && next !== '-h');
  return bare ? argv.toSpliced(at + 1, 0, alone) : argv;
}
