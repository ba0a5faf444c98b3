import { compact } from './compact.js';
import { json } from './json.js';
import { pretty } from './pretty/pretty.js';
import type { Reporter } from './reporter.js';

/** Every format, by the name that `--format` takes. */
export const reporters = {
  pretty,
  compact,
  json,
  sarif: lazy(async () => (await import('./ci/sarif.js')).sarif),
  github: lazy(async () => (await import('./ci/github.js')).github),
  gitlab: lazy(async () => (await import('./ci/gitlab.js')).gitlab),
  junit: lazy(async () => (await import('./ci/junit.js')).junit),
  checkstyle: lazy(async () => (await import('./ci/checkstyle.js')).checkstyle),
} as const satisfies Readonly<Record<string, Reporter>>;

export type ReporterName = keyof typeof reporters;

/** A format for CI, loaded when it is asked for: a run by hand starts without it, and without hashing. */
function lazy(load: () => Promise<Reporter>): Reporter {
  return async (report, context) => (await load())(report, context);
}
