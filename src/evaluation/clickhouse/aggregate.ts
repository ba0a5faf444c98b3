import type { AggregateFunction, Carried } from '../../expression/index.js';
import { itemAt } from '../../source/index.js';
import type { Rational } from '../exact/number.js';
import { bitLength, toRational } from '../exact/number.js';
import type { SumsTotal } from '../exact/sums.js';
import { type TermValue, UNDEFINED, valueOfMoments } from '../exact/term-value.js';
import type { Sum } from '../query/query.js';
import { bindingsSql, valuesOf } from './bindings.js';
import { BOUND_SQL, type Cell, CellKind, splitFloat } from './cell.js';
import { isFiniteSum, type Scale, scaledSum } from './condition.js';
import type { Database } from './database.js';
import { type LabelTable, TooWide, type Work } from './label-tables.js';

/** Sums of products stay below this many bits, so that 256 hold them with their sign. */
const MOST_BITS = 254;

/** Events with `c`, how many bindings contain each, and the cell of the value in question. */
export interface WeightedEvents {
  readonly from: string;
  readonly cell: Cell;
  readonly factor: bigint;
}

/** The largest or smallest value, and the event that has it first. */
export async function extreme(
  db: Database,
  name: 'max' | 'min',
  { from, cell }: WeightedEvents,
): Promise<{ readonly value: TermValue; readonly event?: readonly [number, number] }> {
  const order = name === 'max' ? 'desc' : 'asc';
  const [row] = await db.rows(
    `select toString(${cell.whole}), ${doubleSql(cell.part)}, l.probe, l.seq ${from} and ${cell.kind} = ${CellKind.number} order by ${cell.whole} ${order}, ${cell.part} ${order}, l.probe, l.seq limit 1`,
  );
  if (row === undefined) return { value: UNDEFINED };
  const [whole, part, probe, seq] = row as [string, string, number, number];
  return {
    value: valueOfParts(BigInt(whole), doubleOf(part)),
    event: [Number(probe), Number(seq)],
  };
}

function valueOfParts(whole: bigint, part: number): TermValue {
  if (!Number.isFinite(part)) return { is: 'infinite', sign: part > 0 ? 1 : -1 };
  const isLarge = Math.abs(part) >= 2 ** 128;
  return {
    is: 'number',
    value: isLarge ? toRational(part) : plus({ n: whole, d: 1n }, toRational(part)),
  };
}

/**
 * Sum, mean or deviation, exactly: values are taken apart into integers and powers of two, and
 * those of one power are added in 256 bits, so that shards add up to the same. Where even these
 * might not hold the sums, the values come here one by one with their counts.
 */
export async function weightedSums(
  db: Database,
  carries: Extract<Carried, { kind: 'moments' }>,
  fewest: bigint,
  { from, cell, factor }: WeightedEvents,
): Promise<TermValue> {
  const { kind, whole, part } = cell;
  const isNumber = `${kind} = ${CellKind.number}`;
  // What is behind the point, or too large for a point, is a double as a whole.
  const float = `if(toInt256(abs(${whole})) = ${BOUND_SQL}, ${part}, toFloat64(toInt64(if(${part} = 0, toInt256(0), ${whole}))) + ${part})`;
  const { mantissa, exponent } = splitFloat(float);
  const split = `select c, if(${part} = 0, ${whole}, ${mantissa}) as mantissa, if(${part} = 0, 0, ${exponent}) as exponent ${from} and ${isNumber}`;
  const [[largest, bindings] = ['0', '0']] = (await db.rows(
    `select toString(max(abs(mantissa))), toString(sum(c)) from (${split})`,
  )) as [string, string][];
  const bits = 2 * bitLength(BigInt(largest) + 1n) + bitLength(BigInt(bindings) + 1n);
  const rows =
    bits < MOST_BITS
      ? await db.rows(
          `select exponent, toString(sum(c)), toString(sum(toInt256(c) * mantissa)), toString(sum(toInt256(c) * mantissa * mantissa)), toString(sumIf(c, mantissa > 0)), toString(sumIf(c, mantissa < 0)) from (${split}) group by exponent`,
        )
      : (
          await db.rows(
            `select exponent, toString(mantissa), toString(sum(c)) from (${split}) group by exponent, mantissa`,
          )
        ).map(([exponent, mantissa, count]) => oneValue(exponent, String(mantissa), String(count)));
  return valueOfMoments(carries, fewest, totalOf(rows, factor));
}

