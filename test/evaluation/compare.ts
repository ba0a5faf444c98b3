import { evaluateWith } from '../../src/evaluation/answer/evaluate.js';
import {
  bindings,
  chooseOrder,
  type Evaluation,
  type EventPlace,
  listMeasures,
  type Method,
  orderFor,
} from '../../src/evaluation/index.js';
import { PLAN } from '../../src/evaluation/methods/plan.js';
import type { PlanStep } from '../../src/evaluation/methods/problem.js';
import { CLOCK_LIMITS, orderIndexOf } from '../../src/evaluation/order/order-index.js';
import type { Expression } from '../../src/expression/index.js';
import type { Session } from '../../src/session/index.js';
import { roll } from '../dice.js';
import { CAUSAL } from './causal.js';
import { withClocks, withTimes } from './clock-order.js';
import type { PlainSession } from './model.js';
import { consult, type OracleResult } from './oracle.js';
import {
  countedOnly,
  type Dialect,
  randomBetween,
  randomExpression,
  randomSession,
  withWindow,
} from './random.js';
import { placeFinder, toSession } from './to-session.js';

/** All clocks are sparse ones, however dense they are. */
const SPARSE = { ...CLOCK_LIMITS, keptBytes: 0, timelines: 0, density: 1 };

/** A method before all others; without the join tree, extremes are listed too. */
export function planOf(...methods: readonly Method[]): readonly PlanStep[] {
  return methods.flatMap((one) => PLAN.filter(({ method }) => method === one));
}

/** Each method in turn, wherever it applies. */
const PLANS: readonly (readonly PlanStep[])[] = [
  PLAN,
  planOf('join tree', 'enumeration'),
  planOf('each event', 'enumeration'),
  planOf('enumeration'),
];

export interface Case {
  readonly seed: number;
  readonly session: PlainSession;
  /** What `baseline` reads. */
  readonly baseline: readonly PlainSession[];
  readonly expression: Expression;
}

export function randomCase(seed: number, dialect: Dialect = { isWhole: false }): Case {
  const dice = roll(seed);
  const session = randomSession(dice);
  const isBetween = dialect.isCounted && dice.upTo(1) === 0;
  const expression = isBetween ? randomBetween(dice) : randomExpression(dice, dialect);
  const all = dice.upTo(5) === 0 ? withWindow(dice, expression) : expression;
  const baseline = Array.from({ length: dialect.isWhole ? dice.upTo(3) : 0 }, () =>
    randomSession(dice),
  );
  const counted = dialect.isCounted ? countedOnly(dice, all) : all;
  const lacking = dice.upTo(9) === 0 ? dice.pick(['x', 'y', 'id', 'time']) : undefined;
  return { seed, session: without(session, lacking), baseline, expression: counted };
}

/** A session none of whose events has an attribute. */
function without(session: PlainSession, lacking: string | undefined): PlainSession {
  if (lacking === undefined) return session;
  const events = session.events.map(({ attributes, ...event }) => {
    const { [lacking]: _, ...others } = attributes;
    return { ...event, attributes: others };
  });
  return { ...session, events };
}

/**
 * What the engine and the oracle disagree in, in words; empty where they agree. Undefined where
 * the oracle has too much to do.
 */
export function differences({
  seed,
  session: plain,
  baseline,
  expression,
}: Case): string[] | undefined {
  const expected = consult(plain, expression, baseline);
  if (expected === undefined) return undefined;
  const { session, placeOf } = toSession(plain);
  // Besides the clocks that are kept: a few columns at a time for each question, and sparse.
  const few = { ...CLOCK_LIMITS, keptBytes: 0, sweptBytes: 400 };
  const sessions = [CLOCK_LIMITS, few, SPARSE].map((limits) => {
    const order = { ...session.order };
    orderIndexOf(order, limits);
    return { ...session, order };
  });
  const before = { baseline: baseline.map((one) => toSession(one).session), order: CAUSAL };
  const found: string[] = [];
  for (const [number, plan] of PLANS.entries()) {
    const [{ method } = { method: '' }] = plan;
    const of = sessions[(seed + number) % sessions.length] as Session;
    const result = evaluateWith(plan, of, expression, { ...before, count: true, evidence: 3 });
    const place = placeFinder(session, placeOf);
    const said = compareResult(result, expected, place);
    found.push(...said.map((line) => `${method}: ${line}`));
    // Without counting, the reducer or the first binding decides.
    const bare = evaluateWith(plan, of, expression, before);
    if (bare.status !== result.status) found.push(`${method}: uncounted ${bare.status}`);
  }
  const listed = bindings(session, expression, 500) ?? [];
  const eventOf = new Map(placeOf.map((place, event) => [place, event]));
  const rows = listed.map((binding) =>
    expression.match.patterns.map(({ label, absent }) => {
      if (absent) return undefined;
      return placeFinder(session, [...placeOf.keys()])(binding[label.text] as EventPlace);
    }),
  );
  const all = expected.all.map((row) => row.map((at) => eventOf.get(at)));
  const sorted = (list: (number | undefined)[][]) => list.map((row) => row.join(' ')).sort();
  if (all.length <= 500 && sorted(rows).join() !== sorted(all).join()) {
    found.push(`lists ${rows.length} bindings of ${all.length}`);
  }
  return found;
}

