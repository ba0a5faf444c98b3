import { type Advice, adviseOn, listOf, quote, writing } from '../../diagnostics/index.js';
import {
  contains,
  convertBound,
  formatRange,
  formatValue,
  type HardRange,
  intersectionOf,
  toObjectiveBound,
  toTypedRange,
} from '../../mutators/model/index.js';
import {
  type AttributeValue,
  compare,
  titleOf,
  toAttribute,
  type ValueType,
} from '../../values/index.js';
import { type Bound, type CatalogRule, constrainsValues } from '../draft.js';
import { constraintExample } from './example.js';
import {
  acceptsNoRange,
  acceptsRange,
  hasRangeAndOptions,
  type PlacedParameter,
  parameterConstraintsIn,
} from './targets.js';

/**
 * Compares a range's bounds: returns a negative number, zero or a positive number. Returns undefined unless the bounds
 * are two numbers or two strings. Compares numbers exactly, even an integer beyond 2^53 with a float. Two strings
 * count as equal, because they are unordered values to choose from.
 */
export function orderOf(a: Bound, b: Bound): number | undefined {
  if (typeof a === 'string' && typeof b === 'string') return 0;
  return typeof a === 'boolean' ? undefined : compare(toAttribute(a), toAttribute(b));
}

/** Formats a bound for a message, with strings in quotes. */
export function showBound(bound: Bound): string {
  return formatValue(toAttribute(bound));
}

/** True if a bound, such as `inf` or `-inf`, leaves one side of an integer range open. */
function isOpenSide(value: AttributeValue, type: ValueType): boolean {
  const integers = type === 'integer' || type === 'bigInteger';
  return integers && value.type === 'float' && Math.abs(value.value) === Number.POSITIVE_INFINITY;
}

export const rangeOutsideHardRange: CatalogRule = {
  id: 'catalog/range-outside-hard-range',
  severity: 'error',
  fixable: 'suggested',
  summary: "`range` is not contained in the parameter's hard range",
  why: 'The mutator refuses values outside its hard range, so the mutation fails on the bench.',
  action: 'Move the bound into the hard range.',
  examples: {
    fails: constraintExample('wind', 'name = "speed"\nrange = [0.0, 50.0]'),
    passes: constraintExample('wind', 'name = "speed"\nrange = [0.0, 40.0]'),
  },
  check(draft, report) {
    for (const { constraint, title, parameters } of parameterConstraintsIn(draft)) {
      const { range } = constraint.keys;
      if (range?.length !== 2 || hasRangeAndOptions(constraint)) continue;
      const spanOf = (...at: number[]) =>
        draft.document.valueSpan([...constraint.path, 'range', ...at]);
      const disjointRanges = hardRangesApart(parameters);
      if (disjointRanges !== undefined) {
        report({
          message: `no range lies within the ${rangesOf(disjointRanges, title)}`,
          help: `the ranges have no common value, so add probe = ${listOf(disjointRanges.flatMap(({ probe }) => probe ?? []))}`,
          span: spanOf(),
        });
        continue;
      }
      for (const [index, bound] of range.entries()) {
        if (bound === undefined || Number.isNaN(bound)) continue;
        const violatedRanges = parameters.flatMap((placed) => outsideOf(bound, placed));
        if (violatedRanges.length === 0) continue;
        report({
          message: `${showBound(bound)} is outside the ${rangesOf(violatedRanges, title)}`,
          ...adviceFor(violatedRanges),
          span: spanOf(index),
        });
      }
    }
  },
};

/** A parameter's hard range, and its location for messages. */
interface PlacedRange {
  readonly hardRange: HardRange;
  readonly place: string;
}

