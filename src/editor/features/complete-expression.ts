import { CompletionItemKind } from 'vscode-languageserver/node';
import {
  continuation,
  FORMS,
  FUNCTIONS,
  lex,
  type Token,
  type Tree,
} from '../../expression/index.js';
import type { EmbeddedSource, Span } from '../../source/index.js';
import { type ExpressionPlace, expressionSites, namesIn } from '../expressions.js';
import type { Snapshot } from '../snapshot.js';
import { covers } from '../text/places.js';
import type { View } from '../view.js';
import {
  type RecordedPlace,
  suggestRecordedAttributes,
  suggestRecordedEvents,
  suggestRecordedProbes,
  suggestRecordedTexts,
} from './recorded.js';
import { nameSuggestion, type Suggestion, type Suggestions } from './suggestions.js';

/** Returns the suggestions at an offset within an expression: keywords, labels, functions, attributes. */
export function completeExpression(
  { snapshot, recorded }: View,
  { path, source, tree }: ExpressionPlace,
  offset: number,
): Suggestions | undefined {
  const { text } = source;
  const expressionOffset = source.fromFile(offset);
  const surrounding = source.toFile({
    start: expressionOffset,
    end: Math.min(expressionOffset + 1, text.length),
  });
  const isInEscape = surrounding.start < offset && offset < surrounding.end;
  if (isInEscape) return undefined;
  const { tokens, comments } = lex(text);
  if (comments.some(({ start, end }) => start < expressionOffset && expressionOffset <= end))
    return undefined;
  const touchedToken = tokens.find(
    ({ start, end }) => start < expressionOffset && expressionOffset <= end,
  );
  const word =
    touchedToken !== undefined && /^[\w`-]/.test(touchedToken.image) ? touchedToken : undefined;
  const recordedAt = (before: readonly Token[]): RecordedPlace | undefined => {
    const clause = clauseOf(before)?.type ?? 'MATCH';
    return recorded && { recorded, tree, before, clause };
  };
  if (touchedToken?.type === 'string' && expressionOffset < touchedToken.end) {
    const place = recordedAt(tokens.filter(({ end }) => end <= touchedToken.start));
    const values = comparedValues(snapshot, tokens, touchedToken, place);
    return values && toSuggestions(source.toFile(touchedToken), values);
  }
  const before = tokens.filter(({ end }) => end <= (word?.start ?? expressionOffset));
  const start = word?.start ?? expressionOffset;
  const context = { text: text.slice(0, start), before, isCheck: path.at(-1) === 'check' };
  const candidates = candidatesAfter(snapshot, tree, context, recordedAt(before));
  if (word === undefined) return toSuggestions({ start: offset, end: offset }, candidates);
  return toSuggestions(source.toFile({ start: word.start, end: expressionOffset }), candidates);

  /**
   * Limits suggestions to the word at the cursor and its line, as the protocol requires. Returns undefined for a word
   * split by a line-ending backslash.
   */
  function toSuggestions(span: Span, all: readonly Suggestion[]): Suggestions | undefined {
    const { text } = source.file;
    const isOnLine = covers(span, offset) && !text.slice(span.start, span.end).includes('\n');
    return isOnLine ? { replaces: span, all: escapeSuggestions(source, all) } : undefined;
  }
}

/** Returns the suggestions that the string can represent, with its escape sequences. */
function escapeSuggestions(
  source: EmbeddedSource,
  candidates: readonly Suggestion[],
): Suggestion[] {
  return candidates.flatMap((candidate) => {
    const text = source.write(candidate.text ?? candidate.label);
    return text === undefined ? [] : [{ ...candidate, text }];
  });
}

const CLAUSES = ['MATCH', 'WHEN', 'FILTER', 'AGGREGATE'];

/** Returns the last clause keyword among the tokens; undefined in a bare condition. */
function clauseOf(before: readonly Token[]): Token | undefined {
  return before.findLast(({ type }) => CLAUSES.includes(type));
}

/** The expression up to the word at the cursor. */
interface CompletionContext {
  readonly text: string;
  readonly before: readonly Token[];
  /** True for a `check`, which cannot be a bare condition. */
  readonly isCheck: boolean;
}

function candidatesAfter(
  snapshot: Snapshot,
  tree: Tree,
  context: CompletionContext,
  place: RecordedPlace | undefined,
): readonly Suggestion[] {
  const { before, isCheck } = context;
  const lastToken = before.at(-1);
  const clause = clauseOf(before)?.type ?? 'MATCH';
  if (lastToken === undefined && isCheck) return [keyword('MATCH')];
  if (lastToken?.type === 'AS') return [];
  if (lastToken?.type === '@') {
    return [...(place ? suggestRecordedProbes(place) : []), ...usedNames(snapshot, 'probe')];
  }
  if (lastToken?.type === '.') {
    const isOfSession = before.at(-2)?.image === 'session';
    if (isOfSession) return ['start', 'end'].map(attribute);
    return place ? suggestRecordedAttributes(place) : usedNames(snapshot, 'attribute');
  }
  const { words, name, call } = continuationAfter(context);
  // Sorts continuations of the current clause before keywords that start the next clause.
  const isClause = (word: string) => Number(CLAUSES.includes(word));
  const orderedWords = words.toSorted((a, b) => isClause(a) - isClause(b));
  const isCompared = lastToken?.type === 'comparator' && clause !== 'WHEN';
  const mayBeValue = isCompared || lastToken?.type === '(' || lastToken?.type === ',';
  return [
    ...(call ? functions() : name ? names() : []),
    ...(isCompared ? (comparedValues(snapshot, before, lastToken, place) ?? []) : []),
    ...orderedWords.flatMap((word) => {
      const isTaken = CLAUSES.includes(word) && before.some(({ type }) => type === word);
      if (isTaken) return [];
      if (CALL_KEYWORDS.has(word)) return callSuggestion(word.toLowerCase());
      const isTruth = word === 'TRUE' || word === 'FALSE';
      if (!isTruth) return keyword(word);
      return mayBeValue ? keyword(word.toLowerCase()) : [];
    }),
  ];

  function names(): readonly Suggestion[] {
    const labels = namesIn(tree).filter(({ declares }) => declares);
    const labelNames = labels.map(({ text }) => nameSuggestion(text, CompletionItemKind.Variable));
    const isKey = before.findLast(({ type }) => /^(?:AGGREGATE|BY)$/.test(type))?.type === 'BY';
    if (clause === 'WHEN' || isKey) return labelNames;
    if (clause !== 'MATCH') {
      return [...labelNames, nameSuggestion('session', CompletionItemKind.Variable)];
    }
    const recorded = place
      ? [...suggestRecordedAttributes(place), ...suggestRecordedEvents(place)]
      : [];
    return [...recorded, ...usedNames(snapshot, 'attribute')];
  }
}

/** A minimal prefix for each clause, for parsing only the clause's last part. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  MATCH: 'MATCH (',
  WHEN: 'WHEN',
  FILTER: 'FILTER',
  AGGREGATE: 'AGGREGATE',
};

/** Returns the tokens that the grammar allows next, despite errors in other clauses or elsewhere in this clause. */
function continuationAfter({ text, before }: CompletionContext) {
  const clause = clauseOf(before);
  const match = clause === undefined || clause.type === 'MATCH' ? '' : 'MATCH (a = 1) AS a ';
  const part = before.findLast(({ type }) => ['AND', 'OR', ','].includes(type));
  return (
    continuation(match + text.slice(clause?.start ?? 0)) ??
    continuation(`${match}${BEGINNINGS[clause?.type ?? '']} ${text.slice(part?.end ?? 0)}`) ?? {
      words: CLAUSES,
      name: true,
      call: false,
    }
  );
}

/** Keywords with function call syntax. */
const CALL_KEYWORDS = new Set(['EXISTS', 'ABS', 'LOWER', 'WINDOW']);

function attribute(label: string): Suggestion {
  return { label, kind: CompletionItemKind.Property };
}

/** Returns the suggestion for a keyword with function call syntax. */
function callSuggestion(label: string): Suggestion {
  return { label, kind: CompletionItemKind.Function, text: `${label}()` };
}

function keyword(label: string): Suggestion {
  return { label, kind: CompletionItemKind.Keyword };
}

function functions(): Suggestion[] {
  return [...FUNCTIONS.keys(), ...FORMS.keys()].map(callSuggestion);
}

/** Returns the attributes or probes used in the file's expressions, after the attributes that every event has. */
function usedNames(snapshot: Snapshot, role: 'attribute' | 'probe'): Suggestion[] {
  const always = role === 'attribute' ? ['name', 'probe', 'severity', 'payload'] : [];
  const kind = role === 'attribute' ? CompletionItemKind.Property : CompletionItemKind.Module;
  const namedSites = expressionSites(snapshot)
    .flatMap(({ tree }) => namesIn(tree))
    .filter((name) => name.role === role)
    .map(({ text }) => text);
  return [...new Set([...always, ...namedSites])].map((text) => nameSuggestion(text, kind));
}

/**
 * Returns the strings recorded for the attribute before a comparator, and the strings compared with the attribute in
 * the file.
 */
function comparedValues(
  snapshot: Snapshot,
  tokens: readonly Token[],
  at: Token,
  place: RecordedPlace | undefined,
): readonly Suggestion[] | undefined {
  const recorded = place ? suggestRecordedTexts(place) : [];
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
