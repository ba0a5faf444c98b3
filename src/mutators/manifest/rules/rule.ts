import type { Rule } from '../../../diagnostics/index.js';
import type { ManifestDraft } from '../draft.js';

/** A rule about manifests. */
export type ManifestRule = Rule<ManifestDraft>;

/** An actuator for a rule's example. */
export const ACTUATOR = `[mutator.actuator]
kind = "exec"
inject = ["./wind.sh", "set"]
reset = ["./wind.sh", "clear"]
`;

/** Returns a manifest of one mutator: lines for its table, and lines or tables after that. */
export function manifestExample(lines: string, tables = ACTUATOR): string {
  return `[[mutator]]\n${lines.trim()}\n\n${tables.trim()}\n`;
}

/** Returns a manifest of one mutator with one parameter, `speed`, with these lines. */
export function withParam(lines: string, actuator = ACTUATOR): string {
  return manifestExample(
    'name = "wind"',
    `[[mutator.param]]\nname = "speed"\n${lines}\n\n${actuator}`,
  );
}
