import type {
  By,
  Chain,
  Comparator,
  Comparison,
  Condition,
  Expression,
  Key,
  Literal,
  Measure,
  Name,
  Operand,
  Pattern,
  RelationNode,
  Requirement,
  StringLiteral,
  Term,
} from '../../src/expression/index.js';
import type { Dice } from '../dice.js';
import type { PlainSession, Value } from './model.js';

/* Small random sessions and expressions, made so that they meet: few names, few values. */

const NAMES = ['A', 'B', 'C'];
const ATTRIBUTES = ['x', 'y', 'id'];
const COMPARATORS: readonly Comparator[] = ['=', '!=', '<', '<=', '>', '>='];

const INTEGERS = [0n, 1n, 2n, 3n, -1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 64n - 1n, -(2n ** 63n)];
const FLOATS = [0.5, 1.5, 2, 0.1, 0.2, 0.30000000000000004, -0, 2 ** 53, 1e300, 5e-324];
const STRANGE: readonly Value[] = [
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.NaN,
  true,
  false,
  { other: 'u' },
  { other: 'v' },
];
const TEXTS = ['u', 'U', 'v', 'w', 'W', '\u0130', '\u00c9', '\u00e9', '\u{1f600}', '\uff5e'];

export function randomSession(dice: Dice): PlainSession {
  // More probes than are swept together, at times.
  const isWide = dice.upTo(24) === 0;
  const probes = isWide
    ? ['P', 'Q', ...Array.from({ length: 30 }, (_, at) => `P${at}`)]
    : ['P', 'Q', 'R', 'S', 'T', 'U'].slice(0, 1 + dice.upTo(5));
  const isPlain = dice.upTo(2) > 0;
  const value = (): Value => {
    if (isPlain) return dice.pick([0n, 1n, 2n, 3n, 1.5]);
    const kind = dice.upTo(9);
    if (kind < 4) return dice.pick(INTEGERS);
    if (kind < 6) return dice.pick(FLOATS);
    return kind < 8 ? dice.pick(TEXTS) : dice.pick(STRANGE);
  };
  // Half of the sessions have several timelines at a probe.
  const most = dice.pick([0, 0, 1, 3]);
  let now = 0n;
  const events = Array.from({ length: isWide ? 60 : dice.upTo(26) }, () => {
    const name = isWide && dice.upTo(3) > 0 ? 'A' : dice.pick(NAMES);
    const attributes: Record<string, Value> = { name };
    // Mostly later than before, as clocks are.
    now += BigInt(dice.upTo(4)) - 1n;
    if (dice.upTo(9) > 0) attributes['time'] = now;
    for (const name of ATTRIBUTES) if (dice.upTo(7) > 0) attributes[name] = value();
    const timeline = dice.upTo(most);
    return {
      probe: dice.pick(probes),
      ...(timeline > 0 && { timeline: `t${timeline}` }),
      attributes,
    };
  });
  // From earlier to later places, so that there are no circles; some say nothing new.
  const interactions: [number, number][] = [];
  const density = dice.upTo(4);
  for (let to = 1; to < events.length; to++) {
    for (let more = dice.upTo(density); more > 1; more--) {
      interactions.push([dice.upTo(to - 1), to]);
    }
  }
  // Now and then so many that their clocks are sparse.
  const alone = most === 3 && density === 4 ? 280 : 0;
  const others = Array.from({ length: alone }, (_, at) => ({
    ...{ probe: 'P', timeline: `alone ${at}` },
    attributes: { name: 'A', x: BigInt(at % 4), ...(at % 2 === 0 && { time: BigInt(at) }) },
  }));
  return { probes, events: [...events, ...others], interactions };
}

/** Which constructs of the language a random expression may have besides the core. */
export interface Dialect {
  readonly isWhole: boolean;
  /** AGGREGATE asks for the number of bindings alone. */
  readonly isCounted?: boolean;
}

const span = { start: 0, end: 0 };
const name = (text: string): Name => ({ kind: 'name', span, text });

/**
 * An expression of the core and of sums, or of the whole language: then each further construct is in
 * a tenth of them at least.
 */
