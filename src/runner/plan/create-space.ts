import { quote } from '../../diagnostics/index.js';
import {
  accept,
  type Catalog,
  type CatalogMutator,
  convertBound,
  durationIn,
  findShapeProblem,
  formatValue,
  MAX_ACTIVE,
  mutatorName,
  type Parameter,
  selectByTags,
} from '../../mutators/index.js';
import type { MutatorConstraint, Objective, ParamConstraint } from '../../objective/index.js';
import {
  type AttributeValue,
  compare,
  defined,
  equals,
  titleOf,
  toAttribute,
} from '../../values/index.js';
import { type Dimension, extremeValues, type IntegerType } from './dimension.js';
import type { Space, SpaceMutator } from './space.js';
import { type Timing, timingDimensions } from './timing.js';

/** A planning space, or the problems that prevent its creation. */
export type CreatedSpace =
  | {
      readonly space: Space;
      /** Reasons for omitting mutators without a table. */
      readonly omissions: readonly PlanProblem[];
    }
  | {
      readonly problems: readonly PlanProblem[];
      /** The source of the problems: the objective, or the servers' listings. */
      readonly of: 'objective' | 'servers';
    };

/**
 * Creates the space of mutation sets that an objective permits with the available mutators. `mutator_tags` selects
 * mutators by their tags. Without `mutator_tags`, `mutator` tables select mutators by name. Without tables, all
 * mutators are selected. Omits a mutator without a table if one of its parameters has no plannable value.
 *
 * @param timing the onset and duration of mutations (default: from the start of an attempt to its end)
 */
export function createSpace(
  objective: Objective,
  catalog: Catalog,
  timing: Timing = {},
): CreatedSpace {
  const { mutationConstraints: constraints } = objective;
  const candidates = selectMutators(objective, catalog);
  if (candidates.length === 0) {
    const message = "the objective permits none of the servers' mutators";
    const help = 'perturb mutators list shows the mutators';
    return { problems: [{ message, help }], of: 'objective' };
  }
  const mutators: SpaceMutator[] = [];
  const problems: PlanProblem[] = [];
  const omissions: PlanProblem[] = [];
  for (const mutator of candidates) {
    const tables = findTables(mutator, objective.mutators);
    const result = toSpaceMutator(mutator, tables, timing);
    if ('id' in result) mutators.push(result);
    else (tables.length > 0 ? problems : omissions).push(...result.problems);
  }
  if (problems.length > 0) return { problems, of: 'objective' };
  if (mutators.length === 0) return { problems: omissions, of: 'servers' };
  const maxConcurrent = constraints.maxConcurrentMutations ?? 1n;
  const { mutationPrecondition: precondition } = constraints;
  const space = {
    mutators,
    maxMutations: maxConcurrent < BigInt(mutators.length) ? Number(maxConcurrent) : mutators.length,
    ...(precondition && { precondition }),
  };
  return { space, omissions };
}

/** Converts a catalog's mutator to a mutator of the space. @param tables the mutator's tables */
function toSpaceMutator(
  mutator: CatalogMutator,
  tables: readonly MutatorConstraint[],
  timing: Timing,
): SpaceMutator | { readonly problems: readonly PlanProblem[] } {
  const problems: PlanProblem[] = [];
  const dimensions = mutator.parameters.flatMap((parameter) => {
    const constraint = tables
      .flatMap(({ paramConstraints }) => paramConstraints)
      .find(({ name }) => name === parameter.name || name === parameter.key);
    const dimension = checkServerShape(parameter, toDimension(parameter, constraint));
    if ('kind' in dimension) return [dimension];
    const probeText = mutator.probe === undefined ? '' : ` at probe ${quote(mutator.probe)}`;
    const subject = `mutator ${quote(mutatorName(mutator))}${probeText}, parameter ${quote(parameter.name)}`;
    problems.push({ ...dimension, message: `${subject}: ${dimension.message}` });
    return [];
  });
  if (problems.length > 0) return { problems };
  const precondition = tables.find((table) => table.mutationPrecondition)?.mutationPrecondition;
  const maxActiveMs = durationIn(mutator, MAX_ACTIVE);
  const name = mutatorName(mutator);
  return {
    server: mutator.origin,
    id: mutator.id,
    name,
    ...(mutator.probe !== undefined && { probe: mutator.probe }),
    ...defined({ maxActiveMs }),
    ...((mutator.statefulness ?? 'permanent') !== 'permanent' && { endsItself: true }),
    ...(precondition && { precondition }),
    dimensions: [...dimensions, ...timingDimensions(timing, { name, probe: mutator.probe })],
  };
}

