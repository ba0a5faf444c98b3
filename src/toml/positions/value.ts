import { TomlDate } from 'smol-toml';

export { TomlDate };

/** The way from the root table to a value: keys, and the indexes of arrays. */
export type TomlPath = readonly (string | number)[];

/** A value of a TOML document. Integers are always `bigint`, floats always `number`. */
export type TomlValue = string | bigint | number | boolean | TomlDate | TomlValue[] | TomlTable;

/** A table: an object without a prototype, so that `__proto__` is a key like any other. */
export interface TomlTable {
  [key: string]: TomlValue;
}

/** Whether a value is a table, written in any of the ways TOML has. */
export function isTable(value: TomlValue | undefined): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value) && !(value instanceof TomlDate);
}

/** Whether a value is an array that holds tables and nothing else, and at least one. */
export function isArrayOfTables(value: TomlValue | undefined): value is TomlTable[] {
  return Array.isArray(value) && value.length > 0 && value.every(isTable);
}