export function randomExpression(
  dice: Dice,
  { isWhole }: Dialect = { isWhole: false },
): Expression {
  const labels = ['a', 'b', 'c', 'd'].slice(0, 1 + dice.upTo(dice.upTo(3)));
  const absent = isWhole ? labels.filter(() => dice.upTo(4) === 0) : [];
  const present = labels.filter((label) => !absent.includes(label));
  const chains = isWhole ? randomRelations(dice, labels, present) : randomChains(dice, labels);
  const conjuncts = Array.from({ length: dice.upTo(dice.upTo(3)) }, () =>
    isWhole && dice.upTo(1) === 0 ? wholeConjunct(dice, labels) : conjunct(dice, labels),
  );
  const isCounted = dice.upTo(4) > 0 && present.length > 0;
  const measures = !isCounted
    ? []
    : isWhole
      ? wholeMeasures(dice, present)
      : randomMeasures(dice, labels);
  const by = isWhole && measures.length > 0 && dice.upTo(4) < 2 ? randomGroups(dice, present) : {};
  const patterns = labels.map((label) =>
    patternOf(
      isWhole && dice.upTo(2) === 0 ? wholePattern(dice) : pattern(dice),
      label,
      absent.includes(label),
    ),
  );
  return {
    ...expressionOf(patterns, chains, conjuncts),
    ...(measures.length > 0 && { aggregate: { kind: 'aggregate', span, measures, ...by } }),
  };
}

function patternOf(condition: Condition, label: string, isAbsent: boolean): Pattern {
  return {
    kind: 'pattern',
    span,
    condition,
    label: name(label),
    ...(isAbsent && { absent: true }),
  };
}

/** Without AGGREGATE. */
function expressionOf(
  patterns: readonly Pattern[],
  relations: readonly RelationNode[],
  conjuncts: readonly Condition[],
): Expression {
  return {
    kind: 'expression',
    span,
    match: { kind: 'match', span, patterns },
    ...(relations.length > 0 && { when: { kind: 'when', span, relations } }),
    ...(conjuncts.length > 0 && {
      filter: { kind: 'filter', span, condition: together('and', conjuncts) },
    }),
  };
}

/** Arrows, NEXT between bound labels, WITHIN, `||` and `!=`. */
function randomRelations(
  dice: Dice,
  labels: readonly string[],
  present: readonly string[],
): RelationNode[] {
  const isPresent = (label: Name) => present.includes(label.text);
  const chains = randomChains(dice, labels).map((chain): Chain => {
    const isNext = chain.labels.every(isPresent) && dice.upTo(2) === 0;
    const isTimed = dice.upTo(3) === 0;
    return {
      ...chain,
      arrows: chain.arrows.map((arrow) => ({ ...arrow, ...(isNext && { next: true }) })),
      ...(isTimed && { within: { kind: 'duration', span, value: BigInt(dice.upTo(4)) } }),
    };
  });
  const two = () => [dice.pick(labels), dice.pick(labels)];
  return [
    ...chains,
    ...(dice.upTo(5) === 0 ? [pairOf('concurrent', two())] : []),
    ...(dice.upTo(5) === 0 ? [pairOf('distinct', two())] : []),
  ];
}

function pairOf(kind: 'concurrent' | 'distinct', labels: readonly string[]): RelationNode {
  return { kind, span, signSpan: span, labels: labels.map(name) };
}

function wholePattern(dice: Dice): Condition {
  const isNamed: Condition = compare(attribute('name'), '=', text(dice.pick(NAMES)));
  const own = wholeCondition(dice, undefined);
  if (dice.upTo(6) === 0) {
    return compare(lower(attribute('name')), '=', text(dice.pick(['a', 'b', 'c', 'A'])));
  }
  return dice.upTo(1) === 0 ? own : together('and', [isNamed, own]);
}

