import { quote } from '../diagnostics/index.js';
import {
  type AttributeValue,
  type EventCoordinate,
  fits,
  format,
  type LogicalTime,
  parseUuid,
} from './attribute-value.js';
import {
  describeJson,
  isJsonObject,
  type Json,
  type JsonProblem,
  jsonNumber,
  jsonObject,
  numberText,
} from './json.js';

const INTEGER = /^-?\d+$/;

type Read = AttributeValue | JsonProblem;

/** Readers of `{"<tag>": ...}`, by tag. */
const TAGS: Readonly<Record<string, (value: Json) => Read>> = {
  TimelineId: readTimelineId,
  Timestamp: readNanoseconds,
  LogicalTime: readLogicalTime,
  EventCoordinate: readEventCoordinate,
  BigInt: readBigInteger,
  NonFiniteFloat: readNonFinite,
};

/**
 * Reads an attribute value from lossless JSON. A number without fraction and
 * exponent is an integer, a big one where it needs more than 64 bits, and must
 * fit in 128; one with either is a float and must be finite. Anything that is
 * not an attribute value is a problem.
 */
export function fromJson(json: Json): Read {
  const number = numberText(json);
  if (number !== undefined) return readNumber(number);
  if (typeof json === 'string') return { type: 'string', value: json };
  if (typeof json === 'boolean') return { type: 'boolean', value: json };
  if (!isJsonObject(json)) return { problem: `${describeJson(json)} is not an attribute value` };
  const entries = Object.entries(json);
  const [tag, value] = entries[0] ?? [];
  if (entries.length !== 1 || tag === undefined || value === undefined) {
    return { problem: 'an object with other than one member is not an attribute value' };
  }
  const read = Object.hasOwn(TAGS, tag) ? TAGS[tag] : undefined;
  return read?.(value) ?? { problem: `${quote(tag)} is not a type of attribute values` };
}

function readNumber(written: string): Read {
  if (INTEGER.test(written)) {
    // No 128-bit integer is written with more characters; the limit keeps BigInt cheap.
    const value = written.length <= 40 ? BigInt(written) : undefined;
    if (value !== undefined && fits(value, 64, 'signed')) return { type: 'integer', value };
    if (value !== undefined && fits(value, 128, 'signed')) return { type: 'bigInteger', value };
    return { problem: `${shorten(written)} needs more than 128 bits` };
  }
  const value = Number(written);
  if (Number.isFinite(value)) return { type: 'float', value };
  return { problem: `${shorten(written)} is beyond what a float can hold` };
}

function readTimelineId(json: Json): Read {
  const value = typeof json === 'string' ? parseUuid(json) : undefined;
  return value === undefined
    ? { problem: 'TimelineId: expected a UUID' }
    : { type: 'timelineId', value };
}

function readNanoseconds(json: Json): Read {
  const value = readUnsigned(json, 64);
  if (value === undefined) return { problem: 'Timestamp: expected an unsigned 64-bit integer' };
  return { type: 'nanoseconds', value };
}

function readLogicalTime(json: Json): Read {
  const segments = Array.isArray(json) ? json.map((segment) => readUnsigned(segment, 64)) : [];
  if (segments.length !== 4 || segments.includes(undefined)) {
    return { problem: 'LogicalTime: expected four unsigned 64-bit integers' };
  }
  return { type: 'logicalTime', value: segments as unknown as LogicalTime };
}

function readEventCoordinate(json: Json): Read {
  const coordinate = isJsonObject(json)
    ? readCoordinate(json['timeline_id'], json['id'])
    : undefined;
  if (coordinate === undefined) {
    return { problem: 'EventCoordinate: expected a "timeline_id" and an "id" of 16 bytes' };
  }
  return { type: 'eventCoordinate', value: coordinate };
}

function readCoordinate(
  timeline: Json | undefined,
  id: Json | undefined,
): EventCoordinate | undefined {
  const timelineId = typeof timeline === 'string' ? parseUuid(timeline) : undefined;
  const bytes = Array.isArray(id) ? id.map((byte) => readUnsigned(byte, 8)) : [];
  if (timelineId === undefined || bytes.length !== 16 || bytes.includes(undefined))
    return undefined;
  return { timelineId, id: bytes.map(Number) };
}

function readBigInteger(json: Json): Read {
  if (typeof json === 'string' && INTEGER.test(json) && json.length <= 40) {
    const value = BigInt(json);
    if (fits(value, 128, 'signed')) return { type: 'bigInteger', value };
  }
  return { problem: 'BigInt: expected a string of a decimal integer of at most 128 bits' };
}

function readNonFinite(json: Json): Read {
  switch (json) {
    // JavaScript does not tell the two apart.
    case 'NaN':
    case '-NaN':
      return { type: 'float', value: Number.NaN };
    case 'Infinity':
      return { type: 'float', value: Number.POSITIVE_INFINITY };
    case '-Infinity':
      return { type: 'float', value: Number.NEGATIVE_INFINITY };
    default:
      return { problem: 'NonFiniteFloat: expected "NaN", "-NaN", "Infinity" or "-Infinity"' };
  }
}

function readUnsigned(json: Json, bits: number): bigint | undefined {
  const written = numberText(json);
  if (written === undefined || !INTEGER.test(written) || written.length > 20) return undefined;
  const value = BigInt(written);
  return fits(value, bits, 'unsigned') ? value : undefined;
}

function shorten(written: string): string {
  return written.length > 45 ? `${written.slice(0, 45)}…` : written;
}

/** Writes an attribute value as lossless JSON, so that reading gives it back. */
export function toJson(value: AttributeValue): Json {
  switch (value.type) {
    case 'integer':
      return jsonNumber(String(value.value));
    case 'float':
      return Number.isFinite(value.value)
        ? jsonNumber(format(value))
        : tagged('NonFiniteFloat', String(value.value));
    case 'timelineId':
      return tagged('TimelineId', value.value);
    case 'nanoseconds':
      return tagged('Timestamp', jsonNumber(String(value.value)));
    case 'logicalTime':
      return tagged(
        'LogicalTime',
        value.value.map((segment) => jsonNumber(String(segment))),
      );
    case 'eventCoordinate':
      return tagged('EventCoordinate', {
        timeline_id: value.value.timelineId,
        id: value.value.id.map((byte) => jsonNumber(String(byte))),
      });
    case 'bigInteger':
      return tagged('BigInt', String(value.value));
    default:
      return value.value;
  }
}

function tagged(tag: string, value: Json): Json {
  return jsonObject([[tag, value]]);
}
