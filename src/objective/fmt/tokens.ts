import {
  type Condition,
  type Expression,
  FUNCTIONS,
  isJoined,
  type Requirement,
  type Token,
  visit,
} from '../../expression/index.js';
import { lastIndexAtMost, type Span } from '../../source/index.js';

/** Returns the index of the first token that starts at or after an offset, in logarithmic time. */
export function indexFrom(tokens: readonly Span[], offset: number): number {
  return lastIndexAtMost(offset - 1, tokens.length, (index) => (tokens[index] as Span).start) + 1;
}

/** A comment on a separate line, before a token or at the end. */
export interface OwnLine {
  readonly comment: Span;
  /** True if a blank line precedes the comment. */
  readonly spaced: boolean;
}

/** The tokens' comments, by the kept tokens' indexes. */
export interface AttachedComments {
  /** The comments before a token, each on a separate line. */
  readonly leading: ReadonlyMap<number, readonly OwnLine[]>;
  /** The comment after a token, at the end of its line. */
  readonly trailing: ReadonlyMap<number, Span>;
  /** The comments after the last token, each on a separate line. */
  readonly closing: readonly OwnLine[];
  /** The indexes of the tokens directly after a blank line. A token's own comments come before the blank line. */
  readonly spaced: ReadonlySet<number>;
}

/**
 * Attaches each comment in an expression to the token that ends on the comment's line or, if there is none, to the next
 * token. Takes time linear in the text's length.
 *
 * @param tokens the kept tokens, by start
 * @param dropped the dropped tokens, whose comments are attached to a neighbouring token
 */
export function attachComments(
  text: string,
  tokens: readonly (Span & { readonly image: string })[],
  dropped: readonly Span[],
  comments: readonly Span[],
): AttachedComments {
  const leading = new Map<number, OwnLine[]>();
  const trailing = new Map<number, Span>();
  const spaced = new Set<number>();
  let pending: OwnLine[] = [];
  let index = 0;
  /** The end offset of the previous token or comment. */
  let end = 0;
  const parts = [
    ...tokens.map((span) => ({ span, role: 'token' })),
    ...dropped.map((span) => ({ span, role: 'dropped' })),
    ...comments.map((span) => ({ span, role: 'comment' })),
  ].sort((a, b) => a.span.start - b.span.start);
  for (const { span, role } of parts) {
    const isSpaced = end > 0 && lineEnds(text, end, span.start) > 1;
    if (role === 'token') {
      if (isSpaced) spaced.add(index);
      if (pending.length > 0) leading.set(index, pending);
      pending = [];
      index += 1;
    } else if (role === 'comment') {
      const previous = tokens[index - 1];
      const endsItsLine =
        previous !== undefined &&
        pending.length === 0 &&
        !trailing.has(index - 1) &&
        lineEnds(text, previous.end, span.start) === 0;
      if (endsItsLine) trailing.set(index - 1, span);
      else pending.push({ comment: span, spaced: isSpaced });
    }
    end = span.end;
  }
  movePastCommas(tokens, trailing, leading);
  return { leading, trailing, closing: pending, spaced };
}

/**
 * Moves the comments before a comma past the comma, because no line may begin with a comma. A comment at the end of
 * the previous line moves to the end of the comma's line. Other comments move before the next token.
 */
function movePastCommas(
  tokens: readonly { readonly image: string }[],
  trailing: Map<number, Span>,
  leading: Map<number, readonly OwnLine[]>,
): void {
  for (const [comma, { image }] of tokens.entries()) {
    if (image !== ',') continue;
    const ownLines = leading.get(comma);
    if (ownLines !== undefined) {
      const ending = trailing.get(comma);
      const moved =
        ending === undefined ? ownLines : [...ownLines, { comment: ending, spaced: false }];
      leading.set(comma + 1, [...moved, ...(leading.get(comma + 1) ?? [])]);
      leading.delete(comma);
      trailing.delete(comma);
    }
    const lineComment = trailing.get(comma - 1);
    if (lineComment !== undefined && !trailing.has(comma)) {
      trailing.delete(comma - 1);
      trailing.set(comma, lineComment);
    }
  }
}

function lineEnds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) {
    count += 1;
  }
  return count;
}

/**
 * Returns the redundant parentheses. Keeps parentheses around AND within OR or OR within AND, around the operand of
 * NOT, and inside comparisons.
 */
export function needlessParentheses(
  { match, when, filter, aggregate, bare }: Expression,
  tokens: readonly Token[],
): ReadonlySet<Token> {
  const needless = new Set<Token>();
  const isAt = (index: number, image: string) => tokens[index]?.image === image;
  const dropBetween = (from: number, to: number): void => {
    for (let index = from; index < to; index += 1) {
      if (isAt(index, '(') || isAt(index, ')')) needless.add(tokens[index] as Token);
    }
  };
  /**
   * Drops the parentheses directly around a node, except the given number of outer pairs. Returns the node's token
   * range, including all its parentheses.
   */
  const drop = (
    node: Condition | Requirement,
    kept: number,
  ): readonly [from: number, to: number] => {
    const first = indexFrom(tokens, node.span.start);
    const end = indexFrom(tokens, node.span.end);
    let pairs = 0;
    while (isAt(first - pairs - 1, '(') && isAt(end + pairs, ')')) pairs += 1;
    dropBetween(first - Math.max(pairs - kept, 0), first);
    dropBetween(end, end + Math.max(pairs - kept, 0));
    if (node.kind === 'not' && node.operand.span.start !== node.span.start) drop(node.operand, 1);
    if (isJoined(node)) {
      let after = first;
      for (const operand of node.operands) {
        const [from, to] = drop(operand, isJoined(operand) ? 1 : 0);
        // Drops parentheses that group several operands under the same operator.
        dropBetween(after, from);
        after = to;
      }
      dropBetween(after, end);
    }
    return [first - pairs, end + pairs];
  };
  for (const { condition } of match.patterns) drop(condition, bare ? 0 : 1);
  if (filter !== undefined) drop(filter.condition, 0);
  if (aggregate !== undefined) {
    for (const measure of aggregate.measures) drop(measure, 0);
    if (aggregate.by?.having !== undefined) drop(aggregate.by.having, 0);
    visit(aggregate, { share: ({ condition }) => drop(condition, 1) });
  }
  if (when !== undefined) {
    dropBetween(indexFrom(tokens, when.span.start), indexFrom(tokens, when.span.end));
  }
  return needless;
}

/** Returns the names of the language's functions, by start. */
export function functionsOf(expression: Expression): ReadonlyMap<number, string> {
  const functions = new Map<number, string>();
  visit(expression, {
    call: ({ name }) => FUNCTIONS.has(name.text) && functions.set(name.span.start, name.text),
  });
  return functions;
}

/** Returns the offsets where names start. At other offsets, the same tokens are words of the language. */
export function namesOf(expression: Expression): ReadonlySet<number> {
  const names = new Set<number>();
  visit(expression, { name: ({ span }) => names.add(span.start) });
  return names;
}
