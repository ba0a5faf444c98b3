import { LOGGERS } from './importers/log-formats.js';

/** The supported session formats. */
export const FORMATS = [
  ...['session', 'otlp', 'shiviz', 'jaeger', 'zipkin', 'chrome', 'csv', 'mcap'],
  ...LOGGERS,
] as const;

/** A supported format, or `mapped` for a file read with a mapping or a pattern. */
export type SessionFormat = (typeof FORMATS)[number] | 'mapped';
