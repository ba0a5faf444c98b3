import { quote } from '../../diagnostics/index.js';
import { accept, type Parameter, show } from '../../mutators/index.js';
import type { ParamConstraint, RangeBound } from '../../objective/index.js';
import { type AttributeValue, compare, convert, equals, titleOf } from '../../values/index.js';
import type { Dimension, WholeType } from './dimension.js';

/** Why something cannot be planned, and what to write so that it can. */
export interface PlanProblem {
  readonly message: string;
  readonly help: string;
}

export function isProblem(made: Dimension | PlanProblem): made is PlanProblem {
  return 'message' in made;
}

const WHOLE: ReadonlySet<string> = new Set<WholeType>(['integer', 'bigInteger', 'nanoseconds']);

/**
 * The values that a parameter may be planned with: those of its constraint, else of its hard range
 * or its options; where it has no bounds at all its default.
 */
export function toDimension(
  parameter: Parameter,
  constraint: ParamConstraint | undefined,
): Dimension | PlanProblem {
  if (parameter.options !== undefined) return ofOptions(parameter, constraint);
  const { valueType } = parameter;
  if (valueType === 'boolean') {
    return choice(parameter, [
      { type: 'boolean', value: false },
      { type: 'boolean', value: true },
    ]);
  }
  const range = constraint?.range;
  if (valueType === 'string' && range !== undefined) {
    return choice(parameter, range.map(toValue));
  }
  if (valueType === 'float' || WHOLE.has(valueType)) return ofRange(parameter, range);
  return ofDefault(parameter);
}

function ofOptions(
  parameter: Parameter,
  constraint: ParamConstraint | undefined,
): Dimension | PlanProblem {
  const options = parameter.options ?? [];
  const names = constraint?.enumOptions;
  const [lower, upper] = (constraint?.range ?? []).map(toValue);
  const allowed = options.filter(({ name, value }) => {
    if (names !== undefined) return names.includes(name);
    return lower === undefined || upper === undefined || isBetween(value, lower, upper);
  });
  if (allowed.length > 0)
    return choice(
      parameter,
      allowed.map(({ value }) => value),
    );
  return {
    message: 'the constraint leaves none of its options',
    help: `allow one of ${options.map(({ name }) => quote(name)).join(', ')} in "enum_options"`,
  };
}

function isBetween(value: AttributeValue, lower: AttributeValue, upper: AttributeValue): boolean {
  const [above, below] = [compare(lower, value), compare(value, upper)];
  return above !== undefined && above <= 0 && below !== undefined && below <= 0;
}

function ofRange(parameter: Parameter, range: ParamConstraint['range']): Dimension | PlanProblem {
  const { hardRange, valueType } = parameter;
  const [from, to] = (range ?? []).map(toValue);
  const lower = tighter([from, hardRange?.lower], valueType, 1);
  const upper = tighter([to, hardRange?.upper], valueType, -1);
  if (!isClosed(lower) || !isClosed(upper)) {
    return range === undefined ? ofDefault(parameter) : openRange();
  }
  if ((compare(lower, upper) ?? 1) > 0) {
    return {
      message: `no value is between ${show(lower)} and ${show(upper)}`,
      help: 'write a "range" that its hard range contains',
    };
  }
  const isCircle =
    parameter.distribution?.scaling === 'circular' &&
    [compare(lower, hardRange?.lower ?? upper), compare(upper, hardRange?.upper ?? lower)].every(
      (order) => order === 0,
    );
  const common = { ...base(parameter), ...(isCircle && { circular: true as const }) };
  if (lower.type === 'float' && upper.type === 'float') {
    const bounds = { kind: 'float', lower: lower.value, upper: upper.value } as const;
    if (parameter.distribution?.kind !== 'discrete') return { ...common, ...bounds };
    const [first, last] = [Math.ceil(lower.value), Math.floor(upper.value)];
    return first <= last
      ? { ...common, kind: 'float', lower: first, upper: last, discrete: true }
      : choice(parameter, [lower, upper]);
  }
  return {
    ...common,
    kind: 'whole',
    type: valueType as WholeType,
    lower: lower.value as bigint,
    upper: upper.value as bigint,
  };
}

/** Of two bounds the one that leaves less: of lower bounds the higher (1), of upper ones the lower (-1). */
function tighter(
  bounds: readonly (AttributeValue | undefined)[],
  type: Parameter['valueType'],
  side: 1 | -1,
): AttributeValue | undefined {
  return bounds
    .map((bound) => bound && convert(bound, type))
    .filter((bound) => bound !== undefined)
    .sort((a, b) => ((compare(b, a) ?? 0) as number) * side)[0];
}

function isClosed(bound: AttributeValue | undefined): bound is AttributeValue {
  return bound !== undefined && (bound.type !== 'float' || Number.isFinite(bound.value));
}

function openRange(): PlanProblem {
  return { message: 'its range has an open side', help: 'write a "range" of two finite bounds' };
}

function ofDefault(parameter: Parameter): Dimension | PlanProblem {
  const accepted = parameter.default && accept(parameter, parameter.default);
  if (accepted !== undefined && 'value' in accepted) return choice(parameter, [accepted.value]);
  const { type, valueType } = parameter;
  if (type === 'string') {
    return {
      message: 'it has no options, no range and no default, so no value can be planned',
      help: 'constrain it with "range": two texts, one of which is used',
    };
  }
  if (valueType === 'float' || valueType === 'integer' || valueType === 'bigInteger') {
    return {
      message: 'it has no bounds and no default, so no value can be planned',
      help: 'constrain it with a "range" of two numbers',
    };
  }
  return {
    message: `it takes ${titleOf(valueType)}, and has no options and no default`,
    help: 'give it a default where its mutator is described: an objective cannot constrain it',
  };
}

function choice(parameter: Parameter, values: readonly AttributeValue[]): Dimension {
  const distinct = values.filter((one, at) => values.findIndex((two) => equals(one, two)) === at);
  return { ...base(parameter), kind: 'choice', values: distinct };
}

function base({ key, name, units, leastEffect, valueType, options }: Parameter) {
  const least =
    leastEffect && (options === undefined ? convert(leastEffect, valueType) : leastEffect);
  return {
    key,
    name,
    ...(units !== undefined && { units }),
    ...(least !== undefined && { leastEffect: least }),
  };
}

function toValue(bound: RangeBound): AttributeValue {
  switch (typeof bound) {
    case 'bigint':
      return { type: 'integer', value: bound };
    case 'number':
      return { type: 'float', value: bound };
    case 'string':
      return { type: 'string', value: bound };
  }
}
