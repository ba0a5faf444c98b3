import {
  bitLength,
  type ExactNumber,
  isInfinite,
  type Rational,
  toRational,
} from '../exact/number.js';
import { Undecided } from '../exact/undecided.js';
import { aggregatesOf } from '../query/build-terms.js';
import { attributesOfOperand, leavesOfTest, operandsOfLeaf } from '../query/operand.js';
import type {
  FilterParts,
  LabelAttribute,
  Query,
  QueryOperand,
  Sum,
  Summand,
} from '../query/query.js';
import { BOUND_SQL, type Cell, CellKind, splitFloat } from './cell.js';
import { int256 } from './database.js';

/*
 * Exact calculations. ClickHouse rounds when it adds floats. Therefore an attribute is a 256-bit integer, its value
 * times 2 ** scale, and a calculation is a fraction of such integers. The scale preserves the finest value of these
 * attributes in the session. The engine throws `TooWideError` if a calculation might not fit into 256 bits.
 */

/** The scale of numbers in calculations: a value is multiplied by `2 ** bits`. */
export interface Scale {
  readonly bits: number;
  /** Number of bits of the largest scaled value, without the sign. */
  readonly largest: number;
}

/** The error for a calculation that might not fit into 256 bits. */
export class TooWideError extends Undecided {
  constructor(message = 'numbers too far apart for exact calculation') {
    super('AGGREGATE', message, 'use the embedded engine, which supports numbers of any size');
  }
}

/** Maximum number of bits in calculations. Leaves room in 256 bits for the sign and for doubling. */
export const MAX_BITS = 252;

/**
 * A fraction `n / (d * 2 ** shift)`. `n` and `d` are SQL expressions of 256-bit integers. `d` is positive if the
 * fraction is defined.
 */
export interface ServerFraction {
  readonly n: string;
  readonly d: string;
  readonly shift: number;
  /** Maximum number of bits of `n`. `fractionBits` is the maximum for `d`. */
  readonly bits: number;
  readonly fractionBits: number;
  /** SQL conditions that no divisor is zero. The value is defined if its attributes are finite too. */
  readonly defined: readonly string[];
}

const ONE = int256(1n);

/**
 * Converts a calculation to SQL.
 *
 * @param scaledOf returns the SQL of an attribute's scaled value
 * @throws {TooWideError}
 */
export function toFraction(
  sum: Sum,
  { bits: shift, largest: bits }: Scale,
  scaledOf: (attribute: LabelAttribute) => string,
): ServerFraction {
  const sumFraction = ({ constant, terms }: Sum): ServerFraction =>
    terms.reduce<ServerFraction>((sum, { times, of }) => {
      const value = summandFraction(of);
      return add(sum, times === 1 ? value : multiply(constantFraction(times), value));
    }, constantFraction(constant));
  const summandFraction = (of: Summand['of']): ServerFraction => {
    if (of.kind === 'attribute') {
      return { n: scaledOf(of), d: ONE, shift, bits, fractionBits: 1, defined: [] };
    }
    if (of.kind === 'absolute') {
      const value = sumFraction(of.of);
      return { ...value, n: `toInt256(abs(${value.n}))` };
    }
    return of.factors.reduce<ServerFraction>((product, { sign, of }) => {
      const factor = sumFraction(of);
      return multiply(product, sign === '*' ? factor : invert(factor));
    }, constantFraction(1));
  };
  return sumFraction(sum);
}

/** Converts a number to a fraction, with the denominator's powers of two in the shift. */
function constantFraction(value: ExactNumber): ServerFraction {
  if (isInfinite(value)) throw new TooWideError();
  const { n, d } = toRational(value);
  let shift = 0;
  while (((d >> BigInt(shift)) & 1n) === 0n) shift++;
  const oddPart = d >> BigInt(shift);
  const bits = bitLength(n < 0n ? -n : n);
  return fitting({
    n: int256(n),
    d: int256(oddPart),
    shift,
    bits,
    fractionBits: bitLength(oddPart),
    defined: [],
  });
}

