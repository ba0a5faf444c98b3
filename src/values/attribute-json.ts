import { clip } from '../basics/index.js';
import { quote } from '../diagnostics/index.js';
import {
  type AttributeType,
  type AttributeValue,
  type EventCoordinate,
  fits,
  format,
  fromSeries,
  MOST_DIGITS,
  parseUuid,
  toSeries,
} from './attribute-value.js';
import {
  describeJson,
  isJsonObject,
  type Json,
  type JsonProblem,
  jsonNumber,
  numberText,
} from './json.js';

/**
 * A way to write values of named types as JSON: that of the mutator API, that of the public SDK, or a bare
 * number, which only big integers have.
 */
export type Shape = 'api' | 'sdk' | 'bare';

/** One way to write some values, as JSON behind a tag: `{"<tag>": ...}`. */
interface Notation<Value> {
  /** Words for the JSON behind the tag. */
  readonly expected: string;
  /** Returns undefined for JSON that stands for no such value. */
  readonly read: (json: Json | undefined) => Value | undefined;
  /** Returns undefined for a value that this notation cannot hold. */
  readonly write: (value: Value) => Json | undefined;
}

interface TaggedNotation {
  readonly type: AttributeType;
  readonly tag: string;
  /** Absent if the type has one notation, whatever the shape. */
  readonly shape?: Shape;
  readonly notation:
    | Notation<bigint>
    | Notation<string>
    | Notation<number>
    | Notation<EventCoordinate>;
}

function integerOf(bits: number, sign: 'signed' | 'unsigned'): Notation<bigint> {
  const bounded = (value: bigint | undefined) =>
    value !== undefined && fits(value, bits, sign) ? value : undefined;
  return {
    expected: `${sign === 'signed' ? 'a' : 'an unsigned'} ${bits}-bit integer`,
    read: (json) => bounded(parseInteger(json === undefined ? undefined : numberText(json))),
    write: (value) => (bounded(value) === undefined ? undefined : jsonNumber(value)),
  };
}

/** An unsigned number as an array of numbers of so many bits each, the most significant first. */
function seriesOf(count: number, bits: number, expected: string): Notation<bigint> {
  const { read } = integerOf(bits, 'unsigned');
  return {
    expected,
    read: (json) => {
      if (!Array.isArray(json) || json.length !== count) return undefined;
      const series = json.map(read).filter((one) => one !== undefined);
      return series.length === count ? fromSeries(series, bits) : undefined;
    },
    write: (value) =>
      fits(value, count * bits, 'unsigned')
        ? toSeries(value, count, bits).map(jsonNumber)
        : undefined,
  };
}

function coordinateWith(ids: Notation<bigint>, id: string): Notation<EventCoordinate> {
  return {
    expected: `a "timeline_id" and ${id}`,
    read: (json) => {
      if (json === undefined || !isJsonObject(json)) return undefined;
      const timelineId = readUuid(json['timeline_id']);
      const number = ids.read(json['id']);
      return timelineId === undefined || number === undefined
        ? undefined
        : { timelineId, id: number };
    },
    write: (value) => {
      const written = ids.write(value.id);
      return written === undefined ? undefined : { timeline_id: value.timelineId, id: written };
    },
  };
}

const uuid: Notation<string> = { expected: 'a UUID', read: readUuid, write: (value) => value };

const digits: Notation<bigint> = {
  expected: 'an integer of at most 1,000 digits',
  read: (json) => parseInteger(json === undefined ? undefined : numberText(json)),
  write: jsonNumber,
};

const decimal: Notation<bigint> = {
  expected: 'a string with a decimal integer of at most 128 bits',
  read: (json) => {
    const value = parseInteger(typeof json === 'string' ? json : undefined);
    return value !== undefined && fits(value, 128, 'signed') ? value : undefined;
  },
  write: (value) => (fits(value, 128, 'signed') ? String(value) : undefined),
};

