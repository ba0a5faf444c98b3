import fc from 'fast-check';
import type * as ast from '../../src/expression/index.js';
import { anyText } from '../any-text.js';

/* Random trees, as reading gives them but for the spans. */

const span = { start: 0, end: 0 };

const KEYWORDS = ['MATCH', 'as', 'When', 'FILTER', 'aggregate', 'AND', 'or', 'true', 'FALSE'];
/** Words of the language where it has them, and names elsewhere. */
const WORDS = [
  ...['not', 'NEXT', 'within', 'In', 'GLOB', 'exists', 'abs', 'Lower', 'share', 'baseline'],
  ...['BY', 'having', 'session', 'count'],
];
const LIKE_KEYWORDS = ['matching', 'ANDROID', 'order', 'as-', 'when1', '_or', 'true-', 'a--b', '-'];

const oddText = anyText({ maxLength: 8 });

/** What a name in backquotes can hold. */
const writable = fc
  .oneof(
    fc.constantFrom(
      ...KEYWORDS,
      ...LIKE_KEYWORDS,
      ...WORDS,
      'for',
      'window',
      'name',
      'probe',
      'größe',
      'a b',
      "it's",
      '\0',
    ),
    fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,6}$/),
    anyText({ minLength: 1, maxLength: 8 }),
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
  .map((value): ast.StringLiteral => ({ kind: 'string', span, value }));
const integer = fc
  .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  .map((value): ast.NumberLiteral => ({ kind: 'integer', span, value }));
const float = fc.oneof(
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value): ast.NumberLiteral => ({ kind: 'float', span, value })),
  // More digits than a double holds: the decimal is kept.
  fc.bigInt({ min: 10n ** 20n, max: 10n ** 24n }).map((digits): ast.NumberLiteral => {
    const written = `7.${digits}1e-3`;
    return { kind: 'float', span, value: Number(written), written };
  }),
);
const number = fc.oneof(integer, float);
const boolean = fc.boolean().map((value): ast.Literal => ({ kind: 'boolean', span, value }));
const duration = fc
  .bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n })
  .map((value): ast.DurationLiteral => ({ kind: 'duration', span, value }));
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
/** Sums and products as reading opens them: flat where that changes nothing. */
function arithmetic<Part extends ast.Operand | ast.Term>(
  kind: 'sum' | 'product',
  part: fc.Arbitrary<Part>,
): fc.Arbitrary<Part> {
  const [plain, other] = kind === 'sum' ? (['+', '-'] as const) : (['*', '/'] as const);
  const opened = part.filter((inner) => inner.kind !== kind);
  const step = fc.oneof(
    opened.map((operand) => ({ sign: plain, signSpan: span, operand })),
    part.map((operand) => ({ sign: other, signSpan: span, operand })),
  );
  return fc
    .tuple(opened, fc.array(step, { minLength: 1, maxLength: 3 }))
    .map(([first, rest]) => ({ kind, span, first, rest }) as unknown as Part);
}

const { operand } = fc.letrec<{ operand: ast.Operand }>((tie) => ({
  operand: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof<fc.Arbitrary<ast.Operand>[]>(attribute, literal),
    arithmetic('sum', tie('operand')),
    arithmetic('product', tie('operand')),
    fc
      .tuple(fc.constantFrom<'abs' | 'lower'>('abs', 'lower'), tie('operand'))
      .map(([kind, operand]): ast.Operand => ({ kind, span, operand })),
  ),
}));

const comparator = fc.constantFrom<ast.Comparator>('=', '!=', '<', '<=', '>', '>=');
const comparison: fc.Arbitrary<ast.Condition> = fc
  .tuple(operand, comparator, operand)
  .map(([left, comparator, right]) => ({ kind: 'comparison', span, left, comparator, right }));
const located: fc.Arbitrary<ast.Condition> = fc
  .tuple(place, place)
  .map(([event, probe]) => ({ kind: 'located', span, event, probe }));

const membership: fc.Arbitrary<ast.Condition> = fc.oneof(
  fc
    .tuple(operand, fc.array(literal, { minLength: 1, maxLength: 4 }))
    .map(([operand, values]): ast.In => ({ kind: 'in', span, operand, values, signSpan: span })),
  fc.tuple(operand, string).map(
    ([operand, pattern]): ast.Glob => ({
      ...{ kind: 'glob', span, operand, pattern, signSpan: span },
    }),
  ),
);
const existence = attribute.map((attribute): ast.Exists => ({ kind: 'exists', span, attribute }));

/** A flat operator: its operands are never of the same operator. */
function logical<Part extends ast.Condition | ast.Requirement>(
  kind: Extract<Part, { readonly operands: unknown }>['kind'],
  operand: fc.Arbitrary<Part>,
): fc.Arbitrary<Part> {
  return fc
    .array(
      operand.filter((part) => part.kind !== kind),
      { minLength: 2, maxLength: 4 },
    )
    .map((operands) => ({ kind, span, operands }) as unknown as Part);
}

const { condition } = fc.letrec<{ condition: ast.Condition }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    comparison,
    located,
    membership,
    existence,
    tie('condition').map((operand): ast.Not => ({ kind: 'not', span, operand, signSpan: span })),
    logical<ast.Condition>('and', tie('condition')),
    logical<ast.Condition>('or', tie('condition')),
  ),
}));

const maybe = fc.option(fc.constant(true as const), { nil: undefined });
const pattern: fc.Arbitrary<ast.Pattern> = fc
  .tuple(maybe, condition, name)
  .map(([absent, condition, label]) => ({
    ...{ kind: 'pattern', span, condition, label },
    ...(absent && { absent }),
  }));