function add(a: ServerFraction, b: ServerFraction): ServerFraction {
  const shift = Math.max(a.shift, b.shift);
  const [x, y] = [shiftLeft(a, shift), shiftLeft(b, shift)];
  const isSame = a.d === b.d;
  return fitting({
    n: isSame ? `(${x.n} + ${y.n})` : `(${times(x.n, b.d)} + ${times(y.n, a.d)})`,
    d: isSame ? a.d : times(a.d, b.d),
    shift,
    bits:
      (isSame
        ? Math.max(x.bits, y.bits)
        : Math.max(x.bits + b.fractionBits, y.bits + a.fractionBits)) + 1,
    fractionBits: isSame ? a.fractionBits : a.fractionBits + b.fractionBits,
    defined: [...a.defined, ...b.defined],
  });
}

function multiply(a: ServerFraction, b: ServerFraction): ServerFraction {
  return fitting({
    n: times(a.n, b.n),
    d: times(a.d, b.d),
    shift: a.shift + b.shift,
    bits: a.bits + b.bits,
    fractionBits:
      a.d === ONE ? b.fractionBits : b.d === ONE ? a.fractionBits : a.fractionBits + b.fractionBits,
    defined: [...a.defined, ...b.defined],
  });
}

function invert({ n, d, shift, bits, fractionBits, defined }: ServerFraction): ServerFraction {
  const scaledUp = int256(1n << BigInt(shift));
  return fitting({
    n: `(${times(d, scaledUp)} * sign(${n}))`,
    d: `toInt256(abs(${n}))`,
    shift: 0,
    bits: fractionBits + shift,
    fractionBits: bits,
    defined: [...defined, `${n} != 0`],
  });
}

function times(a: string, b: string): string {
  if (a === ONE || b === ONE) return a === ONE ? b : a;
  const [x, y] = [literalIn(a), literalIn(b)];
  return x !== undefined && y !== undefined ? int256(x * y) : `(${a} * ${b})`;
}

/** Returns an SQL literal's integer; undefined for any other SQL. */
export function literalIn(sql: string): bigint | undefined {
  const digits = /^toInt256\('(-?\d+)'\)$/.exec(sql)?.[1];
  return digits === undefined ? undefined : BigInt(digits);
}

function shiftLeft(of: ServerFraction, shift: number): ServerFraction {
  if (shift === of.shift) return of;
  const extraBits = shift - of.shift;
  if (extraBits > MAX_BITS) throw new TooWideError();
  return fitting({
    ...of,
    n: times(of.n, int256(1n << BigInt(extraBits))),
    shift,
    bits: of.bits + extraBits,
  });
}

function fitting(of: ServerFraction): ServerFraction {
  if (of.bits > MAX_BITS || of.fractionBits > MAX_BITS || of.shift > 4 * MAX_BITS)
    throw new TooWideError();
  return of;
}

/**
 * Returns an integer key with the order and equality of a fraction's values. The key is precise enough because
 * different values are further apart than `1 / d ** 2`.
 *
 * @throws {TooWideError}
 */
export function orderKey({ n, d, bits, fractionBits }: ServerFraction): string {
  if (d === ONE) return n;
  const extraBits = 2 * fractionBits + 1;
  if (bits + extraBits > MAX_BITS) throw new TooWideError();
  // A divisor of 0 would abort the statement, even if the key is not needed.
  return `intDiv(${times(n, int256(1n << BigInt(extraBits)))}, greatest(${d}, ${ONE}))`;
}

/** Returns the number with the given parts of a server fraction. */
export function fractionValue(n: bigint, d: bigint, shift: number): Rational {
  return { n, d: d << BigInt(shift) };
}

