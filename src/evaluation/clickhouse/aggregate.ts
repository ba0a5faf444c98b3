import type { AggregateFunction, Carried } from '../../expression/index.js';
import { bitLength } from '../exact/number.js';
import { ExactSums, type SumsTotal } from '../exact/sums.js';
import { type TermValue, UNDEFINED, valueOfMoments, valueOfNumber } from '../exact/term-value.js';
import type { AggregateTerm, QueryOperand } from '../query/query.js';
import { fractionValue, literalIn, MAX_BITS, orderKey, TooWideError } from './arithmetic.js';
import { BOUND_SQL, CellKind, doubleSql, splitFloat, toExact } from './cell.js';
import { calculation, type Values } from './condition.js';
import { type Database, int256, unsupportedClause } from './database.js';

/** Bindings, or a label's events weighted by number of bindings. */
export interface WeightedRows {
  /** The rows' SQL: `from ... where ...`. */
  readonly from: string;
  readonly values: Values;
  /** SQL expressions: a row's group, number of bindings and array of event numbers. */
  readonly group: string;
  readonly count: string;
  readonly events: string;
  /** The number of bindings for each unit of `count`. */
  readonly factor: bigint;
}

/** A group's value. The group is `0` without groups. */
export interface GroupValue {
  readonly group: string;
  readonly value: TermValue;
  /** The numbers of the first events with an extreme value. */
  readonly events?: readonly number[];
}

/**
 * Computes a function of an argument over bindings. Returns a value for each group with bindings.
 *
 * @throws {TooWideError} if 256 bits might not suffice
 */
export async function aggregateOnServer(
  db: Database,
  term: AggregateTerm,
  rows: WeightedRows,
): Promise<readonly GroupValue[]> {
  const { carries, fewest } = term.function;
  const { group, count, events, from } = rows;
  if (term.argument.kind === 'event') {
    const answer = await db.rows(
      `select toString(${group} as g), toString(uniqExact(${events})) ${from} group by g`,
    );
    return answer.map(([of, number]) => ({
      group: String(of),
      value: valueOfNumber(Number(number)),
    }));
  }
  const argument = argumentSql(term.argument, rows.values);
  const bindingsSql = `select ${group} as g, ${count} as c, ${events} as es, ${argument.columns} ${from}`;
  const numbers = `(${bindingsSql} and k = ${CellKind.number})`;
  switch (carries.kind) {
    case 'moments':
      return moments(db, carries, fewest, numbers, argument, rows.factor);
    case 'extreme': {
      const order = carries.end === 'max' ? 'desc' : 'asc';
      const rows = await db.rows(
        `select toString(g), ${argument.parts}, arrayStringConcat(es, ' ') from ${numbers} order by g, w ${order}, p ${order}, es limit 1 by g`,
      );
      return rows.map((row) => ({
        ...argument.readValue(row),
        events: String(row[5]).split(' ').map(Number),
      }));
    }
    case 'distinct': {
      const rows = await db.rows(
        `select toString(g), toString(uniqExact((k, w, p, t))) from (${bindingsSql} and k != ${CellKind.missing}) group by g`,
      );
      return rows.map(([of, number]) => ({
        group: String(of),
        value: valueOfNumber(Number(number)),
      }));
    }
    case 'percentile': {
      const { n, d } = term.percent as NonNullable<typeof term.percent>;
      if (bitLength(n) + bitLength(100n * d) > 64)
        throw new TooWideError('too precise a percentage');
      const sums = `select g, w, p, any((n, d)) as nd, sum(c) as own from ${numbers} group by g, w, p`;
      const cumulativeSql = `select g, w, p, nd.1 as n, nd.2 as d, sum(own) over (partition by g order by w, p) as upto, sum(own) over (partition by g) as total from (${sums})`;
      const rows = await db.rows(
        `select toString(g), ${argument.parts} from (${cumulativeSql}) where toInt256(upto) * ${int256(100n * d)} >= toInt256(total) * ${int256(n)} order by g, w, p limit 1 by g`,
      );
      return rows.map(argument.readValue);
    }
    case 'bindings':
      return [];
  }
}

/** An argument's value in SQL columns, with the same names for every kind of argument. */
interface Argument {
  /**
   * The columns. `k`, `w`, `p` and `t` order and distinguish values, as in a cell. `n` and `d` are a fraction's parts.
   * `m * 2 ** e` is the number, without the divisor.
   */
  readonly columns: string;
  /** The columns that `readValue` reads after the group. */
  readonly parts: string;
  readonly readValue: (row: readonly unknown[]) => Omit<GroupValue, 'events'>;
  /** The common divisor of all values; undefined if the values have different divisors. */
  readonly divisor: bigint | undefined;
}

const PARTS = `toString(w), ${doubleSql('p')}, toString(n), toString(d)`;
const ZERO = int256(0n);