/** A condition of one label with what the core does not have. */
function wholeCondition(dice: Dice, label: string | undefined): Condition {
  const of = (of = dice.pick([...ATTRIBUTES, 'time'])) => {
    const own = attribute(of, label, dice.upTo(11) === 0 ? 'P' : undefined);
    return dice.upTo(5) === 0 ? lower(own) : own;
  };
  switch (dice.upTo(9)) {
    case 0:
      return not(single(dice, label));
    case 1:
      return not(together('or', [single(dice, label), wholeCondition(dice, label)]));
    case 2:
    case 3: {
      const values = Array.from({ length: 1 + dice.upTo(3) }, () =>
        dice.upTo(4) === 0 ? text(dice.pick(TEXTS)) : literal(dice),
      );
      const isIn: Condition = { kind: 'in', span, signSpan: span, operand: of(), values };
      return dice.upTo(2) === 0 ? not(isIn) : isIn;
    }
    case 4:
    case 5: {
      const globs = ['*', '?', 'u*', '*v', '[a-u]', '[!u]', '[^u]', '[]]', '', '[*]'];
      const pattern = text(dice.pick(globs)) as StringLiteral;
      const operand = of(dice.pick(['name', 'x', 'id']));
      const glob: Condition = { kind: 'glob', span, signSpan: span, operand, pattern };
      return dice.upTo(3) === 0 ? not(glob) : glob;
    }
    case 6:
    case 7:
      return { kind: 'exists', span, attribute: attribute(dice.pick(ATTRIBUTES), label) };
    default:
      if (dice.upTo(3) === 0) return compare(of(), dice.pick(COMPARATORS), text(dice.pick(TEXTS)));
      return compare(calculation(dice, [of(), of()]), dice.pick(COMPARATORS), literal(dice));
  }
}

/** Products, quotients and `abs` of some operands. */
function calculation(dice: Dice, parts: readonly Operand[]): Operand {
  const product: Operand = {
    kind: 'product',
    span,
    first: parts[0] as Operand,
    rest: parts.slice(1).map((operand) => ({
      sign: dice.pick(['*', '/'] as const),
      signSpan: span,
      operand,
    })),
  };
  switch (dice.upTo(3)) {
    case 0:
      return { kind: 'abs', span, operand: sum(dice, parts) };
    case 1:
      return { kind: 'abs', span, operand: parts[0] as Operand };
    case 2:
      return sum(dice, [product, literal(dice)]);
    default:
      return product;
  }
}

/** A conjunct over labels, absent ones among them, with what the core does not have. */
function wholeConjunct(dice: Dice, labels: readonly string[]): Condition {
  const [a, b] = [dice.pick(labels), dice.pick(labels)];
  const of = (label: string, at = dice.pick(ATTRIBUTES)) => attribute(at, label);
  const session = () => attribute(dice.pick(['start', 'end']), 'session');
  switch (dice.upTo(11)) {
    case 10:
      return compare(lower(of(a, 'x')), dice.pick(['=', '=', '!=', '<']), lower(of(b, 'x')));
    case 11:
      return compare(lower(of(a)), dice.pick(['=', '!=', '>=']), of(b));
    case 8:
    case 9:
      return compare(session(), dice.pick(COMPARATORS), sum(dice, [of(a, 'time'), literal(dice)]));
    case 0:
      return not(compare(of(a), dice.pick(COMPARATORS), of(b)));
    case 1:
      return compare(of(a, 'time'), dice.pick(COMPARATORS), sum(dice, [session(), literal(dice)]));
    case 2:
      return compare(calculation(dice, [of(a), of(b)]), dice.pick(COMPARATORS), literal(dice));
    case 3:
      return not(together('and', [wholeCondition(dice, a), wholeCondition(dice, b)]));
    case 4:
    case 5:
      return compare(of(a, 'id'), '=', of(b, 'id'));
    default:
      return wholeCondition(dice, a);
  }
}

function lower(operand: Operand): Operand {
  return { kind: 'lower', span, operand };
}

function not(operand: Condition): Condition {
  return { kind: 'not', span, signSpan: span, operand };
}

const [START, END] = [attribute('start', 'session'), attribute('end', 'session')];

/** All functions, sums and products of them, shares; at most one root a side, and in no divisor. */
function wholeMeasures(dice: Dice, labels: readonly string[]): Requirement[] {
  const all = Array.from({ length: 1 + dice.upTo(1) }, () => wholeMeasure(dice, labels));
  return all.map((measure) => joined(dice, labels, measure));
}