/** Returns a parameter's hard ranges at several probes if any two ranges are disjoint. */
function hardRangesApart(
  parameters: readonly PlacedParameter[],
): readonly (PlacedRange & { readonly probe: string | undefined })[] | undefined {
  if (parameters.length < 2) return undefined;
  const ranges = parameters.flatMap(({ parameter, place, probe }) => {
    const hardRange = acceptsRange(parameter) ? toTypedRange(parameter) : undefined;
    return hardRange === undefined ? [] : [{ hardRange, place, probe }];
  });
  const { lower, upper } = intersectionOf(ranges.map(({ hardRange }) => hardRange));
  const areApart = lower && upper && (compare(lower, upper) ?? 0) > 0;
  return areApart ? ranges : undefined;
}

/** A hard range that excludes a bound, and the nearest end of the range. */
interface Outside extends PlacedRange {
  readonly below: boolean;
  readonly limit: AttributeValue | undefined;
}

function outsideOf(bound: Bound, { parameter, place }: PlacedParameter): Outside[] {
  const hardRange = toTypedRange(parameter);
  if (hardRange === undefined || !acceptsRange(parameter)) return [];
  const boundValue = toAttribute(bound);
  const openBound = isOpenSide(boundValue, parameter.valueType) ? boundValue : undefined;
  const value = convertBound(boundValue, parameter.valueType) ?? openBound;
  if (value === undefined || contains(hardRange, value)) return [];
  const { lower, upper } = hardRange;
  const isBelow = lower !== undefined && (compare(value, lower) ?? 0) < 0;
  return [{ hardRange, place, below: isBelow, limit: isBelow ? lower : upper }];
}

function rangesOf(violatedRanges: readonly PlacedRange[], title: string): string {
  const [first] = violatedRanges;
  if (first !== undefined && violatedRanges.length === 1) {
    return `hard range ${formatRange(first.hardRange)} of ${title}${first.place}`;
  }
  const ranges = violatedRanges.map(({ hardRange, place }) => `${formatRange(hardRange)}${place}`);
  return `hard ranges of ${title}: ${ranges.join(', ')}`;
}

/** Returns advice to use the limit allowed by all violated ranges. */
function adviceFor(violatedRanges: readonly Outside[]): Advice {
  const isBelow = violatedRanges[0]?.below === true;
  if (violatedRanges.some((range) => range.below !== isBelow)) return {};
  const limits = violatedRanges.flatMap(({ limit }) => limit ?? []);
  const [limit] = limits.sort((a, b) => (compare(a, b) ?? 0) * (isBelow ? -1 : 1));
  if (limit === undefined) return {};
  const limitText = toObjectiveBound(limit);
  if (limitText === undefined) return {};
  const displayed = formatValue(limitText);
  return writing(
    limitText.type === 'string' ? limitText.value : displayed,
    `${displayed} or ${isBelow ? 'more' : 'less'}`,
  );
}

export const rangeType: CatalogRule = {
  id: 'catalog/range-type',
  severity: 'error',
  fixable: 'suggested',
  summary: 'bounds of the wrong type for the parameter',
  why: 'No parameter value lies between such bounds. Integer bounds are valid for a float.',
  action: "Write bounds of the parameter's type.",
  examples: {
    fails: constraintExample('wind', 'name = "speed"\nrange = ["high", "low"]'),
    passes: constraintExample('wind', 'name = "speed"\nrange = [0, 25]'),
  },
  check(draft, report) {
    for (const { constraint, title, parameters } of parameterConstraintsIn(draft)) {
      const { range } = constraint.keys;
      if (range?.length !== 2 || hasRangeAndOptions(constraint) || makesNoRange(range)) continue;
      const numbers = unquoted(range, parameters);
      if (numbers !== undefined) {
        report({
          message: `expected numbers for ${title}, found numbers in quotes`,
          ...writing(`[${numbers.join(', ')}]`),
          span: draft.document.valueSpan([...constraint.path, 'range']),
        });
        continue;
      }
      for (const [index, bound] of range.entries()) {
        const convertedBound = bound === undefined ? undefined : otherType(bound, parameters);
        if (bound === undefined || convertedBound === undefined) continue;
        report({
          message: `expected ${titleOf(convertedBound)} for ${title}, found ${showBound(bound)}`,
          span: draft.document.valueSpan([...constraint.path, 'range', index]),
        });
      }
    }
  },
};

