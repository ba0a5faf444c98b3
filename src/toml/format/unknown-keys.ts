import {
  findNearestWord,
  type ProposedFix,
  quote,
  suggest,
  suggestedFix,
} from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import type { TomlDocument } from '../positions/document.js';
import { isTable, type TomlPath, type TomlTable } from '../positions/node.js';
import {
  bounds,
  type EmbeddedText,
  type Entry,
  type Format,
  type TableFormat,
  tableIn,
} from './format.js';
import { headerOf, type Misfit, writeExample, writeKey } from './misfits.js';

/** The state of a walk that checks a document against a format. */
export interface Walk {
  readonly document: TomlDocument;
  readonly report: (misfit: Misfit) => undefined;
  readonly root: TableFormat;
  /** The tables that enclose the current table, outermost first. */
  readonly enclosing: EnclosingTable[];
  /** The keys misplaced in a nested table, by the table that should contain each key. */
  readonly misplaced: Map<TomlTable, Set<string>>;
  /** True if a required key is missing but an unknown key was intended for it, so only the unknown key has a misfit. */
  lacks: boolean;
  readonly embedded: EmbeddedText[];
}

interface EnclosingTable {
  readonly format: TableFormat;
  readonly value: TomlTable;
  readonly path: TomlPath;
}

/** A guess at the intended key, with help. */
interface Guess {
  /** The intended keys' names, or the names on the paths to the tables that should contain the key. */
  readonly intended: readonly string[];
  readonly help?: string | undefined;
  readonly fix?: ProposedFix | undefined;
  /** The name of the intended entry. Unknown keys with the same entry are reported as one mistake. */
  readonly entry?: string;
}

/**
 * Reports the keys of a walk's innermost table that are unknown to the table's format.
 *
 * @returns the format's keys that were intended
 */
export function reportUnknownKeys(walk: Walk, unknown: readonly string[]): ReadonlySet<string> {
  const { document, report } = walk;
  const { path, value } = walk.enclosing.at(-1) as EnclosingTable;
  const isAlone = unknown.length === 1 && Object.keys(value).length === 1;
  const intended = new Set<string>();
  const groups = new Map<string, { key: string; guess: Guess; moreKeys: string[] }>();
  for (const key of unknown) {
    const guess = guessAt(walk, key, isAlone);
    const group = groups.get(guess.entry ?? key);
    if (group === undefined) groups.set(guess.entry ?? key, { key, guess, moreKeys: [] });
    else group.moreKeys.push(key);
    for (const name of guess.intended) intended.add(name);
  }
  const related = (key: string) => ({
    message: 'also unknown',
    span: document.keySpan([...path, key]),
  });
  for (const { key, guess, moreKeys } of groups.values()) {
    const { help, fix } = guess;
    const message = `unknown key ${quote(key)}`;
    const at = { span: document.keySpan([...path, key]), path: [...path, key] };
    const more = { related: moreKeys.map(related), intended: guess.intended };
    report({ kind: 'unknown-key', message, help, fix, ...at, ...more });
  }
  return intended;
}

function guessAt(walk: Walk, key: string, isAlone: boolean): Guess {
  const { format, value, path } = walk.enclosing.at(-1) as EnclosingTable;
  const { hints = {} } = format;
  if (Object.hasOwn(hints, key)) {
    const span = walk.document.valueSpan([...path, key]);
    const written = walk.document.file.text.slice(span.start, span.end);
    return { intended: [], help: hints[key]?.(written) };
  }
  const alias = aliasIn(format, key);
  if (alias !== undefined) {
    const [name, entry] = alias;
    return { intended: [name], entry: name, ...aliased(walk, key, name, entry) };
  }
  const wrappedValue = value[key];
  const innerKeys = isTable(wrappedValue)
    ? Object.keys(wrappedValue).filter((inner) => Object.hasOwn(format.keys, inner))
    : [];
  if (innerKeys.length > 0 && walk.enclosing.length === 1) {
    const help = `remove ${quote(key)}: its keys belong at the top of the file`;
    return { intended: innerKeys, help };
  }
  return (
    elsewhere(walk, key) ?? (isAlone ? namedByKey(walk, key) : undefined) ?? misspelt(walk, key)
  );
}