/** A measure, at times with AND or OR between it and others. */
function joined(dice: Dice, labels: readonly string[], measure: Measure): Requirement {
  const others = () =>
    Array.from({ length: 1 + dice.upTo(1) }, () => wholeMeasure(dice, labels)) as Requirement[];
  switch (dice.upTo(6)) {
    case 0:
      return { kind: 'any', span, operands: [measure, ...others()] };
    case 1:
      return { kind: 'all', span, operands: [measure, ...others()] };
    case 2: {
      const any: Requirement = { kind: 'any', span, operands: [measure, ...others()] };
      return { kind: 'all', span, operands: [...others(), any] };
    }
    case 3: {
      const all: Requirement = { kind: 'all', span, operands: [measure, ...others()] };
      return { kind: 'any', span, operands: [all, ...others()] };
    }
    default:
      return measure;
  }
}

function wholeMeasure(dice: Dice, labels: readonly string[]): Measure {
  const of = () => attribute(dice.pick([...ATTRIBUTES, 'time']), dice.pick(labels));
  const operand = (function_: string): Operand => {
    const kind = dice.upTo(7);
    if (kind === 6) return sum(dice, [END, START]);
    if (kind === 7) return dice.upTo(2) > 0 ? dice.pick([START, END]) : lower(of());
    if (kind < 3) return of();
    if (kind === 3) return sum(dice, [of(), of()]);
    const isSummed = ['sum', 'mean', 'stddev'].includes(function_);
    // A quotient by an attribute is refused there.
    const times: Operand = {
      kind: 'product',
      span,
      first: of(),
      rest: [{ sign: '*', signSpan: span, operand: kind === 4 ? literal(dice) : of() }],
    };
    return isSummed ? times : calculation(dice, [of(), of()]);
  };
  const call = (functions: readonly string[]): Term => {
    const function_ = dice.pick(functions);
    if (function_ === 'count') {
      const label = dice.upTo(2) > 0 && { label: name(dice.pick(labels)) };
      return { kind: 'call', span, name: name('count'), ...label };
    }
    if (function_ === 'share') {
      const label = dice.pick(labels);
      const condition = dice.upTo(1) === 0 ? single(dice, label) : wholeConjunct(dice, labels);
      return { kind: 'share', span, condition };
    }
    const percent = dice.pick([1n, 10n, 50n, 95n, 100n]);
    return {
      kind: 'call',
      span,
      name: name(function_),
      argument: operand(function_),
      ...(function_ === 'percentile' && {
        percent: { kind: 'integer', span, value: percent } as const,
      }),
    };
  };
  const rational = ['count', 'max', 'min', 'mean', 'sum', 'percentile', 'distinct', 'share'];
  const side = (): Term => {
    if (dice.upTo(7) === 0) return { kind: 'baseline', span, term: sideWithout() };
    return sideWithout();
  };
  const sideWithout = (): Term => {
    const first = call([...rational, 'count', 'percentile', 'distinct', 'share', 'stddev']);
    switch (dice.upTo(6)) {
      case 6: {
        const length: Term = arithmeticOfTerms(END, [['-', START]]);
        const isRoot = first.kind === 'call' && first.name.text === 'stddev';
        const sign = isRoot ? '*' : dice.pick(['*', '/', '/'] as const);
        return dice.pick([
          { kind: 'product', span, first, rest: [{ sign, signSpan: span, operand: length }] },
          length,
          dice.pick([START, END]),
        ]);
      }
      case 0: {
        const rest = [
          { sign: dice.pick(['+', '-'] as const), signSpan: span, operand: call(rational) },
        ];
        return { kind: 'sum', span, first, rest };
      }
      case 1: {
        const isRoot = first.kind === 'call' && first.name.text === 'stddev';
        const sign = isRoot ? '*' : dice.pick(['*', '/'] as const);
        const operand = dice.upTo(1) === 0 ? literal(dice) : call(rational);
        return { kind: 'product', span, first, rest: [{ sign, signSpan: span, operand }] };
      }
      default:
        return first;
    }
  };
  return {
    kind: 'measure',
    span,
    left: side(),
    comparator: dice.pick(COMPARATORS),
    right:
      dice.upTo(4) === 0 ? side() : dice.pick([literal(dice), { kind: 'float', span, value: 0.5 }]),
  };
}

