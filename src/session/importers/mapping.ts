import { isSwapped, quote } from '../../diagnostics/index.js';
import { type Json, type JsonObject, numberText } from '../../values/index.js';
import { itemsOf, membersOf } from './json-access.js';
import { layOutPattern, type PatternLayout } from './time-layout.js';
import type { TimeUnit } from './times.js';

/**
 * The paths of an event's parts in a record: `name`, `probe`, `time`, `seq` and `timeline`. Any other key is an
 * attribute of that name. A path is `$.a.b`, `$["a b"]`, a fixed `'text'`, or several alternatives separated by `|`, in
 * order of priority.
 */
export type MappingFields = Readonly<Record<string, string>>;

/** A mapping of a log's records to events, in text form. */
export interface MappingText {
  /** A regular expression whose named groups become the record. If absent, records are JSON Lines. */
  readonly pattern?: string;
  readonly fields?: MappingFields;
  /**
   * The key of the message that an event sends or receives: `$.id`, or `NAME=$.id,...` for events with the given name.
   * Events with equal keys form an interaction.
   */
  readonly send?: string;
  readonly receive?: string;
}

/** The keys of a path into a record, or a fixed text. */
type JsonPath = readonly string[] | string;

/** The paths of message keys, by event name; undefined stands for all names. */
export type MessageKeys = ReadonlyMap<string | undefined, readonly JsonPath[]>;

/** A compiled mapping. */
export interface Mapping {
  readonly pattern?: RegExp | undefined;
  /** The time layouts in the pattern. */
  readonly layouts?: readonly RegExp[];
  readonly parts: Readonly<Record<(typeof PARTS)[number], readonly JsonPath[]>>;
  readonly attributes: ReadonlyMap<string, readonly JsonPath[]>;
  readonly send: MessageKeys;
  readonly receive: MessageKeys;
  /** True if `send` and `receive` are equal. The first event with a key is then the sender. */
  readonly isFirstSender: boolean;
}

export const PARTS = ['name', 'probe', 'time', 'seq', 'timeline'] as const;

/** The default paths of an event's parts in a pattern's groups. */
const GROUPS = {
  name: '$.name|$.event',
  probe: '$.probe|$.host',
  time: '$.time',
  seq: '$.seq',
  timeline: '$.timeline',
} as const;

