/** The properties of a value that are known before evaluation. */
export interface Nature {
  readonly least?: bigint;
  readonly most?: bigint;
  readonly integer?: boolean;
}

/** The fraction `n / d`, with `d > 0`. */
export interface Fraction {
  readonly n: bigint;
  readonly d: bigint;
}

/** The power sums of the values, counting a value once for each binding. */
interface Moments {
  readonly count: bigint;
  readonly sum: Fraction;
  /** The sum of squares; 0 unless the function needs it. */
  readonly squares: Fraction;
}

/**
 * The information that an engine collects for a function: the number of bindings, an extreme value
 * and its event, the values, or power sums.
 */
export type Carried =
  | { readonly kind: 'bindings' }
  | { readonly kind: 'extreme'; readonly end: 'max' | 'min' }
  /** The distinct values, of any kind. */
  | { readonly kind: 'distinct' }
  /** All values, for computing a percentile. */
  | { readonly kind: 'percentile' }
  | {
      readonly kind: 'moments';
      readonly squares: boolean;
      /** Returns the function's value, or the value's square if `isRoot`. Requires at least `fewest` values. */
      result(moments: Moments): Fraction;
      readonly isRoot: boolean;
    };

/** An AGGREGATE function, with its properties for checks, editors and engines. */
export interface AggregateFunction {
  readonly name: string;
  /** Other common names that are too different for the spelling check. */
  readonly aliases: readonly string[];
  /** The kind of argument. A label may be omitted. */
  readonly argument: 'label' | 'attribute';
  /** True if the function accepts a percentage after its argument. */
  readonly percent?: true;
  /** The description, which follows `name(label.attribute): ` in lists. */
  readonly meaning: string;
  /** The known limits of the function's values. */
  readonly nature?: Nature;
  /** Minimum number of input values. With fewer, the function has no value. */
  readonly fewest: bigint;
  readonly carries: Carried;
}

/** The AGGREGATE functions (spec: trace expressions, "Meaning"), in display order. */
const functions: readonly AggregateFunction[] = [
  {
    name: 'count',
    aliases: [],
    argument: 'label',
    meaning: 'the number of bindings; `count(label)`: the number of distinct events of the label',
    nature: { least: 0n, integer: true },
    fewest: 0n,
    carries: { kind: 'bindings' },
  },
  {
    name: 'max',
    aliases: ['maximum'],
    argument: 'attribute',
    meaning: 'the largest value; undefined without any value',
    fewest: 1n,
    carries: { kind: 'extreme', end: 'max' },
  },
  {
    name: 'min',
    aliases: ['minimum'],
    argument: 'attribute',
    meaning: 'the smallest value; undefined without any value',
    fewest: 1n,
    carries: { kind: 'extreme', end: 'min' },
  },
  {
    name: 'mean',
    aliases: ['avg', 'average'],
    argument: 'attribute',
    meaning: 'the arithmetic mean; undefined without any value',
    fewest: 1n,
    carries: {
      kind: 'moments',
      squares: false,
      isRoot: false,
      result: ({ count, sum }) => ({ n: sum.n, d: sum.d * count }),
    },
  },
  {
    name: 'sum',
    aliases: ['total'],
    argument: 'attribute',
    meaning: 'the sum; undefined without any value',
    fewest: 1n,
    carries: { kind: 'moments', squares: false, isRoot: false, result: ({ sum }) => sum },
  },
  {
    name: 'stddev',
    aliases: ['std'],
    argument: 'attribute',
    meaning: 'the sample standard deviation; undefined with fewer than two values',
    nature: { least: 0n },
    fewest: 2n,
    carries: {
      kind: 'moments',
      squares: true,
      isRoot: true,
      /** Returns the sample variance: (squares - sum * sum / count) / (count - 1). */
      result({ count, sum, squares }) {
        const square = sum.d * sum.d;
        return {
          n: squares.n * count * square - sum.n * sum.n * squares.d,
          d: squares.d * square * count * (count - 1n),
        };
      },
    },
  },
  {
    name: 'distinct',
    aliases: ['unique', 'count_distinct', 'dc'],
    argument: 'attribute',
    meaning: 'the number of distinct values of any type',
    nature: { least: 0n, integer: true },
    fewest: 0n,
    carries: { kind: 'distinct' },
  },
  {
    name: 'percentile',
    aliases: [],
    argument: 'attribute',
    percent: true,
    meaning:
      'the smallest value with at least p percent of the values at or below it; undefined without any value',
    fewest: 1n,
    carries: { kind: 'percentile' },
  },
];

/** The functions by name, in display order. */
export const FUNCTIONS: ReadonlyMap<string, AggregateFunction> = new Map(
  functions.map((definition) => [definition.name, definition]),
);

/** Forms that look like functions, but accept an argument other than `label.attribute`. */
export const FORMS: ReadonlyMap<string, { readonly usage: string; readonly meaning: string }> =
  new Map([
    [
      'share',
      {
        usage: 'share(condition)',
        meaning: 'the fraction of the bindings that satisfy the condition',
      },
    ],
    [
      'baseline',
      {
        usage: 'baseline(measure)',
        meaning:
          "the measure's value in the baseline session; for several sessions, the lower median",
      },
    ],
  ]);

/** Returns a function's usage, such as `max(label.attribute)`. */
export function functionUsage({ name, argument, percent }: AggregateFunction): string {
  if (argument === 'label') return `${name}()`;
  return percent ? `${name}(label.attribute, 95)` : `${name}(label.attribute)`;
}
