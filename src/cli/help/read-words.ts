import type { CommandEntry, CommandTable } from '../runtime/command.js';
import { exitCodes } from '../runtime/exit-codes.js';
import { Failure } from '../runtime/failure.js';

/** The arguments as the commands take them, and the command that they ask for. */
export interface Words {
  readonly words: readonly string[];
  /** Undefined when there is none; the arguments ask for a help text then, or are wrong. */
  readonly asked: CommandEntry | undefined;
}

/**
 * Finds the command that the arguments ask for. `help X` becomes `X --help`, and a group that
 * stands for one of its commands becomes that command.
 *
 * @throws Failure (usage) for a command without its group, such as `lint`
 */
export function readWords(argv: readonly string[], table: CommandTable): Words {
  const words = withDefault(helpAsFlag(argv, table), table);
  const plain = words.filter((word) => !word.startsWith('-'));
  refuseWithoutGroup(plain[0], table);
  return {
    words,
    asked: table.commands.find((entry) => entry.words.every((word, at) => plain[at] === word)),
  };
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

/** `rules` alone, or with flags, stands for `rules list`. */
function withDefault(argv: readonly string[], { groups }: CommandTable): readonly string[] {
  const at = argv.findIndex((argument) => !argument.startsWith('-'));
  const [group = '', next] = argv.slice(at);
  const alone = Object.hasOwn(groups, group) ? groups[group]?.alone : undefined;
  if (alone === undefined) return argv;
  const bare = next === undefined || (next.startsWith('-') && next !== '--help' && next !== '-h');
  return bare ? argv.toSpliced(at + 1, 0, alone) : argv;
}

function refuseWithoutGroup(word: string | undefined, { groups, commands }: CommandTable): void {
  if (word === undefined || Object.hasOwn(groups, word)) return;
  const meant = commands
    .filter(({ words }) => words[1] === word)
    .map(({ words }) => words.join(' '));
  if (meant.length === 0) return;
  const help = meant.length === 1 ? `${meant[0]}?` : `one of ${meant.join(', ')}?`;
  throw new Failure(exitCodes.usage, `unknown command '${word}'`, `(Did you mean ${help})`);
}
