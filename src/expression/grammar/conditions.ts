import { EmbeddedActionsParser, type IToken, type TokenType } from 'chevrotain';
import type { Span } from '../../source/index.js';
import {
  ABS,
  AND,
  AnyLiteral,
  AnyName,
  AtSign,
  CloseParenthesis,
  Comma,
  ComparisonSign,
  Dot,
  EXISTS,
  FactorSign,
  GLOB,
  IN,
  LOWER,
  NOT,
  OpenParenthesis,
  OR,
  QuotedString,
  Sign,
} from '../lexer/lexer.js';
import type * as ast from '../tree/ast.js';
import {
  arithmeticNode,
  closingPositions,
  literalOf,
  logicalNode,
  nameOf,
  spanOf,
} from './nodes.js';

/** The productions for conditions and operands, used in patterns, FILTER and `share`. */
export abstract class ConditionGrammar extends EmbeddedActionsParser {
  #tokens: readonly IToken[] = [];
  #closings: ReadonlyMap<IToken, number> | undefined;

  /** Sets the tokens to parse. */
  setTokens(tokens: readonly IToken[]): void {
    this.#tokens = tokens;
    this.#closings = undefined;
    this.input = tokens as IToken[];
  }

  readonly condition = this.RULE('condition', () =>
    this.logical<ast.Condition>('or', () =>
      this.logical<ast.Condition>('and', () => this.SUBRULE(this.primary)),
    ),
  );

  readonly primary = this.RULE('primary', (): ast.Condition => {
    const start = this.start();
    const not = this.OPTION({
      GATE: () => this.isNegation(),
      DEF: () => spanOf(this.CONSUME(NOT)),
    });
    const operand = this.OR<ast.Condition>([
      {
        GATE: () => this.opensGroup(),
        ALT: () => this.enclosed(() => this.SUBRULE(this.condition)),
      },
      { GATE: () => this.isCall(EXISTS), ALT: () => this.SUBRULE(this.existence) },
      { GATE: () => this.isLocated(), ALT: () => this.SUBRULE(this.located) },
      { ALT: () => this.SUBRULE(this.comparison) },
    ]);
    if (not === undefined) return operand;
    return { kind: 'not', span: this.since(start), operand, signSpan: not };
  });

  readonly existence = this.RULE('existence', (): ast.Exists => {
    const start = this.start();
    this.CONSUME(EXISTS);
    const attribute = this.enclosed(() => this.SUBRULE(this.attribute));
    return { kind: 'exists', span: this.since(start), attribute };
  });

  readonly located = this.RULE('located', (): ast.Located => {
    const start = this.start();
    const event = this.SUBRULE(this.place);
    this.CONSUME(AtSign);
    const probe = this.SUBRULE2(this.place);
    return { kind: 'located', span: this.since(start), event, probe };
  });

  readonly place = this.RULE(
    'place',
    (): ast.Name =>
      this.OR([
        { ALT: () => nameOf(this.CONSUME(AnyName)) },
        { ALT: () => nameOf(this.CONSUME(QuotedString)) },
      ]),
  );

  readonly comparison = this.RULE('comparison', (): ast.Condition => {
    const start = this.start();
    const leftOperand = this.SUBRULE(this.operand);
    return this.OR<ast.Condition>([
      {
        ALT: () => {
          const comparator = this.CONSUME(ComparisonSign).image as ast.Comparator;
          const right = this.SUBRULE2(this.operand);
          return {
            kind: 'comparison',
            span: this.since(start),
            left: leftOperand,
            comparator,
            right,
          };
        },
      },
      {
        ALT: () => {
          const not = this.OPTION(() => spanOf(this.CONSUME(NOT)));
          const operand = this.OR2<ast.Condition>([
            { ALT: () => this.isOneOf(leftOperand, start) },
            { ALT: () => this.isLike(leftOperand, start) },
          ]);
          if (not === undefined) return operand;
          return { kind: 'not', span: this.since(start), operand, signSpan: not };
        },
      },
    ]);
  });

  /** Parses IN and its values, for the production `comparison`. */
  private isOneOf(operand: ast.Operand, start: number): ast.In {
    const signSpan = spanOf(this.CONSUME(IN));
    const values = this.SUBRULE(this.values);
    return { kind: 'in', span: this.since(start), operand, values, signSpan };
  }

  readonly values = this.RULE('values', () =>
    this.enclosed(() => this.separated(Comma, () => literalOf(this.CONSUME(AnyLiteral)))),
  );

  /** Parses GLOB and its pattern, for the production `comparison`. */
  private isLike(operand: ast.Operand, start: number): ast.Glob {
    const signSpan = spanOf(this.CONSUME(GLOB));
    const pattern = literalOf(this.CONSUME(QuotedString)) as ast.StringLiteral;
    return { kind: 'glob', span: this.since(start), operand, pattern, signSpan };
  }

  readonly operand = this.RULE('operand', () =>
    this.arithmetic((): ast.Operand => this.SUBRULE(this.factor)),
  );

  readonly factor = this.RULE(
    'factor',
    (): ast.Operand =>
      this.OR<ast.Operand>([
        { ALT: () => literalOf(this.CONSUME(AnyLiteral)) },
        { ALT: () => this.enclosed(() => this.SUBRULE(this.operand)) },
        {
          GATE: () => this.isCall(ABS) || this.isCall(LOWER),
          ALT: () => this.SUBRULE(this.operandCall),
        },
        { ALT: () => this.SUBRULE(this.attribute) },
      ]),
  );

