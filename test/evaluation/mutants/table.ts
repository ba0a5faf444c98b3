/** One change of the engine that the comparison with the oracle must notice. */
export interface Mutant {
  /** The idea that it breaks. */
  readonly breaks: string;
  /** In src/evaluation. */
  readonly file: string;
  /** Stands there exactly once. */
  readonly from: string;
  readonly to: string;
}

/** One for each idea in the engine. */
export const MUTANTS: readonly Mutant[] = [
  {
    breaks: 'happened-before is strict: an event is not after itself',
    file: 'order/reduce.ts',
    from: 'Math.min(limit + 1, session.size)',
    to: 'limit',
  },
  {
    breaks: 'reachability goes on through receives that were reached',
    file: 'order/reduce.ts',
    from: ' || sentEvent >= at(after, from)',
    to: '',
  },
  {
    breaks: 'backwards, too, what was reached sends on',
    file: 'order/reduce.ts',
    from: ' && receivedEvent > at(before, place)',
    to: '',
  },
  {
    breaks: 'both ends of each arrow are reduced',
    file: 'order/reduce.ts',
    from: 'const before = keepBefore(session, a, after);',
    to: 'const before = a;',
  },
  {
    breaks: 'an arrow is reduced again when either of its ends has changed',
    file: 'order/reduce.ts',
    from: 'reducedPairs[position]?.[0] === a && ',
    to: '',
  },
  {
    breaks: 'a row begins with what the probe knew before',
    file: 'order/clock-rows.ts',
    from: 'rows.take(rows, at(previous, receive));',
    to: '',
  },
  {
    breaks: 'a receive learns all that the sender knew',
    file: 'order/clock-rows.ts',
    from: 'a + (difference & ~(difference >> 31))',
    to: 'a',
  },
  {
    breaks: 'of two senders at a probe the later one counts',
    file: 'order/clock-rows.ts',
    from: 'if (to > at(this.ranks, entry)) ',
    to: '',
  },
  {
    breaks: 'a rank counts the event that sends',
    file: 'order/clock-rows.ts',
    from: 'at(events, next) <= at(sendEvent, send)',
    to: 'at(events, next) < at(sendEvent, send)',
  },
  {
    breaks: 'a next event is known from its first send on',
    file: 'order/direct-clocks.ts',
    from: '>= at(entries, entry + 1)',
    to: '> at(entries, entry + 1)',
  },
  {
    breaks: 'events between two receives know what the last one brought',
    file: 'order/matches.ts',
    from: 'at(order.receives, last) <= event',
    to: 'at(order.receives, last) < event',
  },
  {
    breaks: 'the clock says nothing of the own probe',
    file: 'order/clock-rows.ts',
    from: 'if (column >= 0) this.ranks[this.#row + column] = 0;',
    to: '',
  },
  {
    breaks: 'what goes to earlier events counts from the end of the probe',
    file: 'join/propagate-arrow.ts',
    from: 'result[event] = add(ownSum, otherSum);',
    to: 'result[event] = add(ownSum, steps[event] as T);',
  },
  {
    breaks: 'an event receives from each child of the tree',
    file: 'join/count-trees.ts',
    from: 'counting.multiply(count, weights[position] as T)',
    to: 'weights[position] as T',
  },
  {
    breaks: 'what goes down leaves out what came from below',
    file: 'join/count-trees.ts',
    from: 'product(edge.parent, edge.child, down',
    to: 'product(edge.parent, undefined, down',
  },
  {
    breaks: 'bindings of separate trees are multiplied',
    file: 'join/count-trees.ts',
    from: 'otherTotal === 1n ? count : (position) => BigInt(count(position)) * otherTotal',
    to: 'count',
  },
  {
    breaks: 'equal means equal numbers, not equal doubles',
    file: 'join/value-ranks.ts',
    from: 'keyOfExact(numberAt(cells, position) as ExactNumber)',
    to: 'Number(numberAt(cells, position))',
  },
  {
    breaks: 'different is all of one kind less the equal',
    file: 'join/pair.ts',
    from: "{ a, b, of: 'kind' }",
    to: "{ a, b, of: 'value' }",
  },
  {
    breaks: 'less is strict, and less or equal is not',
    file: 'join/value-ranks.ts',
    from: 'isStrict ? 1 : 0',
    to: '1',
  },
  {
    breaks: 'a range is covered to its end',
    file: 'join/propagate-keyed.ts',
    from: 'parts.push([this.#top, low, high]);',
    to: 'parts.push([this.#top, low, high - 1]);',
  },
  {
    breaks: 'numbers and texts are on scales of their own',
    file: 'join/value-ranks.ts',
    from: "of === 'value' ? valueKey(cells, kind, position) : kind",
    to: "of === 'value' ? valueKey(cells, kind, position) : 0",
  },
  {
    breaks: 'a window is what is inside one bound less what is outside the other',
    file: 'join/relation.ts',
    from: "{ '>': '<=', '>=': '<' }",
    to: "{ '>': '<', '>=': '<' }",
  },
  {
    breaks: 'a sum changes sides with its sign',
    file: 'query/build-query.ts',
    from: 'right: negate(partOfLabel(difference, v))',
    to: 'right: partOfLabel(difference, v)',
  },
  {
    breaks: 'arrows that others imply are dropped, and no others',
    file: 'query/build-query.ts',
    from: '(reach[middleLabel] as Set<number>).has(laterLabel)',
    to: 'true',
  },
  {
    breaks: 'a cycle of arrows has no binding',
    file: 'query/build-query.ts',
    from: 'predecessorCounts.flatMap((count, label) => (count > 0 ? [label] : []))',
    to: 'new Array<number>()',
  },
  {
    breaks: 'cases are those in which a condition holds',
    file: 'methods/count-by-trees.ts',
    from: 'bits: selection.bits | bits',
    to: 'bits',
  },
  {
    breaks: 'around a fixed event the others are those that go with it',
    file: 'methods/count-by-trees.ts',
    from: 'if (!isMet) continue;',
    to: '',
  },
  {
    breaks: 'enumeration keeps within the ranges that arrows leave',
    file: 'methods/arrows.ts',
    from: 'low[probe] = Math.max(at(low, probe), arrow.firstAfter(at(bound, otherLabel), probe));',
    to: '',
  },
  {
    breaks: 'an event counts as often as bindings contain it',
    file: 'answer/tally.ts',
    from: 'sums.add(value, count);',
    to: 'sums.add(value, 1);',
  },
  {
    breaks: 'a deviation is that of a sample',
    file: '../expression/functions/index.ts',
    from: 'count * (count - 1n)',
    to: 'count * count',
  },
  {
    breaks: 'the constant of a sum counts once for each binding',
    file: 'answer/aggregate.ts',
    from: 'sums.add(sum.constant, total);',
    to: 'sums.add(sum.constant, 1);',
  },
  {
    breaks: 'the largest sum is put together from exact parts',
    file: 'join/count-trees.ts',
    from: 'addExact(sum, ranking.values[of - 1] as ExactNumber)',
    to: 'addExact(sum, ranking.values.at(-1) as ExactNumber)',
  },
  {
    breaks: 'texts compare by code point',
    file: '../source/source-file.ts',
    from: 'rank(a.charCodeAt(at)) - rank(b.charCodeAt(at))',
    to: 'a.charCodeAt(at) - b.charCodeAt(at)',
  },
  {
    breaks: 'a double that holds no integer of 64 bits does not stand for it',
    file: 'select/cells.ts',
    from: 'if (exact !== column.numbers[event]) cells.exact.set(position, exact);',
    to: '',
  },
  {
    breaks: 'a root is compared by its square',
    file: 'exact/surd.ts',
    from: 'compareRationals(multiply(x, x), multiply(multiply(y, y), s))',
    to: 'compareRationals(x, multiply(y, s))',
  },
  {
    breaks: 'what lies between is known by whom its sender told, the sender among it',
    file: 'join/via-clocks.ts',
    from: 'at(sender, edge) + 1',
    to: 'at(sender, edge)',
  },
  {
    breaks: 'after what lies between all is before it that the probe knew',
    file: 'join/via-clocks.ts',
    from: 'rows.raise(ownProbe, a.before(at(via.events, last), ownProbe));',
    to: '',
  },
  {
    breaks: 'an event knows of what lies between since the last receive',
    file: 'join/via-clocks.ts',
    from: 'at(via.events, last) < since',
    to: 'true',
  },
  {
    breaks: 'of one key, what lies between has it too',
    file: 'join/pair.ts',
    from: 'if (keys.length === 0) return undefined;',
    to: 'if (keys.length >= 0) return undefined;',
  },
  {
    breaks: 'an event is not concurrent with itself',
    file: 'join/propagate.ts',
    from: 'areApart ? [] :',
    to: 'true ? [] :',
  },
  {
    breaks: 'beside an event of the same probe nothing is concurrent',
    file: 'methods/arrows.ts',
    from: 'probe === ownProbe ? from : backward.firstAfter(position, probe)',
    to: 'backward.firstAfter(position, probe)',
  },
  {
    breaks: 'an absence that hangs on one label leaves out its events',
    file: 'methods/match-labels.ts',
    from: 'difference(events, findBoundEvents(problem.session, solutions, 0))',
    to: 'events',
  },
  {
    breaks: 'an absence beside several labels is asked of each binding',
    file: 'methods/enumerate.ts',
    from: 'return !search(outerBound, sharedPositions.length, () => true);',
    to: 'return true;',
  },
  {
    breaks: 'WITHIN is asked of the first and the last label',
    file: 'query/build-query.ts',
    from: 'subtract(time(to), time(from))',
    to: 'subtract(time(from), time(to))',
  },
];
