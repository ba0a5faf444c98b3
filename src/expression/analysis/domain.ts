import type { Nature } from '../functions/index.js';
import type { Comparator } from '../tree/ast.js';
import { compareValues, type Kind, type Ordered } from './kinds.js';

/** A value as a comparison states it; booleans as the integers 0 and 1. */
export interface Stated {
  readonly kind: Kind;
  readonly comparator: Comparator;
  readonly value: Ordered;
}

/** The statements, newest first, that a bound follows from. */
interface Reasons<S> {
  readonly source: S;
  readonly more: Reasons<S> | undefined;
}

interface Bound<S> {
  readonly value: Ordered;
  /** The bound itself is not allowed. */
  readonly strict: boolean;
  /** Undefined for a bound by nature. */
  readonly reasons: Reasons<S> | undefined;
}

/**
 * The values that a subject can still have after some statements about it. `S`
 * is what the caller knows a statement by.
 */
export class Domain<S> {
  readonly #parent: Domain<S> | undefined;
  #excluded: Map<Ordered, S> | undefined;
  #integer: boolean;
  #kind: { readonly kind: Kind; readonly source: S } | undefined;
  #lower: Bound<S> | undefined;
  #upper: Bound<S> | undefined;

  constructor({ least, integer = false }: Nature = {}, parent?: Domain<S>) {
    this.#parent = parent;
    this.#integer = integer;
    this.#lower = natural(least);
    if (parent === undefined) return;
    this.#integer = parent.#integer;
    this.#kind = parent.#kind;
    this.#lower = parent.#lower;
    this.#upper = parent.#upper;
  }

  /** A domain that begins as this one is now; this one must not change while it is used. */
  fork(): Domain<S> {
    return new Domain({}, this);
  }

  /** Takes in a statement; gives the statements that cannot all hold, if that leaves no value. */
  add({ kind, comparator, value }: Stated, source: S): readonly S[] | undefined {
    if (this.#kind === undefined) this.#become(kind, source);
    else if (this.#kind.kind !== kind) return [this.#kind.source, source];
    const reasons = { source, more: undefined };
    switch (comparator) {
      case '=':
        this.#raise({ value, strict: false, reasons });
        this.#cap({ value, strict: false, reasons });
        break;
      case '!=':
        this.#exclude(point(value), source);
        break;
      case '<':
      case '<=':
        this.#cap({ value, strict: comparator === '<', reasons });
        break;
      case '>':
      case '>=':
        this.#raise({ value, strict: comparator === '>', reasons });
        break;
    }
    return this.#conflict();
  }

  #become(kind: Kind, source: S): void {
    this.#kind = { kind, source };
    if (kind === 'string') this.#lower = { value: '', strict: false, reasons: undefined };
    if (kind !== 'boolean') return;
    this.#integer = true;
    this.#lower = natural(0n);
    this.#upper = natural(1n);
  }

  #raise(bound: Bound<S>): void {
    const to = this.#integer ? smallestInteger(bound) : bound;
    const order = this.#lower === undefined ? 1 : compareValues(to.value, this.#lower.value);
    if (order > 0 || (order === 0 && to.strict && !this.#lower?.strict)) this.#lower = to;
    this.#skipExcluded();
  }

  #cap(bound: Bound<S>): void {
    const to = this.#integer ? largestInteger(bound) : bound;
    const order = this.#upper === undefined ? -1 : compareValues(to.value, this.#upper.value);
    if (order < 0 || (order === 0 && to.strict && !this.#upper?.strict)) this.#upper = to;
    this.#skipExcluded();
  }

  #exclude(value: Ordered, source: S): void {
    this.#excluded ??= new Map();
    if (this.#sourceExcluding(value) === undefined) this.#excluded.set(value, source);
    this.#skipExcluded();
  }

  /** Moves the bounds of integers past values that are excluded. */
  #skipExcluded(): void {
    if (!this.#integer) return;
    for (let bound = this.#lower; bound !== undefined; bound = this.#lower) {
      const source = this.#sourceExcluding(bound.value);
      if (source === undefined || this.#conflict() !== undefined) break;
      const reasons = { source, more: bound.reasons };
      this.#lower = { value: (bound.value as bigint) + 1n, strict: false, reasons };
    }
    for (let bound = this.#upper; bound !== undefined; bound = this.#upper) {
      const source = this.#sourceExcluding(bound.value);
      if (source === undefined || this.#conflict() !== undefined) break;
      const reasons = { source, more: bound.reasons };
      this.#upper = { value: (bound.value as bigint) - 1n, strict: false, reasons };
    }
  }

  #sourceExcluding(value: Ordered): S | undefined {
    for (let domain: Domain<S> | undefined = this; domain; domain = domain.#parent) {
      const source = domain.#excluded?.get(value);
      if (source !== undefined) return source;
    }
    return undefined;
  }

  #conflict(): readonly S[] | undefined {
    const lower = this.#lower;
    const upper = this.#upper;
    if (lower === undefined || upper === undefined) return undefined;
    const order = compareValues(lower.value, upper.value);
    if (order < 0) return undefined;
    const sources = new Set([...listed(lower.reasons), ...listed(upper.reasons)]);
    if (order > 0 || lower.strict || upper.strict) return [...sources];
    const excluding = this.#sourceExcluding(point(lower.value));
    return excluding === undefined ? undefined : [...sources.add(excluding)];
  }
}

function natural<S>(value: bigint | undefined): Bound<S> | undefined {
  return value === undefined ? undefined : { value, strict: false, reasons: undefined };
}

function* listed<S>(reasons: Reasons<S> | undefined): Iterable<S> {
  for (let at = reasons; at !== undefined; at = at.more) yield at.source;
}

/** One key for an integer and the float that equals it. */
function point(value: Ordered): Ordered {
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
}

function smallestInteger<S>({ value, strict, reasons }: Bound<S>): Bound<S> {
  if (typeof value === 'string') return { value, strict, reasons };
  const whole = typeof value === 'bigint' ? value : BigInt(Math.ceil(value));
  const next = strict && whole === point(value) ? whole + 1n : whole;
  return { value: next, strict: false, reasons };
}

function largestInteger<S>({ value, strict, reasons }: Bound<S>): Bound<S> {
  if (typeof value === 'string') return { value, strict, reasons };
  const whole = typeof value === 'bigint' ? value : BigInt(Math.floor(value));
  const next = strict && whole === point(value) ? whole - 1n : whole;
  return { value: next, strict: false, reasons };
}
