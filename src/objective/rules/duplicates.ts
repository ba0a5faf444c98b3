import { quote, type ReportFn } from '../../diagnostics/index.js';
import type { TomlPath } from '../../toml/index.js';
import type { Draft } from '../draft.js';

interface Named {
  readonly path: TomlPath;
  readonly keys: { readonly name?: string };
}

/**
 * Finds each table whose key an earlier one has: a finding at its `name`.
 *
 * @param noun what a table is, for the message
 * @param keyOf what must be unique; by default the name
 */
export function findDuplicates<T extends Named>(
  { document }: Draft,
  tables: readonly T[],
  noun: string,
  report: ReportFn,
  keyOf: (table: T, name: string) => string = (_, name) => name,
): void {
  if (tables.length < 2) return;
  const first = new Map<string, T>();
  for (const table of tables) {
    const { name } = table.keys;
    if (name === undefined) continue;
    const key = keyOf(table, name);
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, table);
      continue;
    }
    report({
      message: `duplicate ${noun} ${quote(name)}`,
      span: document.valueSpan([...table.path, 'name']),
      related: [{ message: 'the first one', span: document.valueSpan([...earlier.path, 'name']) }],
    });
  }
}
