import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { nearest } from '../../diagnostics/index.js';
import type { CommandTable } from '../runtime/command.js';
import { exitCodes } from '../runtime/exit-codes.js';
import { Failure } from '../runtime/failure.js';
import { manifestFiles } from '../runtime/file-kind.js';

/** What other tools call a command of ours. */
const SYNONYMS: Readonly<Record<string, string>> = {
  check: 'objective lint',
  validate: 'objective lint',
  init: 'objective new',
  format: 'objective fmt',
  ls: 'objective list',
  add: 'objective create',
  register: 'objective create',
  start: 'serve mutators',
  server: 'serve mutators',
  rule: 'rules',
};

/**
 * The failure for a first word that is no group, with what was probably meant:
 * a command without its group, a file, a command's name in other tools, or a
 * name that is misspelt. Undefined when nothing is like it.
 */
export function unknownCommand(
  words: readonly string[],
  { groups, commands }: CommandTable,
  cwd: string,
): Failure | undefined {
  const [word = '', second] = words;
  if (Object.hasOwn(groups, word)) {
    const meant = second === undefined ? undefined : synonymIn(word, second, commands);
    return meant === undefined ? undefined : failure(second as string, [meant]);
  }
  // A group that stands for its command, such as doctor for "doctor check", is no answer.
  const called = (name: string) =>
    commands
      .filter(({ words: [group, own] }) => own === name && groups[group]?.alone !== own)
      .map((entry) => entry.words.join(' '));
  const synonym = synonymIn('', word, commands);
  const meant = [...(synonym === undefined ? [] : [synonym]), ...called(word)];
  if (meant.length > 0) return failure(word, [...new Set(meant)]);
  if (/[./*]/.test(word) || existsSync(resolve(cwd, word)))
    return failure(word, [`${commandFor(word)} ${word}`]);
  const near = nearest(word, [...Object.keys(groups), ...commands.map((entry) => entry.words[1])]);
  if (near === undefined) return undefined;
  return failure(word, Object.hasOwn(groups, near) ? [near] : called(near));
}

/** The command of a group, or of any with the group empty, that others call so. */
function synonymIn(
  group: string,
  word: string,
  commands: CommandTable['commands'],
): string | undefined {
  const meant = Object.hasOwn(SYNONYMS, word) ? (SYNONYMS[word] as string) : undefined;
  if (meant === undefined || commands.some((entry) => entry.words.join(' ') === `${group} ${word}`))
    return undefined;
  const [, name] = meant.split(' ');
  const inGroup = commands.find((entry) => entry.words[0] === group && entry.words[1] === name);
  if (inGroup !== undefined) return inGroup.words.join(' ');
  const exists = commands.some((entry) => entry.words.join(' ') === meant) || name === undefined;
  return group === '' && exists ? meant : undefined;
}

function commandFor(path: string): string {
  if (path.endsWith('.trace')) return 'expression check';
  const name = path.split('/').at(-1) ?? '';
  return manifestFiles.includes(name) ? 'mutators lint' : 'objective lint';
}

function failure(word: string, meant: readonly string[]): Failure {
  const commands = meant.map((one) => `perturb ${one}`);
  const help = commands.length === 1 ? `${commands[0]}` : `one of ${commands.join(', ')}`;
  return new Failure(exitCodes.usage, `unknown command '${word}'`, `(Did you mean ${help}?)`);
}
