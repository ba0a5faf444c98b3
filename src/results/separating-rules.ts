import {
  type Factor,
  findRules,
  type RuleCondition,
  type SeparatingRule,
} from '../explain/index.js';
import { coordinateIn, type Plan, type Space } from '../runner/index.js';
import { type AttributeValue, defined, durationText, equals } from '../values/index.js';
import { shortValue } from './axis.js';
import { mutatorTitle } from './evidence-text.js';
import { parametersOf, type Sample, type SpaceParameter, valueIn } from './regions.js';

/** A rule about mutations that separates failing from passing attempts, prepared for output. */
export interface RulePart {
  /** The rule, such as `warehouse delay >= 995 ms and cache mode = off`. */
  readonly text: string;
  /** Lines on the intervals between tried values that contain the rule's borders. */
  readonly borders: readonly string[];
  /** Alternative conditions that exactly the same attempts satisfy. */
  readonly alike: readonly string[];
  readonly conditions: readonly ConditionPart[];
  readonly inside: SeparatingRule['inside'];
  readonly outside: SeparatingRule['outside'];
  /**
   * `precision` is the share of failures among the attempts that satisfy the rule. `coverage` is
   * the share of failures that satisfy the rule.
   */
  readonly precision: number;
  readonly coverage: number;
  readonly p: number;
  readonly corrected: number;
}

export interface ConditionPart {
  readonly parameter: string;
  readonly test: '>=' | '<=' | '=';
  readonly value: AttributeValue;
  /** The nearest tried value that violates the condition. */
  readonly beyond?: AttributeValue;
}

/** The rules that separate attempts, with the limits of the search. */
export interface SeparatingRules {
  readonly rules: readonly RulePart[];
  readonly tried: number;
  readonly least: number;
  /** True if all sets are equal, so no rule can distinguish them. */
  readonly isConstant: boolean;
}

/** A factor with its title, and the attribute values that the factor's numbers represent. */
interface NamedFactor extends Factor {
  readonly title: string;
  readonly units: string | undefined;
  readonly valueAt: ReadonlyMap<number, AttributeValue>;
}

/**
 * Finds rules with one or two parameters, options or mutators.
 *
 * @param families the number of test families, as in `findRules`
 */
export function separatingRules(
  space: Space,
  samples: readonly Sample[],
  families: number,
): SeparatingRules {
  const factors = factorsOf(space, samples);
  const found = findRules(
    factors,
    samples.map(({ failed }) => failed),
    families,
  );
  return {
    rules: found.rules.map((rule) => rulePart(rule, factors)),
    ...{ tried: found.tried, least: found.least, isConstant: found.tried === 0 },
  };
}

function factorsOf(space: Space, samples: readonly Sample[]): readonly NamedFactor[] {
  const presence = space.mutators.map((mutator, subject): NamedFactor => {
    const { server, id } = mutator;
    const has = ({ plan }: Sample) => plan.some((one) => one.server === server && one.id === id);
    return {
      ...{ kind: 'option', title: mutatorTitle(mutator), units: undefined, subject },
      values: samples.map((sample) => Number(has(sample))),
      valueAt: PRESENCE,
    };
  });
  const parameters = parametersOf(space).map((one) => {
    const { server, id } = one;
    const subject = space.mutators.findIndex((own) => own.server === server && own.id === id);
    return { ...factorOf(one, samples), subject };
  });
  return [...presence, ...parameters];
}

/** The values of a factor for a mutator's presence, by number. */
const PRESENCE: ReadonlyMap<number, AttributeValue> = new Map([
  [0, { type: 'boolean', value: false }],
  [1, { type: 'boolean', value: true }],
]);

function factorOf(
  parameter: SpaceParameter,
  samples: readonly Sample[],
): Omit<NamedFactor, 'subject'> {
  const { dimension, title } = parameter;
  const valueAt = new Map<number, AttributeValue>();
  const values = samples.map(({ plan }) => {
    const value = valueIn(plan, parameter);
    if (value === undefined) return Number.NaN;
    const number = coordinateIn(dimension, value);
    valueAt.set(number, value);
    return number;
  });
  const kind = dimension.kind === 'choice' ? 'option' : 'number';
  return { kind, title: title.replace(' timing.', ' '), units: dimension.units, values, valueAt };
}

