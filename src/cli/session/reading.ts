import { resolve } from 'node:path';
import { visible } from '../../basics/index.js';
import { type NamedReading, readingFor } from '../../config/index.js';
import { suggest } from '../../diagnostics/index.js';
import {
  DATE_ORDERS,
  EPOCHS,
  FORMATS,
  MappingError,
  parseFields,
  type Reading,
  readingMistake,
  TIME_UNITS,
} from '../../session/index.js';
import { defined } from '../../values/index.js';
import { type Config, readConfig } from '../config/config.js';
import { type CommandContext, usageFailure } from '../runtime/command.js';
import { type FlagsOf, option } from '../runtime/declare.js';

/* Readings for a command's files, from tables in perturb.toml and from flags. */

/** `--reading` of commands that read evidence. */
export const readingOption = option(
  '--reading <name>',
  '[reading] table in perturb.toml for the files',
  { shownDefault: 'the one whose globs match the file' },
);

/** The flags of `session import` that replace the values of a [reading] table. */
export const readingOptions = [
  option('--from <format>', 'the format of the file', {
    choices: FORMATS,
    shownDefault: 'recognized by its content',
  }),
  option(
    '--pattern <regex>',
    'for any log: a regular expression for a line, with the group name and, if known, probe and time; with vector clocks, the groups host, clock and event',
  ),
  option('--map <fields>', "for any log: paths of an event's parts, such as name=$.msg,time=$.ts"),
  option('--send <place>', 'path of the message key in an event that sends a message'),
  option('--receive <place>', 'path of the message key in an event that receives one'),
  option(
    '--probe <attributes>',
    'for spans: the attributes that name the probe, separated by commas; the first that a span has counts, or service.name',
    { read: words },
  ),
  option('--zone <zone>', 'time zone of times without one, such as +02:00 or Europe/Berlin', {
    shownDefault: 'UTC',
  }),
  option('--dates <order>', 'order of day, month and year in dates such as 05/06/2026', {
    choices: DATE_ORDERS,
  }),
  option('--unit <unit>', 'unit of numeric times', { choices: TIME_UNITS }),
  option('--epoch <epoch>', 'epoch of numeric times', { choices: EPOCHS }),
  option('--join <keys>', 'columns or keys that make up the time, separated by commas', {
    read: words,
  }),
  option('--clock <clock>', 'the clock of a recording with several: publish, or a field', {
    shownDefault: "the recorder's",
  }),
] as const;

export type ReadingFlags = FlagsOf<typeof readingOptions> &
  FlagsOf<[typeof readingOption]> & { readonly config?: string };

function words(text: string): readonly string[] {
  return text.split(',');
}

/** Returns a file's reading, by its path. */
export type ReadingOf = (path: string) => Reading;

/**
 * Returns a function that finds a file's reading: the table that `--reading` names or that matches
 * the file, with values from flags in place of its own.
 *
 * @returns a function that throws CommandFailure (usage) if two tables match a file, or its values
 *   conflict
 * @throws CommandFailure (usage) if perturb.toml has errors, a table does not exist, or flags
 *   cannot be read
 */
export async function readingsIn(context: CommandContext, flags: ReadingFlags): Promise<ReadingOf> {
  return readingsBy(context.io.cwd, await readConfig(context, flags.config), flags);
}

/** Like `readingsIn`, with a configuration that has already been read. */
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
    const mistake = readingMistake(reading);
    if (mistake === undefined) return reading;
    const { key, message } = mistake;
    const place = own[key] === undefined && table ? `[reading.${table.name}] ${key}` : `--${key}`;
    throw usageFailure(`${visible(place)}: ${visible(message)}`);
  };
}

/**
 * Returns the tables for reading files: those in perturb.toml, or the one that `--reading` names,
 * for every file.
 *
 * @throws CommandFailure (usage) if there is no such table
 */
export function readingTables(config: Config, name: string | undefined): readonly NamedReading[] {
  return name === undefined ? config.readings : [{ ...namedReading(config, name), files: ['*'] }];
}

/** @throws CommandFailure (usage) if there is no such table */
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

/** @throws PerturbError (usage) if several match */
function tableFor(cwd: string, config: Config, path: string): NamedReading | undefined {
  if (path === '-') return undefined;
  return readingFor(config.readings, config.directory, resolve(cwd, path), path);
}

/** @throws CommandFailure (usage) for a mapping that cannot be read */
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
