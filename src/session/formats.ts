import { LOGGERS } from './importers/log-formats.js';

/** The formats that sessions are read from. */
export const FORMATS = [
  ...['session', 'otlp', 'shiviz', 'jaeger', 'zipkin', 'chrome', 'csv', 'mcap'],
  ...LOGGERS,
] as const;

/** `mapped` is what a mapping or a pattern describes. */
export type SessionFormat = (typeof FORMATS)[number] | 'mapped';
