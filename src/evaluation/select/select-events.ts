import { MIRRORED } from '../../expression/index.js';
import type { Session } from '../../session/index.js';
import { constantTest } from '../query/constant-test.js';
import { labelsOf } from '../query/operand.js';
import type { Comparison, Test } from '../query/query.js';
import { type Candidates, eventsOf, keep, union, within } from './candidates.js';
import { cellsHold, cellsOf, rangeAt } from './cells.js';
import { selectByConstant } from './select-by-constant.js';

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
  comparison: Comparison,
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
