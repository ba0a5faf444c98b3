import type {
  Attribute,
  Condition,
  Expression,
  Key,
  Literal,
  Measure,
  Name,
  Operand,
  Requirement,
  Term,
} from '../../src/expression/index.js';
import type { PlainSession } from './model.js';
import { hasMetNothing, type LabelValues } from './oracle-met-nothing.js';
import {
  asWritten,
  calculate,
  compareNums,
  compareSurds,
  compareValues,
  holds,
  isFiniteNum,
  isNum,
  matchesGlob,
  type Num,
  ONE,
  type Scalar,
  type Surd,
  scalarOf,
  ZERO,
} from './values.js';

/*
 * What an expression means, word for word: every binding is made and looked at. Slow, and for
 * that easy to believe.
 */

export interface OracleMeasure {
  /** Undefined also with BY, where each group has its own. */
  readonly left: Num | string | boolean | undefined;
  /** The left side has a square root in it. */
  readonly leftRoot: boolean;
  readonly holds: boolean;
}

export interface OracleResult {
  /** Undefined where the baseline is asked for and there is none. */
  readonly holds: boolean | undefined;
  readonly bindings: number;
  /** Those of AGGREGATE, in text order. */
  readonly measures: readonly OracleMeasure[];
  readonly groups?: { readonly all: number; readonly hold: number; readonly leftOut?: number };
  readonly vacuous: boolean;
  /** `ordered`: after the arrows between bound labels, but for NEXT and what is absent. */
  readonly labels: readonly { matched: number; filtered: number; ordered: number }[];
  /** Each as the places of the events, label by label; -1 for an absent one. */
  readonly all: readonly (readonly number[])[];
  /** For each aggregate that is an extreme, by its place: which bindings have it. */
  readonly extremes: readonly {
    readonly why: string;
    readonly bindings: readonly (readonly number[])[];
  }[];
}

/** More bindings than this are not made. */
export const MOST_BINDINGS = 60_000;

type Binding = readonly number[];

/** A requirement of a binding, and the labels that it mentions. */
interface Demand {
  readonly labels: readonly number[];
  readonly isMet: (binding: Binding) => boolean;
}

/** Undefined where there would be too many bindings to make. */
export function consult(
  session: PlainSession,
  expression: Expression,
  baseline: readonly PlainSession[] = [],
): OracleResult | undefined {
  const trace = new Trace(session);
  const bindings = bindingsOf(trace, expression);
  if (bindings === undefined) return undefined;
  const { all, labels } = bindings;
  const { aggregate } = expression;
  const extremes: { why: string; bindings: Binding[] }[] = [];
  const terms = new Terms(trace, expression, baseline, extremes);
  const nameOf = expression.match.patterns.map(({ label }) => label.text);
  const by = aggregate?.by;
  const required = aggregate?.measures ?? [];
  const measures = required.flatMap(leavesOf).map((measure) => terms.measure(measure, all));
  if (terms.hasTooMany) return undefined;
  const base = {
    bindings: all.length,
    labels,
    all,
    extremes,
  };
  const isVacuous =
    labels.some(({ matched }) => matched === 0) ||
    !bindings.isTested ||
    hasMetNothing(expression, bindings.values);
  if (by === undefined) {
    const isUndecided = measures.some((measure) => measure.holds === undefined);
    const isTrue = aggregate
      ? required.every((one) => isMet(one, (measure) => terms.measure(measure, all).holds === true))
      : all.length > 0;
    return {
      ...base,
      measures: measures as OracleMeasure[],
      holds: isUndecided ? undefined : isTrue,
      vacuous: isVacuous,
    };
  }
  const groups = groupsOf(trace, expression, by.keys, nameOf);
  const isMetIn = (requirement: Requirement, group: number): boolean =>
    isMet(requirement, (measure) => {
      const own = all.filter(groups[group] as (typeof groups)[number]);
      return terms.measure(measure, own, group).holds === true;
    });
  const { having } = by;
  const judged = groups.flatMap((_, group) =>
    having === undefined || isMetIn(having, group) ? [group] : [],
  );
  // Without a baseline, it may not be known.
  const isLeftOut = (group: number) =>
    having !== undefined &&
    !isMet(having, (measure) => {
      const own = all.filter(groups[group] as (typeof groups)[number]);
      return terms.measure(measure, own, group).holds !== false;
    });
  const hold = judged.filter((group) => required.every((one) => isMetIn(one, group))).length;
  if (terms.hasTooMany) return undefined;
  const percent = by.percent === undefined ? { n: 100n, d: 1n } : asWritten(by.percent);
  const enough = BigInt(hold) * 100n * percent.d >= percent.n * BigInt(judged.length);
  const inHaving = having === undefined ? [] : leavesOf(having);
  const needsBaseline = [...required.flatMap(leavesOf), ...inHaving].some(
    (measure) => terms.measure(measure, all).holds === undefined,
  );
  return {
    ...base,
    extremes: [],
    measures: measures.map(() => ({ left: undefined, leftRoot: false, holds: enough })),
    groups: {
      ...{ all: judged.length, hold },
      ...(having !== undefined && { leftOut: groups.length - judged.length }),
    },
    holds: needsBaseline ? undefined : judged.length === 0 || enough,
    vacuous: isVacuous || groups.every((_, group) => isLeftOut(group)),
  };
}

