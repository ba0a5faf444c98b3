import { holds } from '../../expression/index.js';
import { compareCodePoints } from '../../source/index.js';
import { compareExact, type Exact } from '../exact/number.js';
import type { Comparison, Constant, Operand, Test } from './query.js';

/** Whether a condition that speaks of no attribute is true. */
export function constantTest(test: Test): boolean {
  if (test.kind === 'and') return test.operands.every(constantTest);
  if (test.kind === 'or') return test.operands.some(constantTest);
  return compareConstants(test);
}

function compareConstants({ left, comparator, right }: Comparison): boolean {
  const a = constantOf(left);
  const b = constantOf(right);
  if (a === undefined || b === undefined) return false;
  if (typeof a === 'string' && typeof b === 'string')
    return holds(comparator, compareCodePoints(a, b));
  if (typeof a === 'boolean' && typeof b === 'boolean') {
    return comparator === '=' ? a === b : comparator === '!=' && a !== b;
  }
  return isExact(a) && isExact(b) && holds(comparator, compareExact(a, b));
}

function constantOf(operand: Operand): Constant['value'] | undefined {
  if (operand.kind === 'constant') return operand.value;
  return operand.kind === 'sum' ? operand.constant : undefined;
}

function isExact(value: Constant['value']): value is Exact {
  return typeof value !== 'string' && typeof value !== 'boolean';
}
