/** What is known of a value before any comparison speaks of it. */
export interface Nature {
  readonly least?: bigint;
  readonly integer?: boolean;
}

/** `n / d`, with `d > 0`. */
export interface Fraction {
  readonly n: bigint;
  readonly d: bigint;
}

/** What a function of sums is computed from: the values, each as often as bindings have it. */
export interface Moments {
  readonly count: bigint;
  readonly sum: Fraction;
  /** 0 unless the function asks for squares. */
  readonly squares: Fraction;
}

/**
 * What an engine must find out for a function: the number of bindings, the value at one end and
 * an event that has it, or sums.
 */
export type Carried =
  | { readonly kind: 'bindings' }
  | { readonly kind: 'extreme'; readonly end: 'max' | 'min' }
  | {
      readonly kind: 'moments';
      readonly squares: boolean;
      /** The value, or its square where that is what is a fraction; of at least `fewest` values. */
      result(moments: Moments): Fraction;
      readonly isRoot: boolean;
    };

/** A function of AGGREGATE: all that checks, editors and engines know of it. */
export interface AggregateFunction {
  readonly name: string;
  /** What else people call it, too far from the name for a spelling check. */
  readonly aliases: readonly string[];
  readonly argument: 'none' | 'attribute';
  /** What it computes, in words that follow `name(label.attribute): `. */
  readonly meaning: string;
  /** What is known of its values, if anything. */
  readonly nature?: Nature;
  /** Of fewer values than this it has none. */
  readonly fewest: bigint;
  readonly carries: Carried;
}