const FIELD = /\s*([^=,]*[^\s=,])\s*=((?:'[^']*'|"[^"]*"|[^,'"])+)(?:,|$)/y;
const PATH =
  /\s*(?:\$((?:\.[^\s.,|[\]"'=]+|\[\d+\]|\["[^"]*"\]|\['[^']*'\])+)|"([^"]*)"|'([^']*)')\s*(?:\||$)/y;
const STEP = /\.([^.[]+)|\[(\d+)\]|\["([^"]*)"\]|\['([^']*)'\]/g;

/** The error for an invalid mapping. `part` is a field, `pattern`, `send` or `receive`. */
export class MappingError extends SyntaxError {
  constructor(
    message: string,
    readonly part?: string,
  ) {
    super(part === undefined || part === 'pattern' ? message : `${part}: ${message}`);
  }
}

/** Parses fields such as `name=$.msg,probe=$.service`. @throws {MappingError} for any other text */
export function parseFields(text: string, part?: string): MappingFields {
  const matches = matchAll(text, FIELD);
  if (matches === undefined) {
    throw new MappingError(
      `expected fields such as name=$.msg,time=$.ts, found ${quote(text)}`,
      part,
    );
  }
  const fields = new Map<string, string>();
  for (const [, field = '', path = ''] of matches) {
    if (fields.has(field)) {
      const message = 'it occurs twice: to use the first path that is present, write $.a|$.b';
      throw new MappingError(message, part ?? field);
    }
    fields.set(field, path.trim());
  }
  return Object.fromEntries(fields);
}

/**
 * Compiles a user's mapping.
 *
 * @throws {MappingError} like `compileMapping`, and for a field that is certainly a mistake
 */
export function compileUserMapping(text: MappingText): Mapping {
  const mapping = compileMapping(text);
  const groups = groupNames(parseLayout(text.pattern)?.pattern);
  for (const [field, fieldText] of Object.entries(text.fields ?? {})) {
    const nearMiss = [...PARTS, 'send', 'receive', 'pattern'].find((part) =>
      isNearMiss(field, part),
    );
    if (nearMiss !== undefined) {
      throw new MappingError(`did you mean "${nearMiss}"? Any other name is an attribute`, field);
    }
    const isPresent = (path: JsonPath) =>
      typeof path === 'string' || groups?.has(path[0] as string);
    if (groups !== undefined && !parsePaths(fieldText, field).some(isPresent) && !isOpen(groups)) {
      const message = `the pattern has no group ${fieldText.replace(/^\$\.?/, '')}, only ${[...groups].join(', ')}`;
      throw new MappingError(message, field);
    }
  }
  return mapping;
}

/** True if a word is the part's name with one letter missing or two letters swapped. */
function isNearMiss(word: string, part: string): boolean {
  const isShorter = word.length === part.length - 1;
  const lacksLetter = [...part].some((_, at) => word === part.slice(0, at) + part.slice(at + 1));
  return isSwapped(word, part) || (part.length > 3 && isShorter && lacksLetter);
}

/** True if `json` or `pairs` may contain keys other than the groups. */
function isOpen(groups: ReadonlySet<string>): boolean {
  return groups.has('json') || groups.has('pairs');
}

/** Compiles a mapping. @throws {MappingError} with the reason and the part */
export function compileMapping({ pattern, fields = {}, send, receive }: MappingText): Mapping {
  const layout = parseLayout(pattern);
  const groups = groupNames(layout?.pattern);
  const defaults = pattern === undefined ? {} : GROUPS;
  const pathsByField = new Map(
    Object.entries<string>({ ...defaults, ...fields }).map(([field, text]) => [
      field,
      parsePaths(text, field),
    ]),
  );
  const partPaths = PARTS.map((part) => [part, pathsByField.get(part) ?? []] as const);
  const parts = Object.fromEntries(partPaths) as unknown as Mapping['parts'];
  for (const part of PARTS) pathsByField.delete(part);
  const names = parts.name.filter(
    (path) =>
      typeof path === 'string' ||
      groups === undefined ||
      groups.has(path[0] ?? '') ||
      isOpen(groups),
  );
  if (names.length === 0) {
    if (pattern !== undefined && fields['name'] === undefined)
      throw new MappingError('the pattern lacks a group (?<name>...)', 'pattern');
    const isMessageOnly = Object.keys(fields).length === 0 && (send ?? receive) !== undefined;
    if (isMessageOnly) {
      const givenOption = send === undefined ? 'receive' : 'send';
      throw new MappingError('it needs "map" or "pattern" to define events', givenOption);
    }
    if (pattern === undefined)
      throw new MappingError("it lacks the path of an event's name, such as name=$.msg");
  }
  const group = (name: string) => (groups?.has(name) ? `$.${name}` : undefined);
  const [sendText, receiveText] = [send ?? group('send'), receive ?? group('receive')];
  if ((sendText === undefined) !== (receiveText === undefined)) {
    const givenOption = sendText === undefined ? 'receive' : 'send';
    throw new MappingError('set both --send and --receive, or neither', givenOption);
  }
  return {
    ...(layout && { pattern: new RegExp(layout.pattern), layouts: layout.layouts }),
    parts,
    attributes: pathsByField,
    send: parseKeys(sendText, 'send'),
    receive: parseKeys(receiveText, 'receive'),
    isFirstSender: sendText === receiveText,
  };
}

function parseLayout(pattern: string | undefined): PatternLayout | undefined {
  try {
    return pattern === undefined ? undefined : layOutPattern(pattern);
  } catch (error) {
    throw new MappingError((error as Error).message, 'pattern');
  }
}

/** Returns the names of a pattern's groups. */
function groupNames(pattern: string | undefined): ReadonlySet<string> | undefined {
  if (pattern === undefined) return undefined;
  try {
    new RegExp(pattern);
    // A match of an empty alternative has the names of all groups.
    const { groups = {} } = new RegExp(`${pattern}|`).exec('') ?? {};
    return new Set(Object.keys(groups));
  } catch (error) {
    throw new MappingError((error as Error).message, 'pattern');
  }
}

function parseKeys(text: string | undefined, part: string): MessageKeys {
  if (text === undefined) return new Map();
  if (/^\s*[$'"]/.test(text)) return new Map([[undefined, parsePaths(text, part)]]);
  const fields = Object.entries(parseFields(text, part));
  return new Map(fields.map(([name, path]) => [name, parsePaths(path, part)]));
}

function parsePaths(text: string, part: string): readonly JsonPath[] {
  const matches = matchAll(text, PATH);
  if (matches === undefined) {
    throw new MappingError(`expected a path such as $.msg or a 'text', found ${quote(text)}`, part);
  }
  return matches.map(([, path, doubleQuoted, singleQuoted]) =>
    path === undefined
      ? (doubleQuoted ?? singleQuoted ?? '')
      : [...path.matchAll(STEP)].map(([, ...keys]) => keys.find((key) => key !== undefined) ?? ''),
  );
}

/** Splits a text into consecutive matches; returns undefined if the text contains anything else. */
function matchAll(text: string, part: RegExp): readonly RegExpExecArray[] | undefined {
  const matches: RegExpExecArray[] = [];
  for (part.lastIndex = 0; part.lastIndex < text.length; ) {
    const match = part.exec(text);
    if (match === null) return undefined;
    matches.push(match);
  }
  return matches.length === 0 || /[,|]\s*$/.test(text) ? undefined : matches;
}

/** Returns the first value present at one of the paths, and the value's dotted name. `a.b` may also be a single key. */
export function findValue(
  record: JsonObject,
  paths: readonly JsonPath[],
): { readonly value: Json; readonly at: string } | undefined {
  for (const path of paths) {
    if (typeof path === 'string') return { value: path, at: '' };
    const at = path.length === 1 ? (path[0] as string) : path.join('.');
    const value = memberAt(record, path) ?? (Object.hasOwn(record, at) ? record[at] : undefined);
    if (value !== undefined && value !== null && value !== '') return { value, at };
  }
  return undefined;
}

function memberAt(record: JsonObject, path: readonly string[]): Json | undefined {
  let at: Json | undefined = record;
  for (const key of path) {
    if (Array.isArray(at)) at = itemsOf(at)[Number(key)];
    else at = Object.hasOwn(membersOf(at), key) ? membersOf(at)[key] : undefined;
  }
  return at;
}

/** Returns a string, a boolean, or a number as written, as text; undefined for other JSON. */
export function wordOfJson(json: Json | undefined): string | undefined {
  if (json === undefined || typeof json === 'string') return json;
  if (typeof json === 'boolean') return String(json);
  return numberText(json);
}

/** A log format: rules for recognizing lines, and for converting lines to events. */
export interface LogFormat {
  readonly id: string;
  readonly mapping: Mapping;
  /** For JSON Lines, the keys that every line has. */
  readonly keys?: readonly string[];
  /** True if lines are `key=value ...`, rather than JSON or matches of the pattern. */
  readonly isLogfmt?: boolean;
  /** True if a line that does not match continues the previous event, as in a stack trace. */
  readonly hasContinuations?: boolean;
  /** For a container's log, the key of the program's output. The output may be JSON, and may be split into parts. */
  readonly outputKey?: string;
  /** Matches keys without information about the event. */
  readonly ignoredKeys?: RegExp;
  /** Matches the first line of an event on two lines. */
  readonly firstLine?: RegExp;
  /** Matches lines that are not events. */
  readonly skippedLines?: RegExp;
  /** Matches a line specific to this format. A log without such a line has another format. */
  readonly signature?: RegExp;
  /** True if pairs `key=value` at the end of a message are attributes of the event. */
  readonly hasPairs?: boolean;
  /** Groups whose values are always strings. */
  readonly texts?: readonly string[];
  /** The unit of numeric times. */
  readonly unit?: TimeUnit;
}

/** The id of a format described by a user's mapping. */
export const MAPPED_FORMAT = 'mapped';