const NUMBER = /^[+-]?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;

/** Suggests numbers without quotes, in ascending order, if the parameters accept only numbers. */
function unquoted(
  range: readonly (Bound | undefined)[],
  parameters: readonly PlacedParameter[],
): readonly string[] | undefined {
  const texts = range.filter((bound) => typeof bound === 'string');
  if (texts.length < range.length || !texts.every((text) => NUMBER.test(text))) return undefined;
  const numbers = texts.map((text) => (text.includes('.') ? Number(text) : BigInt(text)));
  const areTaken = (bounds: readonly Bound[]) =>
    bounds.every((bound) => otherType(bound, parameters) === undefined);
  if (areTaken(texts) || !areTaken(numbers)) return undefined;
  return texts.toSorted((a, b) => Number(a) - Number(b));
}

/** Returns the type of the first parameter that does not accept a bound. */
function otherType(bound: Bound, parameters: readonly PlacedParameter[]): ValueType | undefined {
  const boundValue = toAttribute(bound);
  return parameters.find(({ parameter }) => {
    const { valueType } = parameter;
    if (!acceptsRange(parameter) || isOpenSide(boundValue, valueType)) return false;
    return convertBound(boundValue, valueType) === undefined;
  })?.parameter.valueType;
}

export const rangeNotPermitted: CatalogRule = {
  id: 'catalog/range-not-permitted',
  severity: 'error',
  summary: '`range` on a boolean or enum parameter',
  why: 'The values of boolean and enum parameters have no order, so a range is meaningless.',
  action: 'Write `enum_options` for an enum parameter; omit the range for a boolean one.',
  examples: {
    fails: constraintExample('wind', 'name = "mode"\nrange = ["gust", "steady"]'),
    passes: constraintExample('wind', 'name = "mode"\nenum_options = ["gust", "steady"]'),
  },
  check(draft, report) {
    for (const { constraint, title, parameters } of parameterConstraintsIn(draft)) {
      const { range } = constraint.keys;
      if (range === undefined || hasRangeAndOptions(constraint) || makesNoRange(range)) continue;
      const unranged = parameters.find(({ parameter }) => acceptsNoRange(parameter));
      if (unranged === undefined) continue;
      const options = unranged.parameter.options?.map(({ name }) => name);
      report({
        message: `${title} is ${options === undefined ? 'a boolean' : 'an enum'} and accepts no "range"`,
        help:
          options === undefined
            ? 'remove "range", because a boolean parameter accepts no range'
            : `use "enum_options" with one or more of ${listOf(options)}`,
        span: draft.document.keySpan([...constraint.path, 'range']),
      });
    }
  },
};

/** True if the bounds are neither two numbers nor two strings, which objective/invalid-range reports. */
function makesNoRange([lower, upper]: readonly (Bound | undefined)[]): boolean {
  return lower !== undefined && upper !== undefined && orderOf(lower, upper) === undefined;
}

export const rangeRequired: CatalogRule = {
  id: 'catalog/range-required',
  severity: 'error',
  summary: 'a constraint without the required `range`',
  why: "Without a range, the constraint does not limit the parameter's values.",
  action: 'Add a `range` within the hard range, or remove the constraint.',
  examples: {
    fails: constraintExample('wind', 'name = "speed"'),
    passes: constraintExample('wind', 'name = "speed"\nrange = [0.0, 25.0]'),
  },
  check(draft, report) {
    const { document } = draft;
    for (const { constraint, title, parameters } of parameterConstraintsIn(draft)) {
      const ranged = parameters.filter(({ parameter }) => acceptsRange(parameter));
      // Separate findings report options used as a range, and misspelled keys.
      if (ranged.length === 0 || constrainsValues(document, constraint)) continue;
      const hardRange = ranged.find(({ parameter }) => parameter.hardRange)?.parameter.hardRange;
      report({
        message: `the constraint on ${title} needs a "range"`,
        help: hardRange && `the hard range is ${formatRange(hardRange)}`,
        span: document.valueSpan([...constraint.path, 'name']),
      });
    }
  },
};