function arithmeticOfTerms(first: Term, rest: readonly (readonly ['+' | '-', Term])[]): Term {
  const steps = rest.map(([sign, operand]) => ({ sign, signSpan: span, operand }));
  return { kind: 'sum', span, first, rest: steps };
}

/** Groups of events, of values, of stretches of time, or of several of these. */
function randomGroups(dice: Dice, labels: readonly string[]): { by: By } {
  const label = dice.pick(labels);
  const value = (): Key => attribute(dice.pick([...ATTRIBUTES, 'probe']), label);
  const window = (): Key => ({
    kind: 'window',
    span,
    time: attribute('time', label),
    size: { kind: 'duration', span, value: BigInt(1 + dice.upTo(9)) },
  });
  const keys: Key[] = dice.pick([
    () => [name(label)],
    () => [name(label)],
    () => [value()],
    () => [value()],
    () => [window()],
    () => [window()],
    () => [window()],
    () => [value(), value()],
    () => [value(), window()],
  ])();
  const percent = { kind: 'float', span, value: dice.pick([50, 66.6, 90]) } as const;
  const most = { kind: 'integer', span, value: BigInt(1 + dice.upTo(2)) } as const;
  const count: Term = { kind: 'call', span, name: name('count') };
  const many: Measure = { kind: 'measure', span, left: count, comparator: '>=', right: most };
  const having = dice.pick([() => many, () => joined(dice, labels, wholeMeasure(dice, labels))])();
  return {
    by: {
      ...{ kind: 'by', span, keys },
      ...(dice.upTo(1) === 0 && { having }),
      ...(dice.upTo(1) === 0 && { percent }),
    },
  };
}

/** Mostly a tree, at times any arrows, also circles. */
function randomChains(dice: Dice, labels: readonly string[]) {
  const arrows: [string, string][] = [];
  const any = dice.upTo(5) === 0;
  labels.slice(1).forEach((label, at) => {
    if (dice.upTo(4) === 0) return;
    const other = labels[dice.upTo(at)] as string;
    arrows.push(dice.upTo(3) > 0 ? [other, label] : [label, other]);
  });
  for (let more = any ? dice.upTo(3) : 0; more > 0; more--) {
    const from = dice.upTo(labels.length - 1);
    const to = dice.upTo(4) === 0 ? dice.upTo(labels.length - 1) : labels.length - 1;
    arrows.push([labels[from] as string, labels[to] as string]);
  }
  return arrows.map((labels) => ({
    kind: 'chain' as const,
    span,
    labels: labels.map(name),
    arrows: [{ kind: 'arrow' as const, span }],
  }));
}

function pattern(dice: Dice): Condition {
  const isNamed: Condition = compare(attribute('name'), '=', text(dice.pick(NAMES)));
  switch (dice.upTo(7)) {
    case 0:
      return {
        kind: 'located',
        span,
        event: name(dice.pick(NAMES)),
        probe: name(dice.pick(['P', 'Q', 'none'])),
      };
    case 1:
      return dice.upTo(2) > 0
        ? together('or', [isNamed, single(dice, undefined)])
        : together('and', [isNamed, together('or', [single(dice, undefined), pattern(dice)])]);
    case 2:
      return together('and', [
        isNamed,
        compare(attribute('probe'), '=', text(dice.pick(['P', 'Q']))),
      ]);
    case 3:
      return single(dice, undefined);
    case 4:
      return compare(attribute('name'), '!=', text(dice.pick(NAMES)));
    default:
      return isNamed;
  }
}

/** A comparison of one label; without one, as it stands in a pattern. */
function single(dice: Dice, label: string | undefined): Condition {
  const of = () => attribute(dice.pick(ATTRIBUTES), label, dice.upTo(7) === 0 ? 'P' : undefined);
  switch (dice.upTo(5)) {
    case 0:
      return compare(of(), dice.pick(COMPARATORS), of());
    case 1:
      return compare(sum(dice, [of(), of()]), dice.pick(COMPARATORS), literal(dice));
    case 2:
      return compare(literal(dice), dice.pick(COMPARATORS), of());
    default:
      return compare(of(), dice.pick(COMPARATORS), literal(dice));
  }
}

