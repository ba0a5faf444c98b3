import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { hexOf, type Json, jsonNumber } from '../../values/index.js';
import { itemsOf, jsonText, membersOf } from './json-access.js';

/* Conversion of binary OTLP traces and logs to OTLP JSON. Omits fields that do not become part of an event. */

/** A field's name in JSON, and its type. */
type Field = readonly [name: string, type: Scalar | (() => Message), repeated?: 'repeated'];

type Scalar = 'string' | 'bool' | 'enum' | 'int64' | 'fixed64' | 'double' | 'hex' | 'base64';

/** The wire type and the reader of each type. In JSON, 64-bit integers are strings, and ids are hexadecimal. */
const SCALARS: Readonly<Record<Scalar, readonly [WireType, (reader: BinaryReader) => Json]>> = {
  string: [WireType.LengthDelimited, (reader) => reader.string()],
  bool: [WireType.Varint, (reader) => reader.bool()],
  enum: [WireType.Varint, (reader) => jsonNumber(reader.int32())],
  int64: [WireType.Varint, (reader) => String(reader.int64())],
  fixed64: [WireType.Bit64, (reader) => String(reader.fixed64())],
  double: [WireType.Bit64, (reader) => floatToJson(reader.double())],
  hex: [WireType.LengthDelimited, (reader) => hexOf(reader.bytes())],
  base64: [WireType.LengthDelimited, (reader) => base64Of(reader.bytes())],
};

function floatToJson(value: number): Json {
  return Number.isFinite(value) ? jsonNumber(value) : String(value);
}

function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** A message's fields by field number. */
type Message = Readonly<Record<number, Field>>;

const anyValue: Message = {
  1: ['stringValue', 'string'],
  2: ['boolValue', 'bool'],
  3: ['intValue', 'int64'],
  4: ['doubleValue', 'double'],
  5: ['arrayValue', () => ({ 1: ['values', () => anyValue, 'repeated'] })],
  6: ['kvlistValue', () => ({ 1: ['values', () => keyValue, 'repeated'] })],
  7: ['bytesValue', 'base64'],
};

const keyValue: Message = { 1: ['key', 'string'], 2: ['value', () => anyValue] };

const resource: Message = { 1: ['attributes', () => keyValue, 'repeated'] };

const scope: Message = { 1: ['name', 'string'] };

const spanEvent: Message = {
  1: ['timeUnixNano', 'fixed64'],
  2: ['name', 'string'],
  3: ['attributes', () => keyValue, 'repeated'],
};

const span: Message = {
  1: ['traceId', 'hex'],
  2: ['spanId', 'hex'],
  4: ['parentSpanId', 'hex'],
  5: ['name', 'string'],
  6: ['kind', 'enum'],
  7: ['startTimeUnixNano', 'fixed64'],
  8: ['endTimeUnixNano', 'fixed64'],
  9: ['attributes', () => keyValue, 'repeated'],
  11: ['events', () => spanEvent, 'repeated'],
  13: ['links', () => ({ 1: ['traceId', 'hex'], 2: ['spanId', 'hex'] }), 'repeated'],
  15: ['status', () => ({ 3: ['code', 'enum'] })],
};

const logRecord: Message = {
  1: ['timeUnixNano', 'fixed64'],
  2: ['severityNumber', 'enum'],
  3: ['severityText', 'string'],
  5: ['body', () => anyValue],
  6: ['attributes', () => keyValue, 'repeated'],
  9: ['traceId', 'hex'],
  10: ['spanId', 'hex'],
  11: ['observedTimeUnixNano', 'fixed64'],
  12: ['eventName', 'string'],
};

/** Returns the message type of a request, whose records are grouped by resource, then by scope. */
function request(groups: string, scoped: string, records: string, record: Message): Message {
  const byScope: Message = { 1: ['scope', () => scope], 2: [records, () => record, 'repeated'] };
  const byResource: Message = {
    1: ['resource', () => resource],
    2: [scoped, () => byScope, 'repeated'],
  };
  return { 1: [groups, () => byResource, 'repeated'] };
}

