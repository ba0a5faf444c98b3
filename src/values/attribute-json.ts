import { clip } from '../basics/index.js';
import { quote } from '../diagnostics/index.js';
import {
  type AttributeType,
  type AttributeValue,
  type EventCoordinate,
  fitsInBits,
  format,
  fromSegments,
  MAX_DIGITS,
  parseUuid,
  toSegments,
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
 * The JSON notation for values of named types: the mutator API's, the public SDK's, or a bare number, used only for
 * big integers.
 */
export type Shape = 'api' | 'sdk' | 'bare';

/** A notation for some values as tagged JSON: `{"<tag>": ...}`. */
interface Notation<Value> {
  /** A description of the tag's JSON value. */
  readonly expected: string;
  /** Parses a value. Returns undefined if the JSON represents no value of the type. */
  readonly read: (json: Json | undefined) => Value | undefined;
  /** Encodes a value. Returns undefined if the notation cannot represent the value. */
  readonly write: (value: Value) => Json | undefined;
}

interface TaggedNotation {
  readonly type: AttributeType;
  readonly tag: string;
  /** The notation's shape; absent if the type has the same notation in every shape. */
  readonly shape?: Shape;
  readonly notation:
    | Notation<bigint>
    | Notation<string>
    | Notation<number>
    | Notation<EventCoordinate>;
}

function integerOf(bits: number, sign: 'signed' | 'unsigned'): Notation<bigint> {
  const checkBounds = (value: bigint | undefined) =>
    value !== undefined && fitsInBits(value, bits, sign) ? value : undefined;
  return {
    expected: `${sign === 'signed' ? 'a' : 'an unsigned'} ${bits}-bit integer`,
    read: (json) => checkBounds(parseInteger(json === undefined ? undefined : numberText(json))),
    write: (value) => (checkBounds(value) === undefined ? undefined : jsonNumber(value)),
  };
}

/**
 * Returns the notation for an unsigned number as an array of `count` numbers with `bits` bits each, most significant
 * first.
 */
function seriesOf(count: number, bits: number, expected: string): Notation<bigint> {
  const { read } = integerOf(bits, 'unsigned');
  return {
    expected,
    read: (json) => {
      if (!Array.isArray(json) || json.length !== count) return undefined;
      const series = json.map(read).filter((item) => item !== undefined);
      return series.length === count ? fromSegments(series, bits) : undefined;
    },
    write: (value) =>
      fitsInBits(value, count * bits, 'unsigned')
        ? toSegments(value, count, bits).map(jsonNumber)
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
    return value !== undefined && fitsInBits(value, 128, 'signed') ? value : undefined;
  },
  write: (value) => (fitsInBits(value, 128, 'signed') ? String(value) : undefined),
};

/** The tags of non-finite numbers. JavaScript does not distinguish positive and negative NaN. */
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
const bytesCoordinate = coordinateWith(seriesOf(16, 8, '16 bytes'), 'a 16-byte "id"');

/** Each type's notations, the mutator API's first. */
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

/** True if a text is a named type's tag, such as `Nanoseconds`. */
export function isTypeTag(text: string): boolean {
  return NOTATIONS.some(({ tag }) => tag === text);
}

/**
 * Parses an attribute value from lossless JSON, in any shape. A number without a fraction or an exponent is an
 * integer, or a big integer if it needs more than 64 bits. Any other number is a float and must be finite. Returns a
 * problem for any other JSON.
 */
export function fromJson(json: Json): AttributeValue | JsonProblem {
  // JavaScript would format each `number` as written, so an integer has no fraction or exponent.
  if (typeof json === 'string') return { type: 'string', value: json };
  if (typeof json === 'boolean') return { type: 'boolean', value: json };
  if (typeof json === 'number' && !Number.isInteger(json)) return { type: 'float', value: json };
  if (Number.isSafeInteger(json)) return { type: 'integer', value: BigInt(json as number) };
  const number = numberText(json);
  if (number !== undefined) return readNumber(number);
  if (!isJsonObject(json)) return { problem: `${describeJson(json)} is not an attribute value` };
  const [tag, content, ...more] = Object.entries(json).flat();
  if (typeof tag !== 'string' || content === undefined || more.length > 0) {
    return { problem: 'an attribute value must be an object with exactly one member' };
  }
  const candidates = NOTATIONS.filter((notation) => notation.tag === tag);
  if (candidates.length === 0) {
    return { problem: `unknown attribute value type ${quote(tag)}` };
  }
  for (const { type, notation } of candidates) {
    const value = notation.read(content);
    if (value !== undefined) return { type, value } as AttributeValue;
  }
  const expectedForms = candidates.map(({ notation }) => notation.expected);
  return { problem: `${tag}: expected ${expectedForms.join(', or ')}` };
}

function readNumber(written: string): AttributeValue | JsonProblem {
  if (INTEGER.test(written)) {
    const value = parseInteger(written);
    if (value === undefined)
      return { problem: `${clip(written, MAX_SHOWN)} has more than 1,000 digits` };
    return { type: fitsInBits(value, 64, 'signed') ? 'integer' : 'bigInteger', value };
  }
  const value = Number(written);
  if (Number.isFinite(value)) return { type: 'float', value };
  return { problem: `${clip(written, MAX_SHOWN)} does not fit in a float` };
}

/** Maximum length of a number in a message. Longer numbers are shortened. */
const MAX_SHOWN = 46;

const INTEGER = /^-?\d+$/;

/** Parses an integer. Returns undefined for more than `MAX_DIGITS` digits or any other text. */
function parseInteger(text: string | undefined): bigint | undefined {
  if (text === undefined || !INTEGER.test(text)) return undefined;
  return text.replace('-', '').length > MAX_DIGITS ? undefined : BigInt(text);
}

function readUuid(json: Json | undefined): string | undefined {
  return typeof json === 'string' ? parseUuid(json) : undefined;
}

/**
 * Encodes an attribute value as lossless JSON that `fromJson` can parse. Uses the mutator API's shape if it can
 * represent the value, otherwise the public SDK's.
 */
export function toJson(value: AttributeValue): Json {
  return toShape(value, 'api') ?? (toShape(value, 'sdk') as Json);
}

/** Encodes a value as lossless JSON in a shape. Returns undefined if the shape cannot represent the value. */
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
  const tagged = notationOf(value.type, shape);
  const json = (tagged.notation as Notation<unknown>).write(value.value);
  return json === undefined ? undefined : { [tagged.tag]: json };
}

/** Returns the shape of a value's JSON, or undefined if all shapes have the same JSON for the value. */
export function shapeOf(json: Json): Shape | undefined {
  const value = fromJson(json);
  if ('problem' in value) return undefined;
  if (!isJsonObject(json)) return numberText(json) === undefined ? undefined : 'bare';
  const tags = Object.keys(json);
  return NOTATIONS.find(
    ({ tag, notation }) => tags[0] === tag && notation.read(json[tag]) !== undefined,
  )?.shape;
}

/** Describes a type's JSON in a shape, such as `{"Timestamp": an unsigned 64-bit integer}`. */
export function describeShape(type: AttributeType, shape: Shape): string {
  const { tag, notation } = notationOf(type, shape);
  return `{${quote(tag)}: ${notation.expected}}`;
}

/** Returns a type's notation in a shape, or the mutator API's notation if the shape has none for the type. */
function notationOf(type: AttributeType, shape: Shape): TaggedNotation {
  const notations = NOTATIONS.filter((notation) => notation.type === type);
  return (notations.find((notation) => notation.shape === shape) ?? notations[0]) as TaggedNotation;
}
