import { compareCodePoints } from '../source/index.js';

/**
 * The value of an attribute or of a mutation's parameter. Types are distinct
 * even where values look alike: the integer 5 is not the float 5.
 */
export type AttributeValue =
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'boolean'; readonly value: boolean }
  /** 64 bits, signed. */
  | { readonly type: 'integer'; readonly value: bigint }
  /** May be infinite or not a number; the sign of NaN is not kept. */
  | { readonly type: 'float'; readonly value: number }
  /** A UUID in lower case. */
  | { readonly type: 'timelineId'; readonly value: string }
  /** 64 bits, unsigned. */
  | { readonly type: 'nanoseconds'; readonly value: bigint }
  | { readonly type: 'logicalTime'; readonly value: LogicalTime }
  | { readonly type: 'eventCoordinate'; readonly value: EventCoordinate }
  /** 128 bits, signed. */
  | { readonly type: 'bigInteger'; readonly value: bigint };

/** The types of attribute values. */
export type AttributeType = AttributeValue['type'];

/** The segments of a logical clock, the most significant first: 64 bits each, unsigned. */
export type LogicalTime = readonly [bigint, bigint, bigint, bigint];

export interface EventCoordinate {
  /** A UUID in lower case. */
  readonly timelineId: string;
  /** 16 bytes. */
  readonly id: readonly number[];
}

/** The value that a scalar of a file stands for: integers are bigints there, and floats numbers. */
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

/** Whether an integer fits in this many bits. */
export function fits(value: bigint, bits: number, signed: 'signed' | 'unsigned'): boolean {
  return (signed === 'signed' ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value)) === value;
}

/** Whether two values have the same type and are equal: NaN equals NaN, and -0.0 does not equal 0.0. */
export function equals(a: AttributeValue, b: AttributeValue): boolean {
  return a.type === b.type && format(a) === format(b);
}

/**
 * Below, above or equal to zero as `a` is less than, greater than or equal to
 * `b`. Integers, big integers and floats compare by their exact values, strings
 * by code point, and false comes before true. Undefined if there is no order:
 * for values of different types, and NaN.
 */
export function compare(a: AttributeValue, b: AttributeValue): number | undefined {
  if (isNumeric(a) && isNumeric(b)) return order(a.value, b.value);
  if (a.type === 'string' && b.type === 'string') return compareCodePoints(a.value, b.value);
  if (a.type !== b.type) return undefined;
  if (a.type === 'logicalTime' && b.type === 'logicalTime') {
    return compareSeries(a.value, b.value);
  }
  if (a.type === 'eventCoordinate' && b.type === 'eventCoordinate') {
    return order(a.value.timelineId, b.value.timelineId) || compareSeries(a.value.id, b.value.id);
  }
  return order(a.value as string | bigint | boolean, b.value as string | bigint | boolean);
}

type Numeric = Extract<AttributeValue, { readonly value: bigint | number }>;

function isNumeric(value: AttributeValue): value is Numeric {
  return value.type === 'integer' || value.type === 'float' || value.type === 'bigInteger';
}

/** JavaScript compares a bigint with a number by their exact values. */
function order<T extends string | bigint | number | boolean>(a: T, b: T): number | undefined {
  if (a < b) return -1;
  if (a > b) return 1;
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number of one value are equal here
  return a == b ? 0 : undefined;
}

function compareSeries(
  a: readonly (bigint | number)[],
  b: readonly (bigint | number)[],
): number | undefined {
  for (const [index, one] of a.entries()) {
    const other = b[index];
    if (other !== undefined && one !== other) return order(one, other);
  }
  return a.length - b.length;
}

/** The exact value as people write it; a string has no quotes. */
export function format(value: AttributeValue): string {
  switch (value.type) {
    case 'float':
      return formatFloat(value.value);
    case 'nanoseconds':
      return `${value.value}ns`;
    case 'logicalTime':
      return value.value.join(':');
    case 'eventCoordinate':
      return `${value.value.timelineId}:${hexOf(value.value.id)}`;
    default:
      return String(value.value);
  }
}

/** Bytes in hexadecimal, two digits each. */
export function hexOf(bytes: ArrayLike<number>): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** All digits of a whole number, even if the shortest text that means it has different ones. */
function digitsOf(value: number): string {
  const isLarge = Number.isInteger(value) && Math.abs(value) < 1e21;
  return isLarge ? String(BigInt(value)) : String(value);
}

/** A float that reads as one: with a fraction or an exponent, or `inf`, `-inf`, `nan` as in TOML. */
function formatFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const text = Object.is(value, -0) ? '-0' : digitsOf(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** The values that a parameter takes: those of one attribute type, or any. */
export type ValueType = AttributeType | 'any';

/** For each type, the word in a `value_type` attribute, and the words for people. */
const TYPES: Readonly<Record<ValueType, readonly [wire: string, title: string]>> = {
  string: ['String', 'a string'],
  boolean: ['Bool', 'a boolean'],
  integer: ['Integer', 'an integer'],
  float: ['Float', 'a float'],
  timelineId: ['TimelineId', 'a timeline id'],
  nanoseconds: ['Nanoseconds', 'a time in nanoseconds'],
  logicalTime: ['LogicalTime', 'a logical time'],
  eventCoordinate: ['Coordinate', 'an event coordinate'],
  bigInteger: ['BigInteger', 'an integer of up to 128 bits'],
  any: ['Any', 'any value'],
};

/** The word for a type in a `value_type` attribute. */
export function wireName(type: ValueType): string {
  return TYPES[type][0];
}

/** The words of all types in `value_type` attributes. */
export const wireNames: readonly string[] = Object.values(TYPES).map(([wire]) => wire);

/** The type that a `value_type` attribute names, or undefined if it does not name one. */
export function typeNamed(name: string): ValueType | undefined {
  return (Object.keys(TYPES) as ValueType[]).find((type) => wireName(type) === name);
}

/** The words for a type, with an article. */
export function titleOf(type: ValueType): string {
  return TYPES[type][1];
}

/**
 * The value as one of a type, or undefined if it is of another. An integer may
 * become a float, and integers of either size may become the other if they fit.
 */
export function convert(value: AttributeValue, type: ValueType): AttributeValue | undefined {
  if (type === 'any' || value.type === type) return value;
  if (value.type !== 'integer' && value.type !== 'bigInteger') return undefined;
  if (type === 'float') return { type, value: Number(value.value) };
  if (type === 'bigInteger') return { type, value: value.value };
  if (type === 'integer' && fits(value.value, 64, 'signed')) return { type, value: value.value };
  return undefined;
}

const HYPHENATED = '([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})';
const SIMPLE = HYPHENATED.replaceAll('-(', '(');

/** The forms that RFC 9562 and the libraries of other languages write. */
const FORMS = [HYPHENATED, `urn:uuid:${HYPHENATED}`, `\\{${HYPHENATED}\\}`, SIMPLE].map(
  (form) => new RegExp(`^${form}$`, 'i'),
);

/**
 * The UUID with hyphens and in lower case, of any version, or undefined for any
 * other text. It may also be written without hyphens, in braces or as a URN.
 */
export function parseUuid(text: string): string | undefined {
  for (const form of FORMS) {
    const match = form.exec(text);
    if (match !== null) return match.slice(1).join('-').toLowerCase();
  }
  return undefined;
}
