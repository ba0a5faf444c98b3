import { OWN_PROBE, sum } from '../../basics/index.js';
import type { Violation } from '../../diagnostics/index.js';
import type { EventShape, Vocabulary } from '../../session/index.js';
import type * as ast from '../tree/ast.js';
import { attributesOf, type Leaf, leavesOf } from '../tree/walk.js';

/** The contents of recorded sessions, prepared for lookup. */
export interface Recorded extends Pick<Vocabulary, 'shapes' | 'texts' | 'orders'> {
  /** The number of events with each name, probe or attribute, most frequent first. */
  readonly names: ReadonlyMap<string, number>;
  readonly probes: ReadonlyMap<string, number>;
  readonly attributes: ReadonlyMap<string, number>;
  /** Names, probes, attributes and values whose absence from the sessions is not reported. */
  readonly expected: ReadonlySet<string>;
}

/** A requirement of an expression that no recorded event satisfies. */
export interface UnrecordedRequirement {
  readonly what: 'name' | 'probe' | 'attribute' | 'value' | 'kind' | 'span' | 'order' | 'time';
  readonly violation: Violation;
}

/** The events that Perturb adds to a run's sessions. */
export const OWN_EVENTS = ['perturb.injected', 'perturb.reset', 'perturb.command.ended'];

/** Prepares a vocabulary for lookup. Returns undefined if the vocabulary has no events or is incomplete. */
export function recordedOf(
  { events, shapes, texts, orders, whole }: Vocabulary,
  expected: readonly string[],
): Recorded | undefined {
  if (!whole || events === 0) return undefined;
  return {
    ...{ shapes, texts, orders },
    names: frequencies(shapes.map(({ name, events }) => [name, events])),
    probes: frequencies(shapes.map(({ probe, events }) => [probe, events])),
    attributes: attributesOfShapes(shapes),
    expected: new Set([...expected, ...OWN_EVENTS, OWN_PROBE]),
  };
}

/** Returns the number of events with each of the shapes' attributes, most frequent first. */
export function attributesOfShapes(shapes: readonly EventShape[]): ReadonlyMap<string, number> {
  return frequencies(
    shapes.flatMap(({ events, attributes }) => [
      ...ALWAYS.map((name) => [name, events] as const),
      ...[...attributes].map(([name, kinds]) => [name, sum(kinds.values())] as const),
    ]),
  );
}

/**
 * Attributes that every event has. Excludes `seq`, which other sessions of the system may contain,
 * and `time`, which a separate rule checks.
 */
const ALWAYS = ['name', 'probe'];
export const BUILT_IN_ATTRIBUTES: ReadonlySet<string> = new Set([...ALWAYS, 'time', 'seq']);

function frequencies(counts: readonly (readonly [string, number])[]): ReadonlyMap<string, number> {
  const totals = new Map<string, number>();
  for (const [word, count] of counts) totals.set(word, (totals.get(word) ?? 0) + count);
  return new Map([...totals].sort(([, a], [, b]) => b - a));
}

/** Calls `take` for each leaf of a condition, with the shapes that the other conditions joined by AND allow. */
export function forEachLeaf(
  condition: ast.Condition,
  allowed: readonly EventShape[],
  take: (leaf: Leaf, allowed: readonly EventShape[]) => void,
): void {
  switch (condition.kind) {
    case 'not':
      forEachLeaf(condition.operand, allowed, take);
      return;
    case 'or':
      for (const operand of condition.operands) forEachLeaf(operand, allowed, take);
      return;
    case 'and': {
      const { operands } = condition;
      const refusals = allowed.map((shape) =>
        operands.filter((operand) => verdict(operand, shape) === false),
      );
      for (const operand of operands) {
        const notAllowed = allowed.filter((_, at) =>
          refusals[at]?.every((refusal) => refusal === operand),
        );
        forEachLeaf(operand, notAllowed, take);
      }
      return;
    }
    default:
      take(condition, allowed);
  }
}

/** Returns the shapes whose events may satisfy a condition, judged by name and probe alone. */
export function shapesOf(
  condition: ast.Condition,
  shapes: readonly EventShape[],
): readonly EventShape[] {
  return shapes.filter((shape) => verdict(condition, shape) !== false);
}

/**
 * Evaluates a condition for events of a shape. Returns undefined if name and probe do not decide
 * the condition.
 */
