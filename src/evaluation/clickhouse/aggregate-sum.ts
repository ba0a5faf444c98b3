import type { AggregateFunction } from '../../expression/index.js';
import { UNDEFINED, valueOfMoments } from '../answer/aggregate.js';
import { bitLength } from '../exact/rational.js';
import type { TermValue } from '../exact/term-value.js';
import type { Sum } from '../query/query.js';
import { scaled } from './aggregate.js';
import { bindingsSql, valuesOf } from './bindings-sql.js';
import { isFiniteSum, type Scale, scaledSum } from './fixed.js';
import { type LabelTable, TooWide, type Work } from './label-tables.js';

/**
 * A function of a sum such as `mean(b.time - a.time)`, over the bindings in which each attribute
 * of it is a finite number: one pass over the join of all labels.
 *
 * @throws {TooWide} where 256 bits may not hold what is added up
 */
export async function aggregateSum(
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
    if (count === '0') return UNDEFINED.value;
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
