import { lowercaseLetters } from '../../expression/index.js';
import { itemAt } from '../../source/index.js';
import { addExact, type ExactNumber, exactInteger } from '../exact/number.js';
import type { LabelAttribute } from '../query/query.js';
import { float64, int256, literal } from './database.js';

/**
 * An SQL value in parts that compare exactly across kinds. A number is split into `integerPart`, a 256-bit integer, and
 * `part`, a double of the same sign with a magnitude below 1. Comparing the two parts in turn gives the order of
 * numbers, whereas ClickHouse rounds when it compares large integers with floats. A float from 2 ** 128 on, even an
 * infinite float, has this bound as its integer part and its full value as `part`, because no stored integer reaches
 * the bound.
 */
export interface Cell {
  /** The SQL of a `CellKind`. */
  readonly kind: string;
  readonly integerPart: string;
  readonly part: string;
  readonly text: string;
}

export const CellKind = { missing: 0, number: 2, string: 3, boolean: 4, other: 5 } as const;

/** Smallest magnitude at which floats exceed every stored integer. */
const BOUND = 2 ** 128;
export const BOUND_SQL = int256(2n ** 128n);

/** Returns the cell of an event attribute in `perturb_events`. */
export function attributeCell({ name, at, isLower }: LabelAttribute, alias: string): Cell {
  const plain = name === 'probe' ? probeCell(alias) : mapCell(name, alias);
  const cell = isLower ? inSmallLetters(plain) : plain;
  if (at === undefined) return cell;
  return { ...cell, kind: `if(${alias}.probe_name = ${literal(at)}, ${cell.kind}, 0)` };
}

function inSmallLetters({ kind, text, ...number }: Cell): Cell {
  const [upperCase, lowerCase] = lowercaseLetters().map(literal);
  return {
    ...number,
    kind: `if(${kind} = ${CellKind.string}, ${CellKind.string}, 0)`,
    text: `translateUTF8(${text}, ${upperCase}, ${lowerCase})`,
  };
}

function probeCell(alias: string): Cell {
  const absentCell = { integerPart: int256(0n), part: float64(0) };
  return { ...absentCell, kind: String(CellKind.string), text: `toString(${alias}.probe_name)` };
}

function mapCell(name: string, alias: string): Cell {
  const key = literal(name);
  const containsKey = (map: string): string => `mapContains(${alias}.${map}, ${key})`;
  const [integer, float] = [`${alias}.integers[${key}]`, `${alias}.floats[${key}]`];
  const isNamedSql = name === 'name' ? `isNotNull(${alias}.name)` : '0';
  const { number, string, boolean, other } = CellKind;
  return {
    kind: `multiIf(${containsKey('integers')} or ${containsKey('floats')}, ${number}, ${isNamedSql} or ${containsKey('strings')}, ${string}, ${containsKey('booleans')}, ${boolean}, ${containsKey('others')}, ${other}, 0)`,
    integerPart: `if(${containsKey('integers')}, toInt256(${integer}), ${wholeOfFloat(float)})`,
    part: `if(${containsKey('integers')}, 0., ${partOfFloat(float)})`,
    text:
      name === 'name'
        ? `multiIf(${isNamedSql}, toString(assumeNotNull(${alias}.name)), ${containsKey('strings')}, ${alias}.strings[${key}], ${containsKey('booleans')}, toString(${alias}.booleans[${key}]), ${alias}.others[${key}])`
        : `multiIf(${containsKey('strings')}, ${alias}.strings[${key}], ${containsKey('booleans')}, toString(${alias}.booleans[${key}]), ${alias}.others[${key}])`,
  };
}

/** Returns an SQL expression for a float's integer part. ClickHouse's own conversion is exact only up to 64 bits. */
function wholeOfFloat(float: string): string {
  // ClickHouse may compute every branch for every row.
  const lowerCase = `toInt256(toInt64(if(abs(${float}) < 9.2e18, ${float}, 0.)))`;
  const { mantissa, exponent } = splitFloat(float);
  const scaled = `${mantissa} * bitShiftLeft(${int256(1n)}, least(greatest(${exponent}, 0), 200))`;
  return `multiIf(abs(${float}) < 9.2e18, ${lowerCase}, abs(${float}) < ${BOUND}, ${scaled}, ${float} > 0, ${BOUND_SQL}, -${BOUND_SQL})`;
}

function partOfFloat(float: string): string {
  return `if(abs(${float}) < ${BOUND}, ${float} - trunc(${float}), ${float})`;
}

/** Splits a float into a 256-bit integer and an exponent of two. */
export function splitFloat(float: string): {
  readonly mantissa: string;
  readonly exponent: string;
} {
  const bits = `reinterpretAsUInt64(${float})`;
  const biased = `toInt32(bitAnd(bitShiftRight(${bits}, 52), 2047))`;
  const fraction = `bitAnd(${bits}, 4503599627370495)`;
  const magnitude = `if(${biased} = 0, ${fraction}, bitOr(${fraction}, 4503599627370496))`;
  return {
    mantissa: `(toInt256(${magnitude}) * if(${float} < 0, -1, 1))`,
    exponent: `(greatest(${biased}, 1) - 1075)`,
  };
}

/** Returns the cell of a constant. */
export function constantCell(value: ExactNumber | string | boolean): Cell {
  const absentCell = { integerPart: int256(0n), part: float64(0), text: "''" };
  if (typeof value === 'string')
    return { ...absentCell, kind: kind('string'), text: literal(value) };
  if (typeof value === 'boolean')
    return { ...absentCell, kind: kind('boolean'), text: `'${value}'` };
  const [integerPart, part] = splitNumber(value);
  return {
    ...absentCell,
    kind: kind('number'),
    integerPart: int256(integerPart),
    part: float64(part),
  };
}

/** Returns a number's parts as texts. Only equal numbers have equal texts. */
export function partsOfNumber(value: ExactNumber): readonly [whole: string, part: string] {
  const [integerPart, part] = splitNumber(value);
  return [
    String(integerPart),
    String(itemAt(new BigUint64Array(Float64Array.of(part + 0).buffer), 0)),
  ];
}

function splitNumber(value: ExactNumber): readonly [whole: bigint, part: number] {
  if (typeof value === 'bigint') return [value, 0];
  if (typeof value === 'object') throw new RangeError('a fraction occurs only in calculations');
  if (Math.abs(value) >= BOUND) return [value > 0 ? 2n ** 128n : -(2n ** 128n), value];
  const integerPart = Math.trunc(value);
  return [BigInt(integerPart), value - integerPart];
}

function kind(name: keyof typeof CellKind): string {
  return String(CellKind[name]);
}

/** Returns an SQL expression for a double's bits as text, because decimal text might be rounded in transfer. */
export function doubleSql(float: string): string {
  return `toString(reinterpretAsUInt64(${float}))`;
}

export function readDouble(bits: string): number {
  return itemAt(new Float64Array(BigUint64Array.of(BigInt(bits)).buffer), 0);
}

/** Combines the parts of a number, as formatted by `toString` and `doubleSql`. */
export function toExact(integerPart: unknown, part: unknown): ExactNumber {
  const fraction = readDouble(String(part));
  if (fraction === 0) return exactInteger(BigInt(String(integerPart)));
  return Math.abs(fraction) >= 1 ? fraction : addExact(BigInt(String(integerPart)), fraction);
}
