import {
  type Alternation,
  EOF,
  type IProduction,
  type IRecognitionException,
  type IToken,
  NonTerminal,
  Terminal,
} from 'chevrotain';
import { keywords, type TokenName, typeOf, words } from '../lexer/lexer.js';
import type { Expression } from '../tree/ast.js';
import { TraceGrammar } from './grammar.js';

/* The only parser, built when the first expression is parsed. */

let grammar: TraceGrammar | undefined;

/** The productions that parse a part of an expression for a diagnosis. */
export type StartProduction = 'pattern' | 'relation' | 'condition' | 'requirement' | 'by';

export type TreeOf<P extends StartProduction> = ReturnType<TraceGrammar[P]>;

/** The reason why a production could not parse tokens. */
export interface ParseFailure {
  /** The index of the unexpected token, or the number of tokens. */
  readonly index: number;
  /** The productions that were being parsed, outermost first; none if tokens are left over. */
  readonly rules: readonly string[];
  /** The only token that the innermost production accepts there, if there is just one. */
  readonly expected: TokenName | undefined;
}

type Parsed<P extends StartProduction> =
  | { readonly tree: TreeOf<P>; readonly failure: undefined }
  /** The tree is present if it was parsed and tokens are left over. */
  | { readonly tree: TreeOf<P> | undefined; readonly failure: ParseFailure };

/** Parses tokens as an expression; returns undefined if they are none. `parseTokens` gives the reason. */
export function parseExpression(input: readonly IToken[]): Expression | undefined {
  const parser = parserOf(input);
  const tree = parser.expression();
  return parser.errors.length === 0 ? tree : undefined;
}

/** Parses tokens by a production. */
export function parseTokens<P extends StartProduction>(
  production: P,
  input: readonly IToken[],
): Parsed<P> {
  const parser = parserOf(input);
  const tree = parser[production]() as TreeOf<P>;
  const [error] = parser.errors;
  if (error === undefined) return { tree, failure: undefined };
  return { tree, failure: failureOf(error, production, input, parser) };
}

function parserOf(input: readonly IToken[]): TraceGrammar {
  grammar ??= new TraceGrammar();
  grammar.setTokens(input);
  return grammar;
}

function failureOf(
  { name, token, context }: IRecognitionException,
  production: StartProduction,
  input: readonly IToken[],
  grammar: TraceGrammar,
): ParseFailure {
  const index = token.tokenType === EOF ? input.length : input.indexOf(token);
  if (name === 'NotAllInputParsedException') return { index, rules: [], expected: undefined };
  const rules = context.ruleStack;
  if (name !== 'MismatchedTokenException') return { index, rules, expected: undefined };
  const rule = rules.at(-1) as string;
  const isAccepted = (name: TokenName) => readsOn(production, input.slice(0, index), name, grammar);
  // A rule's optional tokens come before its required one, which is therefore the last.
  return { index, rules, expected: tokensOf(rule, grammar).findLast(isAccepted) };
}

/** Returns the tokens that a rule consumes itself. */
function tokensOf(rule: string, grammar: TraceGrammar): TokenName[] {
  const parts = grammar.getGAstProductions()[rule]?.definition ?? [];
  const tokensInParts = (parts: readonly IProduction[]): TokenName[] =>
    parts.flatMap((part) => {
      if (part instanceof Terminal) return part.terminalType.name as TokenName;
      const { definition } = part as Partial<Alternation>;
      return part instanceof NonTerminal || definition === undefined
        ? []
        : tokensInParts(definition);
    });
  return tokensInParts(parts);
}

/**
 * True if a token may follow tokens that a production accepts. Chevrotain's content assist decides
 * this too, but takes ten times as long as parsing them all, and fails for two productions with the
 * same beginning.
 */
function readsOn(
  production: StartProduction,
  precedingTokens: readonly IToken[],
  name: TokenName,
  grammar: TraceGrammar,
): boolean {
  const next = tokenNamed(name);
  grammar.setTokens([...precedingTokens, next]);
  grammar[production]();
  return grammar.errors[0]?.token !== next;
}

/** The possible continuations of the beginning of an expression. */
export interface Continuation {
  /** Words of the language, in capitals; a word that is not reserved only where it is not a name. */
  readonly words: readonly string[];
  /** True if a name, or a call, may follow. */
  readonly name: boolean;
  readonly call: boolean;
}

/** The tokens that distinguish a word from a name; a parenthesis by default. */
const FOLLOWED_BY: Partial<Record<TokenName, readonly (readonly TokenName[])[]>> = {
  NOT: [['('], ['IN', '('], ['GLOB']],
  NEXT: [['identifier']],
  WITHIN: [['duration']],
  GLOB: [['string']],
  BY: [['identifier']],
  HAVING: [['number']],
  FOR: [['number', '%']],
};

/** Returns the possible continuations of tokens; undefined if they do not begin an expression. */
export function continuationOf(precedingTokens: readonly IToken[]): Continuation | undefined {
  const mayFollow = (...names: readonly TokenName[]): boolean => {
    const parser = parserOf([...precedingTokens, ...names.map(tokenNamed)]);
    parser.expression();
    return parser.errors.every(({ token }) => token.tokenType === EOF);
  };
  const isWord = (word: TokenName): boolean =>
    (FOLLOWED_BY[word] ?? [['(']]).some(
      (continuation) =>
        mayFollow(word, ...continuation) && !mayFollow('identifier', ...continuation),
    );
  if (!mayFollow()) return undefined;
  const reserved = keywords.map(({ name }) => name).filter((word) => mayFollow(word));
  return {
    words: [...reserved, ...words.map(({ name }) => name).filter(isWord)],
    name: mayFollow('identifier'),
    call: mayFollow('identifier', '('),
  };
}

function tokenNamed(name: TokenName): IToken {
  return { image: '', startOffset: 0, ...typeOf(name) };
}