function verdict(condition: ast.Condition, shape: EventShape): boolean | undefined {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const verdicts = condition.operands.map((operand) => verdict(operand, shape));
      const decisive = condition.kind === 'or';
      if (verdicts.includes(decisive)) return decisive;
      return verdicts.includes(undefined) ? undefined : !decisive;
    }
    case 'not': {
      const innerVerdict = verdict(condition.operand, shape);
      return innerVerdict === undefined ? undefined : !innerVerdict;
    }
    case 'located':
      return shape.name === condition.event.text && shape.probe === condition.probe.text;
    default: {
      const away = attributesOf(condition).some(({ probe }) => probe && probe.text !== shape.probe);
      if (away) return false;
      const comparedNames = comparedTexts(condition);
      if (comparedNames === undefined) return undefined;
      return (
        comparedNames.texts.some(({ value }) => value === shape[comparedNames.of]) !==
        comparedNames.negated
      );
    }
  }
}

/** Returns the strings that a leaf compares `name` or `probe` with. `negated` is true for `!=`. */
export function comparedTexts(leaf: Leaf):
  | {
      readonly of: 'name' | 'probe';
      readonly texts: readonly ast.StringLiteral[];
      readonly negated: boolean;
    }
  | undefined {
  const [attribute, values] = attributeWithLiterals(leaf) ?? [];
  const nameKind = attribute?.path.length === 1 ? attribute.path[0]?.text : undefined;
  if (values === undefined || (nameKind !== 'name' && nameKind !== 'probe')) return undefined;
  const texts = values.filter((value) => value.kind === 'string');
  return { of: nameKind, texts, negated: leaf.kind === 'comparison' && leaf.comparator === '!=' };
}

/** Returns the attribute and the literals of a comparison by `=`, `!=` or IN. */
export function attributeWithLiterals(
  leaf: Leaf,
): [ast.Attribute, readonly ast.Literal[]] | undefined {
  if (leaf.kind === 'in') {
    return leaf.operand.kind === 'attribute' ? [leaf.operand, leaf.values] : undefined;
  }
  if (leaf.kind !== 'comparison' || !['=', '!='].includes(leaf.comparator)) return undefined;
  const [attribute, value] =
    leaf.left.kind === 'attribute' ? [leaf.left, leaf.right] : [leaf.right, leaf.left];
  if (attribute.kind !== 'attribute' || value.kind !== 'string') return undefined;
  return [attribute, [value]];
}

/** Returns the names and probes that a pattern's condition mentions. */
export function requiredTexts(condition: ast.Condition): { text: string; of: 'name' | 'probe' }[] {
  return leavesOf(condition).flatMap((leaf) => {
    if (leaf.kind === 'located') {
      return [
        { text: leaf.event.text, of: 'name' as const },
        { text: leaf.probe.text, of: 'probe' as const },
      ];
    }
    const probes = attributesOf(leaf).flatMap(({ probe }) => probe ?? []);
    const comparedNames = comparedTexts(leaf);
    return [
      ...probes.map(({ text }) => ({ text, of: 'probe' as const })),
      ...(comparedNames?.texts ?? []).map(({ value }) => ({
        text: value,
        of: comparedNames?.of ?? 'name',
      })),
    ];
  });
}

/** True if a pattern mentions events that Perturb adds to a run's sessions. */
export function requiresOwnEvent(condition: ast.Condition): boolean {
  return requiredTexts(condition).some(
    ({ text }) => OWN_EVENTS.includes(text) || text === OWN_PROBE,
  );
}

/** Returns the event names that each pattern requires, by label. */
export function requiredNamesByLabel({ match }: ast.Expression): Map<string, readonly string[]> {
  return new Map(
    match.patterns.map(({ label, condition }) => [label.text, requiredNames(condition)]),
  );
}

/** Returns the event names that a pattern's condition requires, in text order. */
export function requiredNames(condition: ast.Condition): string[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.operands.flatMap(requiredNames);
    case 'not':
      return [];
    case 'located':
      return [condition.event.text];
    default: {
      const comparedNames = comparedTexts(condition);
      const isByName = comparedNames?.of === 'name' && !comparedNames.negated;
      return isByName ? comparedNames.texts.map(({ value }) => value) : [];
    }
  }
}