function selectMutators(objective: Objective, { mutators }: Catalog): readonly CatalogMutator[] {
  const { mutatorTags } = objective.mutationConstraints;
  if (mutatorTags !== undefined) return selectByTags(mutators, mutatorTags);
  if (objective.mutators.length === 0) return mutators;
  return mutators.filter((mutator) => findTables(mutator, objective.mutators).length > 0);
}

/** Returns a mutator's tables. Tables with the mutator's probe precede tables without a probe. */
function findTables(
  mutator: CatalogMutator,
  tables: readonly MutatorConstraint[],
): readonly MutatorConstraint[] {
  const matches = tables.filter(({ name }) => name === mutatorName(mutator));
  return [
    ...matches.filter(({ probe }) => probe !== undefined && probe === mutator.probe),
    ...matches.filter(({ probe }) => probe === undefined),
  ];
}

/** The reason why a mutator or a part of the objective cannot be planned, with advice. */
export interface PlanProblem {
  readonly message: string;
  readonly help: string;
}

const WHOLE_TYPES: ReadonlySet<string> = new Set<IntegerType>([
  ...(['integer', 'bigInteger', 'nanoseconds', 'logicalTime'] as const),
]);

/** Ordered types in which the values between two given values are not meaningful. */
const ID_TYPES: ReadonlySet<string> = new Set(['timelineId', 'eventCoordinate'] as const);

/**
 * Returns a parameter's plannable values, taken from the constraint, the options, or the usual and hard ranges. Without
 * bounds, only the default is plannable.
 */
function toDimension(
  parameter: Parameter,
  constraint: ParamConstraint | undefined,
): Dimension | PlanProblem {
  if (parameter.options !== undefined) return fromOptions(parameter, constraint);
  const { valueType } = parameter;
  if (valueType === 'boolean') {
    const values = [false, true].map((value) => ({ type: 'boolean', value }) as const);
    return toChoice(parameter, values);
  }
  const range = constraint?.range;
  if (valueType === 'string' && range !== undefined) {
    return toChoice(parameter, range.map(toAttribute));
  }
  if (valueType === 'float' || WHOLE_TYPES.has(valueType)) return fromRange(parameter, range);
  return fromDefault(parameter);
}

/** Returns the dimension, or a problem if the server cannot receive one of the dimension's extreme values. */
function checkServerShape(
  parameter: Parameter,
  dimension: Dimension | PlanProblem,
): Dimension | PlanProblem {
  if (!('kind' in dimension)) return dimension;
  for (const value of extremeValues(dimension)) {
    const violation = findShapeProblem(parameter, value);
    if (violation === undefined) continue;
    return {
      message: violation.problem,
      help: 'constrain the parameter to a "range" of valid values',
    };
  }
  return dimension;
}

function fromOptions(
  parameter: Parameter,
  constraint: ParamConstraint | undefined,
): Dimension | PlanProblem {
  const options = parameter.options ?? [];
  const names = constraint?.enumOptions;
  const [lower, upper] = (constraint?.range ?? []).map(toAttribute);
  const allowedOptions = options.filter(({ name, value }) => {
    if (names !== undefined) return names.includes(name);
    return lower === undefined || upper === undefined || isBetween(value, lower, upper);
  });
  const values = allowedOptions.map(({ value }) => value);
  if (values.length > 0) return toChoice(parameter, values);
  return {
    message: "the constraint excludes all of the parameter's options",
    help: `allow one of ${options.map(({ name }) => quote(name)).join(', ')} in "enum_options"`,
  };
}

function isBetween(value: AttributeValue, lower: AttributeValue, upper: AttributeValue): boolean {
  const [above, below] = [compare(lower, value), compare(value, upper)];
  return above !== undefined && above <= 0 && below !== undefined && below <= 0;
}

