import { type Comparator, globExpression, MIRRORED_COMPARATORS } from '../../expression/index.js';
import type { ExactNumber } from '../exact/number.js';
import {
  attributesOfOperand,
  isConstantTestTrue,
  labelsOfTest,
  subtract,
} from '../query/operand.js';
import type {
  FilterParts,
  LabelAttribute,
  Membership,
  NoValue,
  QueryComparison,
  Sum,
  Test,
} from '../query/query.js';
import { needsCalculation, type Scale, type ServerFraction, toFraction } from './arithmetic.js';
import { type Cell, CellKind, constantCell, partsOfNumber } from './cell.js';
import { float64, literal } from './database.js';

/** The SQL expressions of a condition's values. */
export interface Values {
  readonly cellOf: (attribute: LabelAttribute) => Cell;
  /** Returns the SQL of an attribute's scaled value, for an attribute in calculations. */
  readonly scaledOf: (attribute: LabelAttribute) => string;
  readonly scale: Scale;
  /** Returns the SQL test that two labels have different events. */
  readonly differ?: (u: number, v: number) => string;
  /** The indexed column of event names, if any. */
  readonly nameColumn?: string;
}

/** Converts a condition to SQL that returns 0 or 1, never null. */
export function conditionSql(test: Test, values: Values): string {
  switch (test.kind) {
    case 'and':
      return `(${test.operands.map((operand) => conditionSql(operand, values)).join(' and ') || '1'})`;
    case 'or':
      return `(${test.operands.map((operand) => conditionSql(operand, values)).join(' or ') || '0'})`;
    case 'not':
      return `(not ${conditionSql(test.operand, values)})`;
    case 'comparison':
      return comparisonSql(test, values);
    case 'exists':
      return test.operand.kind === 'attribute'
        ? `(${values.cellOf(test.operand).kind} != ${CellKind.missing})`
        : constantSql(test);
    case 'glob': {
      if (test.operand.kind !== 'attribute') return constantSql(test);
      const { kind, text } = values.cellOf(test.operand);
      return `(${kind} = ${CellKind.string} and match(${text}, ${literal(globExpression(test.pattern))}))`;
    }
    case 'in':
      return memberSql(test, values);
  }
}

/** Converts the parts of a condition to the SQL of their conjunction. */
export function partsSql(
  { neverHolds, filters, joins, others }: FilterParts,
  values: Values,
): string {
  const conditions = [
    ...(neverHolds ? ['0'] : []),
    ...filters.flat().map((test) => conditionSql(test, values)),
    ...joins.map((join) => comparisonSql(join, values)),
    ...others.map(({ test }) => conditionSql(test, values)),
  ];
  return `(${conditions.join(' and ') || '1'})`;
}

/** Returns the SQL of a test that depends on no event. */
function constantSql(test: Test): string {
  return labelsOfTest(test).length === 0 && isConstantTestTrue(test) ? '1' : '0';
}

/** Converts an IN test to SQL, with one list for each kind of value. */
function memberSql(test: Membership, values: Values): string {
  const { operand } = test;
  if (operand.kind === 'sum') {
    const numbers = test.values.filter(
      (value) => typeof value !== 'number' || Number.isFinite(value),
    );
    const comparisons = numbers.map((value) =>
      comparisonSql({ left: operand, comparator: '=', right: { kind: 'constant', value } }, values),
    );
    return `(${comparisons.join(' or ') || '0'})`;
  }
  if (operand.kind !== 'attribute') return constantSql(test);
  const { kind, integerPart, part, text } = values.cellOf(operand);
  const number = `concat(toString(${integerPart}), ' ', toString(reinterpretAsUInt64(${part} + 0.)))`;
  const members = new Map<string, string[]>();
  for (const value of test.values) {
    const cell = constantCell(value);
    const isNumber = cell.kind === String(CellKind.number);
    const member = isNumber ? literal(partsOfNumber(value as ExactNumber).join(' ')) : cell.text;
    const kindMembers = members.get(cell.kind);
    if (kindMembers === undefined) members.set(cell.kind, [member]);
    else kindMembers.push(member);
  }
  const memberships = [...members].map(([of, list]) => {
    const value = of === String(CellKind.number) ? number : text;
    return `(${kind} = ${of} and ${value} in (${list.join(', ')}))`;
  });
  return `(${memberships.join(' or ')})`;
}