/** JavaScript does not tell the two NaNs apart. */
const NON_FINITE = new Map<Json | undefined, number>([
  ['NaN', Number.NaN],
  ['-NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

const nonFinite: Notation<number> = {
  expected: '"NaN", "-NaN", "Infinity" or "-Infinity"',
  read: (json) => NON_FINITE.get(json),
  write: String,
};

const int64 = integerOf(64, 'signed');
const segments = seriesOf(4, 64, 'four unsigned 64-bit integers');
const int32Coordinate = coordinateWith(integerOf(32, 'signed'), 'a 32-bit "id"');
const bytesCoordinate = coordinateWith(seriesOf(16, 8, '16 bytes'), 'an "id" of 16 bytes');

/** The notations of each type; that of the API comes first. */
const NOTATIONS: readonly TaggedNotation[] = [
  { type: 'timelineId', tag: 'TimelineId', notation: uuid },
  { type: 'nanoseconds', tag: 'Nanoseconds', shape: 'api', notation: int64 },
  { type: 'nanoseconds', tag: 'Timestamp', shape: 'sdk', notation: integerOf(64, 'unsigned') },
  { type: 'logicalTime', tag: 'LogicalTime', shape: 'api', notation: int64 },
  { type: 'logicalTime', tag: 'LogicalTime', shape: 'sdk', notation: segments },
  { type: 'eventCoordinate', tag: 'EventCoordinate', shape: 'api', notation: int32Coordinate },
  { type: 'eventCoordinate', tag: 'EventCoordinate', shape: 'sdk', notation: bytesCoordinate },
  { type: 'bigInteger', tag: 'BigInt', shape: 'api', notation: digits },
  { type: 'bigInteger', tag: 'BigInt', shape: 'sdk', notation: decimal },
  { type: 'float', tag: 'NonFiniteFloat', notation: nonFinite },
];

/** True if a text is the tag of a named type, such as `Nanoseconds`. */
export function isTypeTag(text: string): boolean {
  return NOTATIONS.some(({ tag }) => tag === text);
}

/**
 * Reads an attribute value from lossless JSON, in any shape. A number without a fraction or an exponent is
 * an integer, a big one if it needs more than 64 bits; one with either is a float and must be finite.
 * Anything that is not an attribute value is a problem.
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
  const [tag, content, ...more] = Object.entries(json).flat();
  if (typeof tag !== 'string' || content === undefined || more.length > 0) {
    return { problem: 'an object that does not have exactly one member is not an attribute value' };
  }
  const candidates = NOTATIONS.filter((one) => one.tag === tag);
  if (candidates.length === 0) {
    return { problem: `${quote(tag)} is not a type of attribute value` };
  }
  for (const { type, notation } of candidates) {
    const value = notation.read(content);
    if (value !== undefined) return { type, value } as AttributeValue;
  }
  const expected = candidates.map(({ notation }) => notation.expected);
  return { problem: `${tag}: expected ${expected.join(', or ')}` };
}

function readNumber(written: string): AttributeValue | JsonProblem {
  if (INTEGER.test(written)) {
    const value = parseInteger(written);
    if (value === undefined)
      return { problem: `${clip(written, MOST_SHOWN)} has more than 1,000 digits` };
    return { type: fits(value, 64, 'signed') ? 'integer' : 'bigInteger', value };
  }
  const value = Number(written);
  if (Number.isFinite(value)) return { type: 'float', value };
  return { problem: `${clip(written, MOST_SHOWN)} is beyond what a float can hold` };
}

/** A longer number is not shown whole. */
const MOST_SHOWN = 46;

const INTEGER = /^-?\d+$/;

/** The integer that a text is; undefined for any other text, and for more than `MOST_DIGITS` digits. */
function parseInteger(text: string | undefined): bigint | undefined {
  if (text === undefined || !INTEGER.test(text)) return undefined;
  return text.replace('-', '').length > MOST_DIGITS ? undefined : BigInt(text);
}

function readUuid(json: Json | undefined): string | undefined {
  return typeof json === 'string' ? parseUuid(json) : undefined;
}

/**
 * Writes an attribute value as lossless JSON, from which it can be read back: in the shape of the mutator
 * API if that holds it, otherwise in that of the public SDK.
 */
export function toJson(value: AttributeValue): Json {
  return toShape(value, 'api') ?? (toShape(value, 'sdk') as Json);
}

/** The value as lossless JSON in a shape, or undefined if the shape cannot hold it. */
export function toShape(value: AttributeValue, shape: Shape): Json | undefined {
  switch (value.type) {
    case 'string':
    case 'boolean':
      return value.value;
    case 'integer':
      return jsonNumber(value.value);
    case 'float':
      if (Number.isFinite(value.value)) return jsonNumber(format(value));
      break;
    case 'bigInteger':
      if (shape === 'bare') return jsonNumber(value.value);
  }
  const found = notationOf(value.type, shape);
  const json = (found.notation as Notation<unknown>).write(value.value);
  return json === undefined ? undefined : { [found.tag]: json };
}

/** The shape in which JSON writes a value; undefined if the value is written alike in all. */
export function shapeOf(json: Json): Shape | undefined {
  const value = fromJson(json);
  if ('problem' in value) return undefined;
  if (!isJsonObject(json)) return numberText(json) === undefined ? undefined : 'bare';
  const tags = Object.keys(json);
  return NOTATIONS.find(
    ({ tag, notation }) => tags[0] === tag && notation.read(json[tag]) !== undefined,
  )?.shape;
}

/** Words for the JSON of a type in a shape, such as `{"Timestamp": an unsigned 64-bit integer}`. */
export function describeShape(type: AttributeType, shape: Shape): string {
  const { tag, notation } = notationOf(type, shape);
  return `{${quote(tag)}: ${notation.expected}}`;
}

/** The notation of a type in a shape; that of the API if the shape has none. */
function notationOf(type: AttributeType, shape: Shape): TaggedNotation {
  const own = NOTATIONS.filter((one) => one.type === type);
  return (own.find((one) => one.shape === shape) ?? own[0]) as TaggedNotation;
}