function rulePart(rule: SeparatingRule, factors: readonly NamedFactor[]): RulePart {
  const { conditions, alike, inside, outside, p, corrected } = rule;
  const failures = inside.failed + outside.failed;
  return {
    text: conditions.map((one) => conditionText(one, factors)).join(' and '),
    borders: conditions.flatMap((one) => borderText(one, factors)),
    alike: alike.map((one) => conditionText(one, factors)),
    conditions: conditions.map((one) => conditionPart(one, factors)),
    ...{ inside, outside, p, corrected },
    precision: inside.failed / inside.tried,
    coverage: inside.failed / failures,
  };
}

const SIGNS = { least: '>=', most: '<=', is: '=' } as const;

function conditionPart(condition: RuleCondition, factors: readonly NamedFactor[]): ConditionPart {
  const { factor, test, value, beyond } = condition;
  const { title, valueAt } = factors[factor] as NamedFactor;
  return {
    ...{ parameter: title, test: SIGNS[test], value: valueAt.get(value) as AttributeValue },
    ...defined({ beyond: beyond === undefined ? undefined : valueAt.get(beyond) }),
  };
}

function conditionText(condition: RuleCondition, factors: readonly NamedFactor[]): string {
  const { title, units, valueAt } = factors[condition.factor] as NamedFactor;
  if (valueAt === PRESENCE) return `${title} ${condition.value === 1 ? '' : 'not '}in the set`;
  const { test, value } = conditionPart(condition, factors);
  return `${title} ${test} ${withUnits(value, units)}`;
}

/**
 * Returns a line on the interval between two tried values that contains the border; none for an
 * option.
 */
function borderText(condition: RuleCondition, factors: readonly NamedFactor[]): string[] {
  const { value, beyond } = conditionPart(condition, factors);
  if (condition.test === 'is' || beyond === undefined) return [];
  const { title, units } = factors[condition.factor] as NamedFactor;
  const [low, high] = condition.test === 'least' ? [beyond, value] : [value, beyond];
  return [`the border of ${title} is between ${shortValue(low)} and ${withUnits(high, units)}`];
}

function withUnits(value: AttributeValue, units: string | undefined): string {
  return units === undefined ? shortValue(value) : `${shortValue(value)} ${units}`;
}

/**
 * Returns the distance between two sets. A mutator in only one set adds 1. A mutator in both sets
 * adds at most 1, for its different values.
 */
export function distanceOf(space: Space, one: Plan, other: Plan): number {
  const parameters = parametersOf(space);
  return space.mutators.reduce((distance, { server, id }) => {
    const isOwn = (part: { readonly server: string; readonly id: string }) =>
      part.server === server && part.id === id;
    const both = [one, other].filter((plan) => plan.some(isOwn)).length;
    if (both < 2) return distance + both;
    const own = parameters.filter(isOwn);
    const apart = own.map((parameter) => valueDistance(parameter, one, other));
    return distance + apart.reduce((sum, each) => sum + each, 0) / Math.max(1, own.length);
  }, 0);
}

function valueDistance(parameter: SpaceParameter, one: Plan, other: Plan): number {
  const { dimension } = parameter;
  const [a, b] = [valueIn(one, parameter), valueIn(other, parameter)];
  if (a === undefined || b === undefined) return Number(a !== b);
  if (dimension.kind === 'choice') return Number(!equals(a, b));
  const apart = Math.abs(coordinateIn(dimension, a) - coordinateIn(dimension, b));
  return dimension.circular ? Math.min(apart, 1 - apart) : apart;
}

/**
 * Describes a set's differences from another set, such as `wind speed 40.0 m/s instead of 12.0` and
 * `battery added`.
 */
export function differenceTexts(space: Space, one: Plan, other: Plan): readonly string[] {
  const has = (plan: Plan, { server, id }: { readonly server: string; readonly id: string }) =>
    plan.some((part) => part.server === server && part.id === id);
  const mutators = space.mutators.flatMap((mutator) => {
    const [own, others] = [has(one, mutator), has(other, mutator)];
    if (own === others) return [];
    return [`${mutatorTitle(mutator)} ${own ? 'added' : 'left out'}`];
  });
  const values = parametersOf(space).flatMap((parameter) => {
    const [a, b] = [valueIn(one, parameter), valueIn(other, parameter)];
    if (a === undefined || b === undefined || equals(a, b)) return [];
    const { title, dimension } = parameter;
    return [
      dimension.timing === undefined
        ? `${title} ${withUnits(a, dimension.units)} instead of ${shortValue(b)}`
        : `${title.replace(' timing.', ' ')} ${durationText(Number(a.value))} instead of ${durationText(Number(b.value))}`,
    ];
  });
  return [...mutators, ...values];
}
