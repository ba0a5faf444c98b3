import type { Attribute, Comparison, Name, Pattern } from '../tree/ast.js';
import { attributesIn, type Leaf } from '../tree/walk.js';

/** An attribute of a pattern that is written as if it were of the event with a label. */
export interface LabelInPattern {
  readonly attribute: Attribute;
  readonly label: Name;
  readonly comparison: Comparison;
  readonly pattern: Pattern;
}

/**
 * Adds the dotted attributes of a comparison in a pattern whose first name is a label, in text
 * order. In backquotes it is meant as an attribute.
 */
export function addLabelsInPattern(
  text: string,
  comparison: Leaf,
  pattern: Pattern,
  bound: ReadonlySet<string>,
  found: LabelInPattern[],
): void {
  if (comparison.kind === 'located') return;
  for (const side of [comparison.left, comparison.right]) {
    for (const attribute of attributesIn(side)) {
      const label = attribute.path[0] as Name;
      if (attribute.path.length < 2 || !bound.has(label.text)) continue;
      if (text[label.span.start] === '`') continue;
      found.push({ attribute, label, comparison, pattern });
    }
  }
}
