import type { Span } from '../source/index.js';
import type { Token, TokenType } from './tokens.js';

/** What was being read where reading stopped; `end` when all was, and more follows. */
export type Part =
  | 'pattern'
  | 'label'
  | 'causal'
  | 'chain'
  | 'condition'
  | 'operand'
  | 'attribute'
  | 'probe'
  | 'comparator'
  | 'term'
  | 'call'
  | 'end';

/** Where and why reading stopped. Thrown inside the parser; not an Error, as no stack is wanted. */
export class Stopped {
  /** The index of the token that does not fit; the number of tokens at their end. */
  readonly index: number;
  readonly part: Part;
  /** The one token that would have fitted, where there is only one. */
  readonly expected: TokenType | undefined;

  constructor(index: number, part: Part, expected?: TokenType) {
    this.index = index;
    this.part = part;
    this.expected = expected;
  }
}

/** The tokens before the parser, and how far it has read. */
export class TokenReader {
  /** The type of the next token; undefined behind the last. */
  type: TokenType | undefined;
  readonly #tokens: readonly Token[];
  #index = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
    this.type = tokens[0]?.type;
  }

  /** The type of a token after the next one. */
  peek(ahead: number): TokenType | undefined {
    return this.#tokens[this.#index + ahead]?.type;
  }

  /** Reads the next token, which is known to be there. */
  next(): Token {
    const token = this.#tokens[this.#index] as Token;
    this.#index += 1;
    this.type = this.#tokens[this.#index]?.type;
    return token;
  }

  /** Reads the next token if it is of this type. */
  take(type: TokenType): boolean {
    if (this.type !== type) return false;
    this.next();
    return true;
  }

  /** Reads the next token, which must be of this type. */
  expect(type: TokenType, part: Part): Token {
    return this.type === type ? this.next() : this.stop(part, type);
  }

  stop(part: Part, expected?: TokenType): never {
    throw new Stopped(this.#index, part, expected);
  }

  /** Where the next token begins. */
  start(): number {
    return this.#tokens[this.#index]?.start ?? 0;
  }

  /** From `start` to the end of the last token that was read. */
  since(start: number): Span {
    return { start, end: (this.#tokens[this.#index - 1] as Token).end };
  }
}
