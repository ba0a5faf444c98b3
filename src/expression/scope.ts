import { suggest } from '../diagnostics/index.js';
import type { Attribute } from './ast.js';
import type { Tree } from './tree.js';
import type { Kind } from './values.js';

/** How attributes are written in a part of an expression: bare in a pattern, elsewhere after a label. */
export type Scope =
  | { readonly kind: 'pattern'; readonly label: string }
  | { readonly kind: 'labels'; readonly isLabel: (name: string) => boolean };

/** The scope of FILTER and AGGREGATE. Any name may be a label while MATCH is misread. */
export function labelScope({ labelsComplete }: Tree, bound: ReadonlySet<string>): Scope {
  return { kind: 'labels', isLabel: (name) => !labelsComplete || bound.has(name) };
}

/** The attribute's full path, label first; undefined when its label is missing or unknown. */
export function fullPath({ path }: Attribute, scope: Scope): readonly string[] | undefined {
  const names = path.map(({ text }) => text);
  if (scope.kind === 'pattern') return [scope.label, ...names];
  return names.length > 1 && scope.isLabel(names[0] as string) ? names : undefined;
}

/** The kind that every value of the attribute has: `name` and `probe` are strings. */
export function kindOfAttribute({ path }: Attribute, scope: Scope): Kind | undefined {
  const [first, second] = path;
  if (path.length !== (scope.kind === 'pattern' ? 1 : 2) || first === undefined) return undefined;
  const name = second ?? first;
  if (name.text !== 'name' && name.text !== 'probe') return undefined;
  return scope.kind === 'pattern' || scope.isLabel(first.text) ? 'string' : undefined;
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
