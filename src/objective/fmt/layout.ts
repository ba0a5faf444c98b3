import { builders, printer } from 'prettier/doc';
import {
  type By,
  type Clause,
  type Condition,
  type Expression,
  isJoined,
  type Requirement,
  type Token,
} from '../../expression/index.js';
import type { Span } from '../../source/index.js';
import type { AttachedComments, OwnLine } from './tokens.js';
import { indexFrom as firstFrom } from './tokens.js';

type Doc = builders.Doc;

const { breakParent, group, hardline, indent, line, softline } = builders;

/** The input of a layout. */
export interface LayoutInput {
  readonly expression: Expression;
  /** The offsets where names start. */
  readonly names: ReadonlySet<number>;
  /** The tokens to write, in order. */
  readonly tokens: readonly Token[];
  readonly attached: AttachedComments;
  readonly writeToken: (token: Token) => string;
  readonly writeComment: (comment: Span) => string;
}

/** Keywords with function call syntax. */
export const CALL_KEYWORDS = new Set(['EXISTS', 'ABS', 'LOWER', 'SHARE', 'BASELINE', 'WINDOW']);

/** A layout style. */
export interface LayoutStyle {
  /** True for one clause per line. If false, everything is on one line unless a comment prevents it. */
  readonly spread: boolean;
  /** The maximum width. Wider conditions are broken before AND and OR. */
  readonly width: number;
}

/**
 * Lays out an expression's tokens and comments in order. If `spread` is true, starts a new line for each clause, and
 * puts multiple patterns or measures on separate lines.
 *
 * @returns lines without a common indentation
 */
