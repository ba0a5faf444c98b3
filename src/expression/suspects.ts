import type { Measure } from './ast.js';
import { mayDecide, type Saying, type Sayings, sayingOf, sayingOfMeasure } from './facts.js';
import type { Scope } from './scope.js';
import type { Tree } from './tree.js';
import { type Leaf, leavesOf } from './walk.js';

/**
 * What is worth a closer look of all that an expression says: what may be true
 * or false by itself, what kinds forbid, and what speaks of a subject that
 * another speaks of too. In text order.
 *
 * @param inFilter the comparisons and events of FILTER
 * @param scope that of FILTER and AGGREGATE
 */
export function suspectsOf(
  { match, aggregate }: Tree,
  inFilter: readonly Leaf[],
  scope: Scope,
): Sayings {
  const said = new Map<Leaf | Measure, Saying>();
  for (const { condition, label } of match?.patterns ?? []) {
    const own: Scope = { kind: 'pattern', label: label.text };
    for (const leaf of leavesOf(condition)) said.set(leaf, sayingOf(leaf, own));
  }
  for (const leaf of inFilter) said.set(leaf, sayingOf(leaf, scope));
  for (const measure of aggregate?.measures ?? []) {
    said.set(measure, sayingOfMeasure(measure, scope));
  }
  const repeated = repeatedSubjects(said.values());
  for (const [node, saying] of said) {
    if (saying.kind !== 'facts') continue;
    const suspect = saying.facts.some((fact) => mayDecide(fact) || repeated.has(fact.subject));
    if (!suspect) said.delete(node);
  }
  return said;
}

function repeatedSubjects(said: Iterable<Saying>): ReadonlySet<string> {
  const subjects = new Set<string>();
  const repeated = new Set<string>();
  for (const saying of said) {
    if (saying.kind !== 'facts') continue;
    for (const { subject } of saying.facts) {
      if (subjects.has(subject)) repeated.add(subject);
      subjects.add(subject);
    }
  }
  return repeated;
}
