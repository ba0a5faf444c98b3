import {
  type Attribute,
  type Call,
  type Located,
  type Name,
  parse,
  type Tree,
  visit,
} from '../expression/index.js';
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

/** The names of an expression, by their start; of a broken one, those in what could be read. */
export function namesOf(text: string): readonly ExpressionName[] {
  return namesIn(parse(text).tree);
}

/** The names of a tree, by their start. */
export function namesIn({
  labels,
  match,
  when,
  filter,
  aggregate,
}: Tree): readonly ExpressionName[] {
  const names: ExpressionName[] = [];
  const add = (role: NameRole, { span, text }: Name): void => {
    names.push({ role, span, text });
  };
  // Only MATCH speaks of one event alone, whose attributes need no label.
  const visitorFor = (firstOfSeveral: NameRole) => ({
    attribute({ path, probe }: Attribute) {
      const [first, ...rest] = path;
      if (first !== undefined) add(rest.length > 0 ? firstOfSeveral : 'attribute', first);
      for (const name of rest) add('attribute', name);
      if (probe !== undefined) add('probe', probe);
    },
    located({ event, probe }: Located) {
      add('event', event);
      add('probe', probe);
    },
    call: ({ name }: Call) => add('function', name),
  });
  for (const { span, text } of labels) names.push({ role: 'label', span, text, declares: true });
  for (const { condition } of match?.patterns ?? []) {
    visit(condition, visitorFor('attribute'));
  }
  for (const chain of when?.chains ?? []) for (const label of chain.labels) add('label', label);
  if (filter !== undefined) visit(filter, visitorFor('label'));
  if (aggregate !== undefined) visit(aggregate, visitorFor('label'));
  return names.sort((a, b) => a.span.start - b.span.start);
}
