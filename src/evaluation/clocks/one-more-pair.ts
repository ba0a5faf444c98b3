import {
  type Attribute,
  type Chain,
  type Comparison,
  type Condition,
  conjunctsOf,
  type Expression,
  type LabelPair,
  type Measure,
  meaningOf,
  measuresIn,
  type Name,
  type RelationNode,
} from '../../expression/index.js';

/** True if missing order can make an expression true, because it contains NOT, NEXT or `count() = 0`. */
export function isTrivial({ match, when, aggregate }: Expression): boolean {
  if (match.patterns.some(({ absent }) => absent)) return true;
  const hasNext = when?.relations.some(
    (relation) => relation.kind === 'chain' && relation.arrows.some(({ next }) => next),
  );
  return hasNext === true || measuresIn(aggregate?.measures ?? []).some(isNoCount);
}

/** True for `count() = 0` in any notation. */
function isNoCount({ left, comparator, right }: Measure): boolean {
  if (left.kind !== 'call' || left.name.text !== 'count' || right.kind !== 'integer') return false;
  if (right.value === 0n) return comparator === '=' || comparator === '<=';
  return right.value === 1n && comparator === '<';
}

/**
 * Returns an expression for the bindings that would be added, or forbidden, if unordered events of a pair of labels
 * were ordered as required. In these bindings, at least one event of the pair has no time.
 */
export function addUnorderedPair(expression: Expression, pair: LabelPair): Expression {
  const { aggregate: _, ...otherParts } = expression;
  const { span, match, when, filter } = expression;
  const ends = [pair.from, pair.to];
  const { absences } = meaningOf(expression);
  const usedLabels = new Set(
    absences.flatMap(({ labels }) => (labels.some((label) => ends.includes(label)) ? labels : [])),
  );
  const makeName = (text: string): Name => ({ kind: 'name', span, text });
  const makeTime = (label: string): Attribute => {
    return { kind: 'attribute', span, path: [makeName(label), makeName('time')] };
  };
  const conditions: Condition[] = filter === undefined ? [] : [...conjunctsOf(filter.condition)];
  const relations = (when?.relations ?? []).flatMap((relation): RelationNode[] => {
    if (relation.kind !== 'chain') return [relation];
    const { labels, within } = relation;
    const [first, last] = [labels[0]?.text ?? '', labels.at(-1)?.text ?? ''];
    if (within !== undefined) {
      const steps = [{ sign: '-', signSpan: span, operand: makeTime(first) }] as const;
      const left = { kind: 'sum', span, first: makeTime(last), rest: steps } as const;
      conditions.push({
        kind: 'comparison',
        span,
        left,
        comparator: '<=',
        right: within,
      } as Comparison);
    }
    return relation.arrows.map((arrow, at): RelationNode => {
      const pairLabels = labels.slice(at, at + 2);
      const isRequested = pairLabels[0]?.text === pair.from && pairLabels[1]?.text === pair.to;
      if (isRequested) return { kind: 'concurrent', span, labels: pairLabels, signSpan: span };
      const { next: _, ...ordinaryArrow } = arrow;
      return { kind: 'chain', span, labels: pairLabels, arrows: [ordinaryArrow] } as Chain;
    });
  });
  const isUntimed: Condition = {
    kind: 'or',
    span,
    operands: ends.map((label) => ({
      ...{ kind: 'not', span, signSpan: span },
      operand: { kind: 'exists', span, attribute: makeTime(label) },
    })),
  };
  return {
    ...otherParts,
    match: {
      ...match,
      patterns: match.patterns.map(({ absent, ...pattern }) =>
        absent && !usedLabels.has(pattern.label.text) ? { ...pattern, absent } : pattern,
      ),
    },
    ...(relations.length > 0 && { when: { kind: 'when', span, relations } }),
    filter: {
      kind: 'filter',
      span,
      condition: { kind: 'and', span, operands: [...conditions, isUntimed] },
    },
  };
}