  readonly operandCall = this.RULE('operandCall', (): ast.OperandCall => {
    const start = this.start();
    const kind = this.OR<ast.OperandCall['kind']>([
      { ALT: () => this.CONSUME(ABS) && 'abs' },
      { ALT: () => this.CONSUME(LOWER) && 'lower' },
    ]);
    const operand = this.enclosed(() => this.SUBRULE(this.operand));
    return { kind, span: this.since(start), operand };
  });

  readonly attribute = this.RULE('attribute', (): ast.Attribute => {
    const start = this.start();
    const path = this.separated(Dot, () => nameOf(this.CONSUME(AnyName)));
    const probe = this.OPTION(() => {
      this.CONSUME(AtSign);
      return this.SUBRULE(this.place);
    });
    return { kind: 'attribute', span: this.since(start), path, probe };
  });

  /** True if the word and an opening parenthesis follow. Without the parenthesis, the word is a name. */
  protected isCall(word: TokenType): boolean {
    return this.LA(1).tokenType === word && this.LA(2).tokenType === OpenParenthesis;
  }

  /** True if NOT is the operator. Before a token that can only follow an attribute, NOT is a name. */
  private isNegation(): boolean {
    const { tokenType } = this.LA(2);
    if (tokenType === IN) return this.LA(3).tokenType !== OpenParenthesis;
    return !AFTER_ATTRIBUTE.has(tokenType);
  }

  /** True if a parenthesis opens a condition or a requirement, not an operand or a term. */
  protected opensGroup(): boolean {
    return this.LA(1).tokenType === OpenParenthesis && !this.opensOperand();
  }

  /** True if a parenthesis opens an operand or a term. */
  private opensOperand(): boolean {
    this.#closings ??= closingPositions(this.#tokens);
    const index = this.#closings.get(this.LA(1));
    return index !== undefined && this.followsOperand(this.#tokens[index], this.#tokens[index + 1]);
  }

  private followsOperand(token: IToken | undefined, nextToken: IToken | undefined): boolean {
    if (token?.tokenType === NOT)
      return nextToken?.tokenType === IN || nextToken?.tokenType === GLOB;
    return token !== undefined && AFTER_OPERAND.has(token.tokenType);
  }

  /** True if `place @ place` follows and does not begin a comparison. */
  private isLocated(): boolean {
    if (this.LA(2).tokenType !== AtSign) return false;
    if (this.LA(1).tokenType === QuotedString) return true;
    return !this.followsOperand(this.LA(4), this.LA(5));
  }

  /** Parses parts separated by AND or OR. Returns a single part unchanged. */
  protected logical<Part extends ast.Condition | ast.Requirement>(
    kind: Extract<Part, { readonly operands: unknown }>['kind'],
    readPart: () => Part,
  ): Part {
    const start = this.start();
    const isAnd = kind === 'and' || kind === 'all';
    const parts = this.separated(isAnd ? AND : OR, readPart, isAnd);
    if (parts.length === 1) return parts[0] as Part;
    return this.ACTION(() => logicalNode<Part>(kind, parts, this.since(start)));
  }

  /** Parses a sum of products. Returns a single part unchanged. */
  protected arithmetic<Part extends ast.Operand | ast.Term>(readPart: () => Part): Part {
    return this.signed('sum', () => this.signed('product', readPart));
  }

  private signed<Part extends ast.Operand | ast.Term>(
    kind: 'sum' | 'product',
    readPart: () => Part,
  ): Part {
    const start = this.start();
    // The token before the first part is not a sign of this sum or product.
    const signs: IToken[] = [];
    const nextToken = () => {
      signs.push(this.LA(0));
      return readPart();
    };
    const parts = this.separated(kind === 'sum' ? Sign : FactorSign, nextToken, kind === 'product');
    if (parts.length === 1) return parts[0] as Part;
    return this.ACTION(
      () => arithmeticNode(kind, parts, signs, this.since(start)) as unknown as Part,
    );
  }

  /**
   * Parses one or more parts with a separator between them. Chevrotain needs different methods for
   * a nested list and its outer list.
   */
  protected separated<Part>(separator: TokenType, readPart: () => Part, isNested = false): Part[] {
    const parts: Part[] = [];
    const repetition = { SEP: separator, DEF: () => parts.push(readPart()) };
    if (isNested) this.AT_LEAST_ONE_SEP2(repetition);
    else this.AT_LEAST_ONE_SEP(repetition);
    return parts;
  }

  /** Parses the text in parentheses. */
  protected enclosed<Part>(readPart: () => Part): Part {
    this.CONSUME(OpenParenthesis);
    const part = readPart();
    this.CONSUME(CloseParenthesis);
    return part;
  }

  /** Returns the start of the next token. */
  protected start(): number {
    return this.LA(1).startOffset;
  }

  /** Returns the span from `start` to the end of the last parsed token. */
  protected since(start: number): Span {
    const { startOffset, image } = this.LA(0);
    return { start, end: startOffset + image.length };
  }
}

/** The tokens that can follow an operand in a condition. */
const AFTER_OPERAND = new Set<TokenType>([ComparisonSign, Sign, FactorSign, IN, GLOB]);
/** The tokens that can follow an attribute, but not NOT. */
const AFTER_ATTRIBUTE = new Set<TokenType>([ComparisonSign, Sign, FactorSign, Dot, AtSign]);
