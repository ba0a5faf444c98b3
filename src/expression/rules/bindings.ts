import { quote } from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import type { ExpressionRule } from '../analysis/context.js';
import { Components, cyclesOf, type Edge, Graph } from '../analysis/graphs.js';
import type { Scope } from '../analysis/kinds.js';
import {
  absentLabelsIn,
  isOfSession,
  labelOfKey,
  type MeaningPart,
  meaningOf,
} from '../analysis/meaning.js';
import { requiredNames } from '../analysis/recorded.js';
import type { Comparison, Condition, Name, Pattern, Tree, When } from '../tree/ast.js';
import { printCondition } from '../tree/print.js';
import { attributesOf, conjunctsOf, leavesOf } from '../tree/walk.js';
import { distinctAdvice } from './absence.js';

/** Reports patterns that neither WHEN nor FILTER ties together. */
export const cartesianProduct: ExpressionRule = {
  id: 'expression/cartesian-product',
  severity: 'warning',
  summary: 'AGGREGATE measures patterns that neither WHEN nor FILTER ties together',
  why: "AGGREGATE measures every combination of the patterns' events, which is rarely intended.",
  action: 'Order the events in WHEN, or compare their attributes in FILTER.',
  examples: {
    fails: "MATCH (name = 'fault') AS f, (name = 'reset') AS r AGGREGATE count() > 3",
    passes: "MATCH (name = 'fault') AS f, (name = 'reset') AS r WHEN f -> r AGGREGATE count() > 3",
  },
  check({ tree, context: { bound, calls, labelsInPatterns } }, report) {
    const { labels, broken, aggregate } = tree;
    const measuresBindings = calls.length === 0 || calls.some(({ label }) => label === undefined);
    // Without AGGREGATE, the expression only tests whether all events occurred. count(label) counts
    // the events of one label.
    if (bound.size < 2 || aggregate === undefined || !measuresBindings) return;
    if (broken.has('match') || broken.has('when') || broken.has('filter')) return;
    // In FILTER, the misplaced comparison would tie the labels.
    if (labelsInPatterns.length > 0) return;
    // `WHEN a -> a` was probably meant to order another label.
    const repeats = (names: readonly Name[]) =>
      names.some(({ text }, at) => text === names[at + 1]?.text);
    if (tree.when?.relations.some(({ labels }) => repeats(labels))) return;
    const parts = tiedGroups(tree, bound);
    // Usually, one relation ties all labels.
    if (parts.some((part) => part.length >= bound.size && new Set(part).size === bound.size))
      return;
    const groups = new Components<string>();
    for (const linkedLabels of parts) {
      // A misspelt or missing label may tie the groups.
      if (linkedLabels.some((name) => !bound.has(name))) return;
      groups.join(linkedLabels);
    }
    const members = new Map<string, Group>();
    const absent = absentLabelsIn(tree);
    for (const label of labels) {
      if (absent.has(label.text)) continue;
      const root = groups.rootOf(label.text);
      const group = members.get(root);
      if (group === undefined) members.set(root, [label]);
      else group.push(label);
    }
    const [first, ...moreNames] = members.values();
    const mainLabel = first?.[0];
    if (first === undefined || mainLabel === undefined) return;
    for (const group of moreNames) {
      report({
        message: `nothing ties ${describe(group)} to ${describe(first)}`,
        help: 'order them in WHEN, or compare their attributes in FILTER',
        span: group[0].span,
        related: [{ message: 'not tied to this label', span: mainLabel.span }],
      });
    }
  },
};

type Group = [Name, ...Name[]];

/** Formats a group, as in `"a"`, `"a" and "b"`, or `"a" and 2 more`. */
function describe([first, second, ...furtherLabels]: Group): string {
  if (second === undefined) return quote(first.text);
  const remainingText =
    furtherLabels.length === 0 ? quote(second.text) : `${furtherLabels.length + 1} more`;
  return `${quote(first.text)} and ${remainingText}`;
}

