import { type AttributeType, type AttributeValue, fits } from './attribute-value.js';

/** What values a parameter takes: those of one type of attribute values, or any. */
export type ValueType = AttributeType | 'any';

/** The word for each type in a `value_type` attribute. */
const WIRE_NAMES: Readonly<Record<ValueType, string>> = {
  string: 'String',
  boolean: 'Bool',
  integer: 'Integer',
  float: 'Float',
  timelineId: 'TimelineId',
  nanoseconds: 'Nanoseconds',
  logicalTime: 'LogicalTime',
  eventCoordinate: 'Coordinate',
  bigInteger: 'BigInteger',
  any: 'Any',
};

const TITLES: Readonly<Record<ValueType, string>> = {
  string: 'a string',
  boolean: 'a boolean',
  integer: 'an integer',
  float: 'a float',
  timelineId: 'a timeline id',
  nanoseconds: 'a time in nanoseconds',
  logicalTime: 'a logical time',
  eventCoordinate: 'an event coordinate',
  bigInteger: 'an integer of up to 128 bits',
  any: 'any value',
};

const TYPES = new Map(Object.entries(WIRE_NAMES).map(([type, name]) => [name, type as ValueType]));

/** The word for a type in a `value_type` attribute. */
export function wireName(type: ValueType): string {
  return WIRE_NAMES[type];
}

/** The type that a `value_type` attribute names, or undefined when it names none. */
export function typeNamed(name: string): ValueType | undefined {
  return TYPES.get(name);
}

/** The type for people, with an article. */
export function titleOf(type: ValueType): string {
  return TITLES[type];
}

/**
 * The value as one of a type, or undefined when it is of another. An integer
 * is fine for a float, and integers of either size for one another where they fit.
 */
export function convert(value: AttributeValue, type: ValueType): AttributeValue | undefined {
  if (type === 'any' || value.type === type) return value;
  if (value.type !== 'integer' && value.type !== 'bigInteger') return undefined;
  if (type === 'float') return { type, value: Number(value.value) };
  if (type === 'bigInteger') return { type, value: value.value };
  if (type === 'integer' && fits(value.value, 64, 'signed')) return { type, value: value.value };
  return undefined;
}
