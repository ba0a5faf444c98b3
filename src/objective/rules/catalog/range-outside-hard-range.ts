import {
  contains,
  formatRange,
  type HardRange,
  show,
  typedRange,
} from '../../../mutators/model/index.js';
import { type AttributeValue, compare } from '../../../values/index.js';
import type { Bound } from '../../draft.js';
import type { CatalogRule } from '../../rule.js';
import { boundOf, isOpenSide, showBound, toValue } from '../bounds.js';
import { constraintExample } from './examples.js';
import { constrainedParameters, hasBoth, type PlacedParameter, takesRange } from './targets.js';

export const rangeOutsideHardRange: CatalogRule = {
  meta: {
    id: 'catalog/range-outside-hard-range',
    severity: 'error',
    summary: "`range` is not contained in the parameter's hard range",
    why: 'The mutator refuses values outside its hard range, so the mutation fails on the bench.',
    action: 'Move the bound into the hard range.',
    examples: {
      fails: constraintExample('wind', 'name = "speed"\nrange = [0.0, 50.0]'),
      passes: constraintExample('wind', 'name = "speed"\nrange = [0.0, 40.0]'),
    },
  },
  check(draft, report) {
    for (const { constraint, title, parameters } of constrainedParameters(draft)) {
      const { range } = constraint.keys;
      if (range?.length !== 2 || hasBoth(constraint)) continue;
      for (const [index, bound] of range.entries()) {
        if (bound === undefined || Number.isNaN(bound)) continue;
        const outside = parameters.flatMap((placed) => outsideOf(bound, placed));
        if (outside.length === 0) continue;
        report({
          message: `${showBound(bound)} is outside the ${rangesOf(outside, title)}`,
          ...helpFor(outside),
          span: draft.document.valueSpan([...constraint.path, 'range', index]),
        });
      }
    }
  },
};

/** A hard range that a bound is outside of, and the bound of it that is nearest. */
interface Outside {
  readonly hardRange: HardRange;
  readonly place: string;
  readonly below: boolean;
  readonly limit: AttributeValue | undefined;
}

function outsideOf(bound: Bound, { parameter, place }: PlacedParameter): Outside[] {
  const hardRange = typedRange(parameter);
  if (hardRange === undefined || !takesRange(parameter)) return [];
  const open = isOpenSide(toValue(bound), parameter.valueType) ? toValue(bound) : undefined;
  const value = boundOf(bound, parameter.valueType) ?? open;
  if (value === undefined || contains(hardRange, value)) return [];
  const { lower, upper } = hardRange;
  const below = lower !== undefined && (compare(value, lower) ?? 0) < 0;
  return [{ hardRange, place, below, limit: below ? lower : upper }];
}

function rangesOf(outside: readonly Outside[], title: string): string {
  const [first] = outside;
  if (first !== undefined && outside.length === 1) {
    return `hard range ${formatRange(first.hardRange)} of ${title}${first.place}`;
  }
  const all = outside.map(({ hardRange, place }) => `${formatRange(hardRange)}${place}`);
  return `hard ranges of ${title}: ${all.join(', ')}`;
}

/** The limit that all of them have room for. */
function helpFor(outside: readonly Outside[]): { readonly help?: string } {
  const below = outside[0]?.below === true;
  if (outside.some((one) => one.below !== below)) return {};
  const limits = outside.flatMap(({ limit }) => (limit === undefined ? [] : [limit]));
  const [limit] = limits.sort((a, b) => (compare(a, b) ?? 0) * (below ? -1 : 1));
  return limit === undefined
    ? {}
    : { help: `write ${writtenBound(limit)} or ${below ? 'more' : 'less'}` };
}

/** A limit as a bound in a file, where nanoseconds are integers. */
function writtenBound(limit: AttributeValue): string {
  return limit.type === 'nanoseconds' ? String(limit.value) : show(limit);
}
