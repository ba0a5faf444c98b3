import { compareCodePoints } from '../source/index.js';

/**
 * The value of an attribute or a mutation parameter. Types stay distinct even for similar values: the integer 5 differs
 * from the float 5.
 */
export type AttributeValue =
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'boolean'; readonly value: boolean }
  /** A signed 64-bit integer. */
  | { readonly type: 'integer'; readonly value: bigint }
  /** A float, possibly infinite or NaN. The sign of NaN is not kept. */
  | { readonly type: 'float'; readonly value: number }
  /** A UUID in lower case. */
  | { readonly type: 'timelineId'; readonly value: string }
  /** A signed or unsigned 64-bit integer. */
  | { readonly type: 'nanoseconds'; readonly value: bigint }
  /** An unsigned 256-bit integer (four 64-bit segments, most significant first) or a signed 64-bit integer. */
  | { readonly type: 'logicalTime'; readonly value: bigint }
  | { readonly type: 'eventCoordinate'; readonly value: EventCoordinate }
  /** An integer of at most `MAX_DIGITS` digits. */
  | { readonly type: 'bigInteger'; readonly value: bigint };

/** The types of attribute values. */
export type AttributeType = AttributeValue['type'];

export interface EventCoordinate {
  /** A UUID in lower case. */
  readonly timelineId: string;
  /** An unsigned 128-bit integer (16 bytes, most significant first) or a signed 32-bit integer. */
  readonly id: bigint;
}

/** Maximum number of digits of an integer. */
export const MAX_DIGITS = 1_000;

/** Converts a scalar from a file, with integers as bigints and floats as numbers, to an attribute value. */
export function toAttribute(value: string | bigint | number | boolean): AttributeValue {
  switch (typeof value) {
    case 'string':
      return { type: 'string', value };
    case 'bigint':
      return { type: 'integer', value };
    case 'number':
      return { type: 'float', value };
    default:
      return { type: 'boolean', value };
  }
}

/** True if an integer fits in this many bits. */
export function fitsInBits(value: bigint, bits: number, signed: 'signed' | 'unsigned'): boolean {
  return (signed === 'signed' ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value)) === value;
}

/** True if two values have the same type and are equal. NaN equals NaN, and -0.0 differs from 0.0. */
export function equals(a: AttributeValue, b: AttributeValue): boolean {
  return a.type === b.type && format(a) === format(b);
}

/**
 * Compares two values and returns a negative number, zero or a positive number. Compares integers, big integers and
 * floats by their exact values, strings by code point, and false before true. Returns undefined for types that cannot
 * be compared, and for NaN.
 */
export function compare(a: AttributeValue, b: AttributeValue): number | undefined {
  if (isNumeric(a) && isNumeric(b)) return order(a.value, b.value);
  if (a.type === 'string' && b.type === 'string') return compareCodePoints(a.value, b.value);
  if (a.type !== b.type) return undefined;
  if (a.type === 'eventCoordinate' && b.type === 'eventCoordinate') {
    return order(a.value.timelineId, b.value.timelineId) || order(a.value.id, b.value.id);
  }
  return order(a.value as string | bigint | boolean, b.value as string | bigint | boolean);
}

type Numeric = Extract<AttributeValue, { readonly value: bigint | number }>;

function isNumeric(value: AttributeValue): value is Numeric {
  return value.type === 'integer' || value.type === 'float' || value.type === 'bigInteger';
}

/** Compares two values with JavaScript's operators, which compare a bigint with a number exactly. */
function order<T extends string | bigint | number | boolean>(a: T, b: T): number | undefined {
  if (a < b) return -1;
  if (a > b) return 1;
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number of one value are equal here
  return a == b ? 0 : undefined;
}

/** Formats the exact value for a user, without quotes around a string. */
export function format(value: AttributeValue): string {
  switch (value.type) {
    case 'float':
      return formatFloat(value.value);
    case 'nanoseconds':
      return `${value.value}ns`;
    case 'logicalTime':
      return value.value < 0n ? String(value.value) : toSegments(value.value, 4, 64).join(':');
    case 'eventCoordinate': {
      const { timelineId, id } = value.value;
      return `${timelineId}:${id < 0n ? id : hexOf(toSegments(id, 16, 8).map(Number))}`;
    }
    default:
      return String(value.value);
  }
}

/** Splits an unsigned number into `count` numbers of `bits` bits each, most significant first. */
export function toSegments(value: bigint, count: number, bits: number): bigint[] {
  return Array.from({ length: count }, (_, index) =>
    BigInt.asUintN(bits, value >> BigInt((count - 1 - index) * bits)),
  );
}

/** Joins numbers of `bits` bits each, most significant first, into one unsigned number. */
export function fromSegments(series: readonly bigint[], bits: number): bigint {
  return series.reduce((value, item) => (value << BigInt(bits)) | item, 0n);
}

/** Formats bytes in hexadecimal, with two digits for each byte. */
export function hexOf(bytes: ArrayLike<number>): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns all digits of a whole number, even if fewer digits would identify the number. */
function digitsOf(value: number): string {
  const isLarge = Number.isInteger(value) && Math.abs(value) < 1e21;
  return isLarge ? String(BigInt(value)) : String(value);
}

