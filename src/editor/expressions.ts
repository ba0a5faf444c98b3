import {
  type Attribute,
  type Call,
  type Located,
  type Name,
  type Tree,
  visit,
} from '../expression/index.js';
import type { EmbeddedSource, Span } from '../source/index.js';
import { delimiterAt, type TomlPath } from '../toml/index.js';
import type { Snapshot } from './snapshot.js';
import { covers } from './text/places.js';

/** A string with a trace expression in an objective. */
export interface ExpressionPlace {
  readonly path: TomlPath;
  /** The string in the file, quotes included. */
  readonly span: Span;
  readonly source: EmbeddedSource;
  /** The tree of the parsable parts. */
  readonly tree: Tree;
}

const cache = new WeakMap<Snapshot, readonly ExpressionPlace[]>();

/** Returns a snapshot's trace expressions, in no particular order. Only objectives contain expressions. */
export function expressionSites(snapshot: Snapshot): readonly ExpressionPlace[] {
  const cached = cache.get(snapshot);
  if (cached !== undefined) return cached;
  const { kind, document, expressions } = snapshot;
  if (kind !== 'objective' || document === undefined) return [];
  const sites = Array.from(expressions, ([{ path }, { tree }]) => ({
    path,
    span: document.valueSpan(path),
    source: document.embed(path),
    tree,
  }));
  cache.set(snapshot, sites);
  return sites;
}

/** Returns the expression whose string contains an offset, quotes excluded. */
export function expressionAt(snapshot: Snapshot, offset: number): ExpressionPlace | undefined {
  return expressionSites(snapshot).find(({ span, source }) => {
    const start = source.toFile({ start: 0, end: 0 }).start;
    const quotes = delimiterAt(source.file.text, span.start).length;
    return offset >= Math.min(start, span.start + quotes) && offset <= span.end - quotes;
  });
}

/** Returns the name at a file offset in an expression, including a name that ends at the offset. */
export function nameAt(
  { source, tree }: ExpressionPlace,
  offset: number,
): ExpressionName | undefined {
  const inner = source.fromFile(offset);
  return namesIn(tree).find(
    ({ span }) => covers(span, inner) && covers(source.toFile(span), offset),
  );
}

type NameRole = 'label' | 'attribute' | 'function' | 'event' | 'probe';

/** A name in an expression. Spans are in the expression's text. */
export interface ExpressionName {
  readonly role: NameRole;
  readonly span: Span;
  /** The name itself, without quotes. */
  readonly text: string;
  readonly declares?: true;
}

/** Returns an expression's names, sorted by start. For a malformed expression, returns the names of the parsed part. */
export function namesIn({
  bare,
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
  // Only in MATCH do attributes need no label, because a pattern tests a single event.
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
    call({ name, label }: Call) {
      add('function', name);
      if (label !== undefined) add('label', label);
    },
  });
  // The label of a bare condition is not in the text.
  for (const { span, text } of bare ? [] : labels)
    names.push({ role: 'label', span, text, declares: true });
  for (const { condition } of match?.patterns ?? []) {
    visit(condition, visitorFor('attribute'));
  }
  for (const { labels } of when?.relations ?? []) for (const label of labels) add('label', label);
  if (filter !== undefined) visit(filter, visitorFor('label'));
  if (aggregate !== undefined) visit(aggregate, visitorFor('label'));
  for (const key of aggregate?.by?.keys ?? []) if (key.kind === 'name') add('label', key);
  return names.sort((a, b) => a.span.start - b.span.start);
}
