import { LOGGERS } from './importers/log-formats.js';

/** The formats that sessions are read from. */
export const FORMATS = [
  ...['session', 'otlp', 'shiviz', 'jaeger', 'zipkin', 'chrome', 'csv', 'mcap'],
  ...LOGGERS,
] as const;

/** `mapped` is the format of a mapping or a pattern. */
export type SessionFormat = (typeof FORMATS)[number] | 'mapped';
