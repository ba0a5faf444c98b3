import { type Comparator, MIRRORED } from '../../expression/index.js';
import type { AttributeOf, Comparison, Operand, Test } from '../query/query.js';
import { type Cell, CellKind } from './cell.js';
import { constantCell } from './constant-cell.js';
import { literal } from './database.js';
import { isFiniteSum, type Scale, scaledSum } from './fixed.js';

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
  }
}

export function comparisonSql(comparison: Omit<Comparison, 'kind'>, values: Values): string {
  const { left, comparator, right } = comparison;
  if (left.kind === 'nothing' || right.kind === 'nothing') return '0';
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
  left: Operand,
  comparator: Comparator,
  right: Operand,
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
