import fc from 'fast-check';
import type * as ast from '../../src/expression/index.js';

/* Random trees, as reading gives them but for the spans. */

const span = { start: 0, end: 0 };

const KEYWORDS = ['MATCH', 'as', 'When', 'FILTER', 'aggregate', 'AND', 'or', 'true', 'FALSE'];
const LIKE_KEYWORDS = ['matching', 'ANDROID', 'order', 'as-', 'when1', '_or', 'true-', 'a--b', '-'];

const oddText = fc.string({ unit: 'binary', maxLength: 8 });

/** What a name in backquotes can hold. */
const writable = fc
  .oneof(
    fc.constantFrom(...KEYWORDS, ...LIKE_KEYWORDS, 'name', 'probe', 'größe', 'a b', "it's", '\0'),
    fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,6}$/),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
    fc.string({
      unit: fc.constantFrom('\ud800', '\udc00', 'a', '\u2028'),
      minLength: 1,
      maxLength: 3,
    }),
  )
  .map((text) => text.replace(/[`\r\n]/g, '_'));

const name = writable.map((text): ast.Name => ({ kind: 'name', span, text }));

/** A name around `@` can be a string, which holds anything. */
const place = fc
  .oneof(writable, oddText, fc.constantFrom('', '`', "a`'\\\n", '\ud800'))
  .map((text): ast.Name => ({ kind: 'name', span, text }));

const string = fc
  .oneof(oddText, fc.constantFrom('', "'", '"', '\\', '\n\r\t', '\ud800', '\u{1f600}', '\u2028'))
  .map((value): ast.Literal => ({ kind: 'string', span, value }));
const integer = fc
  .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  .map((value): ast.Literal => ({ kind: 'integer', span, value }));
const float = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .map((value): ast.Literal => ({ kind: 'float', span, value }));
const boolean = fc.boolean().map((value): ast.Literal => ({ kind: 'boolean', span, value }));
const duration = fc
  .bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n })
  .map((value): ast.Literal => ({ kind: 'duration', span, value }));
export const literal: fc.Arbitrary<ast.Literal> = fc.oneof(
  string,
  integer,
  float,
  boolean,
  duration,
);

const path = fc.array(name, { minLength: 1, maxLength: 3 });
const attribute: fc.Arbitrary<ast.Attribute> = fc.oneof(
  path.map((path): ast.Attribute => ({ kind: 'attribute', span, path })),
  fc
    .tuple(path, place)
    .map(([path, probe]): ast.Attribute => ({ kind: 'attribute', span, path, probe })),
);
const summand: fc.Arbitrary<ast.Attribute | ast.Literal> = fc.oneof(attribute, literal);
const arithmetic = fc
  .tuple(
    summand,
    fc.array(fc.tuple(fc.constantFrom<'+' | '-'>('+', '-'), summand), {
      minLength: 1,
      maxLength: 3,
    }),
  )
  .map(
    ([first, rest]): ast.Operand => ({
      kind: 'arithmetic',
      span,
      first,
      rest: rest.map(([sign, operand]) => ({ sign, signSpan: span, operand })),
    }),
  );
const operand: fc.Arbitrary<ast.Operand> = fc.oneof(
  { weight: 4, arbitrary: summand },
  { weight: 1, arbitrary: arithmetic },
);

const comparator = fc.constantFrom<ast.Comparator>('=', '!=', '<', '<=', '>', '>=');
const comparison: fc.Arbitrary<ast.Condition> = fc
  .tuple(operand, comparator, operand)
  .map(([left, comparator, right]) => ({ kind: 'comparison', span, left, comparator, right }));
const located: fc.Arbitrary<ast.Condition> = fc
  .tuple(place, place)
  .map(([event, probe]) => ({ kind: 'located', span, event, probe }));

/** A flat operator: its operands are never of the same operator. */
function logical(
  kind: 'and' | 'or',
  operand: fc.Arbitrary<ast.Condition>,
): fc.Arbitrary<ast.Condition> {
  return fc
    .array(
      operand.filter((condition) => condition.kind !== kind),
      { minLength: 2, maxLength: 4 },
    )
    .map((operands) => ({ kind, span, operands }));
}

const { condition } = fc.letrec<{ condition: ast.Condition }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    comparison,
    located,
    logical('and', tie('condition')),
    logical('or', tie('condition')),
  ),
}));

const pattern: fc.Arbitrary<ast.Pattern> = fc
  .tuple(condition, name)
  .map(([condition, label]) => ({ kind: 'pattern', span, condition, label }));
const match: fc.Arbitrary<ast.Match> = fc
  .array(pattern, { minLength: 1, maxLength: 4 })
  .map((patterns) => ({ kind: 'match', span, patterns }));

const chain: fc.Arbitrary<ast.Chain> = fc
  .array(name, { minLength: 2, maxLength: 4 })
  .map((labels) => ({ kind: 'chain', span, labels, arrows: labels.slice(1).map(() => span) }));
const when: fc.Arbitrary<ast.When> = fc
  .array(chain, { minLength: 1, maxLength: 3 })
  .map((chains) => ({ kind: 'when', span, chains }));

const filter: fc.Arbitrary<ast.Filter> = condition.map((condition) => ({
  kind: 'filter',
  span,
  condition,
}));

const call: fc.Arbitrary<ast.Term> = fc
  .tuple(name, fc.option(operand, { nil: undefined }))
  .map(([name, argument]) => ({
    kind: 'call',
    span,
    name,
    ...(argument !== undefined && { argument }),
  }));
const term = fc.oneof(call, literal);
const measure: fc.Arbitrary<ast.Measure> = fc
  .tuple(term, comparator, term)
  .map(([left, comparator, right]) => ({ kind: 'measure', span, left, comparator, right }));
const aggregate: fc.Arbitrary<ast.Aggregate> = fc
  .array(measure, { minLength: 1, maxLength: 3 })
  .map((measures) => ({ kind: 'aggregate', span, measures }));

/** Any expression that can be written. */
export const expression: fc.Arbitrary<ast.Expression> = fc
  .record(
    {
      kind: fc.constant('expression' as const),
      span: fc.constant(span),
      match,
      when,
      filter,
      aggregate,
    },
    { requiredKeys: ['kind', 'span', 'match'] },
  )
  .map((expression) => expression as ast.Expression);

/** A tree with all its spans empty, to compare what was read with what was meant. */
export function withoutSpans<T>(tree: T): T {
  if (Array.isArray(tree)) return tree.map(withoutSpans) as T;
  if (typeof tree !== 'object' || tree === null) return tree;
  return Object.fromEntries(
    Object.entries(tree).map(([key, value]) => [
      key,
      key === 'span' || key === 'signSpan'
        ? span
        : key === 'arrows'
          ? value.map(() => span)
          : withoutSpans(value),
    ]),
  ) as T;
}
