import { quote } from '../diagnostics/index.js';
import {
  type AttributeValue,
  defined,
  format,
  fromJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type JsonProblem,
  parseJson,
  toJson,
  writeJson,
} from '../values/index.js';
import { addValue } from './builder.js';
import type { GrowingColumn } from './columns/column.js';
import type { EventReference, EventTable } from './columns/event-table.js';
import { Lines } from './lines.js';
import { lineText, type Problem, type Problems } from './problem.js';
import { RESERVED, SESSION_ORDERS, type SessionOrder, TIMELINE, ValueKind } from './session.js';

/** The optional first record, with properties of the file. */
interface HeaderRecord {
  readonly kind: 'header';
  readonly name?: string;
  readonly source?: string;
  readonly order?: SessionOrder;
  /** The maximum clock skew, in nanoseconds. */
  readonly skew?: bigint;
  /**
   * True if the recorder can record interactions. Clocks then do not order events, even in a recording without
   * interactions.
   */
  readonly interactions?: true;
  /**
   * Ranges of the file's events, as zero-based indexes. Each range was written by one recorder in its clock's order.
   */
  readonly recorders?: readonly EventRange[];
}

type EventRange = readonly [first: number, end: number];

export interface EventRecord {
  readonly kind: 'event';
  readonly probe: string;
  readonly timeline?: string;
  readonly name: string;
  readonly seq?: bigint;
  /** The event's time in nanoseconds. */
  readonly time?: bigint;
  readonly id?: string;
  /** The events from which interactions lead to this event. */
  readonly after?: readonly EventReference[];
  readonly attributes: ReadonlyMap<string, AttributeValue>;
}

interface InteractionRecord {
  readonly kind: 'interaction';
  readonly from: EventReference;
  readonly to: EventReference;
}

/** A record of the neutral form, written on one line. */
export type NeutralRecord = HeaderRecord | EventRecord | InteractionRecord;

const EVENT = ['probe', 'timeline', 'name', 'attributes', 'seq', 'time', 'id', 'after'];
const INTERACTION = ['from', 'to'];
const HEADER = ['session', 'name', 'source', 'order', 'skew', 'interactions', 'recorders'];

/** An event with its `seq` and attributes as JSON, which is valid but not yet converted. */
interface JsonEvent extends Omit<EventRecord, 'seq' | 'attributes'> {
  readonly seq?: Json;
  readonly members: JsonObject;
}

/** Parses a line of the neutral form. */
export function readRecord(line: string): NeutralRecord | JsonProblem {
  const record = readJsonRecord(line);
  if ('problem' in record || record.kind !== 'event') return record;
  const { members, seq: seqJson, ...event } = record;
  const values = Object.entries(members).map(
    ([key, value]) => [key, fromJson(value) as AttributeValue] as const,
  );
  const seq = parseInteger(seqJson)?.value;
  return { ...event, ...(seq !== undefined && { seq }), attributes: new Map(values) };
}

function readJsonRecord(line: string): HeaderRecord | JsonEvent | InteractionRecord | JsonProblem {
  const json = parseJson(line);
  if ('problem' in json) return json;
  if (!isJsonObject(json.value)) return { problem: 'a record must be a JSON object' };
  const record = json.value;
  const { session, from, to } = record;
  if (session !== undefined) return readHeader(record);
  const isEvent = from === undefined && to === undefined;
  return isEvent ? readEvent(record) : readInteraction(record);
}

function readHeader(json: JsonObject): HeaderRecord | JsonProblem {
  const unknownMember = unknownKey(json, HEADER);
  if (unknownMember !== undefined) return { problem: `${unknownMember} is not part of a header` };
  const { session, name, source } = json;
  if (parseInteger(session)?.value !== 1n) {
    return { problem: '"session" is the version of the format: only 1 is supported' };
  }
  for (const [key, value] of Object.entries({ name, source })) {
    if (value !== undefined && typeof value !== 'string') {
      return { problem: `a header's "${key}" must be a string` };
    }
  }
  const { order } = json;
  if (order !== undefined && !SESSION_ORDERS.some((name) => name === order)) {
    return { problem: `a header's "order" must be one of ${SESSION_ORDERS.join(', ')}` };
  }
  const skew = parseInteger(json['skew'])?.value;
  if (json['skew'] !== undefined && (skew === undefined || skew < 0n)) {
    return { problem: 'a header\'s "skew" must be nanoseconds, as an integer of 0 or more' };
  }
  const { interactions } = json;
  if (interactions !== undefined && interactions !== true) {
    return { problem: 'a header\'s "interactions" must be true' };
  }
  const recorders = json['recorders'] === undefined ? undefined : parseRanges(json['recorders']);
  if (recorders === undefined && json['recorders'] !== undefined) {
    return {
      problem:
        'a header\'s "recorders" must be a list of event ranges, such as [[0, 12], [12, 40]]',
    };
  }
  const header = { name, source, order, skew, interactions, recorders };
  return { kind: 'header', ...(defined(header) as Partial<HeaderRecord>) };
}