function argumentSql(operand: QueryOperand, values: Values): Argument {
  if (operand.kind === 'attribute') {
    const { kind, integerPart, part, text } = values.cellOf(operand);
    // A number with a fractional part, or too large for a fractional part, is a double.
    const float = `if(toInt256(abs(w)) = ${BOUND_SQL}, p, toFloat64(toInt64(if(p = 0, ${ZERO}, w))) + p)`;
    const { mantissa, exponent } = splitFloat(float);
    return {
      columns: `${kind} as k, ${integerPart} as w, ${part} as p, ${text} as t, if(p = 0, w, ${mantissa}) as m, if(p = 0, 0, ${exponent}) as e, ${ZERO} as n, ${ZERO} as d`,
      parts: PARTS,
      readValue: ([group, integerPart, part]) => ({
        group: String(group),
        value: valueOfNumber(toExact(integerPart, part)),
      }),
      divisor: 1n,
    };
  }
  if (operand.kind !== 'sum') throw unsupportedClause('a function of no attribute');
  const { value, isDefined } = calculation(operand, values);
  const { n, d, shift } = value;
  const divisor = literalIn(d);
  const key = divisor === undefined ? orderKey(value) : n;
  return {
    columns: `if(${isDefined}, ${CellKind.number}, 0) as k, ${key} as w, 0. as p, '' as t, ${n} as m, ${-shift} as e, ${n} as n, ${d} as d`,
    parts: PARTS,
    readValue: ([group, , , n, d]) => ({
      group: String(group),
      value: {
        is: 'number',
        value: fractionValue(BigInt(String(n)), BigInt(String(d)), shift),
      },
    }),
    divisor,
  };
}

/**
 * Computes a sum, mean or deviation exactly. Splits values into integers and powers of two, and adds the integers of
 * each power in 256 bits, which gives the same result on any number of shards. If the sums might not fit, fetches each
 * distinct value with its count.
 */
async function moments(
  db: Database,
  carries: Extract<Carried, { kind: 'moments' }>,
  fewest: AggregateFunction['fewest'],
  numbers: string,
  { divisor }: Argument,
  factor: bigint,
): Promise<readonly GroupValue[]> {
  if (divisor === undefined) throw unsupportedClause('a sum of quotients');
  const [[largest, bindings] = ['0', '0']] = (await db.rows(
    `select toString(max(abs(m))), toString(sum(c)) from ${numbers}`,
  )) as [string, string][];
  const width = bitLength(BigInt(largest) + 1n) * (carries.squares ? 2 : 1);
  const rows =
    width + bitLength(BigInt(bindings) + 1n) < MAX_BITS
      ? await db.rows(
          `select toString(g), e, toString(sum(c)), toString(sum(toInt256(c) * m)), toString(${carries.squares ? 'sum(toInt256(c) * m * m)' : '0'}), toString(sumIf(c, m > 0)), toString(sumIf(c, m < 0)) from ${numbers} group by g, e`,
        )
      : (
          await db.rows(
            `select toString(g), e, toString(m), toString(sum(c)) from ${numbers} group by g, e, m`,
          )
        ).map(([of, e, m, count]) => [of, ...oneValue(e, String(m), String(count))]);
  const rowsByGroup = new Map<string, (readonly unknown[])[]>();
  for (const [group, ...row] of rows) {
    const groupRows = rowsByGroup.get(String(group)) ?? [];
    rowsByGroup.set(String(group), groupRows);
    groupRows.push(row);
  }
  return [...rowsByGroup].map(([group, groupRows]) => {
    const total = readTotal(groupRows, factor, divisor);
    return { group, value: valueOfMoments(carries, fewest, total) };
  });
}

function oneValue(exponent: unknown, mantissa: string, count: string): readonly unknown[] {
  const [m, c] = [BigInt(mantissa), BigInt(count)];
  return [exponent, count, m * c, m * m * c, m > 0n ? count : 0n, m < 0n ? count : 0n];
}

/** The exponent of an infinite double. */
const INFINITE = 2047 - 1075;

function readTotal(
  rows: readonly (readonly unknown[])[],
  factor: bigint,
  divisor: bigint,
): SumsTotal {
  const sums = new ExactSums(true);
  for (const [exponent, ...cells] of rows) {
    const [count, sum, squares, above, below] = cells.map(
      (cell) => BigInt(String(cell)) * factor,
    ) as [bigint, bigint, bigint, bigint, bigint];
    if (Number(exponent) !== INFINITE) {
      sums.addMany(count, Number(exponent), sum, squares);
      continue;
    }
    if (above > 0n) sums.add(Number.POSITIVE_INFINITY, above);
    if (below > 0n) sums.add(Number.NEGATIVE_INFINITY, below);
  }
  const { sum, squares, ...total } = sums.total();
  return {
    ...total,
    sum: { n: sum.n, d: sum.d * divisor },
    squares: { n: squares.n, d: squares.d * divisor ** 2n },
  };
}

/** Returns the value of a group without bindings: 0 for `distinct`, otherwise undefined. */
export function emptyValue({ function: { carries } }: AggregateTerm): TermValue {
  return carries.kind === 'distinct' ? valueOfNumber(0) : UNDEFINED;
}