/** True if an operand requires a calculation: a sum, or a fraction, which a cell cannot hold. */
export function needsCalculation(operand: QueryOperand): boolean {
  const isFraction = operand.kind === 'constant' && typeof operand.value === 'object';
  return operand.kind === 'sum' || isFraction;
}

/** Lists the operands of each test of a condition. Lists the two sides of a join separately. */
export function operandsOfParts({
  filters,
  joins,
  others,
}: Pick<FilterParts, 'filters' | 'joins' | 'others'>): (readonly QueryOperand[])[] {
  const tests = [...filters.flat(), ...others.map(({ test }) => test)];
  const sides = joins.flatMap(({ left, right }) => [[left], [right]]);
  return [...tests.flatMap(leavesOfTest).map(operandsOfLeaf), ...sides];
}

/** Lists the attributes in a query's calculations. */
export function calculatedAttributes(query: Query): readonly LabelAttribute[] {
  const { patterns, by, absences } = query;
  const conditions = [
    { ...query, filters: [...query.filters, patterns] },
    ...aggregatesOf(query).flatMap((term) => (term.kind === 'share' ? [term.condition] : [])),
  ];
  const operands = [
    ...conditions.flatMap(operandsOfParts).filter((operands) => operands.some(needsCalculation)),
    ...aggregatesOf(query).map((term) =>
      term.kind === 'aggregate' && term.argument.kind === 'sum' ? [term.argument] : [],
    ),
    (by?.keys ?? []).flatMap((key) => (key.kind === 'window' ? [key.time] : [])),
  ];
  return [
    ...operands.flat().flatMap(attributesOfOperand),
    ...absences.flatMap((absence) => calculatedAttributes(absence.query)),
  ];
}

/**
 * Returns SQL for the scale that a cell requires: the number of fraction bits, and the largest magnitude of the integer
 * part.
 */
export function scaleDemands({
  kind,
  integerPart,
  part,
}: Cell): readonly [after: string, before: string] {
  const hasNumber = `${kind} = ${CellKind.number} and not isInfinite(${part})`;
  const { mantissa, exponent } = splitFloat(part);
  const size = `reinterpretAsUInt64(toInt64(abs(${mantissa})))`;
  const zeros = `(toInt32(bitCount(bitXor(${size}, ${size} - 1))) - 1)`;
  return [
    `max(if(${hasNumber} and ${part} != 0 and toInt256(abs(${integerPart})) < ${BOUND_SQL}, -(${exponent} + ${zeros}), 0))`,
    `toString(max(if(${hasNumber}, toInt256(abs(${integerPart})), ${int256(0n)})))`,
  ];
}

/**
 * Returns the scale for values with up to `after` fraction bits and an integer part of up to `before`.
 *
 * @throws {TooWideError} if the scaled values might not fit
 */
export function scaleFor(after: number, before: bigint): Scale {
  if (before >= 2n ** 128n) throw new TooWideError();
  const largest = after + bitLength(before + 1n);
  if (largest > MAX_BITS) throw new TooWideError();
  return { bits: after, largest };
}

/** Returns the SQL of a cell's value times 2 ** scale. The result is arbitrary if the value is not a finite number. */
export function scaledCell({ integerPart, part }: Cell, { bits }: Scale): string {
  const power = `bitShiftLeft(${ONE}, ${bits})`;
  const { mantissa, exponent } = splitFloat(part);
  const shift = `(${exponent} + ${bits})`;
  const scaledUp = `${mantissa} * bitShiftLeft(${ONE}, least(greatest(${shift}, 0), 250))`;
  // The bits shifted out are zero, because of the choice of the scale.
  const down = `intDiv(${mantissa}, bitShiftLeft(${ONE}, least(greatest(-${shift}, 0), 60)))`;
  const fractionSql = `if(${part} = 0, ${int256(0n)}, if(${shift} >= 0, ${scaledUp}, ${down}))`;
  return `(${integerPart} * ${power} + ${fractionSql})`;
}
