import { type Exact, splitDouble } from '../exact/number.js';
import { BOUND_SQL, type Cell, CellKind } from './cell.js';
import { float64, int256, literal } from './database.js';

/** A written value as a cell. */
export function constantCell(value: Exact | string | boolean): Cell {
  const none = { whole: int256(0n), part: float64(0), text: "''" };
  if (typeof value === 'string') return { ...none, kind: kind('string'), text: literal(value) };
  if (typeof value === 'boolean') return { ...none, kind: kind('boolean'), text: `'${value}'` };
  if (typeof value === 'bigint') return { ...none, kind: kind('number'), whole: int256(value) };
  if (typeof value === 'object') throw new RangeError('a fraction stands in sums alone');
  const whole = Math.trunc(value);
  if (Math.abs(value) < 2 ** 128) {
    return {
      ...none,
      kind: kind('number'),
      whole: int256(wholeOf(whole)),
      part: float64(value - whole),
    };
  }
  const bound = value > 0 ? BOUND_SQL : `-${BOUND_SQL}`;
  return { ...none, kind: kind('number'), whole: bound, part: float64(value) };
}

function kind(name: keyof typeof CellKind): string {
  return String(CellKind[name]);
}

function wholeOf(value: number): bigint {
  const { mantissa, exponent } = splitDouble(value);
  return exponent >= 0 ? mantissa << BigInt(exponent) : mantissa >> BigInt(-exponent);
}
