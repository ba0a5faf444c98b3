import { type Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '../../values/index.js';
import { usageFailure } from './command.js';
import { type FlagsOf, option, type Present } from './declare.js';

/** `--config`, of every command that reads perturb.toml. */
export const configOption = option(
  '--config <path>',
  'the perturb.toml to use (default: the nearest, in this directory or above it)',
);

/** An option that takes a duration, in milliseconds. */
export function durationOption<const Text extends string>(
  text: Text,
  description: string,
  shownDefault: string,
): Present<Text, number> {
  const byDefault = milliseconds(shownDefault);
  return option(text, description, { read: milliseconds, byDefault, shownDefault });
}

/** Reads a duration for an option, in milliseconds. */
export function milliseconds(text: string): number {
  const parsed = parseDuration(text);
  if ('ms' in parsed) return parsed.ms;
  const help = parsed.help === undefined ? '' : `, ${parsed.help}`;
  throw new InvalidArgumentError(`Expected a duration: ${parsed.problem}${help}.`);
}

export const budgetOption = option(
  '--budget <n>',
  'maximum search steps before the result is undecided',
  { read: wholeNumber, byDefault: 100_000_000 },
);

/** The flag of an option, such as `--api-key-env`, by its key among the parsed ones. */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Reads a whole number for an option. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}

/** Number of a command's arguments after `--`; undefined without one. */
export function countAfterDashes(command: Command): number | undefined {
  let root = command;
  while (root.parent !== null) root = root.parent;
  const { rawArgs } = root as Command & { readonly rawArgs: readonly string[] };
  const at = rawArgs.indexOf('--');
  return at < 0 ? undefined : rawArgs.length - at - 1;
}

/** Refuses an argument without text, such as a variable that is not set, which would mean the working directory. */
export function refuseEmpty({ registeredArguments }: Command, values: readonly unknown[]): void {
  for (const [at, argument] of registeredArguments.entries()) {
    const name = argument.name();
    const mayBe = name === 'command' || name === 'expression';
    if (!mayBe && [values[at]].flat().includes('')) throw usageFailure(`<${name}> is empty`);
  }
}

/** Refuses `--stdin-filename` where no argument is `-`. */
export function refuseIdleName(command: Command, values: readonly unknown[]): void {
  if (command.getOptionValue('stdinFilename') === undefined || values.flat().includes('-')) return;
  throw usageFailure('--stdin-filename needs - for stdin among the arguments');
}

/** `--stdin-filename`, of every command that shows findings. */
export const stdinFilenameOption = option('--stdin-filename <path>', 'the name to show for stdin');

/** `--format pretty|json` for what a command prints. */
export function formatOption(description = 'output format') {
  return option('-f, --format <name>', description, {
    choices: ['pretty', 'json'],
    byDefault: 'pretty',
  });
}

/** `--format pretty|json|markdown` for a document that a command prints. */
export const documentFormatOption = option('-f, --format <name>', 'output format', {
  choices: ['pretty', 'json', 'markdown'],
  byDefault: 'pretty',
});

export type FormatFlags = FlagsOf<[ReturnType<typeof formatOption>]>;

/** The flag that fails a measurement that is vacuous in all sessions or attempts. */
export function failVacuousOption(what: 'sessions' | 'attempts') {
  const all = what === 'attempts' ? 'attempts and in the baseline' : what;
  return option('--fail-vacuous', `fail a measurement that is vacuous in all ${all}`);
}

/** Why a command fails though every measurement may have passed: what it prints says which is vacuous. */
export const FAILED_VACUOUS = 'perturb: a measurement is vacuous, and --fail-vacuous is set\n';