const match: fc.Arbitrary<ast.Match> = fc
  .array(pattern, { minLength: 1, maxLength: 4 })
  .map((patterns) => ({ kind: 'match', span, patterns }));

const chain: fc.Arbitrary<ast.Chain> = fc
  .tuple(
    fc.array(fc.tuple(name, maybe), { minLength: 2, maxLength: 4 }),
    fc.option(duration, { nil: undefined }),
  )
  .map(([steps, within]) => ({
    kind: 'chain',
    span,
    labels: steps.map(([label]) => label),
    arrows: steps.slice(1).map(([, next]) => ({ kind: 'arrow', span, ...(next && { next }) })),
    ...(within && { within }),
  }));
const pair: fc.Arbitrary<ast.PairNode> = fc
  .tuple(fc.constantFrom<'concurrent' | 'distinct'>('concurrent', 'distinct'), name, name)
  .map(([kind, a, b]) => ({ kind, span, labels: [a, b], signSpan: span }));
const when: fc.Arbitrary<ast.When> = fc
  .array(fc.oneof(chain, pair), { minLength: 1, maxLength: 3 })
  .map((relations) => ({ kind: 'when', span, relations }));

const filter: fc.Arbitrary<ast.Filter> = condition.map((condition) => ({
  kind: 'filter',
  span,
  condition,
}));

/** A name in parentheses after `count` is a label. */
const isNameAlone = (operand: ast.Operand) =>
  operand.kind === 'attribute' && operand.path.length === 1 && operand.probe === undefined;
const argument = fc.tuple(operand, fc.option(number, { nil: undefined }));
const count: ast.Name = { kind: 'name', span, text: 'count' };
const countOf = name.map((label): ast.Term => ({ kind: 'call', span, name: count, label }));
const sessionTime = fc.constantFrom('start', 'end').map((end): ast.Term => {
  const path = ['session', end].map((text): ast.Name => ({ kind: 'name', span, text }));
  return { kind: 'attribute', span, path };
});
const call = fc
  .tuple(name, fc.option(argument, { nil: undefined }))
  .map(([name, given]): ast.Term => {
    if (given === undefined) return { kind: 'call', span, name };
    const [argument, percent] = given;
    if (/^count$/i.test(name.text) && isNameAlone(argument)) return { kind: 'call', span, name };
    return { kind: 'call', span, name, argument, ...(percent && { percent }) };
  });
const share = condition.map((condition): ast.Term => ({ kind: 'share', span, condition }));
const { term } = fc.letrec<{ term: ast.Term }>((tie) => ({
  term: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof<fc.Arbitrary<ast.Term>[]>(call, countOf, sessionTime, literal, share),
    arithmetic('sum', tie('term')),
    arithmetic('product', tie('term')),
    tie('term').map((term): ast.Term => ({ kind: 'baseline', span, term })),
  ),
}));
const measure: fc.Arbitrary<ast.Measure> = fc
  .tuple(term, comparator, term)
  .map(([left, comparator, right]) => ({ kind: 'measure', span, left, comparator, right }));
const { requirement } = fc.letrec<{ requirement: ast.Requirement }>((tie) => ({
  requirement: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    { weight: 4, arbitrary: measure },
    { weight: 1, arbitrary: logical<ast.Requirement>('all', tie('requirement')) },
    { weight: 1, arbitrary: logical<ast.Requirement>('any', tie('requirement')) },
  ),
}));
const key: fc.Arbitrary<ast.Key> = fc.oneof(
  name,
  fc
    .array(name, { minLength: 2, maxLength: 3 })
    .map((path): ast.Key => ({ kind: 'attribute', span, path })),
  fc
    .tuple(attribute, duration)
    .map(([time, size]): ast.Key => ({ kind: 'window', span, time, size })),
);
const by = fc
  .tuple(
    fc.array(key, { minLength: 1, maxLength: 3 }),
    fc.option(requirement, { nil: undefined }),
    fc.option(number, { nil: undefined }),
  )
  .map(
    ([keys, having, percent]): ast.By => ({
      ...{ kind: 'by', span, keys },
      ...(having && { having }),
      ...(percent && { percent }),
    }),
  );
const aggregate: fc.Arbitrary<ast.Aggregate> = fc
  .tuple(fc.array(requirement, { minLength: 1, maxLength: 3 }), fc.option(by, { nil: undefined }))
  .map(([measures, by]) => ({ kind: 'aggregate', span, measures, ...(by && { by }) }));

const bare = condition.map((condition): ast.Expression => {
  const label = { kind: 'name', span, text: 'event' } as const;
  const pattern = { kind: 'pattern', span, condition, label } as const;
  const match = { kind: 'match', span, patterns: [pattern] } as const;
  return { kind: 'expression', span, match, bare: true };
});

const clauses: fc.Arbitrary<ast.Expression> = fc
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

/** Any expression that can be written. */
export const expression: fc.Arbitrary<ast.Expression> = fc.oneof(
  { weight: 5, arbitrary: clauses },
  { weight: 1, arbitrary: bare },
);

/** A tree with all its spans empty, to compare what was read with what was meant. */
export function withoutSpans<T>(tree: T): T {
  if (Array.isArray(tree)) return tree.map(withoutSpans) as T;
  if (typeof tree !== 'object' || tree === null) return tree;
  return Object.fromEntries(
    Object.entries(tree).map(([key, value]) => [
      key,
      key === 'span' || key === 'signSpan' ? span : withoutSpans(value),
    ]),
  ) as T;
}
