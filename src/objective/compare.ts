import { quote } from '../diagnostics/index.js';
import { type Json, type JsonObject, parseJson, writeJson } from '../values/index.js';

/** A difference in meaning between two objectives. */
export interface Change {
  readonly change: 'added' | 'removed' | 'changed' | 'reordered';
  /** From the outermost table inwards, such as `measurement "Calm"`, `check`. */
  readonly where: readonly string[];
  readonly before?: Json;
  readonly after?: Json;
}

/** The tables in arrays, with a noun for one of them. */
const NOUNS: Readonly<Record<string, string>> = {
  mutator: 'mutator',
  measurement: 'measurement',
  param_constraints: 'parameter',
};

/** In the order of the format's own description. */
const ORDER = ['name', 'mutation_constraints', 'mutator', 'measurement', 'stopping_conditions'];

/** Returns the differences between two objectives in canonical JSON. */
export function compareObjectives(before: string, after: string): readonly Change[] {
  return [...compareTables([], readCanonical(before), readCanonical(after))];
}

/** Parses canonical JSON, with its numbers as written. */
export function readCanonical(text: string): JsonObject {
  const read = parseJson(text);
  if ('problem' in read) throw new Error(`canonical JSON of the store: ${read.problem}`);
  if (!isTable(read.value)) throw new Error('canonical JSON of the store is not an object');
  return read.value;
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

/** Compares tables that a name identifies; tables with the same name are matched by their order. */
function* compareNamed(
  where: readonly string[],
  noun: string,
  before: readonly JsonObject[],
  after: readonly JsonObject[],
): Generator<Change> {
  const [old, current] = [byName(before), byName(after)];
  for (const [key, table] of old) {
    const inner = [...where, `${noun} ${titleOf(table)}`];
    const other = current.get(key);
    if (other === undefined) yield { change: 'removed', where: inner };
    else yield* compareTables(inner, table, other);
  }
  for (const [key, table] of current) {
    if (!old.has(key)) yield { change: 'added', where: [...where, `${noun} ${titleOf(table)}`] };
  }
  const kept = [...old.keys()].filter((key) => current.has(key));
  const order = [...current.keys()].filter((key) => old.has(key));
  if (kept.join() !== order.join()) yield { change: 'reordered', where: [...where, `${noun}s`] };
}

function byName(tables: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  const counts = new Map<string, number>();
  return new Map(
    tables.map((table) => {
      // Not its title, which is shortened when it is long.
      const key = writeJson([table['name'] ?? '', table['probe'] ?? '']);
      const count = counts.get(key) ?? 0;
      counts.set(key, count + 1);
      return [`${key} ${count}`, table];
    }),
  );
}

/** Returns a mutator's title: it is constrained at a probe, or at all of them. */
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
