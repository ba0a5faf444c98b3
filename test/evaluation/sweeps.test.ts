import { expect, test } from 'vitest';
import { evaluate } from '../../src/evaluation/index.js';
import { type Expression, parse } from '../../src/expression/index.js';
import { type Session, SessionBuilder } from '../../src/session/index.js';
import { type Dice, roll } from '../dice.js';
import { runs } from '../long.js';
import { CAUSAL } from './causal.js';
import { differences } from './compare.js';
import { randomSession } from './random.js';

/* What would take a step for each pair, were it not swept or listed by neighbours. */

function expressionOf(text: string): Expression {
  const { expression } = parse(text);
  if (expression === undefined) throw new Error(`no expression: ${text}`);
  return expression;
}

const NAMES = ["name = 'A'", "name = 'B'", "name != 'C'", 'x >= 0', 'exists(time)'];
const pattern = (dice: Dice, label: string) => `(${dice.pick(NAMES)}) AS ${label}`;
const comparison = (dice: Dice) => dice.pick(['<', '<=', '>', '>=']);
const measure = (dice: Dice) => {
  const called = dice.pick(['max(OF)', 'min(OF)', 'stddev(OF)', 'percentile(OF, 50)', 'mean(OF)']);
  const of = dice.pick(['b.time - a.time', 'b.x - a.x', 'a.y + 2 * b.x', 'a.x * b.x']);
  return `${called.replace('OF', of)} ${comparison(dice)} ${dice.upTo(3)}`;
};

/** A bound of two labels, or two of one difference. */
const bound = (dice: Dice) => {
  const [one, other] = [comparison(dice), comparison(dice)];
  const [most, least] = [dice.upTo(3), dice.upTo(3)];
  return dice.pick([
    `a.x ${one} b.x`,
    `b.y ${one} a.id`,
    `abs(b.time - a.time) ${one} ${most}`,
    `abs(a.x - b.y) * 2 ${one} a.id`,
    `${most} ${one} abs(b.x - a.x) + b.y`,
    `b.time > a.time - ${most} AND b.time < a.time + ${least}`,
    `a.x - ${least} ${one} b.x AND b.x - a.x ${other} ${most}`,
    `b.id - 2 * a.x ${one} ${most} AND 2 * a.x - b.id ${other} ${least}`,
  ]);
};

const RANDOM: Readonly<Record<string, (dice: Dice) => string>> = {
  'functions of neighbours': (dice) => {
    const same = dice.pick(['', 'a.probe = b.probe', 'a.id = b.id', 'b.id = a.x AND a.y = b.y']);
    const more = dice.pick(['', '', 'b.time - a.time > 1', 'a.x != b.x', 'a.x + b.x > b.y']);
    const filter = [same, more].filter((one) => one !== '').join(' AND ');
    const third = dice.pick(['', '', 'b -> NEXT c', 'b -> c', 'c -> NEXT b', 'a -> NEXT c']);
    const labels = ['a', 'b', ...(third === '' ? [] : ['c'])];
    const when = `WHEN a -> NEXT b${third === '' ? '' : ` AND ${third}`}`;
    const by = dice.pick(['', '', '', ' BY a', ' BY b.id']);
    return [
      `MATCH ${labels.map((label) => pattern(dice, label)).join(', ')} ${when}`,
      ...(filter === '' ? [] : [`FILTER ${filter}`]),
      `AGGREGATE ${measure(dice)}${by}`,
    ].join(' ');
  },
  'several bounds': (dice) => {
    const chain = dice.pick([
      '',
      '',
      'a -> b',
      'b -> a',
      'a -> b WITHIN 2ns',
      'a || b',
      'a -> NEXT b',
    ]);
    const conjuncts = [
      ...Array.from({ length: 1 + dice.upTo(2) }, () => bound(dice)),
      ...dice.pick([[], [], ['a.id = b.id'], ['a.x != b.x'], ['(a.x = 1 OR b.y = 2)']]),
    ];
    const isThree = dice.upTo(3) === 0;
    const labels = ['a', 'b', ...(isThree ? ['c'] : [])].map((label) => pattern(dice, label));
    const more = isThree ? [dice.pick(['b.x < c.x', 'abs(c.time - b.time) < 2'])] : [];
    const which = dice.pick(['count() > 2', measure(dice), `share(${bound(dice)}) > 0.5`]);
    return [
      `MATCH ${labels.join(', ')}`,
      ...(chain === '' ? [] : [`WHEN ${chain}`]),
      `FILTER ${[...conjuncts, ...more].join(' AND ')} AGGREGATE ${which}${dice.pick(['', '', '', ' BY a'])}`,
    ].join(' ');
  },
  'functions of events with none in between': (dice) => {
    const keys = dice.pick(['', ' FILTER a.id = b.id AND n.id = a.id', ' FILTER a.x < b.x']);
    const labels = [pattern(dice, 'a'), `NOT ${pattern(dice, 'n')}`, pattern(dice, 'b')];
    return `MATCH ${labels.join(', ')} WHEN a -> n -> b${keys} AGGREGATE ${measure(dice)}`;
  },
};

