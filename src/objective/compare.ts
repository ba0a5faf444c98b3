import { quote } from '../diagnostics/index.js';
import { type Json, type JsonObject, parseJson, writeJson } from '../values/index.js';

/** A difference in meaning between two objectives. */
export interface Change {
  readonly change: 'added' | 'removed' | 'changed' | 'reordered';
  /** The path from the outermost table inwards, such as `measurement "Calm"`, `check`. */
  readonly where: readonly string[];
  readonly before?: Json;
  readonly after?: Json;
}

/** The nouns for tables in arrays, by the array's key. */
const NOUNS: Readonly<Record<string, string>> = {
  mutator: 'mutator',
  measurement: 'measurement',
  param_constraints: 'parameter',
};

/** The top-level keys, in the order of the format's description. */
const ORDER = ['name', 'mutation_constraints', 'mutator', 'measurement', 'stopping_conditions'];

/** Returns the differences between two objectives in canonical JSON. */
export function compareObjectives(before: string, after: string): readonly Change[] {
  return [...compareTables([], readCanonical(before), readCanonical(after))];
}

/** Parses canonical JSON, keeping its numbers as written. */
export function readCanonical(text: string): JsonObject {
  const json = parseJson(text);
  if ('problem' in json) throw new Error(`canonical JSON of the store: ${json.problem}`);
  if (!isTable(json.value)) throw new Error('canonical JSON of the store is not an object');
  return json.value;
}

function* compareTables(
  where: readonly string[],
  before: JsonObject,
  after: JsonObject,
): Generator<Change> {
  const keys = [...new Set([...ORDER, ...Object.keys(before), ...Object.keys(after)])];
  for (const key of keys.filter((name) => name !== 'version')) {
    const noun = NOUNS[key];
    if (noun === undefined) yield* compareValues([...where, key], before[key], after[key]);
    else yield* compareNamed(where, noun, tablesOf(before[key]), tablesOf(after[key]));
  }
}

function* compareValues(
  where: readonly string[],
  before: Json | undefined,
  after: Json | undefined,
): Generator<Change> {
  if (isTable(before) || isTable(after)) {
    yield* compareTables(where, isTable(before) ? before : {}, isTable(after) ? after : {});
  } else if (before === undefined) {
    if (after !== undefined) yield { change: 'added', where, after };
  } else if (after === undefined) {
    yield { change: 'removed', where, before };
  } else if (writeJson(before) !== writeJson(after)) {
    yield { change: 'changed', where, before, after };
  }
}

/** Compares tables identified by name. Matches tables with the same name by their order. */
function* compareNamed(
  where: readonly string[],
  noun: string,
  before: readonly JsonObject[],
  after: readonly JsonObject[],
): Generator<Change> {
  const [previousTables, current] = [indexByName(before), indexByName(after)];
  for (const [key, table] of previousTables) {
    const itemPath = [...where, `${noun} ${titleOf(table)}`];
    const counterpart = current.get(key);
    if (counterpart === undefined) yield { change: 'removed', where: itemPath };
    else yield* compareTables(itemPath, table, counterpart);
  }
  for (const [key, table] of current) {
    if (!previousTables.has(key))
      yield { change: 'added', where: [...where, `${noun} ${titleOf(table)}`] };
  }
  const commonKeys = [...previousTables.keys()].filter((key) => current.has(key));
  const order = [...current.keys()].filter((key) => previousTables.has(key));
  if (commonKeys.join() !== order.join())
    yield { change: 'reordered', where: [...where, `${noun}s`] };
}

function indexByName(tables: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  const counts = new Map<string, number>();
  return new Map(
    tables.map((table) => {
      // Does not use the title, which is shortened if long.
      const key = writeJson([table['name'] ?? '', table['probe'] ?? '']);
      const count = counts.get(key) ?? 0;
      counts.set(key, count + 1);
      return [`${key} ${count}`, table];
    }),
  );
}

/** Returns a mutator's title: its name, with its probe if it has one. */
function titleOf({ name, probe }: JsonObject): string {
  return [name, probe]
    .filter((part) => typeof part === 'string')
    .map(quote)
    .join(' at ');
}

function tablesOf(value: Json | undefined): readonly JsonObject[] {
  return (value ?? []) as readonly JsonObject[];
}

function isTable(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype;
}
