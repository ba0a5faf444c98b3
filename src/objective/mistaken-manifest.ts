import type { Violation } from '../diagnostics/index.js';
import { isTable, type TomlDocument } from '../toml/index.js';

/**
 * Tells that a document is a manifest of mutators, where an objective is asked
 * for: the one mistake behind many findings.
 */
export function mistakenManifest(document: TomlDocument): Violation | undefined {
  const { mutator } = document.root;
  if (document.has(['measurement']) || !Array.isArray(mutator)) return undefined;
  const index = mutator.findIndex((one) => isTable(one) && Object.hasOwn(one, 'actuator'));
  if (index === -1) return undefined;
  return {
    message: 'this is a manifest of mutators, not an objective',
    help: 'perturb mutators lint checks it; --mutators checks objectives against it',
    span: document.keySpan(['mutator', index, 'actuator']),
  };
}