/** Recognizes `{ speed = [0, 5] }`, written for `{ name = "speed", range = [0, 5] }`. */
function namedByKey(
  { document, enclosing: enclosingTables }: Walk,
  key: string,
): Guess | undefined {
  const { format, value, path } = enclosingTables.at(-1) as EnclosingTable;
  if (!Array.isArray(value[key]) || format.keys['name'] === undefined) return;
  const [range] = Object.entries(format.keys).find(([, entry]) => entry.format === bounds) ?? [];
  if (range === undefined) return;
  if (document.file.text[document.valueSpan(path).start] !== '{') return;
  const span = document.keySpan([...path, key]);
  const replacement = `name = ${JSON.stringify(key)}, ${range}`;
  const fix = suggestedFix(span, replacement, `write ${replacement} = ...`);
  return { intended: ['name'], help: fix.title, fix };
}

/** Returns help for an alias of a key, using the value as written if it fits the format. */
function aliased(walk: Walk, key: string, name: string, entry: Entry): Pick<Guess, 'help' | 'fix'> {
  const { document } = walk;
  const { format, value, path } = walk.enclosing.at(-1) as EnclosingTable;
  const item = value[key];
  const keySpan = document.keySpan([...path, key]);
  const isFree = !Object.hasOwn(value, name);
  if (entry.opposites?.includes(key.toLowerCase()) && typeof item === 'boolean' && isFree) {
    const title = `write ${name} = ${!item}`;
    const value = { span: document.valueSpan([...path, key]), text: String(!item) };
    const edits = [{ span: keySpan, text: name }, value];
    return { help: title, fix: { title, kind: 'suggested', edits } };
  }
  const written = (key: string): string => {
    const { start, end } = document.valueSpan([...path, key]);
    return document.file.text.slice(start, end);
  };
  const isNumber = (value: unknown) => typeof value === 'number' || typeof value === 'bigint';
  if (entry.format !== bounds && Array.isArray(item) && item.length === 2 && item.every(isNumber)) {
    const range = Object.entries(format.keys).find(([, candidate]) => candidate.format === bounds);
    if (range !== undefined) return aliased(walk, key, ...range);
  }
  if (entry.format.type === 'array' && Array.isArray(item)) {
    const help = `write ${name} = ${written(key)}`;
    return { help, fix: isFree ? suggestedFix(keySpan, writeKey(name), help) : undefined };
  }
  const bound = (pattern: RegExp) => Object.keys(value).find((name) => pattern.test(name));
  const [low, high] = [bound(/^(?:min|lower)/i), bound(/^(?:max|upper)/i)];
  if (entry.format.type === 'array' && low !== undefined && high !== undefined) {
    const text = `${name} = [${written(low)}, ${written(high)}]`;
    const fix = isFree ? joined(walk, [low, high], text) : undefined;
    return { help: fix?.title ?? `a range needs both bounds: ${text}`, fix };
  }
  if (entry.format === bounds && (low ?? high) !== undefined) {
    const lower = low === undefined ? 'lower' : written(low);
    const upper = high === undefined ? 'upper' : written(high);
    return { help: `a range needs both bounds: ${name} = [${lower}, ${upper}]` };
  }
  const example = writeExample(name, entry);
  if (example !== undefined) {
    const renamed = isFree && isTable(item) ? suggestedFix(keySpan, name, example) : undefined;
    return { help: example, fix: renamed };
  }
  const fix = isFree ? suggestedFix(keySpan, writeKey(name)) : undefined;
  return { help: `did you mean ${quote(name)}?`, fix };
}

/**
 * Returns the fix that replaces two keys with one. Returns undefined if the fix would leave a comma or an empty line in
 * place of the second key.
 */
function joined(
  { document, enclosing: enclosingTables }: Walk,
  keys: readonly [string, string],
  text: string,
): ProposedFix | undefined {
  const { path } = enclosingTables.at(-1) as EnclosingTable;
  const whole = (key: string): Span => ({
    start: document.keySpan([...path, key]).start,
    end: document.valueSpan([...path, key]).end,
  });
  const [first, second] = keys.map(whole).sort((a, b) => a.start - b.start);
  if (first === undefined || second === undefined) return undefined;
  const file = document.file.text;
  const title = `write ${text}`;
  if (/^\s*,?\s*$/.test(file.slice(first.end, second.start))) {
    return suggestedFix({ start: first.start, end: second.end }, text, title);
  }
  const lineStart = /\r?\n[ \t]*$/.exec(file.slice(0, second.start));
  if (lineStart === null || !/^[ \t]*(?:\r?\n|$)/.test(file.slice(second.end))) return undefined;
  const deletion = { span: { start: lineStart.index, end: second.end }, text: '' };
  return { title, kind: 'suggested', edits: [{ span: first, text }, deletion] };
}

