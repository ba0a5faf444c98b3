import { findNearestWord, listOf, quote } from '../../diagnostics/index.js';
import {
  type AttributeValue,
  compare,
  convert,
  defined,
  describeShape,
  equals,
  fits,
  format,
  type Json,
  type Shape,
  titleOf,
  toJson,
  toShape,
  type ValueType,
  writeJson,
} from '../../values/index.js';

/** A parameter's type: a type of values, or `enum` for a set of options. */
export type ParameterType = ValueType | 'enum';

/** A parameter of a mutator's mutations. */
export interface Parameter {
  /** Its key in attributes and mutations: ASCII without dots. */
  readonly key: string;
  /** Its name for people and objectives. */
  readonly name: string;
  readonly type: ParameterType;
  /** The type of its values: `type` itself, or for an enum the type of its options. */
  readonly valueType: ValueType;
  readonly hardRange?: HardRange;
  /** The usual values of a number. A run tries these values if an objective specifies no range. */
  readonly usualRange?: HardRange;
  /** Present for an enum, and then not empty. */
  readonly options?: readonly Option[];
  /** The value for a mutation that omits the parameter. */
  readonly default?: AttributeValue;
  /** The value that disturbs the system least. */
  readonly leastEffect?: AttributeValue;
  readonly units?: string;
  readonly description?: string;
  readonly distribution?: Distribution;
  /** The JSON shape of values from the mutator's server; absent if unknown. */
  readonly shape?: Shape;
  /** Other attributes, by their keys after `mutator.params.<key>.`. */
  readonly attributes: ReadonlyMap<string, AttributeValue>;
}

/** All permitted values of a parameter, bounds included. An absent side is open. */
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

/** The distribution of a parameter's values in their range. */
export interface Distribution {
  readonly kind?: (typeof DISTRIBUTION_KINDS)[number];
  readonly scaling?: (typeof DISTRIBUTION_SCALINGS)[number];
}

/** The reason why a parameter does not accept a value. */
export interface ValueProblem {
  readonly problem: string;
  readonly help?: string;
  /** The likely intended value. */
  readonly instead?: string;
}

/**
 * True if a value lies within a hard range. NaN lies in no range, not even in a range that is open
 * on both sides.
 */
export function contains(range: HardRange, value: AttributeValue): boolean {
  const isInOrder = (order: number | undefined) => order !== undefined && order <= 0;
  return (
    compare(value, value) === 0 &&
    (range.lower === undefined || isInOrder(compare(range.lower, value))) &&
    (range.upper === undefined || isInOrder(compare(value, range.upper)))
  );
}

/** Returns the mistake in a hard range for values of a type; undefined for a valid range. */
export function rangeProblem(range: HardRange, type: ValueType): string | undefined {
  const { lower, upper } = range;
  for (const bound of [lower, upper]) {
    if (bound === undefined) continue;
    if (convert(bound, type) === undefined) {
      return `the bound ${show(bound)} is not ${titleOf(type)}`;
    }
    if (compare(bound, bound) === undefined) return `${show(bound)} is not a bound`;
  }
  if (lower === undefined || upper === undefined) return undefined;
  const order = compare(lower, upper);
  if (order === undefined) return `the bounds ${show(lower)} and ${show(upper)} have no order`;
  return order > 0
    ? `the lower bound ${show(lower)} is above the upper bound ${show(upper)}`
    : undefined;
}

/**
 * Converts a value for the parameter: to its type, within its hard range, among its options, and in
 * a form that its server's shape can hold. Accepts an option's name instead of its value.
 */
export function accept(
  parameter: Parameter,
  value: AttributeValue,
): { readonly value: AttributeValue } | ValueProblem {
  const convertedValue = convert(value, parameter.valueType);
  if (parameter.options !== undefined)
    return acceptOption(parameter.options, convertedValue ?? value);
  if (convertedValue === undefined) return wrongType(parameter.valueType, value);
  const hardRange = typedRange(parameter);
  if (hardRange !== undefined && !contains(hardRange, convertedValue)) {
    const range = formatRange(hardRange);
    return { problem: `${show(value)} is outside the hard range ${range}` };
  }
  return shapeProblem(parameter, convertedValue) ?? { value: convertedValue };
}

