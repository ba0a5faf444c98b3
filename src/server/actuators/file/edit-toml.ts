import type { Span } from '../../../source/index.js';
import { isTable, type TomlDocument, type TomlPath, type TomlValue } from '../../../toml/index.js';

/**
 * Where in a TOML document the value stands to which keys lead from the root;
 * undefined when there is none, or a table or an array: these may be written in
 * several places. In an array a key is an index.
 */
export function findTomlValue(document: TomlDocument, keys: readonly string[]): Span | undefined {
  const path: TomlPath[number][] = [];
  let value: TomlValue | undefined = document.root;
  for (const key of keys) {
    const step: string | number = Array.isArray(value) && /^\d+$/.test(key) ? Number(key) : key;
    if (typeof step === 'number') value = (value as TomlValue[])[step];
    else value = isTable(value) ? value[step] : undefined;
    path.push(step);
  }
  if (value === undefined || isTable(value) || Array.isArray(value)) return undefined;
  return document.valueSpan(path);
}