/**
 * What the engine and the oracle disagree in where clocks order the events, or where the order is chosen: what the
 * oracle decides may be undecided then. Undefined where the oracle has too much to do.
 */
export function orderDifferences(
  { session, baseline, expression }: Case,
  order: 'time' | 'auto',
): string[] | undefined {
  const plain = order === 'time' ? withTimes(session) : session;
  const before = order === 'time' ? baseline.map(withTimes) : baseline;
  const made = toSession(plain);
  const sessions = before.map((one) => toSession(one).session);
  const all = [made.session, ...sessions];
  const choice = orderFor(chooseOrder(all, { order }), all, expression);
  const ordered = choice.by === 'time' ? withClocks : (one: PlainSession) => one;
  const expected = consult(ordered(plain), expression, before.map(ordered));
  if (expected === undefined) return undefined;
  const options = { baseline: sessions, count: true, evidence: 3, order: choice };
  const result = evaluateWith(PLAN, made.session, expression, options);
  if (order === 'auto') {
    const isRight = result.status === 'undecided' || result.status === statusOf(expected);
    return isRight ? [] : [`status ${result.status}, not ${statusOf(expected)}`];
  }
  return compareResult(result, expected, placeFinder(made.session, made.placeOf));
}

export function compareResult(
  result: Evaluation,
  expected: OracleResult,
  place: (place: EventPlace) => number,
): string[] {
  const found: string[] = [];
  const same = (what: string, actual: unknown, wanted: unknown) => {
    if (String(actual) !== String(wanted)) found.push(`${what} ${actual}, not ${wanted}`);
  };
  same('status', result.status, statusOf(expected));
  same('bindings', result.bindings, expected.bindings);
  result.labels.forEach(({ label, absent: _, ...stages }, at) => {
    same(`label ${label}`, JSON.stringify(stages), JSON.stringify(expected.labels[at]));
  });
  same('vacuous', result.vacuous, expected.vacuous);
  const { groups } = result;
  if (result.status !== 'undecided' || groups?.hold !== undefined) {
    same('groups', groups?.all, expected.groups?.all);
    same('groups that hold', groups?.hold, expected.groups?.hold);
    same('groups left out', groups?.leftOut, expected.groups?.leftOut);
  }
  const measures = groups === undefined ? listMeasures(result.measures) : result.measures;
  measures.forEach(({ left, holds }, at) => {
    const measure = expected.measures[at];
    // Without a baseline there is no side to compare.
    if (expected.holds === undefined && groups !== undefined) return;
    // Numbers of too many digits leave a measure open, which another one may decide for.
    if (holds === undefined && result.status !== 'undecided') return;
    same(`measure ${at}`, holds, measure?.holds);
    if (measure?.holds === undefined || measure.leftRoot || expected.groups !== undefined) return;
    const value = measure.left;
    if (typeof value !== 'object') same(`left ${at}`, left, value ?? 'undefined');
    else if (value.d !== 0n && value.n % value.d === 0n)
      same(`left ${at}`, left, value.n / value.d);
    else if (isShort(value.n) && isShort(value.d)) {
      same(`left ${at}`, left, Number(value.n) / Number(value.d));
    }
  });
  const names = result.labels.map(({ label }) => label);
  const rows = result.evidence.map(({ binding }) =>
    names.map((name) => {
      const event = binding[name];
      return event === undefined ? -1 : place(event);
    }),
  );
  const isIn = (list: readonly (readonly number[])[], row: readonly number[]) =>
    list.some((one) => one.join() === row.join());
  if (expected.groups !== undefined) {
    // An event of a group without a binding stands alone.
    const shown = rows.filter((row) => row.filter((event) => event >= 0).length > 1);
    const wrong = shown.filter((row) => !isIn(expected.all, row));
    return [...found, ...wrong.map((row) => `evidence ${row} is no binding`)];
  }
  result.evidence.forEach(({ why }, at) => {
    const row = rows[at] as number[];
    if (why === 'forbidden') {
      const isPart = expected.all.some((one) =>
        one.every((event, label) => event < 0 || event === row[label]),
      );
      if (isPart) found.push(`evidence ${row} is not forbidden`);
    } else if (why === 'missing') {
      const label = row.findIndex((event) => event >= 0);
      if (expected.all.some((one) => one[label] === row[label])) {
        found.push(`evidence ${row} is not missing`);
      }
    } else if (!isIn(expected.all, row)) found.push(`evidence ${row} is no binding`);
    const ofIt = expected.extremes.filter((extreme) => extreme.why === why);
    if (['max', 'min'].includes(why) && !ofIt.some(({ bindings }) => isIn(bindings, row))) {
      found.push(`evidence ${row} is no ${why}`);
    }
  });
  if (result.evidence.every(({ why }) => why === 'first') && expected.extremes.length === 0) {
    same('evidence', rows.length, Math.min(3, expected.all.length));
  } else if (rows.length < 1) found.push('no evidence');
  return found;
}

function statusOf({ holds }: OracleResult): Evaluation['status'] {
  if (holds === undefined) return 'undecided';
  return holds ? 'holds' : 'fails';
}

function isShort(value: bigint): boolean {
  return value > -(2n ** 53n) && value < 2n ** 53n;
}
