import type { Condition, Expression, Token } from '../../expression/index.js';
import { lastAtMost, type Span } from '../../source/index.js';

/** The index of the first token that begins at an offset or after it. Logarithmic. */
export function indexFrom(tokens: readonly Span[], offset: number): number {
  return lastAtMost(offset - 1, tokens.length, (index) => (tokens[index] as Span).start) + 1;
}

/** A comment that stands on a line of its own, before a token or at the end. */
export interface OwnLine {
  readonly comment: Span;
  /** A blank line stood before it. */
  readonly spaced: boolean;
}

/** Which comment belongs to which token. Indices are those of the tokens that stay. */
export interface Attached {
  /** Before the token, each on a line of its own. */
  readonly leading: ReadonlyMap<number, readonly OwnLine[]>;
  /** Behind the token, at the end of its line. */
  readonly trailing: ReadonlyMap<number, Span>;
  /** After the last token, each on a line of its own. */
  readonly closing: readonly OwnLine[];
  /** The tokens before which a blank line stood, after their own comments if they have any. */
  readonly spaced: ReadonlySet<number>;
}

/**
 * Attaches each comment of an expression to the token whose line it ends, or else to the next
 * token. Linear in the length of the text.
 *
 * @param tokens the tokens that stay, by their start
 * @param dropped those that do not; their comments go to a neighbour
 */
export function attachComments(
  text: string,
  tokens: readonly (Span & { readonly image: string })[],
  dropped: readonly Span[],
  comments: readonly Span[],
): Attached {
  const leading = new Map<number, OwnLine[]>();
  const trailing = new Map<number, Span>();
  const spaced = new Set<number>();
  let pending: OwnLine[] = [];
  let index = 0;
  /** Where the part before this one ends. */
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
  moveBehindCommas(tokens, trailing, leading);
  return { leading, trailing, closing: pending, spaced };
}

/**
 * Comments before a comma move behind it, so that no line begins with a comma: a comment that
 * ended the line before ends the comma's line, and the others precede what follows the comma.
 */
function moveBehindCommas(
  tokens: readonly { readonly image: string }[],
  trailing: Map<number, Span>,
  leading: Map<number, readonly OwnLine[]>,
): void {
  for (const [comma, { image }] of tokens.entries()) {
    if (image !== ',') continue;
    const own = leading.get(comma);
    if (own !== undefined) {
      const behind = trailing.get(comma);
      const moved = behind === undefined ? own : [...own, { comment: behind, spaced: false }];
      leading.set(comma + 1, [...moved, ...(leading.get(comma + 1) ?? [])]);
      leading.delete(comma);
      trailing.delete(comma);
    }
    const before = trailing.get(comma - 1);
    if (before !== undefined && !trailing.has(comma)) {
      trailing.delete(comma - 1);
      trailing.set(comma, before);
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

/** The parentheses of conditions that group nothing: a group is an OR within an AND. */
export function needlessParentheses(
  { match, when, filter }: Expression,
  tokens: readonly Token[],
): ReadonlySet<Token> {
  const conditions = match.patterns.map(({ condition }) => condition);
  if (filter !== undefined) conditions.push(filter.condition);
  const kept = new Set<number>();
  const keepAround = ({ start, end }: Span): void => {
    kept.add(indexFrom(tokens, start) - 1).add(indexFrom(tokens, end));
  };
  const keepGroups = (node: Condition): void => {
    if (node.kind !== 'and' && node.kind !== 'or') return;
    for (const operand of node.operands) {
      if (node.kind === 'and' && operand.kind === 'or') keepAround(operand.span);
      keepGroups(operand);
    }
  };
  const needless = new Set<Token>();
  const dropWithin = ({ start, end }: Span): void => {
    for (let index = indexFrom(tokens, start); index < indexFrom(tokens, end); index += 1) {
      const token = tokens[index] as Token;
      if ((token.image === '(' || token.image === ')') && !kept.has(index)) needless.add(token);
    }
  };
  for (const condition of conditions) keepGroups(condition);
  for (const { span, label } of match.patterns) {
    const as = indexFrom(tokens, label.span.start) - 1;
    const close = tokens[as - 1] as Token;
    dropWithin({ start: span.start + 1, end: close.start });
  }
  if (when !== undefined) dropWithin(when.span);
  if (filter !== undefined) dropWithin(filter.span);
  return needless;
}
