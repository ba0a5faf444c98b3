import type { Nature } from '../functions/index.js';
import type { Comparator } from '../tree/ast.js';
import { globMatcher } from './glob.js';
import { compareValues, type Kind, type OrderedValue } from './kinds.js';

/** A comparison's comparator and right operand. Booleans are the integers 0 and 1. */
export interface StatedValue {
  readonly kind: Kind;
  readonly comparator: Comparator;
  readonly value: OrderedValue;
  /**
   * The pattern that a string must match, or must not match if `negated`. If present, `value` is
   * the pattern's literal prefix.
   */
  readonly glob?: { readonly pattern: string; readonly negated: boolean };
}

type Glob = NonNullable<StatedValue['glob']>;

/** The statements that imply a bound, newest first. */
interface Reasons<S> {
  readonly source: S;
  readonly more: Reasons<S> | undefined;
}

interface Bound<S> {
  readonly value: OrderedValue;
  /** True for an exclusive bound. */
  readonly strict: boolean;
  /** The reasons for the bound; undefined for a natural bound. */
  readonly reasons: Reasons<S> | undefined;
}

type Side = 'lower' | 'upper';

const LAST_CODE_POINT = 0x10ffff;

/** Maximum number of patterns for one subject. Nobody writes longer lists by hand. */
const MAX_GLOBS = 20;

/** The step from an integer bound to the next allowed value. */
const STEP = { lower: 1n, upper: -1n };

/**
 * The possible values of a subject under statements about the subject. `S` is the caller's type of
 * statement identifiers.
 */
export class Domain<S> {
  readonly #parent: Domain<S> | undefined;
  #excluded: Map<OrderedValue, S> | undefined;
  #globs: readonly { readonly glob: Glob; readonly source: S }[];
  #integer: boolean;
  #kind: { readonly kind: Kind; readonly source: S } | undefined;
  readonly #bounds: Record<Side, Bound<S> | undefined>;

  constructor({ least, most, integer = false }: Nature = {}, parent?: Domain<S>) {
    this.#parent = parent;
    this.#globs = parent === undefined ? [] : parent.#globs;
    this.#integer = parent === undefined ? integer : parent.#integer;
    this.#kind = parent === undefined ? undefined : parent.#kind;
    this.#bounds = parent
      ? { ...parent.#bounds }
      : { lower: naturalBound(least), upper: naturalBound(most) };
  }

  /** Returns a copy of the current state. This domain must not change while the copy is used. */
  fork(): Domain<S> {
    return new Domain({}, this);
  }

  /** Returns the values' kind; undefined before the first statement. */
  get kind(): Kind | undefined {
    return this.#kind?.kind;
  }

  /** Adds a statement. If no value remains, returns the contradictory statements. */
  add({ kind, comparator, value, glob }: StatedValue, source: S): readonly S[] | undefined {
    if (this.#kind === undefined) this.#become(kind, source);
    else if (this.#kind.kind !== kind) return [this.#kind.source, source];
    if (glob !== undefined) {
      if (this.#globs.length >= MAX_GLOBS) return undefined;
      const opposite = this.#globs.find(
        (otherGlob) =>
          otherGlob.glob.pattern === glob.pattern && otherGlob.glob.negated !== glob.negated,
      );
      if (opposite !== undefined) return [opposite.source, source];
      this.#globs = [...this.#globs, { glob, source }];
      if (!glob.negated) this.#startWith(String(value), source);
    } else if (comparator === '!=') this.#exclude(point(value), source);
    else {
      const strict = comparator === '<' || comparator === '>';
      const bound = { value, strict, reasons: { source, more: undefined } };
      if (!comparator.startsWith('<')) this.#tighten('lower', bound);
      if (!comparator.startsWith('>')) this.#tighten('upper', bound);
    }
    return this.#conflict();
  }

  #become(kind: Kind, source: S): void {
    this.#kind = { kind, source };
    if (kind === 'string') this.#bounds.lower = naturalBound('');
    if (kind !== 'boolean') return;
    this.#integer = true;
    this.#bounds.lower = naturalBound(0n);
    this.#bounds.upper = naturalBound(1n);
  }

  #startWith(prefix: string, source: S): void {
    const reasons = { source, more: undefined };
    this.#tighten('lower', { value: prefix, strict: false, reasons });
    const lastCharacter = [...prefix].at(-1);
    const nextCodePoint = (lastCharacter?.codePointAt(0) ?? LAST_CODE_POINT) + 1;
    if (lastCharacter === undefined || nextCodePoint > LAST_CODE_POINT) return;
    const upperText = prefix.slice(0, -lastCharacter.length) + String.fromCodePoint(nextCodePoint);
    this.#tighten('upper', { value: upperText, strict: true, reasons });
  }

  #tighten(side: Side, newBound: Bound<S>): void {
    const bound = this.#integer ? integerBound(side, newBound) : newBound;
    const currentBound = this.#bounds[side];
    const [lowBound, highBound] = side === 'lower' ? [currentBound, bound] : [bound, currentBound];
    const order = lowBound && highBound ? compareValues(highBound.value, lowBound.value) : 1;
    if (order > 0 || (order === 0 && bound.strict && !currentBound?.strict))
      this.#bounds[side] = bound;
    this.#skipExcluded();
  }

