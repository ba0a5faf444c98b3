import { resolve } from 'node:path';
import { visible } from '../../basics/index.js';
import { type NamedReading, readingFor } from '../../config/index.js';
import { suggest } from '../../diagnostics/index.js';
import {
  DATE_ORDERS,
  EPOCHS,
  FORMATS,
  findReadingMistake,
  MappingError,
  parseFields,
  type Reading,
  TIME_UNITS,
} from '../../session/index.js';
import { defined } from '../../values/index.js';
import { type Config, readConfig } from '../config/config.js';
import { type CommandContext, usageFailure } from '../runtime/command.js';
import { type FlagsOf, option } from '../runtime/declare.js';

/* The readings of a command's files, from tables in perturb.toml and from flags. */

/** `--reading` for commands that read evidence. */
export const readingOption = option(
  '--reading <name>',
  '[reading] table in perturb.toml for the files',
  { shownDefault: 'the table whose globs match the file' },
);

/** The flags of `session import` that override values of a [reading] table. */
export const readingOptions = [
  option('--from <format>', 'the format of the file', {
    choices: FORMATS,
    shownDefault: 'detected from the content',
  }),
  option(
    '--pattern <regex>',
    'for any log: a regular expression for a line, with the group name and, if known, probe and time; with vector clocks, the groups host, clock and event',
  ),
  option('--map <fields>', "for any log: paths of an event's fields, such as name=$.msg,time=$.ts"),
  option('--send <place>', 'path of the message key in a send event'),
  option('--receive <place>', 'path of the message key in a receive event'),
  option(
    '--probe <attributes>',
    "for spans: comma-separated attributes for the probe's name, in order of preference (fallback: service.name)",
    { read: words },
  ),
  option('--zone <zone>', 'time zone of times without a zone, such as +02:00 or Europe/Berlin', {
    shownDefault: 'UTC',
  }),
  option('--dates <order>', 'order of day, month and year in dates such as 05/06/2026', {
    choices: DATE_ORDERS,
  }),
  option('--unit <unit>', 'unit of numeric times', { choices: TIME_UNITS }),
  option('--epoch <epoch>', 'epoch of numeric times', { choices: EPOCHS }),
  option('--join <keys>', 'comma-separated columns or keys to join into the time', {
    read: words,
  }),
  option(
    '--clock <clock>',
    'the clock to use in a recording with several clocks: publish, or a field',
    {
      shownDefault: "the recorder's",
    },
  ),
] as const;

export type ReadingFlags = FlagsOf<typeof readingOptions> &
  FlagsOf<[typeof readingOption]> & { readonly config?: string };

function words(text: string): readonly string[] {
  return text.split(',');
}

/** A function that returns the reading for a file's path. */
export type ReadingOf = (path: string) => Reading;

/**
 * Returns a function that finds a file's reading: the values of the table that `--reading` names,
 * otherwise of the table that matches the file, overridden by values from flags.
 *
 * @returns a function that throws CommandFailure (usage) if values conflict, and PerturbError
 *   (usage) if two tables match a file
 * @throws CommandFailure (usage) if perturb.toml has errors, a table does not exist, or a flag is
 *   invalid
 */
export async function readingsIn(context: CommandContext, flags: ReadingFlags): Promise<ReadingOf> {
  return readingsBy(context.io.cwd, await readConfig(context, flags.config), flags);
}

/** Returns the same function as `readingsIn`, for a loaded configuration. */
export function readingsBy(
  cwd: string,
  config: Config,
  flags: Omit<ReadingFlags, 'config'>,
): ReadingOf {
  const own = readingOfFlags(flags);
  const named = flags.reading === undefined ? undefined : namedReading(config, flags.reading);
  return (path) => {
    const table = named ?? tableFor(cwd, config, path);
    const reading = { ...table?.reading, ...own };
    const mistake = findReadingMistake(reading);
    if (mistake === undefined) return reading;
    const { key, message } = mistake;
    const place = own[key] === undefined && table ? `[reading.${table.name}] ${key}` : `--${key}`;
    throw usageFailure(`${visible(place)}: ${visible(message)}`);
  };
}

/**
 * Returns the tables for reading files: all tables in perturb.toml, or only the table that
 * `--reading` names, applied to every file.
 *
 * @throws CommandFailure (usage) if there is no such table
 */
export function readingTables(config: Config, name: string | undefined): readonly NamedReading[] {
  return name === undefined ? config.readings : [{ ...namedReading(config, name), files: ['*'] }];
}

/**
 * Returns a [reading] table by its name.
 *
 * @throws CommandFailure (usage) if there is no such table
 */
function namedReading({ readings }: Config, name: string): NamedReading {
  const found = readings.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = readings.map((one) => one.name);
  const help = 'Add a table [reading.NAME] with files, such as files = ["*.log"].';
  throw usageFailure(
    `there is no table [reading.${visible(name)}] in perturb.toml`,
    names.length === 0 ? help : suggest(name, names),
  );
}

/**
 * Returns the [reading] table that matches a file; undefined for stdin, or if no table matches.
 *
 * @throws PerturbError (usage) if several tables match
 */
function tableFor(cwd: string, config: Config, path: string): NamedReading | undefined {
  if (path === '-') return undefined;
  return readingFor(config.readings, config.directory, resolve(cwd, path), path);
}

/**
 * Returns the reading values set by flags.
 *
 * @throws CommandFailure (usage) for an invalid mapping
 */
function readingOfFlags(flags: ReadingFlags): Reading {
  const { from, pattern, map, send, receive, probe, zone, dates, unit, epoch, join, clock } = flags;
  return defined({
    ...{ from, pattern, send, receive, probe, zone, dates, unit, epoch, join, clock },
    map: map === undefined ? undefined : fieldsOf(map),
  });
}

function fieldsOf(text: string): Reading['map'] {
  try {
    return parseFields(text);
  } catch (error) {
    if (error instanceof MappingError) throw usageFailure(`--map: ${visible(error.message)}`);
    throw error;
  }
}