function conjunct(dice: Dice, labels: readonly string[]): Condition {
  const one = () => dice.pick(labels);
  const of = (label: string) =>
    attribute(dice.pick(ATTRIBUTES), label, dice.upTo(11) === 0 ? 'Q' : undefined);
  const [a, b] = [one(), one()];
  const alternative = () =>
    together('and', [
      single(dice, one()),
      dice.upTo(1) === 0 ? single(dice, one()) : compare(of(a), dice.pick(COMPARATORS), of(b)),
    ]);
  switch (dice.upTo(12)) {
    case 0:
      return single(dice, a);
    case 12:
      return together('or', [alternative(), alternative()]);
    case 1:
    case 2:
      return compare(of(a), '=', of(b));
    case 3:
      return compare(of(a), '!=', of(b));
    case 4:
    case 5:
      return compare(of(a), dice.pick(COMPARATORS), of(b));
    case 6:
    case 7:
      return compare(sum(dice, [of(a), of(b)]), dice.pick(COMPARATORS), literal(dice));
    case 8:
      return compare(of(a), dice.pick(COMPARATORS), sum(dice, [of(b), literal(dice)]));
    case 9:
      return together('or', [single(dice, a), single(dice, b)]);
    case 10:
      return together('or', [compare(of(a), dice.pick(COMPARATORS), of(b)), single(dice, one())]);
    default: {
      // The two bounds of a window are two conjuncts; together they stand in one by AND in OR.
      const difference = sum(dice, [of(a), of(b), of(one())]);
      return compare(difference, dice.pick(COMPARATORS), literal(dice));
    }
  }
}

/** Two bounds of one difference. */
export function withWindow(dice: Dice, expression: Expression): Expression {
  const labels = expression.match.patterns.map(({ label }) => label.text);
  const [a, b] = [dice.pick(labels), dice.pick(labels)];
  const at = dice.pick(ATTRIBUTES);
  const difference = arithmetic(attribute(at, a), [['-', attribute(at, b)]]);
  const bounds = [
    compare(difference, dice.pick(['<', '<=']), literal(dice)),
    compare(difference, dice.pick(['>', '>=']), literal(dice)),
  ];
  const before = expression.filter?.condition;
  const own = before === undefined ? [] : before.kind === 'and' ? before.operands : [before];
  return {
    ...expression,
    filter: { kind: 'filter', span, condition: together('and', [...own, ...bounds]) },
  };
}

/**
 * What there is not between two labels, and labels beside each other: with keys in common, so that
 * there are bindings to be left out.
 */
export function randomBetween(dice: Dice): Expression {
  const isAbsent = dice.upTo(2) > 0;
  const isNext = !isAbsent || dice.upTo(3) === 0;
  const isThree = dice.upTo(2) === 0;
  const labels = ['a', 'b', ...(isAbsent ? ['x'] : []), ...(isThree ? ['c'] : [])];
  const chain = (names: readonly string[], next = false): RelationNode => ({
    kind: 'chain',
    span,
    labels: names.map(name),
    arrows: names.slice(1).map(() => ({ kind: 'arrow', span, ...(next && { next: true }) })),
  });
  const isBeside = !isNext && !isAbsent && dice.upTo(1) === 0;
  const relations: RelationNode[] = [
    ...(isNext ? [chain(['a', 'b'], true)] : []),
    ...(isAbsent ? [chain(['a', 'x', 'b'])] : []),
    ...(isBeside || dice.upTo(9) === 0 ? [pairOf('concurrent', ['a', 'b'])] : []),
    ...(isThree
      ? [dice.pick([chain(['b', 'c']), pairOf('concurrent', ['c', 'a']), chain(['c', 'a'], true)])]
      : []),
  ];
  const key = dice.pick(['id', 'probe', 'x']);
  const equal = (one: string, other: string, at = key) =>
    compare(attribute(at, one), '=', attribute(at, other));
  const conjuncts: Condition[] = [
    ...(dice.upTo(2) > 0 ? [equal('a', 'b')] : []),
    ...(isAbsent && dice.upTo(1) === 0 ? [equal('x', dice.pick(['a', 'b']))] : []),
    ...(dice.upTo(5) === 0 ? [equal('a', 'b', 'y')] : []),
    ...(dice.upTo(5) === 0 ? [compare(attribute('y', 'a'), '<', attribute('y', 'b'))] : []),
    ...(dice.upTo(7) === 0 ? [compare(attribute('y', 'b'), '!=', attribute('y', 'a'))] : []),
  ];
  const named = (label: string) => {
    const isNamed = compare(attribute('name'), '=', text(label === 'x' ? 'B' : dice.pick(NAMES)));
    return dice.upTo(3) === 0 ? wholePattern(dice) : isNamed;
  };
  const patterns = labels.map((label) => patternOf(named(label), label, label === 'x'));
  return {
    ...expressionOf(patterns, relations, conjuncts),
    aggregate: { kind: 'aggregate', span, measures: [] },
  };
}

