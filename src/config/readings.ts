import { relative, sep } from 'node:path';
import ignore from 'ignore';
import { exitCodes, PerturbError, visible } from '../basics/index.js';
import { MappingError, parseFields, type Reading, readingMistake } from '../session/index.js';
import type { Conformed } from '../toml/index.js';
import { defined, parseDuration } from '../values/index.js';
import type { configFormat } from './format.js';

/** A table of [reading]: how files of some names are read. */
export interface NamedReading {
  readonly name: string;
  /** Globs, relative to the directory of perturb.toml. */
  readonly files: readonly string[];
  /** Without the values that cannot be read. */
  readonly reading: Reading;
  readonly mistakes: readonly ReadingMistake[];
}

/** A file that no single [reading] table can be chosen for. */
export class ReadingConflict extends PerturbError<'reading-conflict'> {
  constructor(message: string, help: string) {
    super('reading-conflict', message, exitCodes.usage, help);
  }
}

/** A value of a [reading] table that cannot be used. */
export interface ReadingMistake {
  readonly key: string;
  readonly message: string;
  readonly help?: string;
}

type Tables = NonNullable<Conformed<typeof configFormat>['keys']['reading']>;

/** The readings of conformed tables. */
export function readingsOf(tables: Tables | undefined): readonly NamedReading[] {
  return [...(tables?.entries ?? [])].map(([name, { keys }]) => {
    const { files, map, skew: written, probe, join, ...others } = keys;
    const mistakes: ReadingMistake[] = [];
    const report = (key: string, message: string, help?: string) => {
      mistakes.push({ key, message, ...defined({ help }) });
    };
    const reading: Reading = {
      ...defined(others),
      ...defined({
        map: map === undefined ? undefined : fieldsOf(map, report),
        skew: written === undefined ? undefined : durationOf(written, report),
        probe: probe?.filter((one) => one !== undefined),
        join: join?.filter((one) => one !== undefined),
      }),
    };
    const mistake = readingMistake(reading);
    if (mistake !== undefined) report(mistake.key, mistake.message);
    return { name, files: (files ?? []).filter((one) => one !== undefined), reading, mistakes };
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
  const parsed = parseDuration(text);
  if ('ms' in parsed) return BigInt(Math.round(parsed.ms * 1e6));
  report('skew', parsed.problem, parsed.help);
  return undefined;
}

/**
 * The table whose globs match a file, if there is one.
 *
 * @param directory that of perturb.toml
 * @param path absolute
 * @param shown the path as messages show it
 * @throws {ReadingConflict} if several match
 */
export function readingFor<Table extends Pick<NamedReading, 'name' | 'files'>>(
  tables: readonly Table[],
  directory: string,
  path: string,
  shown = path,
): Table | undefined {
  const inside = relative(directory, path).split(sep).join('/');
  // Of a file outside the project, only the name can match.
  const name = ignore.isPathValid(inside) ? inside : inside.slice(inside.lastIndexOf('/') + 1);
  const [table, other] = tables.filter(({ files }) =>
    ignore()
      .add([...files])
      .ignores(name),
  );
  if (table === undefined || other === undefined) return table;
  const names = [table, other].map((one) => `[reading.${visible(one.name)}]`);
  throw new ReadingConflict(
    `${visible(shown)} matches ${names.join(' and ')} of perturb.toml`,
    'Make the globs of one narrower, or choose one with --reading.',
  );
}