function leavesOf(requirement: Requirement): Measure[] {
  return requirement.kind === 'measure' ? [requirement] : requirement.operands.flatMap(leavesOf);
}

function isMet(requirement: Requirement, holds: (measure: Measure) => boolean): boolean {
  if (requirement.kind === 'measure') return holds(requirement);
  const each = requirement.operands.map((operand) => isMet(operand, holds));
  return requirement.kind === 'all' ? !each.includes(false) : each.includes(true);
}

/** The part of an expression about a label and what is connected with it; AGGREGATE is left out. */
function componentOf({ match, when, filter, ...rest }: Expression, label: string): Expression {
  const names = match.patterns.map((pattern) => pattern.label.text);
  const mentioned = (condition: Condition) =>
    firstNames(condition).filter((name) => names.includes(name));
  const ties = [
    ...(when?.relations ?? []).map(({ labels }) => labels.map(({ text }) => text)),
    ...conjunctsOf(filter?.condition).map(mentioned),
  ];
  const reachedFrom = (start: string): ReadonlySet<string> => {
    const reached = new Set([start]);
    for (const name of reached) {
      for (const tie of ties) if (tie.includes(name)) for (const other of tie) reached.add(other);
    }
    return reached;
  };
  const present = match.patterns.filter(({ absent }) => !absent).map((one) => one.label.text);
  const isIn = (name: string) => {
    const reached = reachedFrom(name);
    return reached.has(label) || !present.some((one) => reached.has(one));
  };
  const relations = (when?.relations ?? []).filter(({ labels }) =>
    labels.every(({ text }) => isIn(text)),
  );
  const operands = conjunctsOf(filter?.condition).filter((one) => mentioned(one).every(isIn));
  const { span } = match;
  return {
    ...{ kind: rest.kind, span },
    match: { ...match, patterns: match.patterns.filter((one) => isIn(one.label.text)) },
    ...(relations.length > 0 && { when: { kind: 'when', span, relations } }),
    ...(operands.length > 0 && {
      filter: { kind: 'filter', span, condition: { kind: 'and', span, operands } },
    }),
  };
}

/** A session, and which events happened before which. */
class Trace {
  readonly places: readonly number[];
  readonly start: Num | undefined;
  readonly end: Num | undefined;
  readonly #before: readonly bigint[];

  constructor(readonly session: PlainSession) {
    this.places = session.events.map((_, at) => at);
    this.#before = closure(session);
    const times = this.places.map((at) => this.attribute(at, 'time')).filter(isNum);
    times.sort(compareNums);
    [this.start, this.end] = [times[0], times.at(-1)];
  }

