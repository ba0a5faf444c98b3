import { CompletionItemKind } from 'vscode-languageserver/node';
import { FORMS, FUNCTIONS, lex, type Token, type Tree } from '../../expression/index.js';
import type { EmbeddedSource, Span } from '../../source/index.js';
import { type ExpressionPlace, expressionSites, namesIn } from '../expressions.js';
import type { Snapshot } from '../snapshot.js';
import { covers } from '../text/places.js';
import type { View } from '../view.js';
import {
  type RecordedPlace,
  recordedAttributes,
  recordedEvents,
  recordedProbes,
  recordedTexts,
} from './recorded.js';
import { nameSuggestion, type Suggestion, type Suggestions } from './suggestions.js';

/** What fits at an offset within an expression: keywords, labels, functions, attributes. */
export function completeExpression(
  { snapshot, recorded }: View,
  { source, tree }: ExpressionPlace,
  offset: number,
): Suggestions | undefined {
  const { text } = source;
  const inner = source.fromFile(offset);
  const around = source.toFile({ start: inner, end: Math.min(inner + 1, text.length) });
  const isInEscape = around.start < offset && offset < around.end;
  if (isInEscape) return undefined;
  const { tokens, comments } = lex(text);
  if (comments.some(({ start, end }) => start < inner && inner <= end)) return undefined;
  const touched = tokens.find(({ start, end }) => start < inner && inner <= end);
  const word = touched !== undefined && /^[\w`-]/.test(touched.image) ? touched : undefined;
  const known = (before: readonly Token[]): RecordedPlace | undefined => {
    const clause = clauseOf(before);
    return recorded && clause ? { recorded, tree, before, clause } : undefined;
  };
  if (touched?.type === 'string' && inner < touched.end) {
    const place = known(tokens.filter(({ end }) => end <= touched.start));
    const values = valuesBefore(snapshot, tokens, touched, place);
    return values && replacing(source.toFile(touched), values);
  }
  const before = tokens.filter(({ end }) => end <= (word?.start ?? inner));
  const candidates = candidatesAfter(snapshot, tree, before, known(before));
  if (word === undefined) return replacing({ start: offset, end: offset }, candidates);
  return replacing(source.toFile({ start: word.start, end: inner }), candidates);

  /** Around the cursor and on its line, as the protocol asks; a line-ending backslash is neither. */
  function replacing(span: Span, all: readonly Suggestion[]): Suggestions | undefined {
    const { text } = source.file;
    const isOnLine = covers(span, offset) && !text.slice(span.start, span.end).includes('\n');
    return isOnLine ? { replaces: span, all: written(source, all) } : undefined;
  }
}

/** The candidates that the string can hold, as it holds them. */
function written(source: EmbeddedSource, candidates: readonly Suggestion[]): Suggestion[] {
  return candidates.flatMap((candidate) => {
    const text = source.write(candidate.text ?? candidate.label);
    return text === undefined ? [] : [{ ...candidate, text }];
  });
}

const CLAUSES = ['MATCH', 'WHEN', 'FILTER', 'AGGREGATE'];

function clauseOf(before: readonly Token[]): string | undefined {
  return before.findLast(({ type }) => CLAUSES.includes(type))?.type;
}

function candidatesAfter(
  snapshot: Snapshot,
  tree: Tree,
  before: readonly Token[],
  place: RecordedPlace | undefined,
): readonly Suggestion[] {
  const last = before.at(-1);
  const clause = clauseOf(before);
  const labels = namesIn(tree).filter(({ declares }) => declares);
  const labelNames = labels.map(({ text }) => nameSuggestion(text, CompletionItemKind.Variable));
  const otherClauses = CLAUSES.filter((one) => !before.some(({ type }) => type === one)).map(
    keyword,
  );
  if (last === undefined || clause === undefined) return [keyword('MATCH')];
  switch (last.type) {
    case 'MATCH':
      return [keyword('NOT')];
    case 'AS':
      return [];
    case '@':
      return [...(place ? recordedProbes(place) : []), ...seen(snapshot, 'probe')];
    case '.':
      return place ? recordedAttributes(place) : seen(snapshot, 'attribute');
    case '->':
      return [...labelNames, keyword('NEXT')];
    case 'NEXT':
    case '||':
    case 'WHEN':
      return labelNames;
    case 'BY':
      return [...labelNames, called('window')];
    case 'NOT':
    case 'IN':
    case 'GLOB':
    case 'WITHIN':
    case 'FOR':
      return last.type === 'NOT' && clause !== 'WHEN' ? startsOfConditions() : [];
    case 'AGGREGATE':
      return functions();
    case ',':
      if (clause === 'AGGREGATE') return functions();
      return clause === 'MATCH' ? [keyword('NOT')] : [];
    case '(':
    case 'FILTER':
    case 'AND':
    case 'OR':
      if (clause === 'WHEN') return labelNames;
      return startsOfConditions();
    case 'comparator':
      return clause === 'AGGREGATE'
        ? functions()
        : [
            ...(clause === 'FILTER' ? labelNames : []),
            ...(valuesBefore(snapshot, before, last, place) ?? []),
          ];
    case ')':
      if (clause === 'MATCH') return ['AS', 'AND', 'OR'].map(keyword);
      return clause === 'AGGREGATE' ? [keyword('BY'), ...otherClauses] : otherClauses;
    default:
      break;
  }
  const afterLabel = clause === 'MATCH' && before.at(-2)?.type === 'AS';
  if (afterLabel) return otherClauses;
  if (clause === 'AGGREGATE') {
    const isGrouped = before.some(({ type }) => type === 'BY');
    return [keyword(isGrouped ? 'FOR' : 'BY'), ...otherClauses];
  }
  if (clause === 'WHEN') return [...['AND', 'WITHIN'].map(keyword), ...otherClauses];
  const joins = ['AND', 'OR', ...(isName(last) ? ['IN', 'GLOB'] : [])].map(keyword);
  return clause === 'FILTER' ? [...joins, ...otherClauses] : joins;

  function startsOfConditions(): readonly Suggestion[] {
    const recorded = place ? [...recordedAttributes(place), ...recordedEvents(place)] : [];
    const names = clause === 'MATCH' ? [...recorded, ...seen(snapshot, 'attribute')] : labelNames;
    return [...names, keyword('NOT'), called('exists'), called('abs')];
  }
}

function isName({ type }: Token): boolean {
  return type === 'identifier' || type === 'quoted identifier';
}

/** A word that is written like a function. */
function called(label: string): Suggestion {
  return { label, kind: CompletionItemKind.Function, text: `${label}()` };
}

function keyword(label: string): Suggestion {
  return { label, kind: CompletionItemKind.Keyword };
}

function functions(): Suggestion[] {
  return [...FUNCTIONS.keys(), ...FORMS.keys()].map(called);
}

/** The attributes or probes that the file's expressions name, after those that every event has. */
function seen(snapshot: Snapshot, role: 'attribute' | 'probe'): Suggestion[] {
  const always = role === 'attribute' ? ['name', 'probe', 'severity', 'payload'] : [];
  const kind = role === 'attribute' ? CompletionItemKind.Property : CompletionItemKind.Module;
  const named = expressionSites(snapshot)
    .flatMap(({ tree }) => namesIn(tree))
    .filter((one) => one.role === role)
    .map(({ text }) => text);
  return [...new Set([...always, ...named])].map((text) => nameSuggestion(text, kind));
}

/** The texts that were recorded of the attribute before a comparator, and those that the file compares with it. */
function valuesBefore(
  snapshot: Snapshot,
  tokens: readonly Token[],
  at: Token,
  place: RecordedPlace | undefined,
): readonly Suggestion[] | undefined {
  const recorded = place ? recordedTexts(place) : [];
  const comparator = at.type === 'comparator' ? at : tokens.findLast(({ end }) => end <= at.start);
  if (comparator?.type !== 'comparator') return recorded.length > 0 ? recorded : undefined;
  const attribute = tokens.findLast(({ end }) => end <= comparator.start)?.image;
  const values = expressionSites(snapshot).flatMap(({ source }) => {
    const all = lex(source.text).tokens;
    return all.filter(
      (token, index) =>
        token.type === 'string' &&
        token.start !== at.start &&
        all[index - 1]?.type === 'comparator' &&
        all[index - 2]?.image === attribute,
    );
  });
  return [
    ...recorded,
    ...values.map(({ image }) => ({ label: image, kind: CompletionItemKind.Value })),
  ];
}