export function layOut(input: LayoutInput, { spread, width }: LayoutStyle): readonly string[] {
  const { expression, names, tokens, attached, writeToken, writeComment } = input;

  const indexFrom = (offset: number): number => firstFrom(tokens, offset);

  const ownLine = ({ comment, spaced }: OwnLine, isFirst: boolean): Doc => [
    spaced && !isFirst ? hardline : '',
    writeComment(comment),
  ];

  /** Returns the comments before a token, each on a separate line. */
  const commentsBefore = (index: number): Doc => {
    const comments = attached.leading.get(index) ?? [];
    const spaced = comments.length > 0 && attached.spaced.has(index) ? hardline : '';
    return [comments.map((comment, at) => [ownLine(comment, at === 0), hardline]), spaced];
  };

  /** Returns a token and the comment at the end of its line. */
  const tokenDoc = (index: number): Doc => {
    const comment = attached.trailing.get(index);
    const ending = comment === undefined ? '' : ['  ', writeComment(comment), breakParent];
    return [writeToken(tokens[index] as Token), ending];
  };

  const token = (index: number): Doc => [commentsBefore(index), tokenDoc(index)];

  /** Returns the separator between a token and the previous token: a line break if a comment is between the tokens. */
  const gap = (index: number, otherwise: Doc): Doc =>
    attached.trailing.has(index - 1) || attached.leading.has(index) ? hardline : otherwise;

  const leaf = ({ start, end }: Span): Doc => {
    const first = indexFrom(start);
    const parts: Doc[] = [];
    for (let index = first; index < indexFrom(end); index += 1) {
      if (index > first) parts.push(gap(index, isTight(index) ? '' : ' '));
      parts.push(token(index));
    }
    return indent(parts);
  };
  const isTight = (index: number): boolean => {
    const previous = tokens[index - 1]?.image as string;
    const image = tokens[index]?.image as string;
    if (image === '(') return isCalled(tokens[index - 1] as Token);
    return previous === '.' || previous === '(' || ['.', ')', ',', '%'].includes(image);
  };
  const isCalled = ({ type, start }: Token): boolean => names.has(start) || CALL_KEYWORDS.has(type);

  /** Joins parts with operators. If the parts do not fit on one line, each operator starts a new line. */
  const chain = (parts: readonly { readonly first: number; readonly doc: Doc }[]): Doc =>
    parts.map(({ first, doc }, at) =>
      at === 0 ? doc : [line, token(first - 1), indent([gap(first, ' '), doc])],
    );

  const logical = (node: Condition | Requirement): Doc => {
    if (node.kind === 'not' && isNegationOfGroup(node)) {
      const first = indexFrom(node.span.start);
      return [token(first), gap(first + 1, ' '), parenthesize(node.operand)];
    }
    if (!isJoined(node)) return leaf(node.span);
    return chain(
      node.operands.map((operand) => {
        const first = indexFrom(operand.span.start);
        return isGrouped(operand)
          ? { first: first - 1, doc: parenthesize(operand) }
          : { first, doc: logical(operand) };
      }),
    );
  };

  /** True if a node is an AND or OR in parentheses. */
  const isGrouped = (node: Condition | Requirement): boolean =>
    isJoined(node) &&
    tokens[indexFrom(node.span.start) - 1]?.image === '(' &&
    tokens[indexFrom(node.span.end)]?.image === ')';

  /** True for `NOT (...)`. False for `NOT a = 1`, and for `a NOT IN (...)` in parentheses. */
  const isNegationOfGroup = ({ operand, span }: Condition & { readonly kind: 'not' }): boolean => {
    const open = indexFrom(operand.span.start) - 1;
    return open > indexFrom(span.start) && tokens[open]?.image === '(';
  };

  const parenthesize = (node: Condition | Requirement): Doc => {
    const open = indexFrom(node.span.start) - 1;
    const close = token(indexFrom(node.span.end));
    // Comments before the parenthesis do not break the text inside.
    return [
      commentsBefore(open),
      group([tokenDoc(open), indent([softline, logical(node)]), softline, close]),
    ];
  };

  const clause = (node: Clause): Doc => {
    const keyword = indexFrom(node.span.start);
    const body = (doc: Doc): Doc => group([token(keyword), indent([gap(keyword + 1, ' '), doc])]);
    switch (node.kind) {
      case 'match':
        return items(keyword, node.patterns, (pattern) => [
          pattern.absent ? absence(pattern.span) : '',
          parenthesize(pattern.condition),
          indent([gap(indexFrom(pattern.label.span.start) - 1, ' '), naming(pattern.label.span)]),
        ]);
      case 'aggregate':
        return items(keyword, node.measures, logical, node.by);
      case 'when':
        return body(
          chain(
            node.relations.map(({ span }) => ({ first: indexFrom(span.start), doc: leaf(span) })),
          ),
        );
      case 'filter':
        return body(logical(node.condition));
    }
  };

  /** Returns a pattern's NOT, and the separator between NOT and the parenthesis. */
  const absence = ({ start }: Span): Doc => {
    const index = indexFrom(start);
    return [token(index), gap(index + 1, ' ')];
  };

  /** Returns `AS label`. */
  const naming = (label: Span): Doc => {
    const index = indexFrom(label.start);
    return [token(index - 1), gap(index, ' '), token(index)];
  };

  /** Returns the BY keys, the HAVING measures, and FOR. */
  const grouping = ({ span, having }: By): Doc => {
    if (having === undefined) return leaf(span);
    const open = indexFrom(having.span.start) - (isGrouped(having) ? 1 : 0);
    const afterHaving = indexFrom(having.span.end) + (isGrouped(having) ? 1 : 0);
    const startOf = (index: number) => (tokens[index] as Token).start;
    const condition = isGrouped(having) ? parenthesize(having) : logical(having);
    const percent =
      afterHaving < indexFrom(span.end) && leaf({ start: startOf(afterHaving), end: span.end });
    const havingDoc = [gap(open - 1, line), token(open - 1), indent([gap(open, ' '), condition])];
    return [
      leaf({ start: span.start, end: startOf(open - 1) }),
      group(indent([havingDoc, percent ? [gap(afterHaving, line), percent] : ''])),
    ];
  };

  /** Returns a clause's items. A single item follows the keyword; several items are on separate lines, with commas. */
  const items = <Item extends { readonly span: Span }>(
    keyword: number,
    elements: readonly Item[],
    docOf: (item: Item) => Doc,
    by?: By,
  ): Doc => {
    const parts = elements.map((item, at) => {
      const first = indexFrom(item.span.start);
      const comma = at === 0 ? '' : [gap(first - 1, ''), token(first - 1)];
      const separator =
        elements.length === 1 ? gap(first, ' ') : [at > 0 ? separated(first) : '', newLine];
      return [comma, separator, docOf(item)];
    });
    const separator = elements.length === 1 ? line : newLine;
    const end = by && [gap(indexFrom(by.span.start), separator), grouping(by)];
    const body = elements.length === 1 ? parts : indent(parts);
    return group([token(keyword), body, end ? indent(end) : '']);
  };

  const newLine = spread ? hardline : line;
  /** Returns the blank line before a token and its comments. */
  const separated = (index: number): Doc => {
    const [first] = attached.leading.get(index) ?? [];
    const spaced = first === undefined ? attached.spaced.has(index) : first.spaced;
    return spaced && spread ? hardline : '';
  };

  const { match, when, filter, aggregate } = expression;
  const clauses = [match, when, filter, aggregate]
    .filter((node) => node !== undefined)
    .sort((a, b) => a.span.start - b.span.start);
  const [singlePattern] = match.patterns;
  const body =
    expression.bare && singlePattern !== undefined
      ? group(logical(singlePattern.condition))
      : clauses.map((node, at) => [
          at === 0 ? '' : [separated(indexFrom(node.span.start)), newLine],
          clause(node),
        ]);
  const closing = attached.closing.map((comment) => [hardline, ownLine(comment, false)]);
  const { formatted } = printer.printDocToString(group([body, closing]), {
    printWidth: width,
    tabWidth: 2,
    useTabs: false,
  });
  return formatted.split('\n');
}
