import { json } from './json.js';
import { pretty } from './pretty.js';
import type { Reporter } from './reporter.js';

/** Every format, by the name that `--format` takes. */
export const reporters = {
  pretty,
  json,
} as const satisfies Readonly<Record<string, Reporter>>;

export type ReporterName = keyof typeof reporters;
