import {
  type SemanticTokens,
  SemanticTokensBuilder,
  type SemanticTokensRangeParams,
} from 'vscode-languageserver/node';
import { lex, type Tree } from '../../expression/index.js';
import type { Span } from '../../source/index.js';
import { expressionSites, namesIn } from '../expressions.js';
import { toRange, toSpan } from '../text/places.js';
import { TOKEN_TYPES, type TokenType } from '../text/token-types.js';
import { forDocument, type View } from '../view.js';

const OF_ROLE = {
  label: 'variable',
  attribute: 'property',
  function: 'function',
  event: 'enumMember',
  probe: 'namespace',
} as const;

interface Coloured {
  readonly span: Span;
  readonly type: TokenType;
  readonly declares: boolean;
}

export const semanticTokens = forDocument((view: View) => coloursOf(view));

export const semanticTokensIn = forDocument((view: View, { range }: SemanticTokensRangeParams) =>
  coloursOf(view, toSpan(view.snapshot.file, range)),
);

function coloursOf(view: View, within?: Span): SemanticTokens {
  const { snapshot } = view;
  const { file } = snapshot;
  const coloured = expressionSites(snapshot)
    .filter(({ span }) => !within || (span.start < within.end && span.end > within.start))
    .flatMap(({ source, tree }) =>
      tokensOf(source.text, tree).map(({ span, ...token }) => ({
        span: source.toFile(span),
        ...token,
      })),
    )
    .sort((a, b) => a.span.start - b.span.start);
  const builder = new SemanticTokensBuilder();
  for (const { span, type, declares } of coloured) {
    for (const line of linesOf(file.text, span)) {
      const { start, end } = toRange(file, line);
      const length = end.character - start.character;
      const modifiers = declares ? 1 : 0;
      builder.push(start.line, start.character, length, TOKEN_TYPES.indexOf(type), modifiers);
    }
  }
  return builder.build();
}

function tokensOf(text: string, tree: Tree): Coloured[] {
  const { tokens, comments } = lex(text);
  const names = new Map(namesIn(tree).map((name) => [name.span.start, name]));
  const coloured: Coloured[] = comments.map((span) => ({ span, type: 'comment', declares: false }));
  for (const { type, start, end } of tokens) {
    const name = names.get(start);
    const colour = name === undefined ? colourOf(type) : OF_ROLE[name.role];
    if (colour === undefined) continue;
    coloured.push({ span: { start, end }, type: colour, declares: name?.declares === true });
  }
  return coloured;
}

const FUNCTION_WORDS = new Set(['EXISTS', 'ABS', 'LOWER', 'SHARE', 'BASELINE', 'WINDOW']);

const OPERATORS = new Set(['comparator', '->', '@', 'sign', 'factor sign', '||', '%']);

function colourOf(type: string): TokenType | undefined {
  if (FUNCTION_WORDS.has(type)) return 'function';
  if (/^[A-Z]+$/.test(type)) return 'keyword';
  if (OPERATORS.has(type)) return 'operator';
  if (type.endsWith('identifier')) return 'property';
  if (type === 'number' || type === 'duration') return 'number';
  return type === 'string' ? type : undefined;
}

/** Splits a span by line, because a protocol token cannot span lines. */
function linesOf(text: string, { start, end }: Span): readonly Span[] {
  const lines: Span[] = [];
  for (let at = start; at < end; ) {
    const next = text.indexOf('\n', at);
    const stop = next === -1 || next >= end ? end : next;
    if (stop > at) lines.push({ start: at, end: stop });
    at = stop + 1;
  }
  return lines;
}
