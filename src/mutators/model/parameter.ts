import { findNearestWord, listOf, quote } from '../../diagnostics/index.js';
import {
  type AttributeValue,
  compare,
  convert,
  defined,
  describeShape,
  equals,
  fitsInBits,
  format,
  type Json,
  type Shape,
  titleOf,
  toJson,
  toShape,
  type ValueType,
  writeJson,
} from '../../values/index.js';

/** A parameter's type, which is a value type or `enum` for a set of options. */
export type ParameterType = ValueType | 'enum';

/** A parameter of a mutator. */
export interface Parameter {
  /** The key in attributes and mutations. Consists of ASCII characters without dots. */
  readonly key: string;
  /** The display name, also used in objectives. */
  readonly name: string;
  readonly type: ParameterType;
  /** The values' type: for an enum, the options' type; otherwise `type`. */
  readonly valueType: ValueType;
  readonly hardRange?: HardRange;
  /** The usual values of a numeric parameter. A run tries them if an objective specifies no range. */
  readonly usualRange?: HardRange;
  /** The options of an enum, not empty; absent for other types. */
  readonly options?: readonly Option[];
  /** The value in mutations that omit the parameter. */
  readonly default?: AttributeValue;
  /** The value with the least effect on the system. */
  readonly leastEffect?: AttributeValue;
  readonly units?: string;
  readonly description?: string;
  readonly distribution?: Distribution;
  /** The JSON shape of values for the mutator's server; absent if unknown. */
  readonly shape?: Shape;
  /** Other attributes, by key without the prefix `mutator.params.<key>.`. */
  readonly attributes: ReadonlyMap<string, AttributeValue>;
}

/** The permitted values of a parameter, with inclusive bounds. An absent bound leaves its side open. */
export interface HardRange {
  readonly lower?: AttributeValue;
  readonly upper?: AttributeValue;
}

/** An option of an enum: its name in objectives, and its value. */
export interface Option {
  readonly name: string;
  readonly value: AttributeValue;
}

export const DISTRIBUTION_KINDS = ['continuous', 'discrete'] as const;
export const DISTRIBUTION_SCALINGS = ['linear', 'complex', 'circular'] as const;

/** The distribution of a parameter's values within their range. */
export interface Distribution {
  readonly kind?: (typeof DISTRIBUTION_KINDS)[number];
  readonly scaling?: (typeof DISTRIBUTION_SCALINGS)[number];
}

/** The reason why a parameter does not accept a value. */
export interface ValueProblem {
  readonly problem: string;
  readonly help?: string;
  /** The probably intended value. */
  readonly instead?: string;
}

/** True if a value is within a hard range. NaN is in no range, even if both sides are open. */
export function contains(range: HardRange, value: AttributeValue): boolean {
  const isInOrder = (order: number | undefined) => order !== undefined && order <= 0;
  return (
    compare(value, value) === 0 &&
    (range.lower === undefined || isInOrder(compare(range.lower, value))) &&
    (range.upper === undefined || isInOrder(compare(value, range.upper)))
  );
}

/** Returns the problem with a hard range for values of a type; undefined for a valid range. */
export function findRangeProblem(range: HardRange, type: ValueType): string | undefined {
  const { lower, upper } = range;
  for (const bound of [lower, upper]) {
    if (bound === undefined) continue;
    if (convert(bound, type) === undefined) {
      return `the bound ${formatValue(bound)} is not ${titleOf(type)}`;
    }
    if (compare(bound, bound) === undefined) return `${formatValue(bound)} is not a bound`;
  }
  if (lower === undefined || upper === undefined) return undefined;
  const order = compare(lower, upper);
  if (order === undefined)
    return `the bounds ${formatValue(lower)} and ${formatValue(upper)} have no order`;
  return order > 0
    ? `the lower bound ${formatValue(lower)} is above the upper bound ${formatValue(upper)}`
    : undefined;
}

/**
 * Converts a value to the parameter's type. Rejects values outside the hard range, values that are not options, and
 * values that the server's JSON shape cannot represent. Accepts an option's name instead of its value.
 */
export function accept(
  parameter: Parameter,
  value: AttributeValue,
): { readonly value: AttributeValue } | ValueProblem {
  const convertedValue = convert(value, parameter.valueType);
  if (parameter.options !== undefined)
    return acceptOption(parameter.options, convertedValue ?? value);
  if (convertedValue === undefined) return wrongType(parameter.valueType, value);
  const hardRange = toTypedRange(parameter);
  if (hardRange !== undefined && !contains(hardRange, convertedValue)) {
    const range = formatRange(hardRange);
    return { problem: `${formatValue(value)} is outside the hard range ${range}` };
  }
  return findShapeProblem(parameter, convertedValue) ?? { value: convertedValue };
}

