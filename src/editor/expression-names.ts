import { type Attribute, parse, type Tree } from '../expression/index.js';
import type { Span } from '../source/index.js';

/** What a name of an expression stands for. */
export type NameRole = 'label' | 'attribute' | 'function' | 'event' | 'probe';

/** A name in an expression. Spans are in the expression's text. */
export interface ExpressionName {
  readonly role: NameRole;
  readonly span: Span;
  /** As it is meant: without quotes. */
  readonly text: string;
  /** It binds its label. */
  readonly declares?: true;
}

interface Node {
  readonly kind?: string;
  readonly [key: string]: unknown;
}

/** The names of an expression, by their start; of a broken one, those in what could be read. */
export function namesOf(text: string): readonly ExpressionName[] {
  return namesIn(parse(text).tree);
}

/** The names of a tree, by their start. */
export function namesIn(tree: Tree): readonly ExpressionName[] {
  const names: ExpressionName[] = [];
  const add = (role: NameRole, name: { readonly span: Span; readonly text: string }): void => {
    names.push({ role, span: name.span, text: name.text });
  };
  const attribute = ({ path, probe }: Attribute, hasLabel: boolean): void => {
    const labelled = hasLabel && path.length > 1;
    for (const [index, name] of path.entries()) {
      add(labelled && index === 0 ? 'label' : 'attribute', name);
    }
    if (probe !== undefined) add('probe', probe);
  };
  const visit = (value: unknown, hasLabel: boolean): void => {
    if (typeof value !== 'object' || value === null) return;
    const node = value as Node;
    if (node.kind === 'attribute') attribute(value as Attribute, hasLabel);
    else if (node.kind === 'located') {
      add('event', node['event'] as ExpressionName);
      add('probe', node['probe'] as ExpressionName);
    } else {
      if (node.kind === 'call') add('function', node['name'] as ExpressionName);
      const parts = Object.entries(node).filter(
        ([key]) => !['span', 'name', 'label'].includes(key),
      );
      for (const [, part] of parts) visit(part, hasLabel);
    }
  };
  for (const label of tree.labels) {
    names.push({ role: 'label', span: label.span, text: label.text, declares: true });
  }
  visit(
    tree.match?.patterns.map(({ condition }) => condition),
    false,
  );
  for (const { labels } of tree.when?.chains ?? []) for (const label of labels) add('label', label);
  visit(tree.filter?.condition, true);
  visit(tree.aggregate?.measures, true);
  return names.sort((a, b) => a.span.start - b.span.start);
}

/** The name that an offset is in, or touches the end of. */
export function nameAt(text: string, offset: number): ExpressionName | undefined {
  return namesOf(text).find(({ span }) => span.start <= offset && offset <= span.end);
}
