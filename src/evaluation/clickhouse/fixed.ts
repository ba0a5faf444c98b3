import { toRational } from '../exact/number.js';
import { bitLength } from '../exact/rational.js';
import type { AttributeOf, Operand, Query, Sum, Test } from '../query/query.js';
import { BOUND_SQL, type Cell, CellKind, splitFloat } from './cell.js';
import { float64, int256 } from './database.js';

/*
 * Sums of attributes, exactly: ClickHouse adds floats with rounding, so that they are added as
 * integers of 256 bits, each the value times 2 ** scale. The scale is that of the finest value
 * that the session has for the attributes in question; where that leaves too few bits for the
 * largest one, the engine says so instead of rounding.
 */

/** How numbers are scaled in sums. */
export interface Scale {
  readonly bits: number;
  /** The bits of the largest scaled value, its sign aside. */
  readonly largest: number;
}

/** All sums of a query. */
export function sumsOf(query: Query): readonly Sum[] {
  const ofOperand = (operand: Operand): Sum[] => (operand.kind === 'sum' ? [operand] : []);
  const ofTest = (test: Test): Sum[] =>
    test.kind === 'comparison'
      ? [...ofOperand(test.left), ...ofOperand(test.right)]
      : test.operands.flatMap(ofTest);
  const terms = (query.measures ?? []).flatMap(({ left, right }) => [left, right]);
  return [
    ...query.patterns.flatMap(ofTest),
    ...query.filters.flat().flatMap(ofTest),
    ...query.joins.flatMap(({ left, right }) => [...ofOperand(left), ...ofOperand(right)]),
    ...query.others.flatMap(({ test }) => ofTest(test)),
    ...terms.flatMap((term) => (term.kind === 'aggregate' ? ofOperand(term.argument) : [])),
  ];
}

/** The attributes of sums, each name once. */
export function attributesOfSums(sums: readonly Sum[]): readonly AttributeOf[] {
  const byName = new Map<string, AttributeOf>();
  for (const { terms } of sums) {
    for (const { attribute } of terms) {
      const { name, label } = attribute;
      byName.set(name, { kind: 'attribute', name, label });
    }
  }
  return [...byName.values()];
}

/** For a cell: how many bits behind the point it needs, and its largest size before it. */
export function demandsOf({ kind, whole, part }: Cell): readonly [behind: string, before: string] {
  const hasNumber = `${kind} = ${CellKind.number} and not isInfinite(${part})`;
  const { mantissa, exponent } = splitFloat(part);
  const size = `reinterpretAsUInt64(toInt64(abs(${mantissa})))`;
  const zeros = `(toInt32(bitCount(bitXor(${size}, ${size} - 1))) - 1)`;
  return [
    `max(if(${hasNumber} and ${part} != 0 and toInt256(abs(${whole})) < ${BOUND_SQL}, -(${exponent} + ${zeros}), 0))`,
    `toString(max(if(${hasNumber}, toInt256(abs(${whole})), ${int256(0n)})))`,
  ];
}

/** The scale for sums whose values demand so much; undefined where 256 bits don't hold it. */
export function scaleFor(sums: readonly Sum[], behind: number, before: bigint): Scale | undefined {
  if (before >= 2n ** 128n) return undefined;
  let bits = behind;
  let largest = bitLength(before + 1n);
  for (const { constant } of sums) {
    if (typeof constant === 'number' && !Number.isFinite(constant)) return undefined;
    const { n, d } = toRational(constant);
    bits = Math.max(bits, bitLength(d) - 1);
    largest = Math.max(largest, n === 0n ? 1 : bitLength(n < 0n ? -n : n) - bitLength(d) + 2);
  }
  const terms = Math.max(1, ...sums.map(({ terms }) => terms.length + 1));
  const total = bits + largest + bitLength(BigInt(2 * terms));
  return total < 250 ? { bits, largest: total } : undefined;
}

/** A sum as an integer of 256 bits, times 2 ** scale. */
export function scaledSum(
  { constant, terms }: Sum,
  { bits }: Scale,
  cellOf: (attribute: AttributeOf) => Cell,
): string {
  const { n, d } = toRational(constant);
  const first = int256((n << BigInt(bits)) / d);
  return terms.reduce((sum, { sign, attribute }) => {
    return `${sum} ${sign === 1 ? '+' : '-'} ${scaled(cellOf(attribute), bits)}`;
  }, first);
}

function scaled({ whole, part }: Cell, bits: number): string {
  const large = `bitShiftLeft(${int256(1n)}, ${bits})`;
  const { mantissa, exponent } = splitFloat(part);
  const shift = `(${exponent} + ${bits})`;
  const up = `${mantissa} * bitShiftLeft(${int256(1n)}, least(greatest(${shift}, 0), 250))`;
  // What is shifted out is zero, by the choice of the scale.
  const down = `intDiv(${mantissa}, bitShiftLeft(${int256(1n)}, least(greatest(-${shift}, 0), 60)))`;
  const behind = `if(${part} = 0, ${int256(0n)}, if(${shift} >= 0, ${up}, ${down}))`;
  return `(${whole} * ${large} + ${behind})`;
}

/** Whether all attributes of a sum are finite numbers. */
export function isFiniteSum({ terms }: Sum, cellOf: (attribute: AttributeOf) => Cell): string {
  const each = terms.map(({ attribute }) => {
    const { kind, part } = cellOf(attribute);
    return `(${kind} = ${CellKind.number} and abs(${part}) < ${float64(2 ** 127)})`;
  });
  return each.length === 0 ? '1' : each.join(' and ');
}
