import { type Json, type JsonObject, numberText } from '../../values/index.js';
import { quoted } from '../problem.js';
import { itemsOf, membersOf } from './json-access.js';

/**
 * Where the parts of an event stand in a record, as it is written: `name`, `probe`, `time`,
 * `seq` and `timeline`; any other key is an attribute of that name. A value is `$.a.b`, `$["a b"]`, a
 * `'text'`, or several of these with `|` between them, of which the first that is there counts.
 */
export type MappingFields = Readonly<Record<string, string>>;

/** How records of a log become events. */
export interface MappingText {
  /** A regular expression whose named groups are the record; JSON Lines where absent. */
  readonly pattern?: string;
  readonly fields?: MappingFields;
  /**
   * The key of a message that the event sends, and of one that it receives: `$.id`, or
   * `NAME=$.id,...` for events of that name. Events with equal keys are an interaction.
   */
  readonly send?: string;
  readonly receive?: string;
}

/** A way into a record by its keys, or a text that it is. */
export type JsonWay = readonly string[] | string;

/** By the name of an event, or by none for all, where its key of a message stands. */
export type MessageKeys = ReadonlyMap<string | undefined, readonly JsonWay[]>;

/** A mapping that is ready for use. */
export interface Mapping {
  readonly pattern?: RegExp | undefined;
  readonly parts: Readonly<Record<(typeof PARTS)[number], readonly JsonWay[]>>;
  readonly attributes: ReadonlyMap<string, readonly JsonWay[]>;
  readonly send: MessageKeys;
  readonly receive: MessageKeys;
  /** Whether both are the same, so that the first event with a key has sent it. */
  readonly isSendFirst: boolean;
}

export const PARTS = ['name', 'probe', 'time', 'seq', 'timeline'] as const;

/** Where the parts stand in a pattern, unless a mapping says otherwise. */
const GROUPS = {
  name: '$.name|$.event',
  probe: '$.probe|$.host',
  time: '$.time',
  seq: '$.seq',
  timeline: '$.timeline',
} as const;

const FIELD = /\s*([^=,]*[^\s=,])\s*=((?:'[^']*'|"[^"]*"|[^,'"])+)(?:,|$)/y;
const WAY =
  /\s*(?:\$((?:\.[^\s.,|[\]"'=]+|\[\d+\]|\["[^"]*"\]|\['[^']*'\])+)|"([^"]*)"|'([^']*)')\s*(?:\||$)/y;
const STEP = /\.([^.[]+)|\[(\d+)\]|\["([^"]*)"\]|\['([^']*)'\]/g;

/** The fields of `name=$.msg,probe=$.service`. @throws {SyntaxError} if it is none such */
export function parseFields(text: string): MappingFields {
  const matches = whole(text, FIELD);
  if (matches === undefined) {
    throw new SyntaxError(`the mapping: ${quoted(text)} is not like name=$.msg,time=$.ts`);
  }
  return Object.fromEntries(matches.map(([, field = '', way = '']) => [field, way.trim()]));
}

/** @throws {SyntaxError} that says what is wrong with it, and in which part */
export function compileMapping({ pattern, fields = {}, send, receive }: MappingText): Mapping {
  const { source, groups } = compilePattern(pattern);
  const known = pattern === undefined ? {} : GROUPS;
  const ways = new Map(
    Object.entries<string>({ ...known, ...fields }).map(([field, text]) => [field, waysOf(text)]),
  );
  const taken = PARTS.map((part) => [part, ways.get(part) ?? []] as const);
  const parts = Object.fromEntries(taken) as unknown as Mapping['parts'];
  for (const part of PARTS) ways.delete(part);
  const names = parts.name.filter(
    (way) => typeof way === 'string' || groups === undefined || groups.has(way[0] ?? ''),
  );
  if (names.length === 0) {
    throw new SyntaxError(
      pattern === undefined
        ? 'the mapping: it does not say where the name of an event is: name=$.msg'
        : 'the pattern lacks a group (?<name>...)',
    );
  }
  const group = (name: string) => (groups?.has(name) ? `$.${name}` : undefined);
  const [sent, received] = [send ?? group('send'), receive ?? group('receive')];
  if ((sent === undefined) !== (received === undefined)) {
    throw new SyntaxError('the mapping: messages are sent and received: give both or neither');
  }
  return {
    pattern: source,
    parts,
    attributes: ways,
    send: keysOf(sent),
    receive: keysOf(received),
    isSendFirst: sent === received,
  };
}

function compilePattern(pattern: string | undefined): {
  readonly source?: RegExp;
  readonly groups?: ReadonlySet<string>;
} {
  if (pattern === undefined) return {};
  const source = new RegExp(pattern);
  // What matches everything tells which groups there are.
  const { groups = {} } = new RegExp(`${pattern}|`).exec('') ?? {};
  return { source, groups: new Set(Object.keys(groups)) };
}

function keysOf(text: string | undefined): MessageKeys {
  if (text === undefined) return new Map();
  if (/^\s*[$'"]/.test(text)) return new Map([[undefined, waysOf(text)]]);
  return new Map(Object.entries(parseFields(text)).map(([name, way]) => [name, waysOf(way)]));
}

function waysOf(text: string): readonly JsonWay[] {
  const matches = whole(text, WAY);
  if (matches === undefined) {
    throw new SyntaxError(
      `the mapping: ${quoted(text)} is neither a path such as $.msg nor a 'text'`,
    );
  }
  return matches.map(([, path, double, single]) =>
    path === undefined
      ? (double ?? single ?? '')
      : [...path.matchAll(STEP)].map(([, ...keys]) => keys.find((key) => key !== undefined) ?? ''),
  );
}

/** The matches that make up the whole of a text. */
function whole(text: string, part: RegExp): readonly RegExpExecArray[] | undefined {
  const matches: RegExpExecArray[] = [];
  for (part.lastIndex = 0; part.lastIndex < text.length; ) {
    const match = part.exec(text);
    if (match === null) return undefined;
    matches.push(match);
  }
  return matches.length === 0 || /[,|]\s*$/.test(text) ? undefined : matches;
}

/** What a record has there, and under which dotted name; `a.b` is also a key as such. */
export function lookUp(
  record: JsonObject,
  ways: readonly JsonWay[],
): { readonly value: Json; readonly at: string } | undefined {
  for (const way of ways) {
    if (typeof way === 'string') return { value: way, at: '' };
    const at = way.length === 1 ? (way[0] as string) : way.join('.');
    const value = memberAt(record, way) ?? (Object.hasOwn(record, at) ? record[at] : undefined);
    if (value !== undefined && value !== null && value !== '') return { value, at };
  }
  return undefined;
}

function memberAt(record: JsonObject, way: readonly string[]): Json | undefined {
  let at: Json | undefined = record;
  for (const key of way) {
    if (Array.isArray(at)) at = itemsOf(at)[Number(key)];
    else at = Object.hasOwn(membersOf(at), key) ? membersOf(at)[key] : undefined;
  }
  return at;
}

/** A text, or a number as it is written. */
export function wordOfJson(json: Json | undefined): string | undefined {
  if (json === undefined || typeof json === 'string') return json;
  if (typeof json === 'boolean') return String(json);
  return numberText(json);
}
