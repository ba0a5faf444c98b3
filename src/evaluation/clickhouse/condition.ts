import { type Comparator, MIRRORED } from '../../expression/index.js';
import { bitLength, toRational } from '../exact/number.js';
import { attributesOfOperand, leavesOfTest, operandsOfLeaf } from '../query/operand.js';
import type {
  AttributeOf,
  Query,
  QueryComparison,
  QueryOperand,
  Sum,
  Test,
} from '../query/query.js';
import { BOUND_SQL, type Cell, CellKind, constantCell, splitFloat } from './cell.js';
import { float64, int256, literal, notOnServer } from './database.js';

/** Where the values of a condition come from. */
export interface Values {
  readonly cellOf: (attribute: AttributeOf) => Cell;
  /** Absent where the query has no sums. */
  readonly scale?: Scale | undefined;
  /** The column that the name of an event has by itself, where there is one: it is indexed. */
  readonly nameColumn?: string;
}

/** A condition in SQL: 0 or 1, never null. */
export function conditionSql(test: Test, values: Values): string {
  switch (test.kind) {
    case 'and':
      return `(${test.operands.map((one) => conditionSql(one, values)).join(' and ') || '1'})`;
    case 'or':
      return `(${test.operands.map((one) => conditionSql(one, values)).join(' or ') || '0'})`;
    case 'comparison':
      return comparisonSql(test, values);
    default:
      throw notOnServer(test.kind.toUpperCase());
  }
}

export function comparisonSql(comparison: Omit<QueryComparison, 'kind'>, values: Values): string {
  const { left, comparator, right } = comparison;
  if (left.kind === 'nothing' || right.kind === 'nothing') return '0';
  if (left.kind === 'event' || right.kind === 'event') throw notOnServer('!= of labels');
  if (left.kind === 'sum' || right.kind === 'sum') {
    if (left.kind !== 'sum' || right.kind !== 'sum' || values.scale === undefined) return '0';
    const [a, b] = [left, right].map((sum) => scaledSum(sum, values.scale as Scale, values.cellOf));
    const finite = [left, right].map((sum) => isFiniteSum(sum, values.cellOf));
    return `(${finite.join(' and ')} and ${a} ${comparator} ${b})`;
  }
  if (left.kind === 'constant' && right.kind === 'attribute') {
    return comparisonSql({ left: right, comparator: MIRRORED[comparator], right: left }, values);
  }
  const ofName = nameSql(left, comparator, right, values.nameColumn);
  if (ofName !== undefined) return ofName;
  const cell = (operand: typeof left | typeof right): Cell =>
    operand.kind === 'attribute' ? values.cellOf(operand) : constantCell(operand.value);
  if (right.kind === 'constant') return withConstant(cell(left), comparator, cell(right));
  return cellsSql(cell(left), comparator, cell(right));
}

/** The commonest of all conditions, over the column that has an index. */
function nameSql(
  left: QueryOperand,
  comparator: Comparator,
  right: QueryOperand,
  column: string | undefined,
): string | undefined {
  if (column === undefined || left.kind !== 'attribute' || right.kind !== 'constant') {
    return undefined;
  }
  const { value } = right;
  if (left.name !== 'name' || left.at !== undefined || typeof value !== 'string') return undefined;
  if (comparator !== '=') return undefined;
  return `ifNull(${column} = ${literal(value)}, 0)`;
}

function withConstant(a: Cell, comparator: Comparator, b: Cell): string {
  return `(${a.kind} = ${b.kind} and ${ofKind(Number(b.kind), a, comparator, b)})`;
}

function cellsSql(a: Cell, comparator: Comparator, b: Cell): string {
  // All parts of equal values are equal, so that a join may be made by them.
  if (comparator === '=') {
    return `(${a.kind} = ${b.kind} and ${a.whole} = ${b.whole} and ${a.part} = ${b.part} and ${a.text} = ${b.text} and ${a.kind} != ${CellKind.missing})`;
  }
  const { number, string } = CellKind;
  const other = comparator === '!=' ? `${a.text} != ${b.text}` : '0';
  return `(${a.kind} = ${b.kind} and multiIf(${a.kind} = ${number}, ${ofKind(number, a, comparator, b)}, ${a.kind} = ${string}, ${a.text} ${comparator} ${b.text}, ${a.kind} != 0, ${other}, 0))`;
}

function ofKind(kind: number, a: Cell, comparator: Comparator, b: Cell): string {
  if (kind === CellKind.number) return numbersSql(a, comparator, b);
  if (kind === CellKind.string || comparator === '=' || comparator === '!=') {
    return `${a.text} ${comparator} ${b.text}`;
  }
  return '0';
}

function numbersSql(a: Cell, comparator: Comparator, b: Cell): string {
  const equal = `(${a.whole} = ${b.whole} and ${a.part} = ${b.part})`;
  if (comparator === '=') return equal;
  if (comparator === '!=') return `not ${equal}`;
  const strict = comparator.slice(0, 1);
  return `(${a.whole} ${strict} ${b.whole} or (${a.whole} = ${b.whole} and ${a.part} ${comparator} ${b.part}))`;
}

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
  const ofOperand = (operand: QueryOperand): Sum[] => (operand.kind === 'sum' ? [operand] : []);
  const ofTest = (test: Test): Sum[] =>
    leavesOfTest(test).flatMap(operandsOfLeaf).flatMap(ofOperand);
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
  for (const { name, label } of sums.flatMap(attributesOfOperand)) {
    byName.set(name, { kind: 'attribute', name, label });
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
  const terms = Math.max(1, ...sums.map(timesOf));
  const total = bits + largest + bitLength(BigInt(2 * terms));
  return total < 250 ? { bits, largest: total } : undefined;
}

/** How many values a sum adds up, the constant among them. */
function timesOf({ terms }: Sum): number {
  return terms.reduce((sum, { times }) => sum + Math.ceil(Math.abs(Number(times))), 1);
}

/** A sum as an integer of 256 bits, times 2 ** scale. */
export function scaledSum(
  { constant, terms }: Sum,
  { bits }: Scale,
  cellOf: (attribute: AttributeOf) => Cell,
): string {
  const { n, d } = toRational(constant);
  const first = int256((n << BigInt(bits)) / d);
  return terms.reduce((sum, { times, of }) => {
    if (of.kind !== 'attribute' || !Number.isSafeInteger(times))
      throw notOnServer('products and quotients');
    return `${sum} + ${int256(BigInt(times as number))} * ${scaled(cellOf(of), bits)}`;
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
export function isFiniteSum(sum: Sum, cellOf: (attribute: AttributeOf) => Cell): string {
  const each = attributesOfOperand(sum).map((attribute) => {
    const { kind, part } = cellOf(attribute);
    return `(${kind} = ${CellKind.number} and abs(${part}) < ${float64(2 ** 127)})`;
  });
  return each.length === 0 ? '1' : each.join(' and ');
}
