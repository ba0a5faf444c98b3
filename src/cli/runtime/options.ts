import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../../values/index.js';
import { usageFailure } from './command.js';

/** `--config`, of every command that reads perturb.toml. */
export function configOption(): Option {
  return new Option(
    '--config <path>',
    'the perturb.toml to use (default: the nearest one, here or above)',
  );
}

/**
 * An option that may be given several times.
 *
 * @param none what the help shows as its default
 * @param read reads each value
 */
export function repeatedOption(
  flags: string,
  description: string,
  none: string,
  read = (word: string) => word,
): Option {
  return new Option(flags, description)
    .argParser((word: string, before: readonly string[]) => [...before, read(word)])
    .default([], none);
}

/** An option that takes a duration, in milliseconds. */
export function durationFlag(flags: string, description: string, byDefault: string): Option {
  return new Option(flags, description)
    .argParser(durationOption)
    .default(durationOption(byDefault), byDefault);
}

/** Reads a duration for an option, in milliseconds. */
export function durationOption(text: string): number {
  const parsed = parseDuration(text);
  if ('ms' in parsed) return parsed.ms;
  const help = parsed.help === undefined ? '' : `, ${parsed.help}`;
  throw new InvalidArgumentError(`It takes a duration: ${parsed.problem}${help}.`);
}

export interface BudgetFlags {
  readonly budget: number;
}

export function addBudgetOption(command: Command): Command {
  const what = 'how many steps a search may take before it is undecided';
  return command.option('--budget <n>', what, wholeNumber, 100_000_000);
}

/** Notes in `given` which flags were given: the value of one with a default does not tell. */
export function rememberGiven(command: Command): void {
  command.hook('preAction', (_, asked) => {
    const names = asked.options.map((option) => option.attributeName());
    const given = names.filter((name) => asked.getOptionValueSource(name) === 'cli');
    asked.setOptionValue('given', given);
  });
}

/** The flag of an option, such as `--api-key-env`, by its key among the parsed ones. */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Reads a whole number for an option. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It takes a whole number.');
  return Number(text);
}

/**
 * Refuses a flag where an option of a command takes a path: its value would be what was meant as the
 * next option, as in `--resume --out runs/2`. `-` alone is allowed.
 */
export function refuseFlagsAsPaths(command: Command): void {
  for (const option of command.options) {
    const noun = /<(directory|path|file|source)>$/.exec(option.flags)?.[1];
    if (noun === undefined) continue;
    const parse = option.parseArg;
    option.argParser((text: string, before: unknown) => {
      if (text === '') throw new InvalidArgumentError(`It takes a ${noun}.`);
      if (!/^-./.test(text)) return parse === undefined ? text : parse(text, before);
      throw new InvalidArgumentError(`It takes a ${noun}; for one of that name write ./${text}.`);
    });
  }
}

/** Refuses an argument without text, such as a variable that is not set, which would mean the working directory. */
export function refuseEmpty({ registeredArguments }: Command, values: readonly unknown[]): void {
  for (const [at, argument] of registeredArguments.entries()) {
    const name = argument.name();
    const mayBe = name === 'command' || name === 'expression';
    if (!mayBe && [values[at]].flat().includes('')) throw usageFailure(`<${name}> is empty`);
  }
}

/** `--stdin-filename`, of every command that shows findings; refused where no argument is `-`. */
export function addStdinFilename(command: Command): Command {
  return command
    .option('--stdin-filename <path>', 'the name to show for stdin')
    .hook('preAction', (_, asked) => {
      const isUnused = asked.getOptionValue('stdinFilename') !== undefined;
      if (!isUnused || asked.processedArgs.flat().includes('-')) return;
      throw usageFailure('--stdin-filename needs - for stdin among the arguments');
    });
}

export interface FormatFlags {
  readonly format: 'pretty' | 'json';
}

/** Adds `--format pretty|json` for what a command prints. */
export function addFormatOption(
  command: Command,
  what = 'how to print',
  formats: readonly string[] = ['pretty', 'json'],
): Command {
  const option = new Option('-f, --format <name>', what);
  return command.addOption(option.choices(formats).default('pretty'));
}

/** The flag that fails a measurement that is vacuous in all sessions or attempts. */
export function failVacuousOption(what: 'sessions' | 'attempts'): Option {
  const all = what === 'attempts' ? 'attempts and in the baseline' : what;
  return new Option('--fail-vacuous', `fail a measurement that is vacuous in all ${all}`);
}

/** Why a command fails though every measurement may have passed: what it prints says which is vacuous. */
export const FAILED_VACUOUS =
  'perturb: a measurement is vacuous, which --fail-vacuous does not allow\n';