/** Returns the groups of labels tied by a WHEN relation, a FILTER conjunct, or BY. */
function tiedGroups({ when, filter, aggregate }: Tree, bound: ReadonlySet<string>): string[][] {
  const relations = (when?.relations ?? []).map(({ labels }) => labels.map(({ text }) => text));
  const conjuncts = filter === undefined ? [] : conjunctsOf(filter.condition);
  const keys = (aggregate?.by?.keys ?? []).map((key) => labelOfKey(key).text);
  return [...relations, ...conjuncts.map((condition) => labelsIn(condition, bound)), keys];
}

/** Returns all labels of a condition. Includes every branch of an `or`, because any branch may tie labels. */
function labelsIn(condition: Condition, bound: ReadonlySet<string>): string[] {
  return leavesOf(condition)
    .flatMap(attributesOf)
    .filter((attribute) => !isOfSession(attribute, bound))
    .map(({ path }) => (path[0] as Name).text);
}

/** Reports arrows in WHEN that form a cycle. */
export const causalCycle: ExpressionRule = {
  id: 'expression/causal-cycle',
  severity: 'error',
  summary: 'WHEN orders events in a cycle',
  why: 'No event happens before itself, so the expression can never be true.',
  action: 'Reverse one of the arrows, or delete it.',
  examples: {
    fails: "MATCH (name = 'fault') AS f, (name = 'reset') AS r WHEN f -> r AND r -> f",
    passes: "MATCH (name = 'fault') AS f, (name = 'reset') AS r WHEN f -> r",
  },
  check({ tree, context }, report) {
    if (tree.when === undefined) return;
    const { arrows, labels } = arrowsOf(tree, (label) => isLabel(context.scope, label));
    for (const { closing, path } of cyclesOf(arrows)) {
      const label = quote(labels[closing.to] as string);
      const steps = [...path, closing];
      const shownSteps = steps.length > MAX_STEPS ? [] : [closing.to, ...steps.map(({ to }) => to)];
      const cycle = shownSteps.map((node) => labels[node]).join(' -> ');
      report({
        message: `${label} would have to happen before itself`,
        help:
          shownSteps.length > 0
            ? `reverse or delete an arrow of the cycle ${quote(cycle)}`
            : 'reverse or delete an arrow of the cycle',
        span: closing.span,
        related: path.map(({ span }) => ({ message: 'part of the cycle', span })),
      });
    }
  },
};

/** Returns the arrows that order two labels, in either direction; empty if nothing orders the labels. */
export function orderBetween(when: When, a: string, b: string): readonly Span[] {
  const { arrows, labels } = arrowsOf({ when }, () => true);
  const [from, to] = [labels.indexOf(a), labels.indexOf(b)];
  const graph = new Graph<Arrow>();
  for (const arrow of arrows) graph.add(arrow);
  const paths = [graph.shortestPath(from, to), graph.shortestPath(to, from)];
  return paths.flatMap((path) => path ?? []).map(({ span }) => span);
}

const MAX_STEPS = 6;

function isLabel(scope: Scope, label: string): boolean {
  return scope.kind === 'labels' && scope.isLabel(label);
}

interface Arrow extends Edge {
  readonly span: Span;
}

/** Returns the distinct arrows between bound labels, in text order. */
function arrowsOf(
  { when }: Pick<Tree, 'when'>,
  isBound: (label: string) => boolean,
): { readonly arrows: Arrow[]; readonly labels: readonly string[] } {
  const ids = new Map<string, number>();
  const seenIds = new Set<string>();
  const arrows: Arrow[] = [];
  const idOf = (label: string) => {
    const id = ids.get(label) ?? ids.size;
    ids.set(label, id);
    return id;
  };
  for (const chain of when?.relations ?? []) {
    if (chain.kind !== 'chain') continue;
    const bound = chain.labels.map(({ text }) => (isBound(text) ? idOf(text) : undefined));
    chain.arrows.forEach(({ span }, at) => {
      const [from, to] = [bound[at], bound[at + 1]];
      if (from === undefined || to === undefined || seenIds.has(`${from} ${to}`)) return;
      seenIds.add(`${from} ${to}`);
      arrows.push({ from, to, span });
    });
  }
  return { arrows, labels: [...ids.keys()] };
}

