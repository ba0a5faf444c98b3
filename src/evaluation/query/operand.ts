import type * as tree from '../../expression/index.js';
import { addExact, type Exact, exactInteger, negateExact } from '../exact/number.js';
import { termsHold, valueOfConstant } from '../exact/term-value.js';
import type { AttributeOf, Constant, QueryComparison, QueryOperand, Sum, Test } from './query.js';

/** Where the label of an attribute is found: a pattern's attributes belong to its own label. */
export interface LabelScope {
  /** @throws {RangeError} when the label does not exist */
  attribute(attribute: tree.Attribute): AttributeOf;
}

/** The error for what the engine cannot evaluate yet. */
export function notYetEvaluated({ kind }: tree.Node): RangeError {
  return new RangeError(`${kind} is not evaluated yet`);
}

/** An operand of the tree as the engine sees it. */
export function operandOf(operand: tree.Operand, scope: LabelScope): QueryOperand {
  if (operand.kind === 'attribute') return scope.attribute(operand);
  if (operand.kind === 'abs' || operand.kind === 'product') throw notYetEvaluated(operand);
  if (operand.kind !== 'sum') return constantOf(operand);
  return operand.rest.reduce(
    (sum, { sign, operand }) => plus(sum, sign === '+' ? 1 : -1, operandOf(operand, scope)),
    asSum(operandOf(operand.first, scope)),
  );
}

/** A literal; an integer in its canonical form. */
export function constantOf(literal: tree.Literal): Constant {
  const { value } = literal;
  return { kind: 'constant', value: typeof value === 'bigint' ? exactInteger(value) : value };
}

/** A comparison; one with a sum in it is between finite numbers alone, so both sides become sums. */
export function comparisonOf(
  left: QueryOperand,
  comparator: tree.Comparator,
  right: QueryOperand,
): QueryComparison {
  if (left.kind !== 'sum' && right.kind !== 'sum') {
    return { kind: 'comparison', left, comparator, right };
  }
  return { kind: 'comparison', left: asSum(left), comparator, right: asSum(right) };
}

/** The sum that an operand of `+` or `-` is, or nothing where it cannot be a number. */
function asSum(operand: QueryOperand): QueryOperand {
  switch (operand.kind) {
    case 'sum':
    case 'nothing':
      return operand;
    case 'attribute':
      return { kind: 'sum', constant: 0, terms: [{ sign: 1, attribute: operand }] };
    case 'constant':
      return isExact(operand.value)
        ? { kind: 'sum', constant: operand.value, terms: [] }
        : { kind: 'nothing', labels: [] };
  }
}

/** `left + right`, or `left - right` where the sign is -1. */
export function plus(left: QueryOperand, sign: 1 | -1, right: QueryOperand): QueryOperand {
  const [a, b] = [asSum(left), asSum(right)];
  if (a.kind !== 'sum' || b.kind !== 'sum') {
    return { kind: 'nothing', labels: [...labelsOf(a), ...labelsOf(b)] };
  }
  const other = sign === 1 ? b : negated(b);
  return {
    kind: 'sum',
    constant: addExact(a.constant, other.constant),
    terms: [...a.terms, ...other.terms],
  };
}

/** The part of a sum that speaks of one label, without the constant. */
export function partOfLabel(sum: Sum, label: number): Sum {
  const terms = sum.terms.filter(({ attribute }) => attribute.label === label);
  return { kind: 'sum', constant: 0, terms };
}

export function negated({ constant, terms }: Sum): Sum {
  return {
    kind: 'sum',
    constant: negateExact(constant),
    terms: terms.map(({ sign, attribute }) => ({ sign: sign === 1 ? -1 : 1, attribute })),
  };
}

/** The labels that an operand speaks of. */
export function labelsOf(operand: QueryOperand): number[] {
  if (operand.kind === 'attribute') return [operand.label];
  if (operand.kind === 'sum') return operand.terms.map(({ attribute }) => attribute.label);
  return operand.kind === 'nothing' ? [...operand.labels] : [];
}

function isExact(value: Constant['value']): value is Exact {
  return typeof value !== 'string' && typeof value !== 'boolean';
}

/** Whether a condition that speaks of no attribute is true. */
export function constantTest(test: Test): boolean {
  if (test.kind === 'and') return test.operands.every(constantTest);
  if (test.kind === 'or') return test.operands.some(constantTest);
  return compareConstants(test);
}

function compareConstants({ left, comparator, right }: QueryComparison): boolean {
  const [a, b] = [writtenValue(left), writtenValue(right)];
  if (a === undefined || b === undefined) return false;
  return termsHold(valueOfConstant(a), comparator, valueOfConstant(b));
}

function writtenValue(operand: QueryOperand): Constant['value'] | undefined {
  if (operand.kind === 'constant') return operand.value;
  return operand.kind === 'sum' ? operand.constant : undefined;
}
