import { relative, sep } from 'node:path';
import ignore from 'ignore';
import { MappingError, parseFields, type Reading, readingMistake } from '../session/index.js';
import type { Conformed } from '../toml/index.js';
import { defined, parseDuration } from '../values/index.js';
import type { configFormat } from './format.js';

/** A table of [reading]: how files of some names are read. */
export interface NamedReading {
  readonly name: string;
  /** Globs, relative to the directory of perturb.toml. */
  readonly files: readonly string[];
  readonly reading: Reading;
}

/** A value of a [reading] table that cannot be used. */
export interface ReadingMistake {
  /** The name of the table. */
  readonly name: string;
  readonly key: string;
  readonly message: string;
  readonly help?: string;
}

type Tables = NonNullable<Conformed<typeof configFormat>['keys']['reading']>;

/** The readings of conformed tables, without the values that cannot be used. */
export function readingsOf(tables: Tables | undefined): {
  readonly readings: readonly NamedReading[];
  readonly mistakes: readonly ReadingMistake[];
} {
  const mistakes: ReadingMistake[] = [];
  const readings = [...(tables?.entries ?? [])].map(([name, { keys }]) => {
    const { files, map, skew: written, probe, join, ...others } = keys;
    const report = (key: string, message: string, help?: string) => {
      mistakes.push({ name, key, message, ...defined({ help }) });
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
    return { name, files: (files ?? []).filter((one) => one !== undefined), reading };
  });
  return { readings, mistakes };
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
 * The tables whose globs match a file.
 *
 * @param directory that of perturb.toml
 * @param path absolute
 */
export function readingsFor(
  readings: readonly NamedReading[],
  directory: string,
  path: string,
): readonly NamedReading[] {
  const inside = relative(directory, path).split(sep).join('/');
  // Of a file outside the project, only the name can match.
  const name = ignore.isPathValid(inside) ? inside : inside.slice(inside.lastIndexOf('/') + 1);
  return readings.filter(({ files }) =>
    ignore()
      .add([...files])
      .ignores(name),
  );
}