function oneValue(exponent: unknown, mantissa: string, count: string): readonly unknown[] {
  const [m, c] = [BigInt(mantissa), BigInt(count)];
  return [exponent, count, m * c, m * m * c, m > 0n ? count : 0n, m < 0n ? count : 0n];
}

/** The exponent that infinities have as doubles. */
const INFINITE = 2047 - 1075;

function totalOf(rows: readonly (readonly unknown[])[], factor: bigint): SumsTotal {
  let count = 0n;
  let sum: Rational = { n: 0n, d: 1n };
  let squares: Rational = { n: 0n, d: 1n };
  let [isPlus, isMinus] = [false, false];
  for (const row of rows) {
    const exponent = Number(row[0]);
    const [own, first, second, above, below] = row.slice(1).map((cell) => BigInt(String(cell)));
    count += (own as bigint) * factor;
    if (exponent === INFINITE) {
      isPlus ||= (above as bigint) > 0n;
      isMinus ||= (below as bigint) > 0n;
      continue;
    }
    sum = plus(sum, scaled((first as bigint) * factor, exponent));
    squares = plus(squares, scaled((second as bigint) * factor, 2 * exponent));
  }
  return { count, sum, squares, plus: isPlus, minus: isMinus };
}

export function scaled(n: bigint, exponent: number): Rational {
  return exponent >= 0 ? { n: n << BigInt(exponent), d: 1n } : { n, d: 1n << BigInt(-exponent) };
}

/** Both have powers of two below. */
function plus(a: Rational, b: Rational): Rational {
  return a.d >= b.d
    ? { n: a.n + b.n * (a.d / b.d), d: a.d }
    : { n: a.n * (b.d / a.d) + b.n, d: b.d };
}

/** A double comes bit by bit: its text might be rounded on the way. */
function doubleSql(float: string): string {
  return `toString(reinterpretAsUInt64(${float}))`;
}

function doubleOf(bits: string): number {
  return itemAt(new Float64Array(BigUint64Array.of(BigInt(bits)).buffer), 0);
}

/**
 * A function of a sum such as `mean(b.time - a.time)`, over the bindings in which each attribute
 * of it is a finite number: one pass over the join of all labels.
 *
 * @throws {TooWide} where 256 bits may not hold what is added up
 */
export async function sumOnServer(
  work: Work,
  tables: readonly LabelTable[],
  { carries, fewest }: AggregateFunction,
  sum: Sum,
): Promise<TermValue> {
  const scale = work.scale as Scale;
  const { cellOf } = valuesOf(work);
  const all = `select ${scaledSum(sum, scale, cellOf)} as v ${bindingsSql(work, tables)} and ${isFiniteSum(sum, cellOf)}`;
  if (carries.kind !== 'moments') {
    const end = carries.kind === 'extreme' ? carries.end : 'max';
    const [[found, count] = ['0', '0']] = (await work.db.rows(
      `select toString(${end}(v)), toString(count()) from (${all})`,
    )) as [string, string][];
    if (count === '0') return UNDEFINED;
    return { is: 'number', value: scaled(BigInt(found), -scale.bits) };
  }
  const bindings = tables.reduce((product, { size }) => product * BigInt(size), 1n);
  const width = carries.squares ? 2 * scale.largest : scale.largest;
  if (width + bitLength(bindings + 1n) >= 254) throw new TooWide('a sum beyond 256 bits');
  const squares = carries.squares ? 'sum(v * v)' : 'toInt256(0)';
  const [[count, total, square] = ['0', '0', '0']] = (await work.db.rows(
    `select toString(count()), toString(sum(v)), toString(${squares}) from (${all})`,
  )) as [string, string, string][];
  return valueOfMoments(carries, fewest, {
    count: BigInt(count),
    sum: scaled(BigInt(total), -scale.bits),
    squares: scaled(BigInt(square), -2 * scale.bits),
    plus: false,
    minus: false,
  });
}
