import type { Chain, Comparison, Literal, Measure, Name } from './ast.js';
import { FUNCTIONS } from './functions.js';
import type { Leaf } from './walk.js';

/*
 * A glance at what is said in an expression. Most comparisons say one plain thing
 * of a subject that no other speaks of, and need no closer look. Where there is
 * any doubt, they are not plain: what `survey` would suspect never is.
 */

/** So many subjects are compared with each other; more are not plain. */
const MOST_SUBJECTS = 16;

/** Whether the comparisons and events of a pattern, those from `start` on, are plain. */
export function isPlainPattern(leaves: readonly Leaf[], start: number): boolean {
  const names: string[] = [];
  for (let at = start; at < leaves.length; at += 1) {
    const leaf = leaves[at] as Leaf;
    const plain =
      leaf.kind === 'located'
        ? isNew('name', names) && isNew('probe', names)
        : isPlainComparison(leaf, names);
    if (!plain) return false;
  }
  return true;
}

/** An attribute of its own beside a value that it may have. */
function isPlainComparison({ left, right }: Comparison, names: string[]): boolean {
  if (left.kind !== 'attribute' || right.kind === 'attribute') return false;
  const name = (left.path[left.path.length - 1] as Name).text;
  if (!isPlainValue(right, name) || !isNew(name, names)) return false;
  return left.probe === undefined || isNew('probe', names);
}

function isPlainValue(literal: Literal, name: string): boolean {
  if (literal.kind === 'string') return literal.value !== '';
  return literal.kind !== 'boolean' && name !== 'name' && name !== 'probe';
}

/** Whether the comparisons of FILTER are plain: of attributes of two events. */
export function isPlainFilter(leaves: readonly Leaf[]): boolean {
  return leaves.every((leaf) => leaf.kind === 'comparison' && areOfTwoEvents(leaf));
}

function areOfTwoEvents({ left, right }: Comparison): boolean {
  if (left.kind !== 'attribute' || right.kind !== 'attribute') return false;
  if (left.probe !== undefined || right.probe !== undefined) return false;
  return (left.path[0] as Name).text !== (right.path[0] as Name).text;
}

/** Whether the measures are plain: each of another function, and a number that decides nothing. */
export function arePlainMeasures(measures: readonly Measure[]): boolean {
  const names: string[] = [];
  for (let at = 0; at < measures.length; at += 1) {
    const { left, right } = measures[at] as Measure;
    if (left.kind !== 'call' || (right.kind !== 'integer' && right.kind !== 'float')) return false;
    const { text } = left.name;
    const nature = FUNCTIONS.get(text)?.nature;
    if (nature?.least !== undefined && right.value <= 0) return false;
    if (nature?.integer && right.kind === 'float') return false;
    if (!isNew(text, names)) return false;
  }
  return true;
}

/** Whether the chains of WHEN name each label once: then they make no circle. */
export function arePlainChains(chains: readonly Chain[]): boolean {
  const names: string[] = [];
  for (const { labels } of chains) {
    for (let at = 0; at < labels.length; at += 1) {
      if (!isNew((labels[at] as Name).text, names)) return false;
    }
  }
  return true;
}

/** Adds a name; false when it is there already, or there are too many. */
function isNew(name: string, names: string[]): boolean {
  if (names.length >= MOST_SUBJECTS || names.includes(name)) return false;
  names.push(name);
  return true;
}
