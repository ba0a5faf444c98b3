import type { Role } from '../expression/index.js';
import type { TomlPath } from '../toml/index.js';
import type { Draft } from './draft.js';

/** A string of the file that holds a trace expression. */
export interface ExpressionSite {
  readonly path: TomlPath;
  readonly text: string;
  readonly role: Role;
}

/** The trace expressions of a file that are strings at all. */
export function expressionsOf({ objective, mutators, measurements }: Draft): ExpressionSite[] {
  const sites: ExpressionSite[] = [];
  const add = (table: TomlPath, key: string, text: string | undefined, role: Role) => {
    if (text !== undefined) sites.push({ path: [...table, key], text, role });
  };
  const precondition = 'mutation_precondition';
  const global = objective.mutation_constraints?.keys.mutation_precondition;
  add(['mutation_constraints'], precondition, global, 'precondition');
  for (const { path, keys } of mutators) {
    add(path, precondition, keys.mutation_precondition, 'precondition');
  }
  for (const { path, keys } of measurements) add(path, 'check', keys.check, 'check');
  return sites;
}
