import { sum } from '../../basics/index.js';
import { quote, suggestedFix, type Violation } from '../../diagnostics/index.js';
import type { EventShape } from '../../session/index.js';
import type * as ast from '../tree/ast.js';
import { MIRRORED_COMPARATORS } from '../tree/ast.js';
import { printCondition } from '../tree/print.js';
import { attributesOf, callsIn, dotted, type Leaf, leavesOf, measuresOf } from '../tree/walk.js';
import { labelOfKey } from './meaning.js';
import { shapesOf } from './recorded.js';

/*
 * A span is two events with one name: its start and its end. A pattern that selects both events
 * matches each span twice, which distorts counts and groups.
 */

const [START, END] = ['span.start', 'span.end'];

/**
 * Reports patterns that match each span twice, if their events are counted or are grouped by BY.
 *
 * @param inFilter the leaves in FILTER and `share`
 */
export function findSpansCountedTwice(
  tree: ast.Tree,
  inFilter: readonly Leaf[],
  recorded: readonly EventShape[],
): Violation[] {
  const { match, aggregate } = tree;
  const isCounted = measuresOf(tree).some(dependsOnCount);
  const groupedLabels = new Set(aggregate?.by?.keys.map((key) => labelOfKey(key).text));
  return (match?.patterns ?? []).flatMap((pattern) => {
    const { label, absent, condition } = pattern;
    if (absent || !(isCounted || groupedLabels.has(label.text))) return [];
    const requiredAttributes = [
      ...leavesOf(condition)
        .flatMap(attributesOf)
        .map(({ path }) => dotted(path)),
      ...inFilter
        .flatMap(attributesOf)
        .flatMap(({ path: [of, ...name] }) => (of?.text === label.text ? [dotted(name)] : [])),
    ];
    const shape = shapesOf(condition, recorded).find((shape) =>
      isMetTwice(shape, requiredAttributes),
    );
    return shape === undefined ? [] : [makeViolation(pattern, shape)];
  });
}

/** True if a measure depends on the number of bindings, not only on the existence of a binding. */
function dependsOnCount({ left, comparator, right }: ast.Measure): boolean {
  if (!callsIn(left, right).some(({ name }) => name.text === 'count')) return false;
  const [count, literal, sign] =
    left.kind === 'call'
      ? [left, right, comparator]
      : [right, left, MIRRORED_COMPARATORS[comparator]];
  if (count.kind !== 'call' || literal.kind !== 'integer') return true;
  const { value } = literal;
  return (
    !(value === 0n && sign !== '>=' && sign !== '<') && !(value === 1n && /^(?:>=|<)$/.test(sign))
  );
}

/** True if a shape's events are starts and ends of spans, and every event has the required attributes. */
function isMetTwice(
  { attributes, events }: EventShape,
  requiredAttributes: readonly string[],
): boolean {
  const countOf = (name: string) => sum(attributes.get(name)?.values() ?? []);
  const [starts, ends] = [countOf(START), countOf(END)];
  if (starts === 0 || ends === 0) return false;
  return requiredAttributes.every(
    (name) => name === 'name' || name === 'probe' || countOf(name) === events,
  );
}

function makeViolation({ condition, span }: ast.Pattern, { name }: EventShape): Violation {
  const isOr = condition.kind === 'or';
  const onlyCondition = `${END} = TRUE`;
  const { start, end } = condition.span;
  return {
    message: `${quote(name)} matches both the start and the end of each span, so each span counts twice`,
    help: `select one of them, as in ${onlyCondition}`,
    span,
    fix: isOr
      ? suggestedFix({ start, end }, `(${printCondition(condition)}) AND ${onlyCondition}`)
      : suggestedFix({ start: end, end }, ` AND ${onlyCondition}`),
  };
}
