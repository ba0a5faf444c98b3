import { suggest } from '../../diagnostics/index.js';
import type { Attribute, Name } from '../tree/ast.js';
import type { Tree } from '../tree/tree.js';
import type { Kind } from './values.js';

/** How attributes are written in a part of an expression: bare in a pattern, elsewhere after a label. */
export type Scope =
  | { readonly kind: 'pattern'; readonly label: string }
  | { readonly kind: 'labels'; readonly isLabel: (name: string) => boolean };

/** The scope of FILTER and AGGREGATE. Any name may be a label while MATCH is misread. */
export function labelScope({ labelsComplete }: Tree, bound: ReadonlySet<string>): Scope {
  return { kind: 'labels', isLabel: (name) => !labelsComplete || bound.has(name) };
}

/** The kind that every value of the attribute has: `name` and `probe` are strings. */
export function kindOfAttribute({ path }: Attribute, scope: Scope): Kind | undefined {
  const pattern = scope.kind === 'pattern';
  if (path.length !== (pattern ? 1 : 2)) return undefined;
  const name = (path[path.length - 1] as Name).text;
  if (name !== 'name' && name !== 'probe') return undefined;
  return pattern || scope.isLabel((path[0] as Name).text) ? 'string' : undefined;
}

/** Longer names and more work than this are left without a suggestion: see `labelHelp`. */
const LONGEST_NAME = 64;
const MOST_WORK = 200_000;

/**
 * A function that gives the help for a name that is no label: the nearest label
 * or the list of them. The list only for very long names, and after comparing
 * `MOST_WORK` pairs, so that time stays linear.
 */
export function labelHelp(tree: Tree): (name: string) => string | undefined {
  const labels = [...new Set(tree.labels.map(({ text }) => text))];
  const list = suggest('', labels);
  let work = 0;
  return (name) => {
    if (name.length > LONGEST_NAME || work > MOST_WORK) return list;
    work += labels.length;
    return suggest(name, labels);
  };
}