/** Parses ascending ranges of zero-based event indexes; returns undefined for anything else. */
function parseRanges(json: Json): readonly EventRange[] | undefined {
  if (!Array.isArray(json)) return undefined;
  const ranges: EventRange[] = [];
  for (const range of json as readonly Json[]) {
    const [firstEnd, end, extra] = Array.isArray(range) ? (range as readonly Json[]) : [];
    const [from, to] = [firstEnd, end].map((name) =>
      Number(parseInteger(name)?.value ?? Number.NaN),
    );
    const isRising = from !== undefined && to !== undefined && from < to;
    if (extra !== undefined || !isRising || from < (ranges.at(-1)?.[1] ?? 0)) return undefined;
    ranges.push([from, to]);
  }
  return ranges;
}

function readInteraction(json: JsonObject): InteractionRecord | JsonProblem {
  const unknownMember = unknownKey(json, INTERACTION);
  if (unknownMember !== undefined)
    return { problem: `${unknownMember} is not part of an interaction` };
  const [from, to] = [parseReference(json['from']), parseReference(json['to'])];
  if (from !== undefined && to !== undefined) return { kind: 'interaction', from, to };
  const key = from === undefined ? 'from' : 'to';
  return { problem: `an interaction's "${key}" must be an id, or a probe and a seq: ["PX4", 12]` };
}

function readEvent(json: JsonObject): JsonEvent | JsonProblem {
  const unknownMember = unknownKey(json, EVENT);
  if (unknownMember !== undefined) return { problem: `${unknownMember} is not part of an event` };
  const { probe, timeline, name, seq, id, after = [], attributes: members = {} } = json;
  if (typeof probe !== 'string') return { problem: 'an event must have a string "probe"' };
  if (typeof name !== 'string') return { problem: 'an event must have a string "name"' };
  if (timeline !== undefined && typeof timeline !== 'string') {
    return { problem: '"timeline" must be a string' };
  }
  if (seq !== undefined && !Number.isInteger(seq) && parseInteger(seq)?.type !== 'integer') {
    return { problem: '"seq" must be a 64-bit integer' };
  }
  const time = parseInteger(json['time']);
  if (json['time'] !== undefined && time === undefined) {
    return { problem: '"time" must be nanoseconds, as a 64-bit integer' };
  }
  if (id !== undefined && typeof id !== 'string') return { problem: '"id" must be a string' };
  const senders = Array.isArray(after)
    ? (after as readonly Json[]).map(parseReference)
    : [undefined];
  if (senders.includes(undefined)) return { problem: '"after" must be a list of ids' };
  if (!isJsonObject(members)) return { problem: '"attributes" must be an object' };
  for (const key in members) {
    if (RESERVED.includes(key) || (key === TIMELINE && timeline !== undefined)) {
      return { problem: `"${key}" belongs next to "attributes", not inside` };
    }
    const json = members[key] as Json;
    const value = typeof json === 'object' ? fromJson(json) : undefined;
    if (value !== undefined && 'problem' in value) {
      return { problem: `${quote(key)}: ${value.problem}` };
    }
  }
  // Assigned one by one, because V8 takes several times as long for an object with this many spreads.
  const event: { -readonly [K in keyof JsonEvent]: JsonEvent[K] } = {
    kind: 'event',
    probe,
    name,
    members,
  };
  if (timeline !== undefined) event.timeline = timeline;
  if (seq !== undefined) event.seq = seq;
  if (time !== undefined) event.time = time.value;
  if (id !== undefined) event.id = id;
  if (senders.length > 0) event.after = senders as readonly EventReference[];
  return event;
}

function unknownKey(json: JsonObject, allowedKeys: readonly string[]): string | undefined {
  for (const key in json) if (!allowedKeys.includes(key)) return quote(key);
  return undefined;
}

function parseInteger(
  json: Json | undefined,
): Extract<AttributeValue, { readonly value: bigint }> | undefined {
  if (json === undefined) return undefined;
  const value = fromJson(json);
  const isWhole =
    !('problem' in value) && (value.type === 'integer' || value.type === 'nanoseconds');
  return isWhole ? value : undefined;
}

function parseReference(json: Json | undefined): EventReference | undefined {
  if (typeof json === 'string') return json;
  if (!Array.isArray(json)) return undefined;
  const names = json.slice(0, -1) as readonly Json[];
  const [probe, timeline] = names;
  const integer = parseInteger(json.at(-1) as Json);
  if (typeof probe !== 'string' || integer?.type !== 'integer') return undefined;
  if (names.length === 1) return [probe, integer.value];
  return names.length === 2 && typeof timeline === 'string'
    ? [probe, timeline, integer.value]
    : undefined;
}

