import type * as tree from '../../expression/index.js';
import {
  componentLabels,
  conjunctsOf,
  labelOfKey,
  labelsOfCondition,
} from '../../expression/index.js';

/**
 * Returns the part of an expression that concerns the labels connected to a given label, with `call` as its aggregate.
 * Returns undefined if all labels are connected. Unconnected labels under NOT, and conjuncts of FILTER without a label,
 * belong to every component.
 */
export function extractComponent(
  expression: tree.Expression,
  label: string,
  call: tree.Call,
): tree.Expression | undefined {
  const { span, match, when, filter, aggregate } = expression;
  const component = componentLabels(expression, label);
  if (component.size === match.patterns.length) return undefined;
  const bound = new Set(match.patterns.map((pattern) => pattern.label.text));
  const relations = when?.relations.filter(({ labels }) =>
    labels.some(({ text }) => component.has(text)),
  );
  const operands =
    filter &&
    conjunctsOf(filter.condition).filter((condition) =>
      labelsOfCondition(condition, bound).every((label) => component.has(label)),
    );
  const keys = aggregate?.by?.keys.filter((key) => component.has(labelOfKey(key).text)) ?? [];
  const zero = { kind: 'integer', span, value: 0n } as const;
  const measure = { kind: 'measure', span, left: call, comparator: '>=', right: zero } as const;
  return {
    ...{ kind: 'expression', span },
    match: {
      ...match,
      patterns: match.patterns.filter((pattern) => component.has(pattern.label.text)),
    },
    ...(when && relations && relations.length > 0 && { when: { ...when, relations } }),
    ...(filter &&
      operands && { filter: { ...filter, condition: { kind: 'and', span, operands } } }),
    aggregate: {
      ...{ kind: 'aggregate', span, measures: [measure] },
      ...(keys.length > 0 && { by: { kind: 'by', span, keys } }),
    },
  };
}