/** The same bindings, counted or asked for. */
export function countedOnly(dice: Dice, { aggregate, ...rest }: Expression): Expression {
  if (aggregate === undefined || dice.upTo(3) === 0) return rest;
  const measure: Measure = {
    kind: 'measure',
    span,
    left: { kind: 'call', span, name: name('count') },
    comparator: dice.pick(COMPARATORS),
    right: { kind: 'integer', span, value: BigInt(dice.upTo(5)) },
  };
  return { ...rest, aggregate: { kind: 'aggregate', span, measures: [measure] } };
}

function randomMeasures(dice: Dice, labels: readonly string[]): Measure[] {
  const term = (): Term => {
    const function_ = dice.pick(['count', 'max', 'min', 'mean', 'sum', 'stddev']);
    if (function_ === 'count') return { kind: 'call', span, name: name('count') };
    const of = () =>
      attribute(dice.pick(ATTRIBUTES), dice.pick(labels), dice.upTo(9) === 0 ? 'P' : undefined);
    const argument = dice.upTo(2) === 0 ? sum(dice, [of(), of()]) : of();
    return { kind: 'call', span, name: name(function_), argument };
  };
  return Array.from({ length: 1 + dice.upTo(2) }, () => ({
    kind: 'measure',
    span,
    left: term(),
    comparator: dice.pick(COMPARATORS),
    right: dice.upTo(5) === 0 ? term() : literal(dice),
  }));
}

function compare(left: Operand, comparator: Comparator, right: Operand): Comparison {
  return { kind: 'comparison', span, left, comparator, right };
}

function together(kind: 'and' | 'or', conditions: readonly Condition[]): Condition {
  const flat = conditions.flatMap((one) => (one.kind === kind ? one.operands : [one]));
  return flat.length === 1 ? (flat[0] as Condition) : { kind, span, operands: flat };
}

function attribute(text: string, label?: string, probe?: string) {
  const path = [...(label === undefined ? [] : [name(label)]), name(text)];
  return {
    kind: 'attribute',
    span,
    path,
    ...(probe !== undefined && { probe: name(probe) }),
  } as const;
}

function text(value: string): Literal {
  return { kind: 'string', span, value };
}

function literal(dice: Dice): Literal {
  switch (dice.upTo(7)) {
    case 0:
      return text(dice.pick(TEXTS));
    case 1:
      return { kind: 'boolean', span, value: dice.pick([true, false]) };
    case 2:
    case 3:
      return { kind: 'float', span, value: dice.pick(FLOATS) };
    case 4:
      return { kind: 'integer', span, value: dice.pick(INTEGERS) };
    case 5:
      return { kind: 'duration', span, value: dice.pick([0n, 1n, 2n, 60_000_000_000n]) };
    default:
      return { kind: 'integer', span, value: dice.pick([0n, 1n, 2n, 3n]) };
  }
}

function sum(dice: Dice, parts: readonly Operand[]): Operand {
  const rest = [...parts.slice(1), ...(dice.upTo(2) === 0 ? [literal(dice)] : [])];
  return arithmetic(
    parts[0] as Operand,
    rest.map((part): ['+' | '-', Operand] => [dice.pick(['+', '-', '-']), part]),
  );
}

/** Operands added and subtracted. */
function arithmetic(first: Operand, rest: readonly (readonly ['+' | '-', Operand])[]): Operand {
  const steps = rest.map(([sign, operand]) => ({ sign, signSpan: span, operand }));
  return { kind: 'sum', span, first, rest: steps };
}
