import { type Comparator, holds, MIRRORED_COMPARATORS } from '../../expression/index.js';
import { type Column, type Session, ValueKind } from '../../session/index.js';
import { compareCodePoints, itemAt } from '../../source/index.js';
import { compareExact } from '../exact/number.js';
import { isConstantTestTrue, labelsOfTest } from '../query/operand.js';
import type { Constant, LabelAttribute, QueryComparison, Test } from '../query/query.js';
import { difference, keep, union } from './candidates.js';
import { cellsHold, cellsOf, cellTest, eventsAt, exactNumberAt } from './cells.js';
import { columnFor, columnTexts } from './columns.js';

/**
 * Selects the events of an ascending list that satisfy a condition on one label.
 *
 * O(events) for each comparison. Each conjunct tests only the events that earlier conjuncts kept.
 */
export function selectEvents(session: Session, test: Test, events: Int32Array): Int32Array {
  switch (test.kind) {
    case 'and':
      // Select by probe first, because a probe's events form a range, which is found without testing events.
      return [...test.operands]
        .sort((a, b) => Number(isProbe(b)) - Number(isProbe(a)))
        .reduce((remaining, operand) => selectEvents(session, operand, remaining), events);
    case 'or':
      return test.operands.map((operand) => selectEvents(session, operand, events)).reduce(union);
    case 'not':
      return difference(events, selectEvents(session, test.operand, events));
    case 'comparison':
      return selectByComparison(session, test, events);
    default: {
      if (labelsOfTest(test).length === 0)
        return isConstantTestTrue(test) ? events : new Int32Array(0);
      const holds = cellTest(session, test, cellsOf(session, test.operand, events));
      return keep(events, (_, position) => holds(position));
    }
  }
}

function selectByComparison(
  session: Session,
  comparison: QueryComparison,
  events: Int32Array,
): Int32Array {
  const { left, comparator, right } = comparison;
  if (labelsOfTest(comparison).length === 0) {
    return isConstantTestTrue(comparison) ? events : new Int32Array(0);
  }
  if (isProbe(comparison)) {
    const probe = right.kind === 'constant' ? right.value : undefined;
    return eventsAt(session, events, probe as string);
  }
  if (left.kind === 'attribute' && right.kind === 'constant') {
    return selectByConstant(session, left, comparator, right.value, events);
  }
  if (left.kind === 'constant' && right.kind === 'attribute') {
    return selectByConstant(session, right, MIRRORED_COMPARATORS[comparator], left.value, events);
  }
  const a = cellsOf(session, left, events);
  const b = cellsOf(session, right, events);
  return keep(events, (_, at) => cellsHold(session, comparator, a, at, b, at));
}

/** True if a condition has the form `probe = 'NAME'`. */
function isProbe(test: Test): boolean {
  return (
    test.kind === 'comparison' &&
    test.comparator === '=' &&
    test.left.kind === 'attribute' &&
    test.left.name === 'probe' &&
    test.left.at === undefined &&
    !test.left.isLower &&
    test.right.kind === 'constant' &&
    typeof test.right.value === 'string'
  );
}

/** Selects the events whose attribute satisfies a comparison with a constant. O(events). */
function selectByConstant(
  session: Session,
  attribute: LabelAttribute,
  comparator: Comparator,
  value: Constant['value'],
  events: Int32Array,
): Int32Array {
  const column = columnFor(session, attribute);
  if (column === undefined) return new Int32Array(0);
  const { kinds, numbers } = column;
  const referencedEvents = eventsAt(session, events, attribute.at);
  switch (typeof value) {
    case 'string':
      return selectByText(session, column, comparator, value, referencedEvents);
    case 'boolean': {
      if (comparator !== '=' && comparator !== '!=') return new Int32Array(0);
      const wantedNumber = value === (comparator === '=') ? 1 : 0;
      return keep(
        referencedEvents,
        (event) => kinds[event] === ValueKind.boolean && numbers[event] === wantedNumber,
      );
    }
    default: {
      const isNumber = (event: number) =>
        kinds[event] === ValueKind.integer || kinds[event] === ValueKind.float;
      return keep(
        referencedEvents,
        (event) =>
          isNumber(event) && holds(comparator, compareExact(exactNumberAt(column, event), value)),
      );
    }
  }
}

function selectByText(
  session: Session,
  column: Column,
  comparator: Comparator,
  text: string,
  events: Int32Array,
): Int32Array {
  const texts = columnTexts(session);
  if (comparator === '=') {
    const index = texts.indexOf(text);
    const [first, last] = [events.at(0) ?? 0, events.at(-1) ?? -1];
    if (last - first < events.length) return selectText(column, index, first, last);
    return keep(
      events,
      (event) => column.numbers[event] === index && column.kinds[event] === ValueKind.string,
    );
  }
  const { kinds, numbers } = column;
  // The result for each distinct text: 0 means unknown, 1 false, 2 true.
  const truths = new Uint8Array(texts.length);
  return keep(events, (event) => {
    if (kinds[event] !== ValueKind.string) return false;
    const index = itemAt(numbers, event);
    if (truths[index] === 0) {
      truths[index] = holds(comparator, compareCodePoints(texts[index] as string, text)) ? 2 : 1;
    }
    return truths[index] === 2;
  });
}

/**
 * Selects the events from `first` to `last`, inclusive, with a text, given by its number. The loop avoids calls and
 * captured variables, because this is the most common condition over a whole session or probe.
 */
function selectText({ kinds, numbers }: Column, index: number, first: number, last: number) {
  const keptEvents: number[] = [];
  for (let event = first; event <= last; event++) {
    if (numbers[event] === index && kinds[event] === ValueKind.string) keptEvents.push(event);
  }
  return new Int32Array(keptEvents);
}
