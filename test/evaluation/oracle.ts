import type {
  Attribute,
  Comparator,
  Condition,
  Expression,
  Literal,
  Name,
  Operand,
  Term,
} from '../../src/expression/index.js';
import type { PlainSession, Value } from './model.js';

/*
 * What an expression means, word for word: every binding is made and looked at. Slow, and for
 * that easy to believe.
 */

/** A fraction, or an infinity: n / 0. */
interface Num {
  readonly n: bigint;
  readonly d: bigint;
}

export interface OracleMeasure {
  readonly left: Num | string | boolean | undefined;
  /** The left side is the square root of this. */
  readonly leftRoot: boolean;
  readonly holds: boolean;
}

export interface OracleResult {
  readonly holds: boolean;
  readonly bindings: number;
  readonly measures: readonly OracleMeasure[];
  readonly labels: readonly { matched: number; filtered: number; ordered: number }[];
  /** Each as the places of the events, label by label. */
  readonly all: readonly (readonly number[])[];
  /** For each aggregate that is an extreme, by its place: which bindings have it. */
  readonly extremes: readonly {
    readonly why: string;
    readonly bindings: readonly (readonly number[])[];
  }[];
}

/** Which operands there are besides the tree's own: sums, and durations. */
type AnyOperand =
  | Operand
  | {
      readonly kind: 'sum';
      readonly first: Attribute | Literal;
      readonly rest: readonly { readonly sign: '+' | '-'; readonly operand: Attribute | Literal }[];
    };

/** More bindings than this are not made. */
export const MOST_BINDINGS = 60_000;

/** Undefined where there would be too many bindings to make. */
export function consult(session: PlainSession, expression: Expression): OracleResult | undefined {
  const before = closure(session);
  const labels = expression.match.patterns.map(({ label }) => label.text);
  const places = session.events.map((_, at) => at);
  const valueIn = (binding: readonly number[]) => (path: readonly Name[]) => {
    const label = labels.indexOf((path[0] as Name).text);
    return { event: binding[label] as number, name: nameOf(path.slice(1)) };
  };

  const matched = expression.match.patterns.map(({ condition }) =>
    places.filter((event) => isTrue(session, condition, (path) => ({ event, name: nameOf(path) }))),
  );
  const conjuncts = conjunctsOf(expression.filter?.condition);
  const filtered = matched.map((events, label) => {
    const own = conjuncts.filter((conjunct) => {
      const of = labelsOf(conjunct);
      return of.size === 1 && of.has(labels[label] as string);
    });
    return events.filter((event) => {
      const binding = labels.map((_, at) => (at === label ? event : -1));
      return own.every((conjunct) => isTrue(session, conjunct, valueIn(binding)));
    });
  });
  if (filtered.reduce((all, events) => all * Math.max(1, events.length), 1) > MOST_BINDINGS) {
    return undefined;
  }

  const arrows = arrowsOf(expression).map(
    ([a, b]) => [labels.indexOf(a), labels.indexOf(b)] as const,
  );
  const ordered = orderedOf(filtered, arrows, before);
  const all = product(filtered).filter(
    (binding) =>
      arrows.every(([a, b]) => isBefore(before, binding[a] as number, binding[b] as number)) &&
      conjuncts.every((conjunct) => isTrue(session, conjunct, valueIn(binding))),
  );

  const extremes: { why: string; bindings: (readonly number[])[] }[] = [];
  const termValue = (term: Term): { value: Num | string | boolean | undefined; root: boolean } => {
    if (!('value' in term) && term.kind !== 'call') throw new RangeError(`${term.kind} is new`);
    if (term.kind !== 'call') return { value: toNum(literalValue(term)), root: false };
    if (term.name.text === 'count') {
      return { value: { n: BigInt(all.length), d: 1n }, root: false };
    }
    const argument = term.argument as Operand;
    const values = all.flatMap((binding) => {
      const value = toNum(operandValue(session, argument, valueIn(binding)));
      return typeof value === 'object' ? [{ binding, value }] : [];
    });
    const found = aggregate(
      term.name.text,
      values.map(({ value }) => value),
    );
    if ((term.name.text === 'max' || term.name.text === 'min') && found.value !== undefined) {
      const best = found.value;
      const bindings = values.flatMap(({ binding, value }) =>
        compareNums(value, best) === 0 ? [binding] : [],
      );
      extremes.push({ why: term.name.text, bindings });
    }
    return found;
  };
  const measures = (expression.aggregate?.measures ?? []).map((measure) => {
    const [left, right] = [termValue(measure.left), termValue(measure.right)];
    return {
      left: left.value,
      leftRoot: left.root,
      holds: compareTerms(left, measure.comparator, right),
    };
  });
  return {
    holds: expression.aggregate ? measures.every(({ holds }) => holds) : all.length > 0,
    bindings: all.length,
    measures,
    labels: labels.map((_, at) => ({
      matched: (matched[at] as number[]).length,
      filtered: (filtered[at] as number[]).length,
      ordered: (ordered[at] as number[]).length,
    })),
    all,
    extremes,
  };
}