export function comparisonSql(comparison: Omit<QueryComparison, 'kind'>, values: Values): string {
  const { left, comparator, right } = comparison;
  if (left.kind === 'event' && right.kind === 'event' && values.differ !== undefined) {
    return values.differ(left.label, right.label);
  }
  if (left.kind === 'event' || right.kind === 'event') return '0';
  if (left.kind === 'nothing' || right.kind === 'nothing') return '0';
  if (left.kind === 'constant' && right.kind === 'constant') {
    return constantSql({ ...comparison, kind: 'comparison' });
  }
  if (
    left.kind === 'sum' ||
    right.kind === 'sum' ||
    needsCalculation(left) ||
    needsCalculation(right)
  ) {
    return differenceSql(subtract(left, right), comparator, values);
  }
  if (left.kind === 'constant' && right.kind === 'attribute') {
    return comparisonSql(
      { left: right, comparator: MIRRORED_COMPARATORS[comparator], right: left },
      values,
    );
  }
  // Uses the indexed column for the most common condition, equality with an event name.
  const column = values.nameColumn;
  const isOfName =
    left.kind === 'attribute' && left.name === 'name' && !left.isLower && left.at === undefined;
  if (column !== undefined && isOfName && comparator === '=' && right.kind === 'constant') {
    if (typeof right.value === 'string') return `ifNull(${column} = ${literal(right.value)}, 0)`;
  }
  const cell = (operand: typeof left | typeof right): Cell =>
    operand.kind === 'attribute' ? values.cellOf(operand) : constantCell(operand.value);
  const [a, b] = [cell(left), cell(right)];
  if (right.kind !== 'constant') return cellsSql(a, comparator, b);
  return `(${a.kind} = ${b.kind} and ${compareKind(Number(b.kind), a, comparator, b)})`;
}

function cellsSql(a: Cell, comparator: Comparator, b: Cell): string {
  // All parts of equal values are equal, so ClickHouse can join on the parts.
  if (comparator === '=') {
    return `(${a.kind} = ${b.kind} and ${a.integerPart} = ${b.integerPart} and ${a.part} = ${b.part} and ${a.text} = ${b.text} and ${a.kind} != ${CellKind.missing})`;
  }
  const { number, string } = CellKind;
  const otherSql = comparator === '!=' ? `${a.text} != ${b.text}` : '0';
  return `(${a.kind} = ${b.kind} and multiIf(${a.kind} = ${number}, ${compareKind(number, a, comparator, b)}, ${a.kind} = ${string}, ${a.text} ${comparator} ${b.text}, ${a.kind} != 0, ${otherSql}, 0))`;
}

function compareKind(kind: number, a: Cell, comparator: Comparator, b: Cell): string {
  if (kind === CellKind.number) return numbersSql(a, comparator, b);
  if (kind === CellKind.string || comparator === '=' || comparator === '!=') {
    return `${a.text} ${comparator} ${b.text}`;
  }
  return '0';
}

function numbersSql(a: Cell, comparator: Comparator, b: Cell): string {
  const equalSql = `(${a.integerPart} = ${b.integerPart} and ${a.part} = ${b.part})`;
  if (comparator === '=') return equalSql;
  if (comparator === '!=') return `not ${equalSql}`;
  const strictOperator = comparator.slice(0, 1);
  return `(${a.integerPart} ${strictOperator} ${b.integerPart} or (${a.integerPart} = ${b.integerPart} and ${a.part} ${comparator} ${b.part}))`;
}

/**
 * Returns the SQL comparison of two sides' difference with 0. An attribute that is alone on its side may be infinite.
 */
function differenceSql(all: Sum | NoValue, comparator: Comparator, values: Values): string {
  if (all.kind === 'nothing') return '0';
  const loneTerm = all.terms.find(({ isAlone }) => isAlone);
  const finiteSum = { ...all, terms: all.terms.filter((term) => term !== loneTerm) };
  const { value, isDefined } = calculation(all, values, finiteSum);
  const finiteSql = `${value.n} ${comparator} 0`;
  if (loneTerm?.of.kind !== 'attribute') return `(${isDefined} and ${finiteSql})`;
  const { kind, part } = values.cellOf(loneTerm.of);
  const sign = loneTerm.times === 1 ? `sign(${part})` : `-sign(${part})`;
  return `(${isDefined} and ${kind} = ${CellKind.number} and if(isInfinite(${part}), ${sign} ${comparator} 0, ${finiteSql}))`;
}

/**
 * Returns a calculation, and the SQL condition that its result is a number: all attributes are finite and no divisor is
 * zero.
 */
export function calculation(
  sum: Sum,
  { cellOf, scaledOf, scale }: Values,
  finiteSum = sum,
): { readonly value: ServerFraction; readonly isDefined: string } {
  const value = toFraction(sum, scale, scaledOf);
  const checks = attributesOfOperand(finiteSum).map((attribute) => {
    const { kind, part } = cellOf(attribute);
    return `(${kind} = ${CellKind.number} and abs(${part}) < ${float64(2 ** 127)})`;
  });
  return { value, isDefined: [...new Set([...checks, ...value.defined])].join(' and ') || '1' };
}
