import { type Comparator, holds, MIRRORED } from '../../expression/index.js';
import { type Column, type Session, ValueKind } from '../../session/index.js';
import { at, compareCodePoints } from '../../source/index.js';
import { compareExact, type Exact } from '../exact/number.js';
import { constantTest, labelsOf } from '../query/operand.js';
import type { AttributeOf, Constant, QueryComparison, Test } from '../query/query.js';
import { type Candidates, EventList, eventsOf, keep, union, within } from './candidates.js';
import { cellsHold, cellsOf, exactAt, rangeAt } from './cells.js';

/**
 * The events among the candidates that satisfy a condition on one label, ascending.
 *
 * O(candidates) for each comparison; each conjunct sees only what those before it left.
 */
export function selectEvents(session: Session, test: Test, candidates: Candidates): Candidates {
  if (test.kind === 'and') {
    // A probe is a range of events: what asks for one goes first, and costs nothing.
    const probeFirst = [...test.operands].sort((a, b) => Number(isProbe(b)) - Number(isProbe(a)));
    return probeFirst.reduce((left, operand) => selectEvents(session, operand, left), candidates);
  }
  if (test.kind === 'or') {
    return test.operands
      .map((operand) => eventsOf(selectEvents(session, operand, candidates)))
      .reduce(union);
  }
  return selectByComparison(session, test, candidates);
}

function selectByComparison(
  session: Session,
  comparison: QueryComparison,
  candidates: Candidates,
): Candidates {
  const { left, comparator, right } = comparison;
  if (labelsOf(left).length + labelsOf(right).length === 0) {
    return constantTest(comparison) ? candidates : new Int32Array(0);
  }
  if (isProbe(comparison)) {
    const probe = right.kind === 'constant' ? right.value : undefined;
    return within(candidates, rangeAt(session, probe as string));
  }
  if (left.kind === 'attribute' && right.kind === 'constant') {
    return selectByConstant(session, left, comparator, right.value, candidates);
  }
  if (left.kind === 'constant' && right.kind === 'attribute') {
    return selectByConstant(session, right, MIRRORED[comparator], left.value, candidates);
  }
  const events = eventsOf(candidates);
  const a = cellsOf(session, left, events);
  const b = cellsOf(session, right, events);
  return keep(events, (_, at) => cellsHold(session, comparator, a, at, b, at));
}

/** Whether a condition is `probe = 'NAME'`. */
function isProbe(test: Test): boolean {
  return (
    test.kind === 'comparison' &&
    test.comparator === '=' &&
    test.left.kind === 'attribute' &&
    test.left.name === 'probe' &&
    test.left.at === undefined &&
    test.right.kind === 'constant' &&
    typeof test.right.value === 'string'
  );
}

/** The candidates whose attribute compares so with a constant. O(candidates). */
function selectByConstant(
  session: Session,
  attribute: AttributeOf,
  comparator: Comparator,
  value: Constant['value'],
  candidates: Candidates,
): Int32Array {
  const column = session.columns.get(attribute.name);
  if (column === undefined) return new Int32Array(0);
  const there = within(candidates, rangeAt(session, attribute.at));
  switch (typeof value) {
    case 'string':
      return selectByText(session, column, comparator, value, there);
    case 'boolean':
      return selectByBoolean(column, comparator, value, there);
    default:
      return selectByNumber(column, comparator, value, there);
  }
}

function selectByText(
  { texts }: Session,
  { kinds, numbers }: Column,
  comparator: Comparator,
  text: string,
  candidates: Candidates,
): Int32Array {
  if (comparator === '=') return selectEqual({ kinds, numbers }, texts.indexOf(text), candidates);
  // Each distinct text is compared once: 0 is not known yet, 1 false, 2 true.
  const known = new Uint8Array(texts.length);
  return keep(candidates, (event) => {
    if (kinds[event] !== ValueKind.string) return false;
    const index = at(numbers, event);
    if (known[index] === 0) {
      known[index] = holds(comparator, compareCodePoints(texts[index] as string, text)) ? 2 : 1;
    }
    return known[index] === 2;
  });
}

/** The commonest of all: `name = 'X'` over the whole session, so the loop is bare. */
function selectEqual(
  { kinds, numbers }: Pick<Column, 'kinds' | 'numbers'>,
  index: number,
  candidates: Candidates,
): Int32Array {
  if (index < 0) return new Int32Array(0);
  const isIt = (event: number) => numbers[event] === index && kinds[event] === ValueKind.string;
  if (candidates instanceof Int32Array) return keep(candidates, isIt);
  const list = new EventList();
  const { from, to } = candidates;
  for (let event = from; event < to; event++) {
    if (numbers[event] === index && kinds[event] === ValueKind.string) list.push(event);
  }
  return list.done();
}

function selectByBoolean(
  { kinds, numbers }: Column,
  comparator: Comparator,
  value: boolean,
  candidates: Candidates,
): Int32Array {
  if (comparator !== '=' && comparator !== '!=') return new Int32Array(0);
  const wanted = value === (comparator === '=') ? 1 : 0;
  return keep(
    candidates,
    (event) => kinds[event] === ValueKind.boolean && numbers[event] === wanted,
  );
}

function selectByNumber(
  column: Column,
  comparator: Comparator,
  value: Exact,
  candidates: Candidates,
): Int32Array {
  const { kinds, numbers } = column;
  const isNumber = (event: number) =>
    kinds[event] === ValueKind.integer || kinds[event] === ValueKind.float;
  if (typeof value !== 'number' || column.exact !== undefined) {
    return keep(
      candidates,
      (event) => isNumber(event) && holds(comparator, compareExact(exactAt(column, event), value)),
    );
  }
  // Doubles say it all. A loop for each comparator keeps the test out of a call.
  const tests: Readonly<Record<Comparator, (event: number) => boolean>> = {
    '=': (event) => numbers[event] === value && isNumber(event),
    '!=': (event) => numbers[event] !== value && isNumber(event),
    '<': (event) => at(numbers, event) < value && isNumber(event),
    '<=': (event) => at(numbers, event) <= value && isNumber(event),
    '>': (event) => at(numbers, event) > value && isNumber(event),
    '>=': (event) => at(numbers, event) >= value && isNumber(event),
  };
  return keep(candidates, tests[comparator]);
}
