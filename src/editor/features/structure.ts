import {
  type DocumentSymbol,
  type FoldingRange,
  type SelectionRange,
  type SelectionRangeParams,
  SymbolKind,
  type TextEdit,
} from 'vscode-languageserver/node';
import { type Node, partsOf, type Tree } from '../../expression/index.js';
import { formatObjective } from '../../objective/fmt/index.js';
import type { Span } from '../../source/index.js';
import { isTable, type TomlOutline, type TomlTable, type TomlValue } from '../../toml/index.js';
import { expressionAt, expressionSites } from '../expressions.js';
import { covers, extentsBelow, toOffset } from '../text/places.js';
import { forDocument, rangeOf, type View } from '../view.js';

const KINDS: Readonly<Record<string, SymbolKind>> = {
  measurement: SymbolKind.Event,
  mutator: SymbolKind.Object,
  param_constraints: SymbolKind.Property,
  param: SymbolKind.Property,
};

/** Returns a document's tables as symbols, titled with the names in the tables. */
export const symbols = forDocument((view: View): DocumentSymbol[] => {
  const { document } = view.snapshot;
  if (document === undefined) return [];
  const outline = document.outline();
  return tablesIn(view, extentsBelow(outline), outline, document.root);
});

function tablesIn(
  view: View,
  extents: ReadonlyMap<TomlOutline, Span>,
  outline: TomlOutline,
  table: TomlTable,
): DocumentSymbol[] {
  const symbols: DocumentSymbol[] = [];
  for (const [key, node] of outline.entries ?? []) {
    const value = table[key];
    const kind = KINDS[key] ?? SymbolKind.Namespace;
    const add = (part: TomlOutline, content: TomlValue | undefined): void => {
      if (part.entries === undefined || !isTable(content)) return;
      const tableName = content['name'] ?? content['id'];
      const isNamed = typeof tableName === 'string' && tableName.trim() !== '';
      const name = isNamed ? tableName : key.trim() === '' ? JSON.stringify(key) : key;
      const range = rangeOf(view, extents.get(part) as Span);
      const selectionRange = rangeOf(view, part.value);
      const children = tablesIn(view, extents, part, content);
      symbols.push({ name, detail: key, kind, range, selectionRange, children });
    };
    if (Array.isArray(value)) {
      for (const [index, item] of (node.items ?? []).entries()) add(item, value[index]);
    } else add(node, value);
  }
  return symbols;
}

/** Returns the foldable ranges: multi-line tables and expressions. */
export const foldingRanges = forDocument((view: View): FoldingRange[] => {
  const extents = [...extentsBelow(view.snapshot.document?.outline())];
  const tables = extents.flatMap(([{ entries }, extent]) => (entries ? [extent] : []));
  return [...expressionSites(view.snapshot).map(({ span }) => span), ...tables]
    .map((span) => rangeOf(view, span))
    .filter(({ start, end }) => end.line > start.line)
    .map(({ start, end }) => ({ startLine: start.line, endLine: end.line }))
    .sort((a, b) => a.startLine - b.startLine);
});

/** Returns the ranges that enclose each position, from the innermost range to the whole document. */
export const selectionRanges = forDocument(
  (view: View, { positions }: SelectionRangeParams): SelectionRange[] =>
    positions.map((position) => selectionRangeAt(view, toOffset(view.snapshot.file, position))),
);

function selectionRangeAt(view: View, offset: number): SelectionRange {
  const { file, document } = view.snapshot;
  const spans: Span[] = [{ start: 0, end: file.text.length }];
  for (const [{ value }, extent] of extentsBelow(document?.outline())) spans.push(extent, value);
  const site = expressionAt(view.snapshot, offset);
  if (site !== undefined) {
    const innerOffset = site.source.fromFile(offset);
    const nodeSpans = nodesAt(site.tree, innerOffset);
    spans.push(...nodeSpans.map((span) => site.source.toFile(span)));
  }
  const enclosingSpans = spans
    .filter((span) => covers(span, offset))
    .sort((a, b) => b.end - b.start - (a.end - a.start));
  let range: SelectionRange | undefined;
  let last: Span | undefined;
  for (const span of enclosingSpans) {
    const nested = last === undefined || (last.start <= span.start && span.end <= last.end);
    if (!nested || (last?.start === span.start && last.end === span.end)) continue;
    range = { range: rangeOf(view, span), ...(range && { parent: range }) };
    last = span;
  }
  return range as SelectionRange;
}

/** Returns the spans of the tree's nodes that contain an offset. */
function nodesAt({ match, when, filter, aggregate }: Tree, offset: number): Span[] {
  const spans: Span[] = [];
  const enter = (node: Node): void => {
    if (!covers(node.span, offset)) return;
    spans.push(node.span);
    for (const part of partsOf(node)) enter(part);
  };
  for (const clause of [match, when, filter, aggregate]) if (clause !== undefined) enter(clause);
  return spans;
}

/** Returns the edits of `objective fmt`, or no edits if the document is incomplete. */
export const formatting = forDocument((view: View): TextEdit[] => {
  const { kind, file, blanked } = view.snapshot;
  if (kind !== 'objective' || blanked.length > 0) return [];
  const formattedText = formatObjective({ source: file, invalid: [] });
  return (formattedText?.edits ?? []).map(({ span, text }) => ({
    range: rangeOf(view, span),
    newText: text,
  }));
});