export const optionsRequired: CatalogRule = {
  id: 'catalog/options-required',
  severity: 'error',
  summary: "an enum parameter's constraint without `enum_options`",
  why: "Without options, the constraint does not limit the parameter's values.",
  action: 'Add `enum_options`, or remove the constraint.',
  examples: {
    fails: constraintExample('wind', 'name = "mode"'),
    passes: constraintExample('wind', 'name = "mode"\nenum_options = ["gust"]'),
  },
  check(draft, report) {
    const { document } = draft;
    for (const { constraint, title, parameters } of parameterConstraintsIn(draft)) {
      const options = parameters.find(({ parameter }) => parameter.options)?.parameter.options;
      // Separate findings report a range used as options, and misspelled keys.
      if (options === undefined || constrainsValues(document, constraint)) continue;
      report({
        message: `the constraint on ${title} needs "enum_options"`,
        help: `available options: ${listOf(options.map(({ name }) => name))}`,
        span: document.valueSpan([...constraint.path, 'name']),
      });
    }
  },
};

export const optionsNotPermitted: CatalogRule = {
  id: 'catalog/options-not-permitted',
  severity: 'error',
  summary: '`enum_options` on a parameter that is not an enum',
  why: 'Only enum parameters have options.',
  action: 'Replace `enum_options` with `range`. For a boolean parameter, remove `enum_options`.',
  examples: {
    fails: constraintExample('link-failure', 'name = "flap"\nenum_options = ["true"]'),
    passes: constraintExample('link-failure', 'name = "flap"'),
  },
  check(draft, report) {
    for (const { constraint, title, parameters } of parameterConstraintsIn(draft)) {
      if (constraint.keys.enum_options === undefined || hasRangeAndOptions(constraint)) continue;
      const parameterWithoutOptions = parameters.find(
        ({ parameter }) => parameter.options === undefined,
      )?.parameter;
      if (parameterWithoutOptions === undefined) continue;
      report({
        message: `${title} is ${titleOf(parameterWithoutOptions.valueType)} and accepts no "enum_options"`,
        help: acceptsRange(parameterWithoutOptions) ? 'use a "range"' : 'remove "enum_options"',
        span: draft.document.keySpan([...constraint.path, 'enum_options']),
      });
    }
  },
};

export const unknownEnumOption: CatalogRule = {
  id: 'catalog/unknown-option',
  severity: 'error',
  fixable: 'suggested',
  summary: 'an unknown enum option',
  why: 'The mutator refuses the option, so the mutation fails on the bench.',
  action: 'Correct the option, or remove it.',
  examples: {
    fails: constraintExample('wind', 'name = "mode"\nenum_options = ["gusts"]'),
    passes: constraintExample('wind', 'name = "mode"\nenum_options = ["gust"]'),
  },
  check(draft, report) {
    for (const { constraint, title, parameters } of parameterConstraintsIn(draft)) {
      const { enum_options: written } = constraint.keys;
      if (written === undefined) continue;
      const sets = parameters.flatMap(({ parameter: { options } }) =>
        options === undefined ? [] : [new Set(options.map(({ name }) => name))],
      );
      for (const [index, option] of written.entries()) {
        if (option === undefined) continue;
        const lackingSet = sets.find((names) => !names.has(option));
        if (lackingSet === undefined) continue;
        report({
          message: `${title} has no option ${quote(option)}`,
          ...adviseOn(option, [...lackingSet]),
          span: draft.document.valueSpan([...constraint.path, 'enum_options', index]),
        });
      }
    }
  },
};
