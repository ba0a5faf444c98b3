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
