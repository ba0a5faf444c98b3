import { quote } from '../diagnostics/index.js';
import { defined } from '../values/index.js';
import type { FORMATS, SessionFormat } from './formats.js';
import {
  compileUserMapping,
  type LogFormat,
  MAPPED_FORMAT,
  MappingError,
  type MappingFields,
} from './importers/mapping.js';
import type { DateOrder, TimeUnit } from './importers/times.js';
import { isZone } from './importers/zones.js';
import type { SessionOrder } from './session.js';

type NamedFormat = (typeof FORMATS)[number];

/** The epochs of numeric times. `start` is an unknown moment. */
export const EPOCHS = ['1970', '1900', 'start'] as const;

/**
 * Overrides for reading recordings, instead of recognizing them by content. Plain data, from a `[reading.NAME]` table
 * of perturb.toml or the flags of `session import`.
 */
export interface Reading {
  readonly from?: NamedFormat;
  /** The record paths of an event's fields. */
  readonly map?: MappingFields;
  /** A regular expression whose named groups become a line's record. A group `clock` means a log with vector clocks. */
  readonly pattern?: string;
  /**
   * The key of the message that an event sends or receives: `$.id`, or `NAME=$.id,...` for events with the given name.
   * Events with equal keys form an interaction.
   */
  readonly send?: string;
  readonly receive?: string;
  /** Attributes that may name a span's probe, in order of priority (default `service.name`). */
  readonly probe?: readonly string[];
  readonly order?: SessionOrder;
  /** The maximum difference between recorders' clocks, in nanoseconds. */
  readonly skew?: bigint;
  /** The zone of times without a time zone: an offset such as `+02:00`, or a name such as `Europe/Berlin`. */
  readonly zone?: string;
  readonly dates?: DateOrder;
  readonly unit?: TimeUnit;
  readonly epoch?: (typeof EPOCHS)[number];
  /** Columns or keys to join into a time, in this order. */
  readonly join?: readonly string[];
  /** The clock to use in a recording with several clocks: `publish`, or a header field with a time. */
  readonly clock?: string;
}

/** The keys that describe a custom format. */
const DESCRIPTIONS = ['map', 'pattern', 'send', 'receive'] as const;

/**
 * Returns a reading's named or custom format. A pattern with a group `clock` means ShiViz.
 *
 * @throws {MappingError}
 */
export function findNamedFormat(reading: Reading): NamedFormat | LogFormat | undefined {
  const { from, map, ...descriptions } = reading;
  const { pattern, send, receive } = descriptions;
  if (pattern?.includes('(?<clock>') === true || from === 'shiviz') return 'shiviz';
  if (!DESCRIPTIONS.some((key) => reading[key] !== undefined)) return from;
  const text = defined({ fields: map, pattern, send, receive });
  return { id: MAPPED_FORMAT, mapping: compileUserMapping(text) };
}

/** The span formats whose resources name the probe. */
const SPANS: readonly SessionFormat[] = ['otlp', 'jaeger', 'zipkin'];

/** A reading, with the execution to read from a log of several executions. */
export type FileReading = Reading & {
  readonly delimiter?: string | undefined;
  readonly execution?: string | undefined;
};

/** For each key that affects only some formats, the affected formats. `lines` stands for logs and tables. */
const USERS: Readonly<Partial<Record<keyof FileReading, readonly string[]>>> = {
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
 * Returns a message for each of a reading's values without effect on a format.
 *
 * @param isRecorded true for logs, tables and MCAP
 */
export function findUnusedValues(
  reading: FileReading,
  format: SessionFormat,
  isRecorded: boolean,
): readonly string[] {
  const user = isRecorded && format !== 'mcap' ? 'lines' : format;
  return Object.entries(USERS).flatMap(([key, users]) =>
    reading[key as keyof FileReading] !== undefined && !users.includes(user)
      ? [`${quote(key)} has no effect on the format ${format}: remove it`]
      : [],
  );
}

/** Returns the first invalid or conflicting value of a reading; undefined if there is none. */
export function findReadingMistake(
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
    findNamedFormat(reading);
    return undefined;
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    const ownKey = DESCRIPTIONS.find((key) => key === error.part);
    return { key: ownKey ?? 'map', message: error.message };
  }
}
