import { createFileRegistry, type DescField, fromBinary, ScalarType } from '@bufbuild/protobuf';
import {
  type ReflectList,
  type ReflectMap,
  type ReflectMessage,
  reflect,
} from '@bufbuild/protobuf/reflect';
import { FeatureSet_FieldPresence, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { parseRos2idl } from '@foxglove/ros2idl-parser';
import { parse } from '@foxglove/rosmsg';
import { MessageReader } from '@foxglove/rosmsg2-serialization';
import { McapStreamReader, type McapTypes } from '@mcap/core';
import { quote } from '../../diagnostics/index.js';
import {
  defined,
  format,
  hexOf,
  type Json,
  type JsonObject,
  jsonNumber,
  jsonObject,
  parseJson,
} from '../../values/index.js';
import { compareIntegers } from '../columns/column.js';
import type { EventTable } from '../columns/event-table.js';
import { type ZstdDecoder, ZstdStream } from '../lines.js';
import type { Problems } from '../problem.js';
import type { Reading } from '../reading.js';
import { membersOf } from './json-access.js';
import { LogReader } from './log-reader.js';
import { compileMapping, findValue, type Mapping, wordOfJson } from './mapping.js';
import {
  isPlausibleTime,
  matchNumericTime,
  toNanoseconds,
  UNIT_SIZES,
  unitOfKey,
} from './times.js';

type Definitions = ReturnType<typeof parse>;
type Fields = Definitions[number]['definitions'];

/** A topic's channel, with the decoder for its messages. */
interface Channel {
  readonly topic: string;
  readonly type: string;
  readonly publisher: string | undefined;
  /** Decodes a message's fields. Throws an error for an unreadable message. */
  readonly readFields: (data: Uint8Array) => JsonObject;
}

interface Message {
  readonly time: bigint;
  readonly record: JsonObject;
}

/** Metadata keys that may name a channel's publisher. */
const PUBLISHERS = ['publisher', 'node', 'node_name', 'callerid', 'source'];
/** The type of a node's log messages, which contain the node's name. */
const LOG = 'rcl_interfaces/msg/Log';

/**
 * Maximum depth of fields, and maximum length of lists. Deeper fields are ignored. For longer lists, only the length is
 * kept.
 */
const MAX_FIELD_DEPTH = 6;
const MAX_LIST = 16;
/** The length of a byte array that is a client's or a goal's id. */
const ID_BYTES = 16;
/** Maximum size of a decompressed chunk, in bytes. */
const MAX_CHUNK = 1 << 30;

const OWN_MAPPING = {
  name: '$["message.topic"]',
  probe: '$["message.publisher"]',
} as const;

/**
 * Reads MCAP from a stream, with or without chunks and indexes, compressed with LZ4 or Zstandard. A message is an
 * event, named after its topic. The probe is the message's publisher, if the file names it. The time is the log time,
 * or the time on the clock named by the reading. Events of a probe are in time order. Fields of ROS 2, protobuf and
 * JSON messages become attributes.
 */
export class McapReader {
  private readonly events: LogReader;
  private readonly stream: McapStreamReader;
  private readonly schemas = new Map<number, McapTypes.TypedMcapRecords['Schema']>();
  private readonly channels = new Map<number, Channel>();
  private readonly messages: Message[] = [];
  private isBroken = false;

  /**
   * @param mapping overrides the default paths of an event's parts
   * @param probe the probe of messages without a known publisher
   * @param table receives the events
   * @param zstd decompresses chunks
   */
  constructor(
    mapping: Mapping | undefined,
    probe: string,
    table: EventTable,
    private readonly problems: Problems,
    zstd: ZstdDecoder,
    private readonly reading: Reading = {},
  ) {
    this.stream = new McapStreamReader({
      decompressHandlers: {
        lz4: (source, size) => unpackLz4(source, roomFor(size)),
        zstd: (source, size) => unpackZstd(new ZstdStream(zstd), source, roomFor(size)),
      },
    });
    const usedMapping = mapping ?? compileMapping({ fields: OWN_MAPPING });
    this.events = new LogReader(
      { id: 'mcap', mapping: usedMapping },
      probe,
      table,
      problems,
      reading,
    );
  }

  push(bytes: Uint8Array): void {
    if (this.isBroken) return;
    try {
      this.stream.append(bytes);
      for (let record = this.stream.nextRecord(); record !== undefined; ) {
        this.take(record);
        record = this.stream.nextRecord();
      }
    } catch (error) {
      this.isBroken = true;
      const message = `the file is not valid MCAP: ${(error as Error).message}`;
      this.problems.add('record', { message });
    }
  }

  /** Adds the messages to the table. @throws {SessionError} if there are too many texts */
  finish(): void {
    if (!(this.isBroken || this.stream.done())) {
      this.problems.add('record', { message: 'the file is not valid MCAP: it is truncated' });
    }
    this.messages.sort((a, b) => compareIntegers(a.time, b.time));
    for (const { record, time } of this.messages) {
      this.events.add(record, 0, String(record['message.topic']), time);
    }
    this.events.finish();
  }

  private take(record: McapTypes.TypedMcapRecord): void {
    if (record.type === 'Schema') this.schemas.set(record.id, record);
    else if (record.type === 'Channel') {
      if (!this.channels.has(record.id)) this.channels.set(record.id, this.channelOf(record));
    } else if (record.type === 'Message') this.takeMessage(record);
  }

  private channelOf(channel: McapTypes.TypedMcapRecords['Channel']): Channel {
    const { topic, messageEncoding, metadata } = channel;
    const schema = this.schemas.get(channel.schemaId);
    const publisher = PUBLISHERS.map((key) => metadata.get(key)).find(
      (value) => value !== undefined,
    );
    let readFields: Channel['readFields'];
    try {
      readFields = messageDecoder(messageEncoding, schema);
    } catch (error) {
      readFields = () => {
        throw error;
      };
    }
    return { topic, type: schema?.name ?? '', publisher, readFields };
  }

  private takeMessage(message: McapTypes.TypedMcapRecords['Message']): void {
    const channel = this.channels.get(message.channelId);
    if (channel === undefined) throw new Error(`a message names a channel that does not exist`);
    const { topic, type, readFields } = channel;
    let fields: JsonObject = {};
    try {
      fields = readFields(message.data);
    } catch (error) {
      const reason = (error as Error).message;
      this.problems.addAlike(topic, (count) => {
        const [messages, pronoun] =
          count === 1 ? ['a message', 'it'] : [`${count} messages`, 'them'];
        return `the fields of ${messages} on ${topic} cannot be read (${reason}); --tolerant reads ${pronoun} without fields`;
      });
    }
    const { logTime, publishTime, sequence } = message;
    const time = this.timeOf(message, topic, fields);
    if (time === undefined) return;
    const publisher = channel.publisher ?? (type === LOG ? fields['name'] : undefined);
    const messageFields = defined({
      'message.topic': topic,
      'message.type': type || undefined,
      'message.publisher': publisher,
      'message.sequence': sequence === 0 ? undefined : sequence,
      'message.logged': logTime === time ? undefined : jsonNumber(logTime),
      'message.published': publishTime === time ? undefined : jsonNumber(publishTime),
    });
    this.messages.push({ time, record: { ...messageFields, ...fields } });
  }

  /** Returns a message's time on the reading's clock. Reports a problem if the message has no such time. */
  private timeOf(
    { logTime, publishTime }: McapTypes.TypedMcapRecords['Message'],
    topic: string,
    fields: JsonObject,
  ): bigint | undefined {
    const { clock, unit = unitOfKey(clock ?? '') } = this.reading;
    if (clock === undefined) return logTime;
    if (clock === 'publish') return publishTime;
    const timeText = wordOfJson(findValue(fields, [clock.split('.')])?.value) ?? '';
    const count = matchNumericTime(timeText);
    const time = count && toNanoseconds(count, UNIT_SIZES[unit ?? 'ns']);
    if (time !== undefined && (unit !== undefined || isPlausibleTime(time))) return time;
    const reason = count
      ? `${clock} = ${timeText}, which as nanoseconds since 1970 is not between 2000 and 2100: specify the unit with [reading] unit or --unit`
      : `no time in ${clock}, the clock of this reading`;
    this.problems.addAlike(`${topic} ${clock}`, (messages) =>
      messages === 1
        ? `a message of ${topic} has ${reason}`
        : `${messages} messages of ${topic} have no usable time; the first has ${reason}`,
    );
    return undefined;
  }
}

/** Returns the decoder of a channel's messages. @throws {Error} for an unsupported encoding */
function messageDecoder(
  encoding: string,
  schema: McapTypes.TypedMcapRecords['Schema'] | undefined,
): (data: Uint8Array) => JsonObject {
  const decoder = new TextDecoder();
  if (encoding === 'json') {
    return (data) => {
      const json = parseJson(decoder.decode(data));
      if ('problem' in json) throw new Error(json.problem);
      return membersOf(json.value);
    };
  }
  if (encoding === 'protobuf' && schema?.encoding === 'protobuf') {
    const files = createFileRegistry(fromBinary(FileDescriptorSetSchema, schema.data));
    const type = files.getMessage(schema.name);
    if (type === undefined) throw new Error(`their schema has no ${quote(schema.name)}`);
    return (data) => messageToJson(reflect(type, fromBinary(type, data)), 0);
  }
  const definitions =
    encoding === 'cdr' && schema !== undefined ? parseDefinitions(schema) : undefined;
  if (definitions === undefined) {
    const schemaNote = schema === undefined ? '' : `, described as ${quote(schema.encoding)}`;
    throw new Error(
      `unsupported encoding ${quote(encoding)}${schemaNote}: expected ROS 2, protobuf or JSON`,
    );
  }
  const reader = new MessageReader(definitions);
  const fieldsByType = new Map(
    definitions.map((definition) => [definition.name ?? '', definition.definitions]),
  );
  const root = definitions[0]?.definitions ?? [];
  return (data) => fieldsToJson(reader.readMessage(data), root, fieldsByType, 0);
}

/** Converts a protobuf message's fields to JSON. Omits absent optional fields. */
function messageToJson(message: ReflectMessage, depth: number): JsonObject {
  if (depth > MAX_FIELD_DEPTH) return {};
  const entries = message.fields.flatMap((field): [string, Json][] => {
    const { name, fieldKind } = field;
    const value: unknown = message.get(field);
    if (fieldKind === 'list') {
      const items = [...(value as ReflectList)];
      if (items.length > MAX_LIST) return [[`${name}.length`, items.length]];
      return [[name, items.map((item) => protobufToJson(item, field, depth))]];
    }
    if (fieldKind === 'map') {
      const members = [...(value as ReflectMap)].slice(0, MAX_LIST);
      const jsonMembers = members.map(([key, value]): [string, Json] => [
        String(key),
        protobufToJson(value, field, depth),
      ]);
      return [[name, jsonObject(jsonMembers)]];
    }
    const isAbsent = field.presence !== FeatureSet_FieldPresence.IMPLICIT && !message.isSet(field);
    return isAbsent ? [] : [[name, protobufToJson(value, field, depth)]];
  });
  return jsonObject(entries);
}

function protobufToJson(value: unknown, field: DescField, depth: number): Json {
  if (field.message !== undefined) {
    const messageValue = value as ReflectMessage;
    const { seconds, nanos } = messageValue.message as {
      readonly seconds?: bigint;
      readonly nanos?: number;
    };
    const isTime = TIMES.includes(messageValue.desc.typeName);
    if (isTime) return jsonNumber((seconds ?? 0n) * 1_000_000_000n + BigInt(nanos ?? 0));
    return messageToJson(messageValue, depth + 1);
  }
  if (field.enum !== undefined) return field.enum.value[value as number]?.name ?? (value as number);
  if (value instanceof Uint8Array) return value.length === ID_BYTES ? hexOf(value) : null;
  const isFloat = field.scalar === ScalarType.DOUBLE || field.scalar === ScalarType.FLOAT;
  return scalarToJson(value, isFloat ? 'float' : '');
}

const TIMES: readonly string[] = ['google.protobuf.Timestamp', 'google.protobuf.Duration'];

/**
 * Parses a ROS 2 schema into definitions, starting with the message's definition; returns undefined for any other
 * schema.
 */
function parseDefinitions({
  name,
  encoding,
  data,
}: McapTypes.TypedMcapRecords['Schema']): Definitions | undefined {
  const schemaText = new TextDecoder().decode(data);
  if (encoding === 'ros2msg') return parse(addServiceEvent(name, schemaText), { ros2: true });
  return encoding === 'ros2idl' ? parseIdl(name, schemaText) : undefined;
}

/** Matches an optional field. `MessageReader` does not support optional fields: it reads them as always present. */
const OPTIONAL = /^[^"\n/]*@optional\b/m;
/** Field types that have other names in `MessageReader`. */
const IDL_TIMES: ReadonlyMap<string, string> = new Map([
  ['builtin_interfaces/msg/Time', 'time'],
  ['builtin_interfaces/msg/Duration', 'duration'],
]);

/** Parses a ROS 2 IDL schema. @throws {Error} for an unreadable schema, or a schema without the type */
function parseIdl(type: string, schemaText: string): Definitions {
  if (OPTIONAL.test(schemaText)) throw new Error('their schema has `@optional` fields');
  let definitions: Definitions;
  try {
    // The parser also removes headings, but not with CRLF or a one-letter name.
    definitions = parseRos2idl(schemaText.replace(/^(?:=+|IDL: .*)$/gm, ''));
  } catch (error) {
    // The rest of the parser's message lists the schema and every token that could follow.
    const [reason = ''] = (error as Error).message.split(/: ?['\n]/);
    throw new Error(`their ros2idl schema cannot be read: ${reason}`);
  }
  for (const field of definitions.flatMap(({ definitions: fields }) => fields)) {
    const time = IDL_TIMES.get(field.type);
    if (time !== undefined) Object.assign(field, { type: time, isComplex: false });
  }
  const root = definitions.find(({ name }) => name === type);
  if (root === undefined) throw new Error(`their schema has no ${quote(type)}`);
  return [root, ...definitions.filter((definition) => definition !== root)];
}

const PART = `\n${'='.repeat(80)}\n`;

/**
 * Returns the definition of a service's event messages. Recordings contain the service's definition instead: a request
 * and a response, with a line `---` between them.
 */
function addServiceEvent(type: string, schemaText: string): string {
  const service = /^(.*)_Event$/.exec(type)?.[1];
  const [mainSection = '', ...sections] = schemaText.split(/^=+\r?\n/m);
  const [request, response] = mainSection.split(/^---[ \t]*\r?$/m);
  if (service === undefined || response === undefined) return schemaText;
  const name = service.replace('/srv/', '/');
  const info =
    'uint8 event_type\nbuiltin_interfaces/Time stamp\nuint8[16] client_gid\nint64 sequence_number';
  return [
    `service_msgs/ServiceEventInfo info\n${name}_Request[<=1] request\n${name}_Response[<=1] response`,
    `MSG: service_msgs/ServiceEventInfo\n${info}`,
    `MSG: ${name}_Request\n${request}`,
    `MSG: ${name}_Response\n${response}`,
    ...sections,
  ].join(PART);
}

/** Converts a ROS 2 message's fields to JSON. The definitions distinguish integers from floats. */
function fieldsToJson(
  message: Readonly<Record<string, unknown>>,
  fields: Fields,
  byType: ReadonlyMap<string, Fields>,
  depth: number,
): JsonObject {
  if (depth > MAX_FIELD_DEPTH) return {};
  const entries = fields.flatMap(
    ({ name, type, isArray, arrayLength, isComplex, isConstant }): [string, Json][] => {
      const value = message[name];
      if (isConstant || value === undefined) return [];
      const toJson = (value: unknown): Json => {
        const innerFields = isComplex ? byType.get(type) : undefined;
        if (innerFields === undefined) return scalarToJson(value, type);
        return fieldsToJson(
          value as Readonly<Record<string, unknown>>,
          innerFields,
          byType,
          depth + 1,
        );
      };
      if (!isArray) return [[name, toJson(value)]];
      const items = value as ArrayLike<unknown>;
      if (type === 'uint8' && arrayLength === ID_BYTES)
        return [[name, hexOf(items as ArrayLike<number>)]];
      if (items.length > MAX_LIST) return [[`${name}.length`, items.length]];
      return [[name, Array.from(items, toJson)]];
    },
  );
  return jsonObject(entries);
}

function scalarToJson(value: unknown, type: string): Json {
  if (typeof value === 'bigint') return jsonNumber(value);
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!type.startsWith('float')) return value;
    if (!Number.isFinite(value)) return { NonFiniteFloat: String(value) };
    return jsonNumber(format({ type: 'float', value }));
  }
  const { sec, nanosec } = value as { readonly sec?: number; readonly nanosec?: number };
  return sec === undefined ? null : jsonNumber(BigInt(sec) * 1_000_000_000n + BigInt(nanosec ?? 0));
}

function roomFor(size: bigint): Uint8Array {
  if (size > MAX_CHUNK) throw new Error(`a chunk of ${size} bytes is too large`);
  return new Uint8Array(Number(size));
}

/** Decompresses zstd into a buffer of the expected size. @throws {Error} for damaged data, or another size */
function unpackZstd(stream: ZstdStream, source: Uint8Array, target: Uint8Array): Uint8Array {
  let size = 0;
  for (const part of [stream.push(source), stream.finish()]) {
    for (const piece of part) {
      target.set(piece, size);
      size += piece.length;
    }
  }
  if (size !== target.length)
    throw new Error(`expected ${target.length} bytes from zstd, found ${size}`);
  return target;
}

const LZ4_MAGIC = 0x184d2204;

/**
 * Decompresses an LZ4 frame into a buffer of the expected size, as specified in "LZ4 Frame Format" and "LZ4 Block
 * Format". Does not verify the frame's checksums, because a chunk has its own checksum.
 *
 * @throws {Error} for an incomplete or damaged frame
 */
export function unpackLz4(source: Uint8Array, target: Uint8Array): Uint8Array {
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  if (source.length < 7 || view.getUint32(0, true) !== LZ4_MAGIC)
    throw new Error('not an LZ4 frame');
  const flags = view.getUint8(4);
  let at = 7 + (flags & 8 ? 8 : 0) + (flags & 1 ? 4 : 0);
  let written = 0;
  for (let size = view.getUint32(at, true); size !== 0; size = view.getUint32(at, true)) {
    const length = size & 0x7fffffff;
    const block = source.subarray(at + 4, at + 4 + length);
    if (block.length < length) throw new Error('an LZ4 block is truncated');
    if (size >= 2 ** 31) {
      target.set(block, written);
      written += length;
    } else written = unpackBlock(block, target, written);
    at += 4 + length + (flags & 16 ? 4 : 0);
  }
  if (written !== target.length)
    throw new Error(`expected ${target.length} bytes from LZ4, found ${written}`);
  return target;
}

/**
 * Decompresses a block after the bytes already written, to which the block may refer. Returns the end of the new bytes.
 */
function unpackBlock(block: Uint8Array, target: Uint8Array, from: number): number {
  let written = from;
  let at = 0;
  const nextByte = () => {
    if (at >= block.length) throw new Error('an LZ4 block is truncated');
    return block[at++] as number;
  };
  const lengthOf = (nibble: number) => {
    let length = nibble;
    for (let byte = nibble === 15 ? 255 : 0; byte === 255; length += byte) byte = nextByte();
    return length;
  };
  while (at < block.length) {
    const token = nextByte();
    const literals = lengthOf(token >> 4);
    if (at + literals > block.length) throw new Error('an LZ4 block is truncated');
    target.set(block.subarray(at, at + literals), written);
    at += literals;
    written += literals;
    // The last sequence has only literals.
    if (at >= block.length) break;
    const offset = nextByte() + nextByte() * 256;
    const length = lengthOf(token & 15) + 4;
    const isWithin = offset > 0 && offset <= written && written + length <= target.length;
    if (!isWithin) throw new Error('an LZ4 block extends past its data');
    // A match may copy bytes that it has just written.
    for (let end = written + length; written < end; written++) {
      target[written] = target[written - offset] as number;
    }
  }
  return written;
}