/** For each event a set of bits: the events before it. */
function closure({ probes, events, interactions }: PlainSession): bigint[] {
  const direct = events.map((): number[] => []);
  for (const probe of probes) {
    let last = -1;
    events.forEach((event, at) => {
      if (event.probe !== probe) return;
      if (last >= 0) (direct[at] as number[]).push(last);
      last = at;
    });
  }
  for (const [from, to] of interactions) (direct[to] as number[]).push(from);
  const before = events.map(() => 0n);
  for (let changed = true; changed; ) {
    changed = false;
    direct.forEach((senders, at) => {
      const bits = senders.reduce(
        (all, sender) => all | (before[sender] as bigint) | (1n << BigInt(sender)),
        before[at] as bigint,
      );
      if (bits === before[at]) return;
      before[at] = bits;
      changed = true;
    });
  }
  return before;
}

function isBefore(before: readonly bigint[], a: number, b: number): boolean {
  return (((before[b] as bigint) >> BigInt(a)) & 1n) === 1n;
}

/** Drops events without a partner for one of their arrows until there are none. */
function orderedOf(
  lists: readonly (readonly number[])[],
  arrows: readonly (readonly [number, number])[],
  before: readonly bigint[],
): number[][] {
  const left = lists.map((events) => [...events]);
  for (let changed = true; changed; ) {
    changed = false;
    left.forEach((events, label) => {
      const kept = events.filter((event) =>
        arrows.every(([a, b]) => {
          if (a === label && !(left[b] as number[]).some((to) => isBefore(before, event, to))) {
            return false;
          }
          return b !== label || (left[a] as number[]).some((from) => isBefore(before, from, event));
        }),
      );
      if (kept.length < events.length) changed = true;
      left[label] = kept;
    });
  }
  return left;
}

function product(lists: readonly (readonly number[])[]): number[][] {
  return lists.reduce<number[][]>(
    (bindings, events) => bindings.flatMap((binding) => events.map((event) => [...binding, event])),
    [[]],
  );
}

function arrowsOf({ when }: Expression): [string, string][] {
  return (when?.relations ?? []).flatMap(({ labels }) =>
    labels.slice(1).map((label, at): [string, string] => [(labels[at] as Name).text, label.text]),
  );
}

function conjunctsOf(condition: Condition | undefined): readonly Condition[] {
  if (condition === undefined) return [];
  return condition.kind === 'and' ? condition.operands : [condition];
}

function labelsOf(condition: Condition): Set<string> {
  if ('operands' in condition) {
    return new Set(condition.operands.flatMap((operand) => [...labelsOf(operand)]));
  }
  if (condition.kind !== 'comparison') return new Set();
  const attributes = [condition.left, condition.right].flatMap((operand: AnyOperand) => {
    if (operand.kind !== 'sum') return [operand];
    return [operand.first, ...operand.rest.map(({ operand }) => operand)];
  });
  return new Set(
    attributes.flatMap((operand) =>
      operand.kind === 'attribute' ? [(operand.path[0] as Name).text] : [],
    ),
  );
}

