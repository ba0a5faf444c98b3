import type { Violation } from '../../diagnostics/index.js';
import { isTable, type TomlDocument } from '../../toml/index.js';

/** What objectives have, and manifests never. */
const OBJECTIVE_KEYS = new Set(['measurement', 'mutation_constraints', 'stopping_conditions']);

/**
 * Tells that a document is an objective, where a manifest is asked for: the one
 * mistake behind a finding for each of its keys.
 */
export function mistakenObjective(document: TomlDocument): Violation | undefined {
  const key = document.keys([]).find((one) => OBJECTIVE_KEYS.has(one));
  const { mutator } = document.root;
  const acts =
    Array.isArray(mutator) && mutator.some((one) => isTable(one) && Object.hasOwn(one, 'actuator'));
  if (key === undefined || acts) return undefined;
  return {
    message: 'this is an objective, not a manifest of mutators',
    help: 'name a file of [[mutator]] tables that have an actuator',
    span: document.keySpan([key]),
  };
}