test.each(Object.entries(RANDOM))('the oracle agrees: %s', { timeout: 1_200_000 }, (_, textOf) => {
  const wrong: { seed: number; text: string; found: readonly string[] }[] = [];
  let compared = 0;
  for (let seed = 1; compared < runs(20_000); seed++) {
    const dice = roll(seed);
    const session = randomSession(dice);
    const text = textOf(dice);
    const found = differences({ seed, session, baseline: [], expression: expressionOf(text) });
    if (found === undefined) continue;
    compared++;
    if (found.length > 0) wrong.push({ seed, text, found });
  }
  expect(wrong).toEqual([]);
});

/** Beats of some sensors in turn, which send each other messages. */
function beats(count: number, sensors: number): Session {
  const builder = new SessionBuilder();
  const last: number[] = [];
  for (let at = 0; at < count; at++) {
    const sensor = at % sensors;
    const time = BigInt(at * 1_000_000 + ((at * 7919) % 1000));
    const attributes = { x: BigInt((at * 31) % 101), y: BigInt((at * 17) % 97) };
    const event = builder.event({ probe: `S${sensor}`, name: 'beat', time, attributes });
    const sender = last[(sensor + 1) % sensors];
    if (sensors > 1 && at % 7 === 6 && sender !== undefined) builder.interaction(sender, event);
    last[sensor] = event;
  }
  return builder.build();
}

/** The smallest budget with which an expression is decided. */
function stepsOf(session: Session, text: string): number {
  const expression = expressionOf(text);
  const isDecided = (budget: number) =>
    evaluate(session, expression, { budget, order: CAUSAL }).status !== 'undecided';
  let [low, high] = [0, 1];
  while (!isDecided(high)) [low, high] = [high, 2 * high];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (isDecided(middle)) high = middle;
    else low = middle;
  }
  return high;
}

const BEATS = "MATCH (name = 'beat') AS b, (name = 'beat') AS n";

test.each(
  [
    'max(DIFFERENCE) > 1',
    'min(DIFFERENCE) > 1',
    'percentile(DIFFERENCE, 99) > 1',
    'stddev(DIFFERENCE) > 1',
  ].flatMap((measure) =>
    ['', ' FILTER n.probe = b.probe'].map((filter) => [measure, filter] as const),
  ),
)('twice the beats take at most 2.3 times the steps: %s%s', (measure, filter) => {
  const text = `${BEATS} WHEN b -> NEXT n${filter} AGGREGATE ${measure.replace('DIFFERENCE', 'n.time - b.time')}`;
  for (const sensors of [1, 6]) {
    const [few, many] = [stepsOf(beats(200, sensors), text), stepsOf(beats(400, sensors), text)];
    expect(many / few).toBeLessThanOrEqual(2.3);
    expect(many / few).toBeGreaterThan(1.7);
  }
});

test.each([
  ['stddev(n.x - b.x) > 1', BEATS],
  ['max(n.x - b.x) > 1', `${BEATS} WHEN b || n`],
])('the clause that would take too many steps is named: %s', (measure, pattern) => {
  const { undecided } = evaluate(beats(200, 2), expressionOf(`${pattern} AGGREGATE ${measure}`), {
    budget: 1000,
  });
  expect(undecided?.clause).toBe(measure.slice(0, measure.indexOf(' >')));
  expect(undecided?.reason).toBe(
    'it would take more than 1000 steps to try the bindings of b (200 events), n (200 events)',
  );
});

test.each([
  ['a window around an event', 'n.time > b.time - 1ms AND n.time < b.time + 1ms'],
  ['the same, as the size of a difference', 'abs(n.time - b.time) <= 1ms'],
  ['two comparisons', 'b.x < n.x AND b.y < n.y'],
])('needs no steps: %s', (_, filter) => {
  const measures = 'count() > 1, max(n.x - b.x) > 1, mean(n.time - b.time) < 1';
  const text = `${BEATS} FILTER ${filter} AGGREGATE ${measures}`;
  const { status, method } = evaluate(beats(300, 2), expressionOf(text), { budget: 0 });
  expect([status === 'undecided', method]).toEqual([false, 'join tree']);
});