function misspelt({ document, enclosing: enclosingTables }: Walk, key: string): Guess {
  const { format, value, path } = enclosingTables.at(-1) as EnclosingTable;
  const names = Object.keys(format.keys);
  const nearestKey = findNearestWord(key, names) ?? longerName(key, names);
  if (nearestKey === undefined) return { intended: [], help: suggest(key, names) };
  // Renaming to a key that is already present would be another mistake, unless the key names an array of tables.
  const { type } = (format.keys[nearestKey] as Entry).format;
  if (Object.hasOwn(value, nearestKey) && type !== 'tables') {
    return {
      intended: [nearestKey],
      help: `${quote(nearestKey)} is already here: keep one of the two`,
    };
  }
  const fix = suggestedFix(document.keySpan([...path, key]), writeKey(nearestKey));
  return { intended: [nearestKey], help: `did you mean ${quote(nearestKey)}?`, fix };
}

/** Returns the only name that contains all words of a key in order, such as `mutator_tags` for `tags`. */
function longerName(key: string, names: readonly string[]): string | undefined {
  const words = key.toLowerCase().split(/[_-]/);
  const [first, ...others] = names.filter((name) => {
    let at = 0;
    for (const word of name.split('_')) if (word === words[at]) at += 1;
    return at === words.length;
  });
  return others.length === 0 ? first : undefined;
}

/** Guesses another table for a key: an enclosing table without the key, or the only tables that can have the key. */
function elsewhere(walk: Walk, key: string): Guess | undefined {
  const lacking = walk.enclosing
    .slice(0, -1)
    .findLast(({ format, value }) => Object.hasOwn(format.keys, key) && !Object.hasOwn(value, key));
  if (lacking !== undefined) {
    const keys = walk.misplaced.get(lacking.value) ?? new Set();
    walk.misplaced.set(lacking.value, keys.add(key));
    const names = lacking.path.filter((step) => typeof step === 'string');
    return { intended: [], help: belongsIn([headerIn(walk.root, names)]) };
  }
  const paths = tablesWithKey(walk.root, key).map(([names]) => names);
  const headers = paths.map((names) => headerIn(walk.root, names));
  if (headers.length === 0 || headers.length > MAX_PLACES) return undefined;
  return { intended: paths.flat(), help: belongsIn(headers) };
}

/** Maximum number of tables to suggest. If more tables can have a key, the intended table is unclear. */
const MAX_PLACES = 2;

function belongsIn(headers: readonly string[]): string {
  return headers[0] === ''
    ? 'it belongs at the top of the file, before the first header'
    : `it belongs in ${headers.join(' or ')}`;
}

/** Returns the header of the table at a path of names; empty for the root. */
export function headerIn(root: TableFormat, names: readonly string[]): string {
  if (names.length === 0) return '';
  let table = root;
  let inner: Format | undefined;
  for (const name of names) {
    inner = table.keys[name]?.format;
    table = tableIn(inner) ?? table;
  }
  return headerOf(names, inner?.type === 'tables' ? 2 : 1);
}

/** Returns a format's tables with a given key, each with the names leading to the table and the key's entry. */
export function tablesWithKey(
  { keys }: TableFormat,
  key: string,
  names: readonly string[] = [],
): (readonly [names: readonly string[], entry: Entry])[] {
  const entry = Object.hasOwn(keys, key) ? keys[key] : undefined;
  const inner = Object.entries(keys).flatMap(([name, { format }]) => {
    const table = tableIn(format);
    return table === undefined || table.isApart ? [] : tablesWithKey(table, key, [...names, name]);
  });
  return entry === undefined ? inner : [[names, entry], ...inner];
}

function aliasIn(format: TableFormat, key: string): readonly [string, Entry] | undefined {
  const lower = key.toLowerCase();
  return Object.entries(format.keys).find(
    ([, { aliases, opposites }]) => aliases?.includes(lower) || opposites?.includes(lower),
  );
}

/** Returns the format's key that equals a file's key or was probably intended by it. */
export function intendedKey(format: TableFormat, key: string): string | undefined {
  if (Object.hasOwn(format.keys, key)) return key;
  const names = Object.keys(format.keys);
  return aliasIn(format, key)?.[0] ?? findNearestWord(key, names) ?? longerName(key, names);
}