/** Returns the reason why the server's JSON shape cannot represent a parameter's value; undefined if it can. */
export function findShapeProblem(
  { shape }: Parameter,
  value: AttributeValue,
): { readonly problem: string } | undefined {
  if (shape === undefined || toShape(value, shape) !== undefined) return undefined;
  const shapeText = describeShape(value.type, shape);
  return {
    problem: `${formatValue(value)} cannot be sent: the server writes such values as ${shapeText}`,
  };
}

/**
 * Converts a value to JSON for the parameter's server. Uses the server's shape if the shape is known and can represent
 * the value.
 */
export function toServerJson({ shape }: Pick<Parameter, 'shape'>, value: AttributeValue): Json {
  return (shape && toShape(value, shape)) ?? toJson(value);
}

function wrongType(type: ValueType, value: AttributeValue): ValueProblem {
  if (value.type === 'bigInteger' && type === 'integer') {
    return { problem: `${formatValue(value)} does not fit in a 64-bit integer` };
  }
  const problem = `expected ${titleOf(type)}, found ${formatValue(value)}`;
  const intendedValue = convertBound(value, type);
  return intendedValue === undefined
    ? { problem }
    : { problem, help: `write ${writeJson(toJson(intendedValue))}` };
}

function acceptOption(
  options: readonly Option[],
  value: AttributeValue,
): { readonly value: AttributeValue } | ValueProblem {
  const option =
    options.find((option) => equals(option.value, value)) ??
    options.find((option) => value.type === 'string' && option.name === value.value);
  if (option !== undefined) return { value: option.value };
  const names = options.map((option) => option.name);
  const nearestName = value.type === 'string' ? findNearestWord(value.value, names) : undefined;
  const help =
    nearestName === undefined ? `expected ${listOf(names)}` : `did you mean ${quote(nearestName)}?`;
  const problem = `${formatValue(value)} is not an option`;
  return { problem, help, ...(nearestName !== undefined && { instead: nearestName }) };
}

/**
 * Returns the hard range with its bounds converted to the parameter's type. A float parameter's bound of
 * 9007199254740993, for example, is rounded.
 */
export function toTypedRange({ hardRange, valueType }: Parameter): HardRange | undefined {
  if (hardRange === undefined) return undefined;
  const { lower, upper } = hardRange;
  return defined({
    lower: lower && (convert(lower, valueType) ?? lower),
    upper: upper && (convert(upper, valueType) ?? upper),
  });
}

/**
 * Converts an objective's bound to a parameter's type; undefined for a bound of another type. Accepts integers as
 * nanoseconds and logical times, because TOML lacks these types.
 */
export function convertBound(bound: AttributeValue, type: ValueType): AttributeValue | undefined {
  if (type !== 'nanoseconds' && type !== 'logicalTime') return convert(bound, type);
  if (bound.type === type) return bound;
  if (bound.type !== 'integer' && bound.type !== 'bigInteger') return undefined;
  const doesFit = fitsInBits(bound.value, 64, 'signed') || fitsInBits(bound.value, 64, 'unsigned');
  return doesFit ? { type, value: bound.value } : undefined;
}

/** Converts a bound to a TOML type: a string, a float or a 64-bit integer. Returns undefined if no type fits. */
export function toObjectiveBound(bound: AttributeValue): AttributeValue | undefined {
  if (bound.type === 'string' || bound.type === 'float') return bound;
  if (typeof bound.value !== 'bigint' || !fitsInBits(bound.value, 64, 'signed')) return undefined;
  return { type: 'integer', value: bound.value };
}

/** Returns the default range of values to try for a parameter. */
export function defaultRange({ hardRange, usualRange }: Parameter): HardRange {
  return { ...hardRange, ...usualRange };
}

/** Returns the intersection of hard ranges, from their largest lower bound to their smallest upper bound. */
export function intersectionOf(ranges: readonly HardRange[]): HardRange {
  const [lower] = ranges.flatMap((range) => range.lower ?? []).sort((a, b) => compare(b, a) ?? 0);
  const [upper] = ranges.flatMap((range) => range.upper ?? []).sort((a, b) => compare(a, b) ?? 0);
  return defined({ lower, upper });
}

/** Formats a value for a message, with strings in quotes. */
export function formatValue(value: AttributeValue): string {
  return value.type === 'string' ? quote(value.value) : format(value);
}

/** Formats a hard range for people, with `-inf` and `inf` for open sides. */
export function formatRange({ lower, upper }: HardRange): string {
  const lowerText = lower === undefined ? '-inf' : formatValue(lower);
  return `[${lowerText}, ${upper === undefined ? 'inf' : formatValue(upper)}]`;
}

/** Returns the parameter for a name in an objective: the parameter with the name or, if there is none, with the key. */
export function findParameter(
  parameters: readonly Parameter[],
  name: string,
): Parameter | undefined {
  return (
    parameters.find((parameter) => parameter.name === name) ??
    parameters.find((parameter) => parameter.key === name)
  );
}
