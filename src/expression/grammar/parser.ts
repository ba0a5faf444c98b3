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

/* The only parser, built for the first expression. */

let grammar: TraceGrammar | undefined;

/** The productions that parse parts of an expression for a diagnosis. */
export type StartProduction = 'pattern' | 'relation' | 'condition' | 'requirement' | 'by';

export type TreeOf<P extends StartProduction> = ReturnType<TraceGrammar[P]>;

/** The reason why a production could not parse tokens. */
export interface ParseFailure {
  /** The index of the unexpected token, or the number of tokens at the end. */
  readonly index: number;
  /** The productions being parsed, outermost first; empty if the tree is complete but tokens remain. */
  readonly rules: readonly string[];
  /** The token that the innermost production requires at `index`; undefined if there are several. */
  readonly expected: TokenName | undefined;
}

type Parsed<P extends StartProduction> =
  | { readonly tree: TreeOf<P>; readonly failure: undefined }
  /** A failure. The tree is present if it is complete but tokens remain. */
  | { readonly tree: TreeOf<P> | undefined; readonly failure: ParseFailure };

/** Parses tokens as an expression. Returns undefined on a syntax error, which `parseTokens` explains. */
export function parseExpression(input: readonly IToken[]): Expression | undefined {
  const parser = parserOf(input);
  const tree = parser.expression();
  return parser.errors.length === 0 ? tree : undefined;
}

/** Parses tokens by a production. Returns the tree, or the reason for the failure. */
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
  // A rule's required token comes after its optional tokens, so it is the last.
  return { index, rules, expected: tokensOf(rule, grammar).findLast(isAccepted) };
}

/** Returns the tokens that a rule consumes directly, without its subrules. */
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
 * True if a production accepts a token after other tokens. Does not use Chevrotain's content
 * assist, which takes ten times as long as a parse, and fails for two productions with the same
 * beginning.
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
  /**
   * The language's words that may follow, in capitals. Omits an unreserved word where the word
   * would be a name.
   */
  readonly words: readonly string[];
  /** True if a name may follow. `call` is true if a call may follow. */
  readonly name: boolean;
  readonly call: boolean;
}

/** The token sequences that distinguish a word from a name. By default, a parenthesis. */
const FOLLOWED_BY: Partial<Record<TokenName, readonly (readonly TokenName[])[]>> = {
  NOT: [['('], ['IN', '('], ['GLOB']],
  NEXT: [['identifier']],
  WITHIN: [['duration']],
  GLOB: [['string']],
  BY: [['identifier']],
  HAVING: [['number']],
  FOR: [['number', '%']],
};

/** Returns the possible continuations of tokens; undefined if the tokens do not begin an expression. */
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
