import { type Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '../../values/index.js';
import { usageFailure } from './command.js';
import { type FlagsOf, option, type PresentOption } from './declare.js';

/** `--config` for commands that read perturb.toml. */
export const configOption = option(
  '--config <path>',
  'the perturb.toml to use (default: the nearest, in this directory or above it)',
);

/** Declares an option for a duration, in milliseconds. */
export function durationOption<const Text extends string>(
  text: Text,
  description: string,
  shownDefault: string,
): PresentOption<Text, number> {
  const byDefault = parseMilliseconds(shownDefault);
  return option(text, description, { read: parseMilliseconds, byDefault, shownDefault });
}

/** Parses an option's duration, in milliseconds. */
export function parseMilliseconds(text: string): number {
  const parsed = parseDuration(text);
  if ('ms' in parsed) return parsed.ms;
  const help = parsed.help === undefined ? '' : `, ${parsed.help}`;
  throw new InvalidArgumentError(`Expected a duration: ${parsed.problem}${help}.`);
}

export const budgetOption = option(
  '--budget <n>',
  'maximum search steps before the result is undecided',
  { read: parseWholeNumber, byDefault: 100_000_000 },
);

/** Returns the flag for a parsed flag's key: `--api-key-env` for `apiKeyEnv`. */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Parses an option's whole number. */
export function parseWholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}

/** Returns the number of a command's arguments after `--`; undefined without `--`. */
export function countAfterDashes(command: Command): number | undefined {
  let root = command;
  while (root.parent !== null) root = root.parent;
  const { rawArgs } = root as Command & { readonly rawArgs: readonly string[] };
  const at = rawArgs.indexOf('--');
  return at < 0 ? undefined : rawArgs.length - at - 1;
}

/**
 * Refuses an empty argument, such as the value of an unset variable, which would otherwise mean the
 * working directory.
 */
export function refuseEmptyArgument(
  { registeredArguments }: Command,
  values: readonly unknown[],
): void {
  for (const [at, argument] of registeredArguments.entries()) {
    const name = argument.name();
    const mayBe = name === 'command' || name === 'expression';
    if (!mayBe && [values[at]].flat().includes('')) throw usageFailure(`<${name}> is empty`);
  }
}

/** Refuses `--stdin-filename` if no argument is `-`. */
export function refuseUnusedStdinFilename(command: Command, values: readonly unknown[]): void {
  if (command.getOptionValue('stdinFilename') === undefined || values.flat().includes('-')) return;
  throw usageFailure('--stdin-filename needs - for stdin among the arguments');
}

/** `--stdin-filename` for commands that print findings. */
export const stdinFilenameOption = option('--stdin-filename <path>', 'the name to show for stdin');

/** Declares `--format pretty|json`. */
export function formatOption(description = 'output format') {
  return option('-f, --format <name>', description, {
    choices: ['pretty', 'json'],
    byDefault: 'pretty',
  });
}

/** `--format pretty|json|markdown` for commands that print a document. */
export const documentFormatOption = option('-f, --format <name>', 'output format', {
  choices: ['pretty', 'json', 'markdown'],
  byDefault: 'pretty',
});

export type FormatFlags = FlagsOf<[ReturnType<typeof formatOption>]>;

/** Declares the flag that fails a measurement if it is vacuous in all sessions or attempts. */
export function failVacuousOption(what: 'sessions' | 'attempts') {
  const all = what === 'attempts' ? 'attempts and in the baseline' : what;
  return option('--fail-vacuous', `fail a measurement that is vacuous in all ${all}`);
}

/**
 * The message if a vacuous measurement fails the command, even though every measurement may have
 * passed. The output names the measurement.
 */
export const VACUOUS_FAILURE = 'perturb: a measurement is vacuous, and --fail-vacuous is set\n';
