import { fromJson, isJsonObject, type Json, type JsonObject } from '../../values/index.js';
import { setValue } from '../builder.js';
import type { EventTable, Reference } from '../columns/event-table.js';
import { quoted } from '../problem.js';
import { RESERVED } from '../session.js';

/** The first record, if it says what the file holds. */
export interface Header {
  readonly name?: string;
  readonly source?: string;
}

/** What became of a record: nothing more to say, a header, or what is wrong with it. */
export type Outcome = { readonly header?: Header; readonly problem?: string };

const EVENT = ['probe', 'name', 'attributes', 'seq', 'time', 'id', 'after'];
const INTERACTION = ['from', 'to'];
const HEADER = ['session', 'name', 'source'];

type Whole = { readonly type: 'integer' | 'nanoseconds'; readonly value: bigint };

/** Adds a record to a table, as any JSON; what is not right adds nothing. */
export function addRecord(table: EventTable, json: Json, line: number): Outcome {
  if (!isJsonObject(json)) return { problem: 'a record is a JSON object' };
  if (Object.hasOwn(json, 'session')) return readHeader(json);
  if (INTERACTION.some((key) => Object.hasOwn(json, key))) {
    return addInteraction(table, json, line);
  }
  return addEvent(table, json, line);
}

function readHeader(json: JsonObject): Outcome {
  const unknown = unknownKey(json, HEADER);
  if (unknown !== undefined) return { problem: `${unknown} is not a part of a header` };
  const version = json['session'] === undefined ? undefined : wholeOf(json['session']);
  if (version?.value !== 1n) {
    return { problem: '"session" is the version of the form: only 1 is supported' };
  }
  const { name, source } = json;
  for (const [key, value] of [
    ['name', name],
    ['source', source],
  ] as const) {
    if (value !== undefined && typeof value !== 'string') {
      return { problem: `"${key}" of a header is a string` };
    }
  }
  return {
    header: {
      ...(typeof name === 'string' && { name }),
      ...(typeof source === 'string' && { source }),
    },
  };
}

function addInteraction(table: EventTable, json: JsonObject, line: number): Outcome {
  const unknown = unknownKey(json, INTERACTION);
  if (unknown !== undefined) return { problem: `${unknown} is not a part of an interaction` };
  const from = referenceOf(table, json['from']);
  const to = referenceOf(table, json['to']);
  if (from === undefined || to === undefined) {
    const key = from === undefined ? 'from' : 'to';
    return { problem: `"${key}" of an interaction is an id, or a probe and a seq: ["PX4", 12]` };
  }
  table.addInteraction(from, to, line);
  return {};
}

function addEvent(table: EventTable, json: JsonObject, line: number): Outcome {
  const unknown = unknownKey(json, EVENT);
  if (unknown !== undefined) return { problem: `${unknown} is not a part of an event` };
  const { probe, name, seq, time, id, after, attributes } = json;
  if (typeof probe !== 'string') return { problem: 'an event has a "probe", a string' };
  if (typeof name !== 'string') return { problem: 'an event has a "name", a string' };
  const place = seq === undefined ? undefined : wholeOf(seq);
  if (seq !== undefined && place?.type !== 'integer') {
    return { problem: '"seq" is an integer of 64 bits' };
  }
  const when = time === undefined ? undefined : wholeOf(time);
  if (time !== undefined && when === undefined) {
    return { problem: '"time" is nanoseconds, an integer of 64 bits' };
  }
  if (id !== undefined && typeof id !== 'string') return { problem: '"id" is a string' };
  if (after !== undefined && !Array.isArray(after)) return { problem: '"after" is a list of ids' };
  const senders = ((after ?? []) as readonly Json[]).map((sender) => referenceOf(table, sender));
  if (senders.includes(undefined)) return { problem: '"after" is a list of ids' };
  if (attributes !== undefined && !isJsonObject(attributes)) {
    return { problem: '"attributes" is an object' };
  }
  const values = Object.entries(attributes ?? {}).map(
    ([key, value]) => [key, fromJson(value)] as const,
  );
  for (const [key, value] of values) {
    if (RESERVED.includes(key)) {
      return { problem: `"${key}" belongs beside "attributes", not in them` };
    }
    if ('problem' in value) return { problem: `${quoted(key)}: ${value.problem}` };
  }
  const number = id === undefined ? -1 : table.ids.numberOf(id);
  if (number >= 0 && table.eventOf(number) >= 0) {
    const first = table.lines.at(table.eventOf(number));
    return {
      problem: `the id ${quoted(table.ids.textOf(number))} is already that of line ${first}`,
    };
  }
  const event = table.addEvent(table.texts.numberOf(probe), table.texts.numberOf(name), line);
  if (number >= 0) table.setId(event, number);
  if (place !== undefined) setValue(table, table.seq, event, place);
  if (when !== undefined) setValue(table, table.time, event, when);
  for (const [key, value] of values) {
    if (!('problem' in value)) setValue(table, table.column(key), event, value);
  }
  for (const sender of senders) {
    if (sender !== undefined) table.addInteraction(sender, { event }, line);
  }
  return {};
}

function unknownKey(json: JsonObject, known: readonly string[]): string | undefined {
  const key = Object.keys(json).find((one) => !known.includes(one));
  return key === undefined ? undefined : quoted(key);
}

function wholeOf(json: Json): Whole | undefined {
  const value = fromJson(json);
  const isWhole =
    !('problem' in value) && (value.type === 'integer' || value.type === 'nanoseconds');
  return isWhole ? (value as Whole) : undefined;
}

function referenceOf(table: EventTable, json: Json | undefined): Reference | undefined {
  if (typeof json === 'string') return { id: table.ids.numberOf(json) };
  if (!Array.isArray(json) || json.length !== 2) return undefined;
  const [probe, seq] = json as readonly Json[];
  const whole = seq === undefined ? undefined : wholeOf(seq);
  if (typeof probe !== 'string' || whole?.type !== 'integer') return undefined;
  return { probe: table.texts.numberOf(probe), seq: whole.value };
}