/**
 * Returns the reason why a value cannot be sent in the shape that the parameter's server uses;
 * undefined if it can.
 */
export function shapeProblem(
  { shape }: Parameter,
  value: AttributeValue,
): { readonly problem: string } | undefined {
  if (shape === undefined || toShape(value, shape) !== undefined) return undefined;
  const shapeText = describeShape(value.type, shape);
  return {
    problem: `${show(value)} cannot be sent: the server writes such values as ${shapeText}`,
  };
}

/**
 * Returns a value as JSON for the parameter's server, in the server's shape if it is known and can
 * hold the value.
 */
export function toServerJson({ shape }: Pick<Parameter, 'shape'>, value: AttributeValue): Json {
  return (shape && toShape(value, shape)) ?? toJson(value);
}

function wrongType(type: ValueType, value: AttributeValue): ValueProblem {
  if (value.type === 'bigInteger' && type === 'integer') {
    return { problem: `${show(value)} needs more than the 64 bits of an integer` };
  }
  const problem = `expected ${titleOf(type)}, found ${show(value)}`;
  const intendedValue = boundOf(value, type);
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
  const problem = `${show(value)} is not an option`;
  return { problem, help, ...(nearestName !== undefined && { instead: nearestName }) };
}

/**
 * Returns the hard range with bounds of the parameter's own type, like its values:
 * 9007199254740993, for example, is not a float.
 */
export function typedRange({ hardRange, valueType }: Parameter): HardRange | undefined {
  if (hardRange === undefined) return undefined;
  const { lower, upper } = hardRange;
  return defined({
    lower: lower && (convert(lower, valueType) ?? lower),
    upper: upper && (convert(upper, valueType) ?? upper),
  });
}

/**
 * Returns an objective's bound as a value of a parameter's type; undefined if the bound has another
 * type. TOML can write nanoseconds and logical times only as integers.
 */
export function boundOf(bound: AttributeValue, type: ValueType): AttributeValue | undefined {
  if (type !== 'nanoseconds' && type !== 'logicalTime') return convert(bound, type);
  if (bound.type === type) return bound;
  if (bound.type !== 'integer' && bound.type !== 'bigInteger') return undefined;
  const doesFit = fits(bound.value, 64, 'signed') || fits(bound.value, 64, 'unsigned');
  return doesFit ? { type, value: bound.value } : undefined;
}

/** Returns a bound as an objective can write it: a string, a float or a 64-bit integer. */
export function toObjectiveBound(bound: AttributeValue): AttributeValue | undefined {
  if (bound.type === 'string' || bound.type === 'float') return bound;
  if (typeof bound.value !== 'bigint' || !fits(bound.value, 64, 'signed')) return undefined;
  return { type: 'integer', value: bound.value };
}

/** Returns the range of values to try for a parameter by default. */
export function defaultRange({ hardRange, usualRange }: Parameter): HardRange {
  return { ...hardRange, ...usualRange };
}

/**
 * Returns the intersection of hard ranges, from the largest lower bound to the smallest upper
 * bound.
 */
export function intersectionOf(ranges: readonly HardRange[]): HardRange {
  const [lower] = ranges.flatMap((range) => range.lower ?? []).sort((a, b) => compare(b, a) ?? 0);
  const [upper] = ranges.flatMap((range) => range.upper ?? []).sort((a, b) => compare(a, b) ?? 0);
  return defined({ lower, upper });
}

/** Formats a value for a message: strings in quotes. */
export function show(value: AttributeValue): string {
  return value.type === 'string' ? quote(value.value) : format(value);
}

/** Formats a hard range for people, with `-inf` and `inf` for open sides. */
export function formatRange({ lower, upper }: HardRange): string {
  const lowerText = lower === undefined ? '-inf' : show(lower);
  return `[${lowerText}, ${upper === undefined ? 'inf' : show(upper)}]`;
}

/**
 * Returns the parameter for a name in an objective: the parameter with that name, otherwise the
 * parameter with that key.
 */
export function findParameter(
  parameters: readonly Parameter[],
  name: string,
): Parameter | undefined {
  return (
    parameters.find((parameter) => parameter.name === name) ??
    parameters.find((parameter) => parameter.key === name)
  );
}