const nameOf = (path: readonly Name[]) => path.map(({ text }) => text).join('.');

/** Whose attribute a path is. */
type Lookup = (path: readonly Name[]) => { readonly event: number; readonly name: string };

function isTrue(session: PlainSession, condition: Condition, lookup: Lookup): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.operands.every((operand) => isTrue(session, operand, lookup));
    case 'or':
      return condition.operands.some((operand) => isTrue(session, operand, lookup));
    case 'located': {
      const { event } = lookup([condition.event]);
      return (
        attributeOf(session, event, 'name') === condition.event.text &&
        attributeOf(session, event, 'probe') === condition.probe.text
      );
    }
    case 'comparison': {
      const { left, comparator, right } = condition;
      const [a, b] = [operandValue(session, left, lookup), operandValue(session, right, lookup)];
      if ((left as AnyOperand).kind === 'sum' || (right as AnyOperand).kind === 'sum') {
        return isFiniteNum(a) && isFiniteNum(b) && compareValues(a, comparator, b);
      }
      return compareValues(a, comparator, b);
    }
    default:
      throw new RangeError(`${condition.kind} is new`);
  }
}

function attributeOf(session: PlainSession, at: number, name: string): Value | undefined {
  const event = session.events[at] as PlainSession['events'][number];
  const value = name === 'probe' ? event.probe : event.attributes[name];
  return typeof value === 'number' && Number.isNaN(value) ? undefined : value;
}

function operandValue(
  session: PlainSession,
  operand: AnyOperand,
  lookup: Lookup,
): Value | Num | undefined {
  if (operand.kind === 'attribute') {
    const { event, name } = lookup(operand.path);
    const probe = (session.events[event] as PlainSession['events'][number]).probe;
    if (operand.probe !== undefined && operand.probe.text !== probe) return undefined;
    return attributeOf(session, event, name);
  }
  if (operand.kind === 'abs' || operand.kind === 'product') throw new RangeError('new');
  if (operand.kind !== 'sum') return literalValue(operand);
  const terms = [{ sign: '+', operand: operand.first }, ...operand.rest];
  return terms.reduce<Num | undefined>(
    (sum, { sign, operand }) => {
      const value = toNum(operandValue(session, operand, lookup));
      if (sum === undefined || typeof value !== 'object' || value.d === 0n) return undefined;
      const n = sign === '+' ? value.n : -value.n;
      return { n: sum.n * value.d + n * sum.d, d: sum.d * value.d };
    },
    { n: 0n, d: 1n },
  );
}

function literalValue(literal: Literal): Value {
  return literal.value;
}

/** Numbers as fractions; texts and booleans as they are; nothing else. */
function toNum(value: Value | Num | undefined): Num | string | boolean | undefined {
  if (typeof value === 'bigint') return { n: value, d: 1n };
  if (typeof value === 'number') return fromDouble(value);
  if (typeof value === 'object') return 'other' in value ? undefined : value;
  return value;
}

/** Doubles it until it is whole. */
function fromDouble(value: number): Num {
  if (!Number.isFinite(value)) return { n: value > 0 ? 1n : -1n, d: 0n };
  let [n, d] = [value, 1n];
  while (!Number.isInteger(n)) {
    n *= 2;
    d *= 2n;
  }
  return { n: BigInt(n), d };
}

function isFiniteNum(value: Value | Num | undefined): boolean {
  const number = toNum(value);
  return typeof number === 'object' && number.d !== 0n;
}