/** Reports two labels that may be bound to the same event. */
export const sameEvent: ExpressionRule = {
  id: 'expression/same-event',
  severity: 'warning',
  fixable: 'suggested',
  summary: 'two labels that are tied together only by equal attributes may be the same event',
  why: 'Different labels may stand for the same event, so each event is also paired with itself.',
  action: 'Use `!=` in WHEN to require different events, or order them.',
  examples: {
    fails:
      "MATCH (name = 'order') AS a, (name = 'order') AS b FILTER a.id = b.id AGGREGATE count() = 0",
    passes:
      "MATCH (name = 'order') AS a, (name = 'order') AS b WHEN a != b FILTER a.id = b.id AGGREGATE count() = 0",
  },
  check({ tree, context: { bound } }, report) {
    const { match, aggregate, broken } = tree;
    // `count() = 1 BY a` requires no other event with the same attribute.
    if (bound.size < 2 || broken.size > 0 || aggregate?.by !== undefined) return;
    if (tree.filter === undefined) return;
    const partsOf = new Map([...bound].map((label): [string, MeaningPart[]] => [label, []]));
    for (const part of meaningOf(tree).parts) {
      for (const label of part.labels) partsOf.get(label)?.push(part);
    }
    const earlier = new Map<string, Pattern>();
    for (const second of match?.patterns ?? []) {
      if (second.absent) continue;
      const label = second.label.text;
      const ownParts = partsOf.get(label) ?? [];
      const [otherLabel = ''] =
        ownParts[0]?.labels.filter((candidate) => candidate !== label) ?? [];
      const first = earlier.get(otherLabel);
      earlier.set(label, second);
      const isTie = [...ownParts, ...(partsOf.get(otherLabel) ?? [])].every(
        (part) =>
          part.kind === 'condition' &&
          part.labels.length === 2 &&
          part.labels.includes(label) &&
          part.labels.includes(otherLabel) &&
          isSameOfBoth(part.condition),
      );
      if (first === undefined || !isTie || !haveSameRequirements(first, second)) continue;
      report({
        message: `${quote(first.label.text)} and ${quote(label)} may be the same event, so each event is also paired with itself`,
        ...distinctAdvice(tree, first.label.text, label),
        span: second.label.span,
        related: [{ message: 'the other label', span: first.label.span }],
      });
    }
  },
};

/** True for an equality of the same attribute of two labels, such as `a.x = b.x`. */
function isSameOfBoth(condition: Condition): condition is Comparison {
  if (condition.kind !== 'comparison' || condition.comparator !== '=') return false;
  const { left, right } = condition;
  if (left.kind !== 'attribute' || right.kind !== 'attribute') return false;
  const path = (side: typeof left) =>
    side.path
      .slice(1)
      .map(({ text }) => text)
      .join('`');
  return path(left) === path(right) && left.probe?.text === right.probe?.text;
}

/** True if one pattern has all requirements of the other pattern, and both require a name. */
function haveSameRequirements(...patterns: readonly Pattern[]): boolean {
  const conditionSets = patterns.map(
    ({ condition }) => new Set(conjunctsOf(condition).map(printCondition)),
  );
  const [smaller, larger] = conditionSets.sort((a, b) => a.size - b.size);
  const isNamed = patterns.every(({ condition }) => requiredNames(condition).length > 0);
  return isNamed && [...(smaller ?? [])].every((part) => larger?.has(part));
}