/** Formats a record as a line of the neutral form, without the line break. */
export function writeRecord(record: NeutralRecord): string {
  if (record.kind === 'header') {
    const { name, source, order, skew, interactions, recorders } = record;
    const text = JSON.stringify({ session: 1, name, source, order, interactions, recorders });
    return skew === undefined ? text : `${text.slice(0, -1)},"skew":${skew}}`;
  }
  if (record.kind === 'interaction') {
    return `{"from":${referenceText(record.from)},"to":${referenceText(record.to)}}`;
  }
  const { probe, timeline, name, seq, time, id, after = [], attributes } = record;
  let text = `{"probe":${JSON.stringify(probe)}`;
  if (timeline !== undefined) text += `,"timeline":${JSON.stringify(timeline)}`;
  text += `,"name":${JSON.stringify(name)}`;
  if (seq !== undefined) text += `,"seq":${seq}`;
  if (time !== undefined) text += `,"time":${timeText(time)}`;
  if (id !== undefined) text += `,"id":${JSON.stringify(id)}`;
  if (after.length > 0) text += `,"after":[${after.map(referenceText).join(',')}]`;
  const members = [...attributes].map(
    ([key, value]) => `${JSON.stringify(key)}:${valueText(value)}`,
  );
  return members.length === 0 ? `${text}}` : `${text},"attributes":{${members.join(',')}}}`;
}

function referenceText(reference: EventReference): string {
  if (typeof reference === 'string') return JSON.stringify(reference);
  const names = reference.slice(0, -1).map((name) => JSON.stringify(name));
  return `[${[...names, reference.at(-1)].join(',')}]`;
}

/** Formats a time, as a number if it fits in 64 bits. */
function timeText(time: bigint): string {
  const isSigned = BigInt.asIntN(64, time) === time;
  return valueText({ type: isSigned ? 'integer' : 'nanoseconds', value: time });
}

function valueText(value: AttributeValue): string {
  switch (value.type) {
    case 'string':
      return JSON.stringify(value.value);
    case 'integer':
    case 'boolean':
      return String(value.value);
    case 'float':
      return Number.isFinite(value.value) ? format(value) : writeJson(toJson(value));
    default:
      return writeJson(toJson(value));
  }
}

/**
 * Reads the neutral form, JSON Lines, from a stream of bytes. Buffers the current unfinished line, and stores all
 * events so far in columns.
 */
export class NeutralReader extends Lines {
  /** The header's properties; empty without a header. */
  header: Partial<HeaderRecord> = {};
  private records = 0;

  /** @param table receives the events, and throws a {SessionError} for too many different texts */
  constructor(
    private readonly table: EventTable,
    private readonly problems: Problems,
  ) {
    super((line, number) => {
      const problem = 'problem' in line ? { message: line.problem } : this.read(line.text, number);
      if (problem !== undefined) problems.add('record', { line: number, ...problem });
    });
  }

  private read(text: string, line: number): Problem | undefined {
    if (text.trim() === '') return undefined;
    const isFirst = this.records === 0;
    this.records++;
    const record = readJsonRecord(text);
    if ('problem' in record) return locate(record.problem);
    if (record.kind === 'event') return this.addEvent(record, line);
    if (record.kind === 'interaction') {
      this.table.addInteraction(record.from, record.to, line);
      return undefined;
    }
    if (!isFirst) return { message: 'a header must be the first record' };
    this.header = record;
    return undefined;
  }

  private addEvent(record: JsonEvent, line: number): Problem | undefined {
    const { table } = this;
    const { probe, timeline, name, seq, time, id, after = [], members } = record;
    const existingEvent = id === undefined ? undefined : table.eventById.get(id);
    if (id !== undefined && existingEvent !== undefined) {
      const otherLocation = lineText(table.locate(existingEvent), this.problems.file);
      return { message: `the id ${quote(id)} is already used by ${otherLocation}` };
    }
    const event = table.addEvent(probe, name, line, timeline);
    if (id !== undefined) table.addId(id, event);
    if (seq !== undefined) addJsonValue(table, table.seq, event, seq);
    if (time !== undefined) table.time.addInteger(event, time);
    for (const key in members) {
      addJsonValue(table, table.column(key), event, members[key] as Json);
    }
    for (const from of after) table.addInteraction(from, event, line);
    return undefined;
  }
}

/** Adds an event's JSON value to a column. */
function addJsonValue(table: EventTable, column: GrowingColumn, event: number, json: Json): void {
  if (typeof json === 'number') {
    column.add(event, Number.isInteger(json) ? ValueKind.integer : ValueKind.float, json);
  } else addValue(table, column, event, fromJson(json) as AttributeValue);
}

/** Converts a JSON parser's message to a problem. Takes the column from the position in the message, if any. */
function locate(problem: string): Problem {
  const [, message, position] = /^(.*?)(?: encountered)? at position (\d+)$/su.exec(problem) ?? [];
  if (message === undefined) return { message: problem };
  return { column: Number(position) + 1, message };
}