function compareNums(a: Num | string | boolean, b: Num | string | boolean): number {
  if (typeof a !== 'object' || typeof b !== 'object') throw new Error('no numbers');
  if (a.d === 0n || b.d === 0n) {
    const sign = (x: Num) => (x.d === 0n ? Number(x.n) : 0);
    return sign(a) - sign(b);
  }
  const difference = a.n * b.d - b.n * a.d;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function holds(comparator: Comparator, sign: number): boolean {
  return {
    '=': sign === 0,
    '!=': sign !== 0,
    '<': sign < 0,
    '<=': sign <= 0,
    '>': sign > 0,
    '>=': sign >= 0,
  }[comparator];
}

function compareValues(
  a: Value | Num | undefined,
  comparator: Comparator,
  b: Value | Num | undefined,
): boolean {
  if (a === undefined || b === undefined) return false;
  const [x, y] = [toNum(a), toNum(b)];
  if (typeof x === 'object' && typeof y === 'object') return holds(comparator, compareNums(x, y));
  if (typeof x === 'string' && typeof y === 'string')
    return holds(comparator, compareCodePoints(x, y));
  const isEquality = comparator === '=' || comparator === '!=';
  if (!isEquality) return false;
  if (typeof x === 'boolean' && typeof y === 'boolean')
    return holds(comparator, Number(x) - Number(y));
  if (typeof a !== 'object' || typeof b !== 'object' || !('other' in a) || !('other' in b))
    return false;
  return holds(comparator, a.other === b.other ? 0 : 1);
}

function compareCodePoints(a: string, b: string): number {
  const [x, y] = [[...a], [...b]];
  for (let at = 0; at < Math.min(x.length, y.length); at++) {
    const sign =
      ((x[at] as string).codePointAt(0) as number) - ((y[at] as string).codePointAt(0) as number);
    if (sign !== 0) return sign;
  }
  return x.length - y.length;
}

function sumOf(values: readonly Num[]): Num {
  return values.reduce(
    (a, b) => {
      const [n, d] = [a.n * b.d + b.n * a.d, a.d * b.d];
      let [divisor, rest] = [d, n < 0n ? -n : n];
      while (rest > 0n) [divisor, rest] = [rest, divisor % rest];
      return { n: n / divisor, d: d / divisor };
    },
    { n: 0n, d: 1n },
  );
}

function aggregate(
  name: string,
  values: readonly Num[],
): { value: Num | undefined; root: boolean } {
  const nothing = { value: undefined, root: false };
  if (values.length === 0) return nothing;
  const count = BigInt(values.length);
  const sorted = [...values].sort(compareNums);
  if (name === 'max') return { value: sorted.at(-1), root: false };
  if (name === 'min') return { value: sorted[0], root: false };
  const infinite = values.filter(({ d }) => d === 0n);
  if (infinite.length > 0) {
    const isMixed = infinite.some(({ n }) => n !== infinite[0]?.n);
    return name === 'stddev' || isMixed ? nothing : { value: infinite[0], root: false };
  }
  const sum = sumOf(values);
  if (name === 'sum') return { value: sum, root: false };
  const mean = { n: sum.n, d: sum.d * count };
  if (name === 'mean') return { value: mean, root: false };
  if (count < 2n) return nothing;
  const differences = values.map(({ n, d }) => ({ n: n * mean.d - mean.n * d, d: d * mean.d }));
  const squares = sumOf(differences.map(({ n, d }) => ({ n: n * n, d: d * d })));
  return { value: { n: squares.n, d: squares.d * (count - 1n) }, root: true };
}

function compareTerms(
  left: { value: Num | string | boolean | undefined; root: boolean },
  comparator: Comparator,
  right: { value: Num | string | boolean | undefined; root: boolean },
): boolean {
  const [a, b] = [left.value, right.value];
  if (typeof a !== 'object' || typeof b !== 'object' || left.root === right.root) {
    return compareValues(a, comparator, b);
  }
  if (left.root) return holds(comparator, compareRoot(a, b));
  return holds(comparator, -compareRoot(b, a));
}

/** The sign of the root of a number less another number. */
function compareRoot(square: Num, other: Num): number {
  if (other.n < 0n) return 1;
  if (other.d === 0n) return -1;
  return compareNums(square, { n: other.n * other.n, d: other.d * other.d });
}