function fromRange(parameter: Parameter, range: ParamConstraint['range']): Dimension | PlanProblem {
  const { hardRange, usualRange, valueType } = parameter;
  const [from, to] = range?.map(toAttribute) ?? [usualRange?.lower, usualRange?.upper];
  const lower = tighterBound([from, hardRange?.lower], valueType, 1);
  const upper = tighterBound([to, hardRange?.upper], valueType, -1);
  if (!isClosed(lower) || !isClosed(upper)) {
    return range === undefined ? fromDefault(parameter) : openRangeProblem();
  }
  if ((compare(lower, upper) ?? 1) > 0) {
    return {
      message: `no value is between ${formatValue(lower)} and ${formatValue(upper)}`,
      help: `write a "range" within the parameter's hard range`,
    };
  }
  const isCircle =
    parameter.distribution?.scaling === 'circular' &&
    [compare(lower, hardRange?.lower ?? upper), compare(upper, hardRange?.upper ?? lower)].every(
      (order) => order === 0,
    );
  const commonFields = { ...baseOf(parameter), ...(isCircle && { circular: true as const }) };
  if (lower.type === 'float' && upper.type === 'float') {
    const bounds = { kind: 'float', lower: lower.value, upper: upper.value } as const;
    if (parameter.distribution?.kind !== 'discrete') return { ...commonFields, ...bounds };
    const [first, last] = [Math.ceil(lower.value), Math.floor(upper.value)];
    return first <= last
      ? { ...commonFields, kind: 'float', lower: first, upper: last, discrete: true }
      : toChoice(parameter, [lower, upper]);
  }
  return {
    ...commonFields,
    kind: 'whole',
    type: valueType as IntegerType,
    lower: lower.value as bigint,
    upper: upper.value as bigint,
  };
}

/** Returns the stricter of two bounds. @param side 1 for lower bounds, -1 for upper bounds */
function tighterBound(
  bounds: readonly (AttributeValue | undefined)[],
  type: Parameter['valueType'],
  side: 1 | -1,
): AttributeValue | undefined {
  return bounds
    .map((bound) => bound && convertBound(bound, type))
    .filter((bound) => bound !== undefined)
    .sort((a, b) => ((compare(b, a) ?? 0) as number) * side)[0];
}

function isClosed(bound: AttributeValue | undefined): bound is AttributeValue {
  return bound !== undefined && (bound.type !== 'float' || Number.isFinite(bound.value));
}

function openRangeProblem(): PlanProblem {
  return { message: 'its range is open-ended', help: 'write a "range" with two finite bounds' };
}

function fromDefault(parameter: Parameter): Dimension | PlanProblem {
  const acceptance = parameter.default && accept(parameter, parameter.default);
  if (acceptance !== undefined && 'value' in acceptance)
    return toChoice(parameter, [acceptance.value]);
  const { type, valueType, hardRange } = parameter;
  const { lower, upper } = hardRange ?? {};
  if (ID_TYPES.has(valueType) && lower !== undefined && upper !== undefined) {
    return toChoice(parameter, [lower, upper]);
  }
  if (type === 'string' || valueType === 'float' || WHOLE_TYPES.has(valueType)) {
    const isText = type === 'string';
    const missingParts = isText ? 'no options, no range' : 'no bounds';
    const range = isText
      ? 'a "range" of two strings, from which Perturb chooses one'
      : 'a "range" of two numbers';
    const message = `it has ${missingParts} and no default, so no value can be planned`;
    return { message, help: `constrain the parameter to ${range}` };
  }
  return {
    message: `its type is ${titleOf(valueType)}, and it has no options and no default`,
    help: "add a default to the parameter in the mutator's definition, because an objective cannot constrain this type",
  };
}

function toChoice(parameter: Parameter, values: readonly AttributeValue[]): Dimension {
  const distinctValues = values.filter(
    (value, index) => values.findIndex((candidate) => equals(value, candidate)) === index,
  );
  return { ...baseOf(parameter), kind: 'choice', values: distinctValues };
}

function baseOf({ key, name, units, leastEffect, default: defaultValue }: Parameter) {
  return { key, name, ...defined({ units, leastEffect, default: defaultValue }) };
}
