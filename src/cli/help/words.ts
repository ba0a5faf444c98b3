import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { findNearestWord } from '../../diagnostics/index.js';
import { manifestFiles } from '../files/discover.js';
import { type CommandFailure, type CommandTable, usageFailure } from '../runtime/command.js';

/**
 * Finds the command named by the arguments. Changes `help X` to `X --help`, and expands a group to
 * its default command.
 *
 * @returns the expanded arguments and the command, which is undefined if the arguments name no
 *   command
 * @throws CommandFailure (usage) for an unknown command if there is a suggestion
 */
export function readWords(argv: readonly string[], table: CommandTable, cwd: string) {
  // Other tools also accept `version` and `-v`.
  const isVersion = argv.length === 1 && (argv[0] === 'version' || argv[0] === '-v');
  const words = withDefault(helpAsFlag(isVersion ? ['--version'] : argv, table), table);
  const plain = words.filter((word) => !word.startsWith('-'));
  const asked = table.commands.find((entry) => entry.words.every((word, at) => plain[at] === word));
  if (asked === undefined && plain.length > 0) {
    const failure = unknownCommand(plain, table, cwd);
    if (failure !== undefined) throw failure;
  }
  return { words, asked };
}

/** Replaces `help X` and `GROUP help X` with `--help`. Drops `help` if X is not a command. */
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

/**
 * Inserts a group's default command: `rules` becomes `rules list`, and `rules ID` becomes `rules
 * explain ID`.
 */
function withDefault(
  argv: readonly string[],
  { groups, commands }: CommandTable,
): readonly string[] {
  const at = argv.findIndex((argument) => !argument.startsWith('-'));
  const [group = '', next] = argv.slice(at);
  const alone = Object.hasOwn(groups, group) ? groups[group]?.alone : undefined;
  if (alone === undefined) return argv;
  if (group === 'rules' && next?.includes('/')) return argv.toSpliced(at + 1, 0, 'explain');
  // A group with a single command has no help of its own.
  const isOnly = commands.filter(({ words }) => words[0] === group).length === 1;
  const bare = next?.startsWith('-') !== false && (isOnly || (next !== '--help' && next !== '-h'));
  return bare ? argv.toSpliced(at + 1, 0, alone) : argv;
}

/** Alternative command names: other tools' names, and former names with their group. */
const SYNONYMS: Readonly<Record<string, string>> = {
  check: 'objective lint',
  validate: 'objective lint',
  format: 'objective fmt',
  ls: 'objective list',
  add: 'objective create',
  register: 'objective create',
  start: 'serve mutators',
  server: 'serve mutators',
  rule: 'rules',
  'objective log': 'objective show --history',
  'objective restore': 'objective delete --undo',
  'objective verify': 'doctor',
  'session validate': 'session inspect',
  'session vocabulary': 'session inspect',
};

/**
 * Returns the failure for an unknown command, with a suggestion: for a command without its group, a
 * file, another tool's name, or a misspelt name. Returns undefined if there is no suggestion.
 */
function unknownCommand(
  words: readonly string[],
  { groups, commands }: CommandTable,
  cwd: string,
): CommandFailure | undefined {
  const [word = '', second] = words;
  const isGroup = Object.hasOwn(groups, word);
  const unknown = isGroup ? second : word;
  if (unknown === undefined) return undefined;
  const named = (name: string) => (Object.hasOwn(SYNONYMS, name) ? SYNONYMS[name] : undefined);
  const synonym = named(unknown);
  if (isGroup) {
    const inGroup = synonym?.startsWith(`${word} `) ? synonym : undefined;
    const meant = named(`${word} ${unknown}`) ?? inGroup;
    return meant === undefined ? undefined : failure(unknown, [meant]);
  }
  // Excludes a group's default command, such as "doctor check", because the group alone runs it.
  const called = (name: string) =>
    commands
      .filter(({ words: [group, own] }) => own === name && groups[group]?.alone !== own)
      .map((entry) => entry.words.join(' '));
  const meant = [...(synonym === undefined ? [] : [synonym]), ...called(word)];
  if (meant.length > 0) return failure(word, [...new Set(meant)]);
  if (/[./*]/.test(word) || existsSync(resolve(cwd, word)))
    return failure(word, [`${commandFor(word)} ${word}`]);
  const near = findNearestWord(word, [
    ...commands.map((entry) => entry.words[1]),
    ...Object.keys(groups),
  ]);
  if (near === undefined) return undefined;
  return failure(word, Object.hasOwn(groups, near) ? [near] : called(near));
}

function commandFor(path: string): string {
  if (path.endsWith('.trace')) return 'expression check';
  const name = path.split('/').at(-1) ?? '';
  return manifestFiles.includes(name) ? 'mutators lint' : 'objective lint';
}

function failure(word: string, meant: readonly string[]): CommandFailure {
  const commands = meant.map((one) => `perturb ${one}`).join(', ');
  const help = meant.length === 1 ? commands : `one of ${commands}`;
  return usageFailure(`unknown command '${word}'`, `(Did you mean ${help}?)`);
}
