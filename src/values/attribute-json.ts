import { quote } from '../diagnostics/index.js';
import {
  type AttributeType,
  type AttributeValue,
  type EventCoordinate,
  fits,
  format,
  parseUuid,
} from './attribute-value.js';
import {
  describeJson,
  isJsonObject,
  type Json,
  type JsonProblem,
  jsonNumber,
  numberText,
} from './json.js';

const INTEGER = /^-?\d+$/;

/** By tag, what is expected in `{"<tag>": ...}`, and its reader. */
const TAGS: Readonly<Record<string, readonly [string, (json: Json) => unknown, AttributeType]>> = {
  TimelineId: ['a UUID', readUuid, 'timelineId'],
  Timestamp: ['an unsigned 64-bit integer', (json) => readUnsigned(json, 64), 'nanoseconds'],
  LogicalTime: ['four unsigned 64-bit integers', (json) => readSeries(json, 4, 64), 'logicalTime'],
  EventCoordinate: ['a "timeline_id" and an "id" of 16 bytes', readCoordinate, 'eventCoordinate'],
  BigInt: ['a string with a decimal integer of at most 128 bits', readBigInteger, 'bigInteger'],
  NonFiniteFloat: [
    '"NaN", "-NaN", "Infinity" or "-Infinity"',
    (json) => NON_FINITE.get(json),
    'float',
  ],
};

/** JavaScript does not tell the two NaNs apart. */
const NON_FINITE = new Map<Json, number>([
  ['NaN', Number.NaN],
  ['-NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

/**
 * Reads an attribute value from lossless JSON. A number without a fraction or an
 * exponent is an integer, a big one if it needs more than 64 bits, and must fit
 * in 128; one with either is a float and must be finite. Anything that is not an
 * attribute value is a problem.
 */
export function fromJson(json: Json): AttributeValue | JsonProblem {
  // JavaScript writes no integer below 2^53 with a fraction or an exponent.
  if (typeof json === 'string') return { type: 'string', value: json };
  if (typeof json === 'boolean') return { type: 'boolean', value: json };
  if (typeof json === 'number' && !Number.isInteger(json)) return { type: 'float', value: json };
  if (Number.isSafeInteger(json)) return { type: 'integer', value: BigInt(json as number) };
  const number = numberText(json);
  if (number !== undefined) return readNumber(number);
  if (!isJsonObject(json)) return { problem: `${describeJson(json)} is not an attribute value` };
  const entries = Object.entries(json);
  const [tag, content] = entries[0] ?? [];
  if (entries.length !== 1 || tag === undefined || content === undefined) {
    return { problem: 'an object that does not have exactly one member is not an attribute value' };
  }
  const known = Object.hasOwn(TAGS, tag) ? TAGS[tag] : undefined;
  if (known === undefined) return { problem: `${quote(tag)} is not a type of attribute value` };
  const [expected, read, type] = known;
  const value = read(content);
  return value === undefined
    ? { problem: `${tag}: expected ${expected}` }
    : ({ type, value } as AttributeValue);
}

function readNumber(written: string): AttributeValue | JsonProblem {
  if (INTEGER.test(written)) {
    const value = written.length > MOST_DIGITS ? undefined : BigInt(written);
    if (value !== undefined && BigInt.asIntN(64, value) === value)
      return { type: 'integer', value };
    if (value !== undefined && fits(value, 128, 'signed')) return { type: 'bigInteger', value };
    return { problem: `${shorten(written)} needs more than 128 bits` };
  }
  const value = Number(written);
  if (Number.isFinite(value)) return { type: 'float', value };
  return { problem: `${shorten(written)} is beyond what a float can hold` };
}

function readUuid(json: Json | undefined): string | undefined {
  return typeof json === 'string' ? parseUuid(json) : undefined;
}

function readCoordinate(json: Json): EventCoordinate | undefined {
  if (!isJsonObject(json)) return undefined;
  const timelineId = readUuid(json['timeline_id']);
  const id = readSeries(json['id'], 16, 8)?.map(Number);
  return timelineId === undefined || id === undefined ? undefined : { timelineId, id };
}

/** No 128-bit integer needs more characters; the limit keeps BigInt cheap. */
const MOST_DIGITS = 40;

function readBigInteger(json: Json): bigint | undefined {
  if (typeof json !== 'string' || !INTEGER.test(json) || json.length > MOST_DIGITS)
    return undefined;
  const value = BigInt(json);
  return fits(value, 128, 'signed') ? value : undefined;
}

function readSeries(json: Json | undefined, length: number, bits: number): bigint[] | undefined {
  if (!Array.isArray(json) || json.length !== length) return undefined;
  const values = json.map((one) => readUnsigned(one, bits));
  return values.includes(undefined) ? undefined : (values as bigint[]);
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

/** Writes an attribute value as lossless JSON, from which it can be read back. */
export function toJson(value: AttributeValue): Json {
  switch (value.type) {
    case 'integer':
      return jsonNumber(value.value);
    case 'float':
      return Number.isFinite(value.value)
        ? jsonNumber(format(value))
        : { NonFiniteFloat: String(value.value) };
    case 'timelineId':
      return { TimelineId: value.value };
    case 'nanoseconds':
      return { Timestamp: jsonNumber(value.value) };
    case 'logicalTime':
      return { LogicalTime: value.value.map(jsonNumber) };
    case 'eventCoordinate': {
      const { timelineId, id } = value.value;
      return { EventCoordinate: { timeline_id: timelineId, id: id.map(jsonNumber) } };
    }
    case 'bigInteger':
      return { BigInt: String(value.value) };
    default:
      return value.value;
  }
}