  isBefore(a: number, b: number): boolean {
    return (((this.#before[b] as bigint) >> BigInt(a)) & 1n) === 1n;
  }

  isConcurrent(a: number, b: number): boolean {
    return a !== b && !this.isBefore(a, b) && !this.isBefore(b, a);
  }

  attribute(at: number, name: string): Scalar | undefined {
    const event = this.session.events[at] as PlainSession['events'][number];
    if (name === 'probe') return event.probe;
    return name === 'timeline' ? event.timeline : scalarOf(event.attributes[name]);
  }
}

/** For each event a set of bits: the events before it. */
function closure({ events, interactions }: PlainSession): bigint[] {
  const direct = events.map((event, at): number[] => {
    const last = events.findLastIndex(
      ({ probe, timeline }, before) =>
        before < at && probe === event.probe && timeline === event.timeline,
    );
    return last < 0 ? [] : [last];
  });
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

interface Bindings {
  readonly all: readonly Binding[];
  readonly labels: readonly { matched: number; filtered: number; ordered: number }[];
  /** Whether each absence was asked of some binding of the other labels. */
  readonly isTested: boolean;
  readonly values: readonly LabelValues[];
}

function bindingsOf(trace: Trace, expression: Expression): Bindings | undefined {
  const { patterns } = expression.match;
  const names = patterns.map(({ label }) => label.text);
  const numbers = names.map((_, at) => at);
  const isAbsent = (label: number) => patterns[label]?.absent === true;
  const matched = patterns.map(({ condition }) =>
    trace.places.filter((event) => isTrue(trace, condition, inPattern(event))),
  );
  const ofFilter = demandsOfFilter(trace, expression, names);
  const demands = [...demandsOfWhen(trace, expression, names), ...ofFilter];
  const filtered = matched.map((events, label) => {
    const own = ofFilter.filter(({ labels }) => labels.length === 1 && labels[0] === label);
    return events.filter((event) => {
      const binding = names.map((_, at) => (at === label ? event : -1));
      return own.every(({ isMet }) => isMet(binding));
    });
  });
  if (filtered.reduce((all, events) => all * Math.max(1, events.length), 1) > MOST_BINDINGS) {
    return undefined;
  }

  const arrows = arrowsOf(expression, names).filter(([a, b]) => !isAbsent(a) && !isAbsent(b));
  const implied = impliedArrows(arrowsOf(expression, names), isAbsent);
  const ofBound = demands.filter(({ labels }) => !labels.some(isAbsent));
  const candidates = product(filtered.map((events, at) => (isAbsent(at) ? [-1] : events))).filter(
    (binding) =>
      ofBound.every(({ isMet }) => isMet(binding)) &&
      implied.every(([a, b]) => trace.isBefore(binding[a] as number, binding[b] as number)),
  );
  const absences = groupAbsent(numbers.filter(isAbsent), demands, isAbsent);
  const all = candidates.filter((binding) =>
    absences.every(({ labels, asked }) => {
      const choices = product(
        binding.map((event, at) => (labels.includes(at) ? (filtered[at] as number[]) : [event])),
      );
      return !choices.some((choice) => asked.every(({ isMet }) => isMet(choice)));
    }),
  );
  const ordered = orderedOf(filtered, [...arrows, ...implied], trace);
  return {
    all,
    isTested: absences.length === 0 || candidates.length > 0,
    values: names.map((label, at): LabelValues => {
      const events = matched[at] as number[];
      const valuesOf: LabelValues['valuesOf'] = (name, probe) =>
        events.flatMap((event) => {
          const isThere = probe === undefined || trace.attribute(event, 'probe') === probe;
          return isThere ? (trace.attribute(event, name) ?? []) : [];
        });
      return { label, isMatched: events.length > 0, valuesOf };
    }),
    labels: numbers.map((at) => ({
      matched: (matched[at] as number[]).length,
      filtered: (filtered[at] as number[]).length,
      ordered: (ordered[at] as number[]).length,
    })),
  };
}

/** Absent labels that share a demand are chosen together. */
function groupAbsent(
  absent: readonly number[],
  demands: readonly Demand[],
  isAbsent: (label: number) => boolean,
): { labels: number[]; asked: Demand[] }[] {
  let groups = absent.map((label) => [label]);
  for (const { labels } of demands) {
    const together = groups.filter((group) => group.some((label) => labels.includes(label)));
    if (together.length < 2) continue;
    groups = [...groups.filter((group) => !together.includes(group)), together.flat()];
  }
  return groups.map((labels) => ({
    labels,
    asked: demands.filter((demand) =>
      demand.labels.some((label) => isAbsent(label) && labels.includes(label)),
    ),
  }));
}

function arrowsOf({ when }: Expression, names: readonly string[]): [number, number][] {
  return (when?.relations ?? []).flatMap((relation) => {
    const labels = relation.labels.map(({ text }) => names.indexOf(text));
    if (relation.kind !== 'chain') return [];
    return relation.arrows.map((_, at): [number, number] => [
      labels[at] as number,
      labels[at + 1] as number,
    ]);
  });
}

/** From a bound label to another through absent ones alone. */
function impliedArrows(
  arrows: readonly (readonly [number, number])[],
  isAbsent: (label: number) => boolean,
): [number, number][] {
  const reached = (from: number, seen: readonly number[]): number[] =>
    arrows
      .filter(([a, b]) => a === from && !seen.includes(b))
      .flatMap(([, b]) => (isAbsent(b) ? reached(b, [...seen, b]) : [b]));
  return arrows
    .filter(([a, b]) => !isAbsent(a) && isAbsent(b))
    .flatMap(([a, b]) => reached(b, [b]).map((to): [number, number] => [a, to]));
}

function demandsOfWhen(trace: Trace, expression: Expression, names: readonly string[]): Demand[] {
  const time = (event: number) => trace.attribute(event, 'time');
  return (expression.when?.relations ?? []).flatMap((relation): Demand[] => {
    const labels = relation.labels.map(({ text }) => names.indexOf(text));
    const [first, last] = [labels[0] as number, labels.at(-1) as number];
    const of = (
      a: number,
      b: number,
      isMet: (a: number, b: number, binding: Binding) => boolean,
    ) => ({
      labels: a === b ? [a] : [a, b],
      isMet: (binding: Binding) => isMet(binding[a] as number, binding[b] as number, binding),
    });
    if (relation.kind !== 'chain') {
      const isDistinct = relation.kind === 'distinct';
      return [of(first, last, (a, b) => (isDistinct ? a !== b : trace.isConcurrent(a, b)))];
    }
    const arrows = relation.arrows.flatMap(({ next }, at) => {
      const [from, to] = [labels[at] as number, labels[at + 1] as number];
      const arrow = of(from, to, (a, b) => trace.isBefore(a, b));
      if (!next) return [arrow];
      const mayBeBetween = between(trace, expression, names, from, to);
      return [
        arrow,
        of(
          from,
          to,
          (a, b) =>
            !trace.places.some(
              (x) => trace.isBefore(a, x) && trace.isBefore(x, b) && mayBeBetween(a, x),
            ),
        ),
      ];
    });
    if (relation.within === undefined) return arrows;
    const limit: Num = { n: relation.within.value, d: 1n };
    const within = of(first, last, (a, b) =>
      compareValues(calculate('-', time(b), time(a)), '<=', limit),
    );
    return [...arrows, within];
  });
}

/** What NEXT asks of an event x between: b's pattern, and the conjuncts `a.p = b.q`. */
function between(
  trace: Trace,
  expression: Expression,
  names: readonly string[],
  from: number,
  to: number,
): (a: number, x: number) => boolean {
  const pattern = expression.match.patterns[to]?.condition as Condition;
  const isOf = (operand: Operand, label: number): operand is Attribute =>
    operand.kind === 'attribute' &&
    operand.probe === undefined &&
    operand.path.length > 1 &&
    operand.path[0]?.text === names[label];
  const equalities = conjunctsOf(expression.filter?.condition).filter(
    (one) =>
      one.kind === 'comparison' &&
      one.comparator === '=' &&
      ((isOf(one.left, from) && isOf(one.right, to)) ||
        (isOf(one.left, to) && isOf(one.right, from))),
  );
  return (a, x) => {
    const binding = names.map((_, at) => (at === from ? a : at === to ? x : -1));
    return (
      isTrue(trace, pattern, inPattern(x)) &&
      equalities.every((one) => isTrue(trace, one, inBinding(names, binding)))
    );
  };
}

function demandsOfFilter(trace: Trace, { filter }: Expression, names: readonly string[]): Demand[] {
  return conjunctsOf(filter?.condition).map((condition) => ({
    labels: [...new Set(firstNames(condition))].flatMap((name) => {
      const label = names.indexOf(name);
      return label < 0 ? [] : [label];
    }),
    isMet: (binding) => isTrue(trace, condition, inBinding(names, binding)),
  }));
}

/** Drops events without a partner for one of their arrows until there are none. */
function orderedOf(
  lists: readonly (readonly number[])[],
  arrows: readonly (readonly [number, number])[],
  trace: Trace,
): number[][] {
  const left = lists.map((events) => [...events]);
  for (let changed = true; changed; ) {
    changed = false;
    left.forEach((events, label) => {
      const kept = events.filter((event) =>
        arrows.every(([a, b]) => {
          if (a === label && !(left[b] as number[]).some((to) => trace.isBefore(event, to))) {
            return false;
          }
          return b !== label || (left[a] as number[]).some((from) => trace.isBefore(from, event));
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

function conjunctsOf(condition: Condition | undefined): readonly Condition[] {
  if (condition === undefined) return [];
  return condition.kind === 'and' ? condition.operands : [condition];
}

/** The first name of each attribute of a condition. */
function firstNames(condition: Condition): string[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.operands.flatMap(firstNames);
    case 'not':
      return firstNames(condition.operand);
    case 'comparison':
      return [condition.left, condition.right].flatMap(firstNamesOf);
    case 'in':
    case 'glob':
      return firstNamesOf(condition.operand);
    case 'exists':
      return firstNamesOf(condition.attribute);
    case 'located':
      return [];
  }
}

function firstNamesOf(operand: Operand): string[] {
  switch (operand.kind) {
    case 'attribute':
      return [(operand.path[0] as Name).text];
    case 'abs':
    case 'lower':
      return firstNamesOf(operand.operand);
    case 'sum':
    case 'product':
      return [operand.first, ...operand.rest.map((step) => step.operand)].flatMap(firstNamesOf);
    default:
      return [];
  }
}

const nameOf = (path: readonly Name[]) => path.map(({ text }) => text).join('.');

/** Whose attribute a path is; of no event for `session.start`. */
type Lookup = (path: readonly Name[]) => { readonly event?: number; readonly name: string };

function inPattern(event: number): Lookup {
  return (path) => ({ event, name: nameOf(path) });
}

function inBinding(names: readonly string[], binding: Binding): Lookup {
  return (path) => {
    const label = names.indexOf((path[0] as Name).text);
    if (label < 0) return { name: nameOf(path) };
    return { event: binding[label] as number, name: nameOf(path.slice(1)) };
  };
}

function isTrue(trace: Trace, condition: Condition, lookup: Lookup): boolean {
  const valueIn = (operand: Operand) => operandValue(trace, operand, lookup);
  switch (condition.kind) {
    case 'and':
      return condition.operands.every((operand) => isTrue(trace, operand, lookup));
    case 'or':
      return condition.operands.some((operand) => isTrue(trace, operand, lookup));
    case 'not':
      return !isTrue(trace, condition.operand, lookup);
    case 'located': {
      const event = lookup([condition.event]).event as number;
      return (
        trace.attribute(event, 'name') === condition.event.text &&
        trace.attribute(event, 'probe') === condition.probe.text
      );
    }
    case 'exists':
      return valueIn(condition.attribute) !== undefined;
    case 'in': {
      const value = valueIn(condition.operand);
      return condition.values.some((one) => compareValues(value, '=', literalValue(one)));
    }
    case 'glob': {
      const value = valueIn(condition.operand);
      return typeof value === 'string' && matchesGlob([...condition.pattern.value], [...value]);
    }
    case 'comparison':
      return compareValues(valueIn(condition.left), condition.comparator, valueIn(condition.right));
  }
}

function operandValue(trace: Trace, operand: Operand, lookup: Lookup): Scalar | undefined {
  switch (operand.kind) {
    case 'attribute': {
      const { event, name } = lookup(operand.path);
      if (event === undefined) return name === 'session.start' ? trace.start : trace.end;
      const { probe } = trace.session.events[event] as PlainSession['events'][number];
      if (operand.probe !== undefined && operand.probe.text !== probe) return undefined;
      return trace.attribute(event, name);
    }
    case 'abs': {
      const value = operandValue(trace, operand.operand, lookup);
      if (!isFiniteNum(value)) return undefined;
      return value.n < 0n ? { n: -value.n, d: value.d } : value;
    }
    case 'lower': {
      const value = operandValue(trace, operand.operand, lookup);
      if (typeof value !== 'string') return undefined;
      const small = [...value].map((one) => {
        const lower = [...one.toLowerCase()];
        return lower.length === 1 ? lower[0] : one;
      });
      return small.join('');
    }
    case 'sum':
    case 'product':
      return operand.rest.reduce<Scalar | undefined>(
        (value, step) => calculate(step.sign, value, operandValue(trace, step.operand, lookup)),
        operandValue(trace, operand.first, lookup),
      );
    default:
      return literalValue(operand);
  }
}

function literalValue({ value }: Literal): Scalar | undefined {
  return scalarOf(value);
}

function labelName(key: Key): string {
  if (key.kind === 'name') return key.text;
  return ((key.kind === 'window' ? key.time : key).path[0] as Name).text;
}

/** For each group whether a binding is in it. */
function groupsOf(
  trace: Trace,
  expression: Expression,
  keys: readonly Key[],
  names: readonly string[],
): ((binding: Binding) => boolean)[] {
  const label = names.indexOf(labelName(keys[0] as Key));
  const pattern = expression.match.patterns[label]?.condition as Condition;
  const own = conjunctsOf(expression.filter?.condition).filter((condition) =>
    firstNames(condition).every((name) => !names.includes(name) || name === names[label]),
  );
  const events = trace.places.filter((event) => {
    const binding = names.map((_, at) => (at === label ? event : -1));
    return (
      isTrue(trace, pattern, inPattern(event)) &&
      own.every((condition) => isTrue(trace, condition, inBinding(names, binding)))
    );
  });
  const valueIn = (key: Key, event: number): Scalar | number | undefined => {
    if (key.kind === 'name') return { other: `event ${event}` };
    if (key.kind === 'window') {
      const time = trace.attribute(event, nameOf(key.time.path.slice(1)));
      if (!isFiniteNum(time) || trace.start === undefined) return undefined;
      const passed = calculate('-', time, trace.start) as Num;
      const at = passed.n / (passed.d * key.size.value);
      return passed.n < 0n || at >= windowsOf(trace, key.size.value) ? undefined : Number(at);
    }
    return trace.attribute(event, nameOf(key.path.slice(1)));
  };
  const isSame = (a: Scalar | number | undefined, b: Scalar | number | undefined): boolean =>
    typeof a === 'number' || typeof b === 'number' ? a === b : compareValues(a, '=', b);
  let groups: (Scalar | number)[][] = [[]];
  const plain = keys.filter(({ kind }) => kind !== 'window');
  groups = [];
  for (const event of events) {
    const values = plain.map((key) => valueIn(key, event));
    if (values.some((value) => value === undefined)) continue;
    const isKnown = groups.some((group) => group.every((one, at) => isSame(one, values[at])));
    if (!isKnown) groups.push(values as Scalar[]);
  }
  if (plain.length === 0) groups = [[]];
  const ordered = [...plain];
  for (const key of keys) {
    if (key.kind !== 'window') continue;
    ordered.push(key);
    const count = Number(windowsOf(trace, key.size.value));
    groups = groups.flatMap((group) => Array.from({ length: count }, (_, at) => [...group, at]));
  }
  return groups.map(
    (group) => (binding) =>
      group.every((one, at) => isSame(one, valueIn(ordered[at] as Key, binding[label] as number))),
  );
}

/** How many full windows there are up to the end of the session. */
function windowsOf({ start, end }: Trace, size: bigint): bigint {
  if (start === undefined || end === undefined) return 0n;
  const length = calculate('-', end, start) as Num;
  return length.n / (length.d * size);
}

/** What a term comes to. */
type TermValue = Surd | Num | string | boolean | 'no baseline' | undefined;

const isSurd = (value: TermValue): value is Surd => typeof value === 'object' && 'plain' in value;

/** The terms of AGGREGATE, over some bindings. */
class Terms {
  /** Whether a session of the baseline has too many bindings to make. */
  hasTooMany = false;

  constructor(
    readonly trace: Trace,
    readonly expression: Expression,
    readonly baseline: readonly PlainSession[],
    readonly extremes: { why: string; bindings: Binding[] }[],
  ) {}

  /** @param group of BY, if the bindings are those of one */
  measure(
    { left, comparator, right }: Measure,
    bindings: readonly Binding[],
    group?: number,
  ): Omit<OracleMeasure, 'holds'> & { holds: boolean | undefined } {
    const written = readsNumbersAsWritten(left) && readsNumbersAsWritten(right);
    const [a, b] = [left, right].map((side) => this.#value(side, bindings, written, group));
    const isUndecided = a === NO_BASELINE || b === NO_BASELINE;
    const shown = isSurd(a) ? (a.times.n === 0n ? a.plain : undefined) : a;
    return {
      left: isUndecided ? undefined : shown,
      leftRoot: isSurd(a) && a.times.n !== 0n,
      holds: isUndecided ? undefined : compareTerms(a, comparator, b),
    };
  }

  #value(
    term: Term,
    bindings: readonly Binding[],
    written: boolean,
    group: number | undefined,
  ): TermValue {
    switch (term.kind) {
      case 'call':
        if (term.label !== undefined) return this.#countOf(term.label.text, group);
        return this.#call(term, bindings);
      case 'share': {
        if (bindings.length === 0) return undefined;
        const lookup = (binding: Binding) => inBinding(this.#names(), binding);
        const held = bindings.filter((one) => isTrue(this.trace, term.condition, lookup(one)));
        return { n: BigInt(held.length), d: BigInt(bindings.length) };
      }
      case 'baseline': {
        if (this.baseline.length === 0) return NO_BASELINE;
        const values = this.baseline.flatMap((session) => {
          const trace = new Trace(session);
          const all = bindingsOf(trace, this.expression)?.all;
          if (all === undefined) {
            this.hasTooMany = true;
            return [];
          }
          const terms = new Terms(trace, this.expression, [], []);
          const value = terms.#value(term.term, all, written, undefined);
          return typeof value === 'object' ? [value] : [];
        });
        values.sort((x, y) => compareNumbers(x, y));
        return values[Math.floor((values.length - 1) / 2)];
      }
      case 'sum':
      case 'product':
        return term.rest.reduce<TermValue>(
          (value, step) =>
            calculateTerms(step.sign, value, this.#value(step.operand, bindings, written, group)),
          this.#value(term.first, bindings, written, group),
        );
      case 'integer':
      case 'float':
        return written ? asWritten(term) : (scalarOf(term.value) as Num);
      case 'attribute':
        return nameOf(term.path) === 'session.start' ? this.trace.start : this.trace.end;
      default:
        return scalarOf(term.value) as Num | string | boolean;
    }
  }

  #names(): string[] {
    return this.expression.match.patterns.map(({ label }) => label.text);
  }

  /** How many different events a label has in the bindings of its component. */
  #countOf(label: string, group: number | undefined): Num | undefined {
    const own = componentOf(this.expression, label);
    const names = own.match.patterns.map((pattern) => pattern.label.text);
    const bindings = bindingsOf(this.trace, own);
    if (bindings === undefined) {
      this.hasTooMany = true;
      return undefined;
    }
    const keys = this.expression.aggregate?.by?.keys ?? [];
    const isGrouped = group !== undefined && keys.some((key) => names.includes(labelName(key)));
    const isIn = isGrouped ? groupsOf(this.trace, own, keys, names)[group] : undefined;
    const some = isIn === undefined ? bindings.all : bindings.all.filter(isIn);
    const at = names.indexOf(label);
    return { n: BigInt(new Set(some.map((binding) => binding[at])).size), d: 1n };
  }

  #call(call: Extract<Term, { kind: 'call' }>, bindings: readonly Binding[]): TermValue {
    const function_ = call.name.text;
    if (function_ === 'count') return { n: BigInt(bindings.length), d: 1n };
    const values = bindings.flatMap((binding) => {
      const value = operandValue(
        this.trace,
        call.argument as Operand,
        inBinding(this.#names(), binding),
      );
      return value === undefined ? [] : [{ binding, value }];
    });
    if (function_ === 'distinct') {
      const different: Scalar[] = [];
      for (const { value } of values) {
        if (!different.some((one) => compareValues(one, '=', value))) different.push(value);
      }
      return { n: BigInt(different.length), d: 1n };
    }
    const numbers = values.flatMap(({ binding, value }) =>
      isNum(value) ? [{ binding, value }] : [],
    );
    const plain = numbers.map(({ value }) => value).sort(compareNums);
    if (function_ === 'percentile') {
      const { n, d } = asWritten(call.percent as NonNullable<typeof call.percent>);
      return plain.find((_, at) => BigInt(at + 1) * 100n * d >= n * BigInt(plain.length));
    }
    const value = aggregate(function_, plain);
    if ((function_ === 'max' || function_ === 'min') && isNum(value as Num)) {
      const best = value as Num;
      const having = numbers.filter((one) => compareNums(one.value, best) === 0);
      this.extremes.push({ why: function_, bindings: having.map(({ binding }) => binding) });
    }
    return value;
  }
}

const NO_BASELINE = 'no baseline';

/** Whether a term reads attributes, if at all, only through `distinct` and `share`. */
function readsNumbersAsWritten(term: Term): boolean {
  switch (term.kind) {
    case 'call':
      return (
        term.argument === undefined ||
        term.name.text === 'distinct' ||
        firstNamesOf(term.argument).length === 0
      );
    case 'baseline':
      return readsNumbersAsWritten(term.term);
    case 'sum':
    case 'product':
      return [term.first, ...term.rest.map((step) => step.operand)].every(readsNumbersAsWritten);
    default:
      return true;
  }
}

function asSurd(value: TermValue): Surd | undefined {
  if (isSurd(value)) return value;
  if (typeof value !== 'object' || value.d === 0n) return undefined;
  return { plain: value, times: ZERO, square: ZERO };
}

/** At most one of the two has a root, and never the divisor. */
function calculateTerms(sign: '+' | '-' | '*' | '/', a: TermValue, b: TermValue): TermValue {
  if (a === NO_BASELINE || b === NO_BASELINE) return NO_BASELINE;
  const [x, y] = [asSurd(a), asSurd(b)];
  if (x === undefined || y === undefined) return undefined;
  const [rooted, other] = y.times.n === 0n ? [x, y.plain] : [y, x.plain];
  const { square } = rooted;
  if (sign === '+' || sign === '-') {
    const plain = calculate(sign, x.plain, y.plain) as Num;
    return { plain, times: calculate(sign, x.times, y.times) as Num, square };
  }
  const plain = calculate(sign, x.plain, y.plain);
  const times = calculate(sign, rooted.times, other);
  return plain === undefined || times === undefined ? undefined : { plain, times, square };
}

function compareNumbers(a: Surd | Num, b: Surd | Num): number {
  const [x, y] = [asSurd(a), asSurd(b)];
  if (x !== undefined && y !== undefined) return compareSurds(x, y);
  const infinity = (value: Surd | Num) => (isSurd(value) || value.d !== 0n ? 0 : Number(value.n));
  return infinity(a) - infinity(b);
}

function compareTerms(a: TermValue, comparator: Measure['comparator'], b: TermValue): boolean {
  if (typeof a === 'object' && typeof b === 'object') {
    return holds(comparator, compareNumbers(a, b));
  }
  return compareValues(a as Scalar | undefined, comparator, b as Scalar | undefined);
}

function sumOf(values: readonly Num[]): Num {
  return values.reduce((a, b) => {
    const { n, d } = calculate('+', a, b) as Num;
    let [divisor, rest] = [d, n < 0n ? -n : n];
    while (rest > 0n) [divisor, rest] = [rest, divisor % rest];
    return { n: n / divisor, d: d / divisor };
  }, ZERO);
}

/** Over sorted numbers. */
function aggregate(name: string, sorted: readonly Num[]): Surd | Num | undefined {
  if (sorted.length === 0) return undefined;
  const count = BigInt(sorted.length);
  if (name === 'max') return sorted.at(-1);
  if (name === 'min') return sorted[0];
  const infinite = sorted.filter(({ d }) => d === 0n);
  if (infinite.length > 0) {
    const isMixed = infinite.some(({ n }) => n !== infinite[0]?.n);
    return name === 'stddev' || isMixed ? undefined : infinite[0];
  }
  const sum = sumOf(sorted);
  if (name === 'sum') return sum;
  const mean = { n: sum.n, d: sum.d * count };
  if (name === 'mean') return mean;
  if (count < 2n) return undefined;
  const differences = sorted.map((value) => calculate('-', value, mean) as Num);
  const squares = sumOf(differences.map(({ n, d }) => ({ n: n * n, d: d * d })));
  return { plain: ZERO, times: ONE, square: { n: squares.n, d: squares.d * (count - 1n) } };
}
