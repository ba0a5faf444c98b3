import type { Attribute, Comparison, Name, Pattern } from '../tree/ast.js';
import type { Tree } from '../tree/tree.js';
import { attributesOf, leavesOf } from '../tree/walk.js';

/** An attribute of a pattern that is written as if it were of the event with a label. */
export interface LabelInPattern {
  readonly attribute: Attribute;
  readonly label: Name;
  readonly comparison: Comparison;
  readonly pattern: Pattern;
}

/**
 * The dotted attributes of MATCH whose first name is a label, in text order. In
 * backquotes it is meant as an attribute.
 */
export function labelsInPatterns(
  text: string,
  { match }: Tree,
  bound: ReadonlySet<string>,
): LabelInPattern[] {
  const found: LabelInPattern[] = [];
  for (const pattern of match?.patterns ?? []) {
    for (const comparison of leavesOf(pattern.condition)) {
      if (comparison.kind === 'located') continue;
      for (const attribute of attributesOf(comparison)) {
        const label = attribute.path[0] as Name;
        if (attribute.path.length < 2 || !bound.has(label.text)) continue;
        if (text[label.span.start] === '`') continue;
        found.push({ attribute, label, comparison, pattern });
      }
    }
  }
  return found;
}
