import { relative, sep } from 'node:path';
import ignore from 'ignore';
import { exitCodes, PerturbError, visible } from '../basics/index.js';
import { findReadingMistake, MappingError, parseFields, type Reading } from '../session/index.js';
import type { ConformingValues } from '../toml/index.js';
import { defined, parseDuration } from '../values/index.js';
import type { configFormat } from './format.js';

/** A [reading] table, which applies to files with matching names. */
export interface NamedReading {
  readonly name: string;
  /** Globs, relative to the directory of perturb.toml. */
  readonly files: readonly string[];
  /** The table's parsable values. */
  readonly reading: Reading;
  readonly mistakes: readonly ReadingMistake[];
}

/** The error for a file that matches several [reading] tables. */
export class ReadingConflict extends PerturbError<'reading-conflict'> {
  constructor(message: string, help: string) {
    super('reading-conflict', message, exitCodes.usage, help);
  }
}

/** An invalid value in a [reading] table. */
export interface ReadingMistake {
  readonly key: string;
  readonly message: string;
  readonly help?: string;
}

type Tables = NonNullable<ConformingValues<typeof configFormat>['keys']['reading']>;

/** Converts [reading] tables to readings. */
export function toReadings(tables: Tables | undefined): readonly NamedReading[] {
  return [...(tables?.entries ?? [])].map(([name, { keys }]) => {
    const { files, map, skew: skewText, probe, join, ...settings } = keys;
    const mistakes: ReadingMistake[] = [];
    const report = (key: string, message: string, help?: string) => {
      mistakes.push({ key, message, ...defined({ help }) });
    };
    const reading: Reading = {
      ...defined(settings),
      ...defined({
        map: map === undefined ? undefined : fieldsOf(map, report),
        skew: skewText === undefined ? undefined : durationOf(skewText, report),
        probe: probe?.filter((name) => name !== undefined),
        join: join?.filter((column) => column !== undefined),
      }),
    };
    const mistake = findReadingMistake(reading);
    if (mistake !== undefined) report(mistake.key, mistake.message);
    return { name, files: (files ?? []).filter((glob) => glob !== undefined), reading, mistakes };
  });
}

type Report = (key: keyof Reading, message: string, help?: string) => void;

function fieldsOf(text: string, report: Report): Reading['map'] {
  try {
    return parseFields(text);
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    report('map', error.message);
    return undefined;
  }
}

function durationOf(text: string, report: Report): bigint | undefined {
  const duration = parseDuration(text);
  if ('ms' in duration) return BigInt(Math.round(duration.ms * 1e6));
  report('skew', duration.problem, duration.help);
  return undefined;
}

/**
 * Returns the table whose globs match a file; undefined if none matches.
 *
 * @param directory the directory of perturb.toml
 * @param path the file's absolute path
 * @param displayPath the file's path for messages
 * @throws {ReadingConflict} if several tables match
 */
export function readingFor<Table extends Pick<NamedReading, 'name' | 'files'>>(
  tables: readonly Table[],
  directory: string,
  path: string,
  displayPath = path,
): Table | undefined {
  const relativePath = relative(directory, path).split(sep).join('/');
  // Outside the project, the globs match only file names.
  const name = ignore.isPathValid(relativePath)
    ? relativePath
    : relativePath.slice(relativePath.lastIndexOf('/') + 1);
  const [table, otherTable] = tables.filter(({ files }) =>
    ignore()
      .add([...files])
      .ignores(name),
  );
  if (table === undefined || otherTable === undefined) return table;
  const names = [table, otherTable].map((candidate) => `[reading.${visible(candidate.name)}]`);
  throw new ReadingConflict(
    `${visible(displayPath)} matches ${names.join(' and ')} of perturb.toml`,
    'Narrow the globs of one table, or select a table with --reading.',
  );
}
