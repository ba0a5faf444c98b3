import { LOG_FORMAT_NAMES } from './importers/log-formats.js';

/** The supported session formats. */
export const FORMATS = [
  ...['session', 'otlp', 'shiviz', 'jaeger', 'zipkin', 'chrome', 'csv', 'mcap'],
  ...LOG_FORMAT_NAMES,
] as const;

/** A supported format, or `mapped` for a file read with a mapping or a pattern. */
export type SessionFormat = (typeof FORMATS)[number] | 'mapped';
