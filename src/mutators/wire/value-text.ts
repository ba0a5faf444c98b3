import { quote } from '../../diagnostics/index.js';
import {
  type AttributeValue,
  fitsInBits,
  fromJson,
  MAX_DIGITS,
  parseFormatted,
  parseJson,
  parseUuid,
  titleOf,
  type ValueType,
} from '../../values/index.js';
import { accept, type Parameter, type ValueProblem } from '../model/parameter.js';

const INTEGER = new RegExp(`^[+-]?\\d{1,${MAX_DIGITS}}$`);
const FLOAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const NOT_FINITE: Readonly<Record<string, number>> = {
  inf: Number.POSITIVE_INFINITY,
  '+inf': Number.POSITIVE_INFINITY,
  '-inf': Number.NEGATIVE_INFINITY,
  nan: Number.NaN,
};

type Reader = (text: string) => AttributeValue | ValueProblem | undefined;

/** Parsers for user input, by value type. A parser returns a problem or undefined for invalid input. */
const READERS: Readonly<Record<ValueType, Reader>> = {
  string: (value) => ({ type: 'string', value }),
  boolean: (text) =>
    text === 'true' || text === 'false' ? { type: 'boolean', value: text === 'true' } : undefined,
  integer: (text) => {
    const value = parseWhole(text);
    return value !== undefined && fitsInBits(value, 64, 'signed')
      ? { type: 'integer', value }
      : undefined;
  },
  bigInteger: (text) => {
    const value = parseWhole(text);
    return value === undefined ? fromJsonText(text, 'bigInteger') : { type: 'bigInteger', value };
  },
  nanoseconds: (text) => parseFormatted(text, 'nanoseconds') ?? fromJsonText(text, 'nanoseconds'),
  float: (text) => readFloat(text) ?? fromJsonText(text, 'float'),
  timelineId: (text) => {
    const value = parseUuid(text);
    return value === undefined ? fromJsonText(text, 'timelineId') : { type: 'timelineId', value };
  },
  logicalTime: (text) => parseFormatted(text, 'logicalTime') ?? fromJsonText(text, 'logicalTime'),
  eventCoordinate: (text) =>
    parseFormatted(text, 'eventCoordinate') ?? fromJsonText(text, 'eventCoordinate'),
  any: (text) => {
    const json = parseJson(text);
    if ('problem' in json) return { type: 'string', value: text };
    const value = fromJson(json.value);
    return 'problem' in value ? { ...value, help: 'to send this text, put it in quotes' } : value;
  },
};

/** Hints for types whose title does not describe the expected input. */
const HINTS: Partial<Record<ValueType, string>> = {
  boolean: 'write true or false',
  integer: 'write a 64-bit integer',
  nanoseconds: 'write a 64-bit integer',
  bigInteger: 'write decimal digits',
  timelineId: 'write a UUID',
  logicalTime: 'write a 64-bit integer, or four segments: 0:0:0:1',
  eventCoordinate: 'write JSON: {"EventCoordinate": {"timeline_id": "...", "id": 5}}',
};

/**
 * Parses a parameter value typed by a person. For a float, `5` is 5.0. An enum option is identified by its name, and a
 * string needs no quotes. For a parameter of any type, parses JSON, refuses JSON that is not an attribute value, and
 * treats any other text as a string.
 */
export function parseValue(
  parameter: Parameter,
  text: string,
): { readonly value: AttributeValue } | ValueProblem {
  const { options, valueType } = parameter;
  if (options?.some(({ name }) => name === text)) {
    return accept(parameter, { type: 'string', value: text });
  }
  const value = READERS[valueType](text);
  if (value !== undefined) return 'problem' in value ? value : accept(parameter, value);
  if (options !== undefined) return accept(parameter, { type: 'string', value: text });
  const help = HINTS[valueType];
  return {
    problem: `expected ${titleOf(valueType)}, found ${quote(text)}`,
    ...(help !== undefined && { help }),
  };
}

function parseWhole(text: string): bigint | undefined {
  return INTEGER.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined;
}

function readFloat(text: string): AttributeValue | undefined {
  const lowerCase = text.toLowerCase();
  if (Object.hasOwn(NOT_FINITE, lowerCase))
    return { type: 'float', value: NOT_FINITE[lowerCase] as number };
  const value = FLOAT.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? { type: 'float', value } : undefined;
}

function fromJsonText(text: string, type: ValueType): AttributeValue | undefined {
  const json = parseJson(text);
  if ('problem' in json) return undefined;
  const value = fromJson(json.value);
  return 'problem' in value || value.type !== type ? undefined : value;
}
