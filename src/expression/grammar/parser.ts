import { EOF, type IRecognitionException, type IToken, Lexer, type TokenType } from 'chevrotain';
import type { Span } from '../../source/index.js';
import { COMMENTS, TraceGrammar, tokens } from './grammar.js';
import { spanOf } from './nodes.js';

/* The one lexer and the one parser, built when the first expression is read. */

let lexer: Lexer | undefined;
let grammar: TraceGrammar | undefined;

/** Builds the lexer; `validate` also proves its tokens, which tests do. */
export function buildLexer(validate = false): Lexer {
  return new Lexer(tokens, {
    positionTracking: 'onlyOffset',
    recoveryEnabled: false,
    skipValidations: !validate,
    ensureOptimizations: validate,
  });
}

/** Cuts any text into tokens. What is none of the language's is a `Mistake`. */
export function lex(text: string): IToken[] {
  lexer ??= buildLexer();
  return lexer.tokenize(text).tokens;
}

/** The comments of a text: from `#` to the end of the line. */
export function comments(text: string): readonly Span[] {
  lexer ??= buildLexer();
  return lexer.tokenize(text).groups[COMMENTS]?.map(spanOf) ?? [];
}

/** The productions that read a part of an expression by themselves. */
export type Production = 'expression' | 'pattern' | 'causal' | 'condition' | 'measure';

export type TreeOf<P extends Production> = ReturnType<TraceGrammar[P]>;

/** Why tokens could not be read by a production. */
export interface ParseFailure {
  /** The index of the token that does not fit; the number of tokens at their end. */
  readonly index: number;
  /** The productions that were being read, the outermost first; none when more follows them. */
  readonly rules: readonly string[];
  /** The token that the innermost one needs there, where that is just one, and certain. */
  readonly expected: TokenType | undefined;
}

type Parsed<P extends Production> =
  | { readonly tree: TreeOf<P>; readonly failure: undefined }
  /** The tree is there when it could be read, and more follows. */
  | { readonly tree: TreeOf<P> | undefined; readonly failure: ParseFailure };

/** Reads tokens by a production. */
export function parseTokens<P extends Production>(
  production: P,
  input: readonly IToken[],
): Parsed<P> {
  grammar ??= new TraceGrammar();
  grammar.input = input as IToken[];
  const tree = grammar[production]() as TreeOf<P>;
  const [error] = grammar.errors;
  if (error === undefined) return { tree, failure: undefined };
  return { tree, failure: failureOf(error, production, input, grammar) };
}

function failureOf(
  { name, token, context }: IRecognitionException,
  production: Production,
  input: readonly IToken[],
  grammar: TraceGrammar,
): ParseFailure {
  const index = token.tokenType === EOF ? input.length : input.indexOf(token);
  if (name === 'NotAllInputParsedException') return { index, rules: [], expected: undefined };
  const rules = context.ruleStack;
  if (name !== 'MismatchedTokenException') return { index, rules, expected: undefined };
  const path = rules.join();
  const next = grammar.computeContentAssist(production, input.slice(0, index));
  const expected = next.find(({ ruleStack }) => ruleStack.join() === path)?.nextTokenType;
  return { index, rules, expected };
}
