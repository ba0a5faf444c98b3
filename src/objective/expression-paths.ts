import { isTable, type TomlDocument, type TomlPath, type TomlValue } from '../toml/index.js';

/** The paths of the strings of an objective file that hold trace expressions, in no order. */
export function expressionPaths({ root }: TomlDocument): readonly TomlPath[] {
  const precondition = 'mutation_precondition';
  const constraints = root['mutation_constraints'];
  return [
    ...stringAt(['mutation_constraints'], constraints, precondition),
    ...tablesOf('mutator', root['mutator']).flatMap(([path, table]) =>
      stringAt(path, table, precondition),
    ),
    ...tablesOf('measurement', root['measurement']).flatMap(([path, table]) =>
      stringAt(path, table, 'check'),
    ),
  ];
}

function tablesOf(key: string, value: TomlValue | undefined): [TomlPath, TomlValue][] {
  return Array.isArray(value) ? value.map((table, index) => [[key, index], table]) : [];
}

function stringAt(path: TomlPath, table: TomlValue | undefined, key: string): TomlPath[] {
  return isTable(table) && typeof table[key] === 'string' ? [[...path, key]] : [];
}
