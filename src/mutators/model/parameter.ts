import { listOf, nearest, quote } from '../../diagnostics/index.js';
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

/** A type of values, or `enum`: one of a set of options. */
export type ParameterType = ValueType | 'enum';

/** What a mutation of a mutator can be given. */
export interface Parameter {
  /** How attributes and mutations refer to it: ASCII without dots. */
  readonly key: string;
  /** How people and objectives refer to it. */
  readonly name: string;
  readonly type: ParameterType;
  /** The type of its values: `type` itself, or for an enum that of its options. */
  readonly valueType: ValueType;
  readonly hardRange?: HardRange;
  /** The values that systems usually meet, of a number: what a run tries where an objective gives no range. */
  readonly usualRange?: HardRange;
  /** Present for an enum, and then not empty. */
  readonly options?: readonly Option[];
  /** What a mutation that leaves the parameter out gets. */
  readonly default?: AttributeValue;
  /** The value that disturbs the system least. */
  readonly leastEffect?: AttributeValue;
  readonly units?: string;
  readonly description?: string;
  readonly distribution?: Distribution;
  /** The shape in which its server writes values; absent if the server shows none. */
  readonly shape?: Shape;
  /** Attributes beyond these, by what follows `mutator.params.<key>.`. */
  readonly attributes: ReadonlyMap<string, AttributeValue>;
}

/** The values that a parameter can take at all, bounds included. A side that is absent is open. */
export interface HardRange {
  readonly lower?: AttributeValue;
  readonly upper?: AttributeValue;
}

/** One of an enum's options: what objectives call it, and the value that stands for it. */
export interface Option {
  readonly name: string;
  readonly value: AttributeValue;
}

export const DISTRIBUTION_KINDS = ['continuous', 'discrete'] as const;
export const DISTRIBUTION_SCALINGS = ['linear', 'complex', 'circular'] as const;

/** How a parameter's values lie in their range. */
export interface Distribution {
  readonly kind?: (typeof DISTRIBUTION_KINDS)[number];
  readonly scaling?: (typeof DISTRIBUTION_SCALINGS)[number];
}

/** Why a value is not one that a parameter takes. */
export interface ValueProblem {
  readonly problem: string;
  readonly help?: string;
  /** What was nearly written. */
  readonly instead?: string;
}

/** Whether a value lies within a hard range. NaN lies in none, not even one that is open on both sides. */
export function contains(range: HardRange, value: AttributeValue): boolean {
  const within = (order: number | undefined) => order !== undefined && order <= 0;
  return (
    compare(value, value) === 0 &&
    (range.lower === undefined || within(compare(range.lower, value))) &&
    (range.upper === undefined || within(compare(value, range.upper)))
  );
}

/** What is wrong with a hard range for values of a type, or undefined. */
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
 * The value as the parameter takes it: of its type, within its hard range, one
 * of its options, and one that its server's shape can hold. An option may also
 * be given by its name.
 */
export function accept(
  parameter: Parameter,
  value: AttributeValue,
): { readonly value: AttributeValue } | ValueProblem {
  const converted = convert(value, parameter.valueType);
  if (parameter.options !== undefined) return acceptOption(parameter.options, converted ?? value);
  if (converted === undefined) return wrongType(parameter.valueType, value);
  const hardRange = typedRange(parameter);
  if (hardRange !== undefined && !contains(hardRange, converted)) {
    const range = formatRange(hardRange);
    return { problem: `${show(value)} is outside the hard range ${range}` };
  }
  return shapeProblem(parameter, converted) ?? { value: converted };
}

/** Why a value cannot be sent in the shape that the parameter's server uses; undefined if it can. */
export function shapeProblem(
  { shape }: Parameter,
  value: AttributeValue,
): { readonly problem: string } | undefined {
  if (shape === undefined || toShape(value, shape) !== undefined) return undefined;
  const written = describeShape(value.type, shape);
  return { problem: `${show(value)} cannot be sent: the server writes such values as ${written}` };
}

/** A value as JSON for the parameter's server: in the shape that it uses, if it shows one and that holds it. */
export function toServerJson({ shape }: Pick<Parameter, 'shape'>, value: AttributeValue): Json {
  return (shape && toShape(value, shape)) ?? toJson(value);
}

function wrongType(type: ValueType, value: AttributeValue): ValueProblem {
  if (value.type === 'bigInteger' && type === 'integer') {
    return { problem: `${show(value)} needs more than the 64 bits of an integer` };
  }
  const problem = `expected ${titleOf(type)}, found ${show(value)}`;
  const meant = boundOf(value, type);
  return meant === undefined ? { problem } : { problem, help: `write ${writeJson(toJson(meant))}` };
}

function acceptOption(
  options: readonly Option[],
  value: AttributeValue,
): { readonly value: AttributeValue } | ValueProblem {
  const option =
    options.find((one) => equals(one.value, value)) ??
    options.find((one) => value.type === 'string' && one.name === value.value);
  if (option !== undefined) return { value: option.value };
  const names = options.map((one) => one.name);
  const near = value.type === 'string' ? nearest(value.value, names) : undefined;
  const help = near === undefined ? `expected ${listOf(names)}` : `did you mean ${quote(near)}?`;
  const problem = `${show(value)} is not an option`;
  return { problem, help, ...(near !== undefined && { instead: near }) };
}

/**
 * The hard range with bounds of the parameter's own type, like its values:
 * 9007199254740993, for one, is not a float.
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
 * A bound that an objective writes, as a value of a parameter's type; undefined if it is of another type.
 * TOML can write nanoseconds and logical times only as integers.
 */
export function boundOf(bound: AttributeValue, type: ValueType): AttributeValue | undefined {
  if (type !== 'nanoseconds' && type !== 'logicalTime') return convert(bound, type);
  if (bound.type === type) return bound;
  if (bound.type !== 'integer' && bound.type !== 'bigInteger') return undefined;
  const isHeld = fits(bound.value, 64, 'signed') || fits(bound.value, 64, 'unsigned');
  return isHeld ? { type, value: bound.value } : undefined;
}

/** A bound as an objective can write it: a string, a float or an integer of 64 bits. */
export function writtenBound(bound: AttributeValue): AttributeValue | undefined {
  if (bound.type === 'string' || bound.type === 'float') return bound;
  if (typeof bound.value !== 'bigint' || !fits(bound.value, 64, 'signed')) return undefined;
  return { type: 'integer', value: bound.value };
}

/** The values that a parameter is tried with where nothing else is asked for. */
export function triedRange({ hardRange, usualRange }: Parameter): HardRange {
  return { ...hardRange, ...usualRange };
}

/** What hard ranges have in common: the largest of the lower bounds and the smallest of the upper ones. */
export function intersectionOf(ranges: readonly HardRange[]): HardRange {
  const [lower] = ranges.flatMap((range) => range.lower ?? []).sort((a, b) => compare(b, a) ?? 0);
  const [upper] = ranges.flatMap((range) => range.upper ?? []).sort((a, b) => compare(a, b) ?? 0);
  return defined({ lower, upper });
}

/** A value in a message: strings in quotes. */
export function show(value: AttributeValue): string {
  return value.type === 'string' ? quote(value.value) : format(value);
}

/** A hard range for people, with `-inf` and `inf` for open sides. */
export function formatRange({ lower, upper }: HardRange): string {
  const left = lower === undefined ? '-inf' : show(lower);
  return `[${left}, ${upper === undefined ? 'inf' : show(upper)}]`;
}

/**
 * The parameter that a name in an objective means: the one with that name, or
 * otherwise the one with that key.
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
