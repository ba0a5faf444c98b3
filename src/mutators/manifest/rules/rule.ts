import type { Rule } from '../../../diagnostics/index.js';
import type { ManifestDraft } from '../draft.js';

/** A rule about manifests. */
export type ManifestRule = Rule<ManifestDraft>;

/** An actuator's table, for rule examples. */
export const EXAMPLE_ACTUATOR = `[mutator.actuator]
kind = "exec"
inject = ["./wind.sh", "set"]
reset = ["./wind.sh", "clear"]
`;

/**
 * Returns a manifest with one mutator.
 *
 * @param lines lines for the mutator's table
 * @param tables lines or tables after the mutator's table
 */
export function manifestExample(lines: string, tables = EXAMPLE_ACTUATOR): string {
  return `[[mutator]]\n${lines.trim()}\n\n${tables.trim()}\n`;
}

/** Returns a manifest with one mutator, whose only parameter, `speed`, has the given lines. */
export function manifestWithParam(lines: string, actuator = EXAMPLE_ACTUATOR): string {
  return manifestExample(
    'name = "wind"',
    `[[mutator.param]]\nname = "speed"\n${lines}\n\n${actuator}`,
  );
}
