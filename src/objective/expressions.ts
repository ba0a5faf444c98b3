import type { Role } from '../expression/index.js';
import { isTable, type TomlDocument, type TomlPath, type TomlValue } from '../toml/index.js';

/** A string of an objective file that holds a trace expression. */
export interface ExpressionSite {
  readonly path: TomlPath;
  readonly text: string;
  readonly role: Role;
}

/** The trace expressions of an objective file, in no order. */
export function expressionsOf({ root }: TomlDocument): readonly ExpressionSite[] {
  const sites: ExpressionSite[] = [];
  const precondition = 'mutation_precondition';
  addString(sites, ['mutation_constraints'], root['mutation_constraints'], precondition);
  for (const [path, table] of tablesOf('mutator', root))
    addString(sites, path, table, precondition);
  for (const [path, table] of tablesOf('measurement', root)) addString(sites, path, table, 'check');
  return sites;
}

function tablesOf(
  key: string,
  root: TomlDocument['root'],
): readonly (readonly [TomlPath, TomlValue])[] {
  const value = root[key];
  return Array.isArray(value) ? value.map((table, index) => [[key, index], table]) : [];
}

function addString(
  sites: ExpressionSite[],
  path: TomlPath,
  table: TomlValue | undefined,
  key: 'check' | 'mutation_precondition',
): void {
  const text = isTable(table) ? table[key] : undefined;
  if (typeof text !== 'string') return;
  sites.push({ path: [...path, key], text, role: key === 'check' ? 'check' : 'precondition' });
}
