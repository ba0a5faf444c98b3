import { quote } from '../diagnostics/index.js';
import { defined } from '../values/index.js';
import type { FORMATS, SessionFormat } from './formats.js';
import {
  compileOwnMapping,
  type Logger,
  MAPPED,
  MappingError,
  type MappingFields,
} from './importers/mapping.js';
import type { CountUnit, DayOrder } from './importers/times.js';
import { isZone } from './importers/zones.js';
import type { SessionOrder } from './session.js';

type NamedFormat = (typeof FORMATS)[number];

/** The origin of times that are numbers; `start` is an unknown moment. */
export const EPOCHS = ['1970', '1900', 'start'] as const;

/**
 * Overrides for reading evidence, in place of recognition by content: plain data, as in a table `[reading.NAME]` of
 * perturb.toml and the flags of `session import`.
 */
export interface Reading {
  readonly from?: NamedFormat;
  /** The positions of an event's parts in a record. */
  readonly map?: MappingFields;
  /**
   * A regular expression whose named groups are a line's record; with a group `clock`, that of a log with vector
   * clocks.
   */
  readonly pattern?: string;
  /**
   * The key of a message that the event sends, and of one that it receives: `$.id`, or
   * `NAME=$.id,...` for events of that name. Events with equal keys form an interaction.
   */
  readonly send?: string;
  readonly receive?: string;
  /** Attributes that name the probe of a span, the first that is present (default `service.name`). */
  readonly probe?: readonly string[];
  readonly order?: SessionOrder;
  /** The greatest difference between recorders' clocks, in nanoseconds. */
  readonly skew?: bigint;
  /** The zone of times without one: an offset such as `+02:00`, or `Europe/Berlin`. */
  readonly zone?: string;
  readonly dates?: DayOrder;
  readonly unit?: CountUnit;
  readonly epoch?: (typeof EPOCHS)[number];
  /** Columns or keys that make up the time, in this order. */
  readonly join?: readonly string[];
  /** The clock of a recording that has several: `publish`, or the header field that holds a time. */
  readonly clock?: string;
}

/** The values that describe a custom format. */
const DESCRIPTIONS = ['map', 'pattern', 'send', 'receive'] as const;

/**
 * Returns the format that a reading names or describes; a pattern with a group `clock` is for ShiViz.
 *
 * @throws {MappingError}
 */
export function namedFormat(reading: Reading): NamedFormat | Logger | undefined {
  const { from, map, ...descriptions } = reading;
  const { pattern, send, receive } = descriptions;
  if (pattern?.includes('(?<clock>') === true || from === 'shiviz') return 'shiviz';
  if (!DESCRIPTIONS.some((key) => reading[key] !== undefined)) return from;
  const text = defined({ fields: map, pattern, send, receive });
  return { id: MAPPED, mapping: compileOwnMapping(text) };
}

/** The formats of spans whose resources name the probe. */
const SPANS: readonly SessionFormat[] = ['otlp', 'jaeger', 'zipkin'];

/** A reading, and the execution to read of a log of several. */
export type ReadingOfFile = Reading & {
  readonly delimiter?: string | undefined;
  readonly execution?: string | undefined;
};

/** For each value that some formats do not use, the formats that do; `lines` stands for logs and tables. */
const USERS: Readonly<Partial<Record<keyof ReadingOfFile, readonly string[]>>> = {
  probe: SPANS,
  zone: ['lines'],
  dates: ['lines'],
  unit: ['lines', 'mcap'],
  epoch: ['lines'],
  join: ['lines'],
  clock: ['mcap'],
  delimiter: ['shiviz'],
  execution: ['shiviz'],
};

/**
 * Returns the mistakes of a reading with values that have no effect on a format.
 *
 * @param isRecorded true for logs, tables and MCAP
 */
export function idleValues(
  reading: ReadingOfFile,
  format: SessionFormat,
  isRecorded: boolean,
): readonly string[] {
  const user = isRecorded && format !== 'mcap' ? 'lines' : format;
  return Object.entries(USERS).flatMap(([key, users]) =>
    reading[key as keyof ReadingOfFile] !== undefined && !users.includes(user)
      ? [`${quote(key)} has no effect on the format ${format}: remove it`]
      : [],
  );
}

/** Returns the first invalid or conflicting value of a reading; undefined if there is none. */
export function readingMistake(
  reading: Reading,
): { readonly key: keyof Reading; readonly message: string } | undefined {
  const { from, zone } = reading;
  if (zone !== undefined && !isZone(zone)) {
    const message = `${quote(zone)} is not a time zone: write an offset such as +02:00, or a name such as Europe/Berlin`;
    return { key: 'zone', message };
  }
  const description = DESCRIPTIONS.find((key) => reading[key] !== undefined);
  if (from !== undefined && description !== undefined && from !== 'shiviz') {
    return {
      key: 'from',
      message: `"${description}" describes its own format: remove this key`,
    };
  }
  try {
    namedFormat(reading);
    return undefined;
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    const ownKey = DESCRIPTIONS.find((key) => key === error.part);
    return { key: ownKey ?? 'map', message: error.message };
  }
}
