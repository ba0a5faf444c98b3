import { json } from './json.js';
import { compact, pretty } from './pretty/findings.js';
import type { Reporter } from './report.js';

/** All formats, keyed by their names in `--format`. */
export const reporters = {
  pretty,
  compact,
  json,
  sarif: lazy(async () => (await import('./ci/sarif.js')).sarif),
  github: lazy(async () => (await import('./ci/annotations.js')).github),
  gitlab: lazy(async () => (await import('./ci/annotations.js')).gitlab),
  junit: lazy(async () => (await import('./ci/junit.js')).junit),
  markdown: lazy(async () => (await import('./ci/markdown.js')).formatMarkdown),
  checkstyle: lazy(async () => (await import('./ci/junit.js')).checkstyle),
} as const satisfies Readonly<Record<string, Reporter>>;

export type ReporterName = keyof typeof reporters;

/**
 * Returns a reporter for CI that loads its format on first use. This keeps interactive runs fast.
 */
function lazy(load: () => Promise<Reporter>): Reporter {
  return async (report, context) => (await load())(report, context);
}