const REQUESTS = {
  traces: request('resourceSpans', 'scopeSpans', 'spans', span),
  logs: request('resourceLogs', 'scopeLogs', 'logRecords', logRecord),
  metrics: request('resourceMetrics', 'scopeMetrics', 'metrics', { 1: ['name', 'string'] }),
} as const;

/** Maximum depth of nested messages. A deeper message is an error. */
const DEEPEST = 64;

/** The number of bytes in the length prefix of a message in a collector's file. */
const LENGTH = 4;

/**
 * Yields a file's requests as OTLP JSON. The file contains a single request, or requests with length prefixes, as
 * written by the collector's file exporter.
 *
 * @throws {Error} for anything else
 */
export function* otlpFileToJson(bytes: Uint8Array): Generator<Json, void, undefined> {
  if (bytes[0] !== 0) return yield requestToJson(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; ) {
    const start = at + LENGTH;
    at = start > bytes.length ? start : start + view.getUint32(at);
    if (at > bytes.length) throw new RangeError('a message ends too early');
    yield requestToJson(bytes.subarray(start, at));
  }
}

/**
 * Converts a request of unknown kind. Tries all kinds, because their groups have the same field numbers and only the
 * records differ.
 */
function requestToJson(bytes: Uint8Array): Json {
  for (const kind of ['traces', 'logs', 'metrics'] as const) {
    try {
      const json = otlpToJson(kind, bytes);
      if (kind !== 'traces' || hasTraceIds(json)) return json;
    } catch (error) {
      if (kind === 'metrics') throw error;
    }
  }
  return {};
}

/** True if all spans have valid trace ids, unlike metrics, which have their name in the same field. */
function hasTraceIds(json: Json): boolean {
  let spans = [json];
  for (const key of ['resourceSpans', 'scopeSpans', 'spans']) {
    spans = spans.flatMap((one) => itemsOf(membersOf(one)[key]));
  }
  return (
    spans.length > 0 && spans.every((one) => jsonText(membersOf(one)['traceId'])?.length === 32)
  );
}

/** True if the bytes begin like a request, with or without a length prefix. */
export function looksLikeOtlp(head: Uint8Array): boolean {
  return head[0] === 0 ? head[LENGTH] === 0x0a : head[0] === 0x0a && !isText(head);
}

function isText(head: Uint8Array): boolean {
  return head
    .subarray(0, 64)
    .every((byte) => byte >= 0x20 || byte === 0x0a || byte === 0x0d || byte === 9);
}

/** Converts a request to OTLP JSON. @throws {Error} for anything else */
export function otlpToJson(kind: keyof typeof REQUESTS, bytes: Uint8Array): Json {
  return read(new BinaryReader(bytes), bytes.length, REQUESTS[kind], 0);
}

function read(reader: BinaryReader, end: number, message: Message, depth: number): Json {
  if (depth > DEEPEST) throw new RangeError('nested too deeply');
  const json: Record<string, Json> = {};
  while (reader.pos < end) {
    const [number, wire] = reader.tag();
    const field = message[number];
    if (field === undefined) {
      reader.skip(wire, number);
      continue;
    }
    const [name, type, repeated] = field;
    const [expected, readValue] =
      typeof type === 'string'
        ? SCALARS[type]
        : [WireType.LengthDelimited, () => inner(reader, type(), depth)];
    if (wire !== expected)
      throw new RangeError(`field ${number} has the unexpected wire type ${wire}`);
    const value = readValue(reader);
    if (repeated === undefined) json[name] = value;
    else {
      json[name] ??= [];
      (json[name] as Json[]).push(value);
    }
  }
  if (reader.pos !== end) throw new RangeError('a message ends within a field');
  return json;
}

function inner(reader: BinaryReader, message: Message, depth: number): Json {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new RangeError('a message ends too early');
  return read(reader, end, message, depth + 1);
}