/** Formats a float with a fraction or an exponent, or as TOML's `inf`, `-inf` or `nan`. */
function formatFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const text = Object.is(value, -0) ? '-0' : digitsOf(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** The type of a parameter's values: an attribute type, or any. */
export type ValueType = AttributeType | 'any';

/** Each type's name in a `value_type` attribute, and its title in messages. */
const TYPES: Readonly<Record<ValueType, readonly [wire: string, title: string]>> = {
  string: ['String', 'a string'],
  boolean: ['Bool', 'a boolean'],
  integer: ['Integer', 'an integer'],
  float: ['Float', 'a float'],
  timelineId: ['TimelineId', 'a timeline id'],
  nanoseconds: ['Nanoseconds', 'a time in nanoseconds'],
  logicalTime: ['LogicalTime', 'a logical time'],
  eventCoordinate: ['Coordinate', 'an event coordinate'],
  bigInteger: ['BigInteger', 'an integer of up to 1,000 digits'],
  any: ['Any', 'any value'],
};

/** Returns a type's name in a `value_type` attribute. */
export function wireName(type: ValueType): string {
  return TYPES[type][0];
}

/** The names of all types in `value_type` attributes. */
export const wireNames: readonly string[] = Object.values(TYPES).map(([wire]) => wire);

/** Returns the type with this name in `value_type` attributes, or undefined for an unknown name. */
export function typeNamed(name: string): ValueType | undefined {
  return (Object.keys(TYPES) as ValueType[]).find((type) => wireName(type) === name);
}

/** Describes a type, with an article. */
export function titleOf(type: ValueType): string {
  return TYPES[type][1];
}

/**
 * Converts a value to a type. Converts an integer to a float unless the result is infinite, and between integers and
 * big integers if the value fits. Returns undefined for any other value of another type.
 */
export function convert(value: AttributeValue, type: ValueType): AttributeValue | undefined {
  if (type === 'any' || value.type === type) return value;
  if (value.type !== 'integer' && value.type !== 'bigInteger') return undefined;
  if (type === 'float') {
    const float = Number(value.value);
    return Number.isFinite(float) ? { type, value: float } : undefined;
  }
  if (type === 'bigInteger') return { type, value: value.value };
  if (type === 'integer' && fitsInBits(value.value, 64, 'signed'))
    return { type, value: value.value };
  return undefined;
}

/** Parses the output of `format` for a type. Returns undefined for any other text. */
export function parseFormatted(
  text: string,
  type: 'nanoseconds' | 'logicalTime' | 'eventCoordinate',
): AttributeValue | undefined {
  switch (type) {
    case 'nanoseconds': {
      const [, digits] = /^(-?\d{1,20})(?:ns)?$/.exec(text) ?? [];
      return digits === undefined ? undefined : bounded(type, BigInt(digits));
    }
    case 'logicalTime': {
      if (/^-?\d{1,20}$/.test(text)) return bounded(type, BigInt(text));
      if (!/^\d{1,20}(?::\d{1,20}){3}$/.test(text)) return undefined;
      const segments = text.split(':').map(BigInt);
      return segments.every((segment) => fitsInBits(segment, 64, 'unsigned'))
        ? { type, value: fromSegments(segments, 64) }
        : undefined;
    }
    case 'eventCoordinate': {
      const [, uuid = '', hex, negative] =
        /^(.*):(?:([0-9a-f]{32})|(-\d{1,10}))$/i.exec(text) ?? [];
      const timelineId = parseUuid(uuid);
      if (timelineId === undefined) return undefined;
      const id = hex === undefined ? BigInt(negative as string) : BigInt(`0x${hex}`);
      return hex !== undefined || fitsInBits(id, 32, 'signed')
        ? { type, value: { timelineId, id } }
        : undefined;
    }
  }
}

/** Returns a signed or unsigned 64-bit value, or undefined if the value needs more bits. */
function bounded(type: 'nanoseconds' | 'logicalTime', value: bigint): AttributeValue | undefined {
  return fitsInBits(value, 64, 'signed') || fitsInBits(value, 64, 'unsigned')
    ? { type, value }
    : undefined;
}

const HYPHENATED = '([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})';
const SIMPLE = HYPHENATED.replaceAll('-(', '(');

/** UUID notations from RFC 9562 and from other languages' libraries. */
const FORMS = [HYPHENATED, `urn:uuid:${HYPHENATED}`, `\\{${HYPHENATED}\\}`, SIMPLE].map(
  (form) => new RegExp(`^${form}$`, 'i'),
);

/**
 * Normalizes a UUID of any version to lower case with hyphens. Also accepts a UUID without hyphens, in braces or as a
 * URN. Returns undefined for any other text.
 */
export function parseUuid(text: string): string | undefined {
  for (const form of FORMS) {
    const match = form.exec(text);
    if (match !== null) return match.slice(1).join('-').toLowerCase();
  }
  return undefined;
}