  #exclude(value: OrderedValue, source: S): void {
    this.#excluded ??= new Map();
    if (this.#sourceExcluding(value) === undefined) this.#excluded.set(value, source);
    this.#skipExcluded();
  }

  /** Moves integer bounds past excluded values. */
  #skipExcluded(): void {
    if (!this.#integer) return;
    for (const side of ['lower', 'upper'] as const) {
      for (let bound = this.#bounds[side]; bound !== undefined; bound = this.#bounds[side]) {
        const source = this.#sourceExcluding(bound.value);
        if (source === undefined || this.#conflict() !== undefined) break;
        const reasons = { source, more: bound.reasons };
        this.#bounds[side] = {
          value: (bound.value as bigint) + STEP[side],
          strict: false,
          reasons,
        };
      }
    }
  }

  #sourceExcluding(value: OrderedValue): S | undefined {
    const reasons = this.#excluded?.get(value);
    return reasons === undefined && this.#parent ? this.#parent.#sourceExcluding(value) : reasons;
  }

  #globExcluding(value: OrderedValue): S | undefined {
    if (typeof value !== 'string') return undefined;
    const isExcluded = ({ pattern, negated }: Glob) => globMatcher(pattern)(value) === negated;
    return this.#globs.find(({ glob }) => isExcluded(glob))?.source;
  }

  #conflict(): readonly S[] | undefined {
    const { lower, upper } = this.#bounds;
    if (lower === undefined || upper === undefined) return undefined;
    const order = compareValues(lower.value, upper.value);
    if (order < 0) return undefined;
    const sources = new Set([...listReasons(lower.reasons), ...listReasons(upper.reasons)]);
    if (order > 0 || lower.strict || upper.strict) return [...sources];
    const singleValue = point(lower.value);
    const exclusion = this.#sourceExcluding(singleValue) ?? this.#globExcluding(singleValue);
    return exclusion === undefined ? undefined : [...sources.add(exclusion)];
  }
}

function naturalBound<S>(value: OrderedValue | undefined): Bound<S> | undefined {
  return value === undefined ? undefined : { value, strict: false, reasons: undefined };
}

function* listReasons<S>(reasons: Reasons<S> | undefined): Iterable<S> {
  for (let at = reasons; at !== undefined; at = at.more) yield at.source;
}

/** Converts a float with an integral value to an integer, for use as a key. */
function point(value: OrderedValue): OrderedValue {
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
}

/** Rounds a bound to the nearest integer that it allows. */
function integerBound<S>(side: Side, { value, strict, reasons }: Bound<S>): Bound<S> {
  if (typeof value === 'string') return { value, strict, reasons };
  const round = side === 'lower' ? Math.ceil : Math.floor;
  const integer = typeof value === 'bigint' ? value : BigInt(round(value));
  const nextCodePoint = strict && integer === point(value) ? integer + STEP[side] : integer;
  return { value: nextCodePoint, strict: false, reasons };
}
