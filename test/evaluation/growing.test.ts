import { expect, test } from 'vitest';
import { evaluate, GrowingSession } from '../../src/evaluation/index.js';
import { type Expression, parse } from '../../src/expression/index.js';
import { roll } from '../dice.js';
import { randomExpression } from './random.js';

const expressionOf = (text: string) => parse(text).expression as Expression;

const CHAIN = expressionOf("MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a -> b");

test('an expression is true from the binding on, and stays true', () => {
  const session = new GrowingSession();
  const watch = session.watch(CHAIN);
  expect(watch.isTrue()).toBe(false);
  const b = session.event({ probe: 'Q', name: 'B' });
  expect(watch.isTrue()).toBe(false);
  const a = session.event({ probe: 'P', name: 'A' });
  // Nothing orders the two probes yet.
  expect(watch.isTrue()).toBeUndefined();
  session.interaction(a, session.event({ probe: 'Q', name: 'C' }));
  expect(watch.isTrue()).toBe(false);
  session.event({ probe: 'Q', name: 'B' });
  expect(watch.isTrue()).toBe(true);
  session.event({ probe: 'P', name: 'C' });
  expect(watch.isTrue()).toBe(true);
  expect(b).toBe(0);
});

test('an interaction alone can make it true', () => {
  const session = new GrowingSession();
  const watch = session.watch(CHAIN);
  const a = session.event({ probe: 'P', name: 'A' });
  const b = session.event({ probe: 'Q', name: 'B' });
  expect(watch.isTrue()).toBeUndefined();
  session.interaction(a, b);
  expect(watch.isTrue()).toBe(true);
});

test.each([
  ["MATCH (name = 'A') AS a, NOT (name = 'B') AS b WHEN a -> b", 'B'],
  ["MATCH (name = 'A') AS a FILTER a.x = session.end - session.start", 'C'],
])('what absence or the end of the session decides may become false again: %s', (text, name) => {
  const session = new GrowingSession();
  const watch = session.watch(expressionOf(text));
  const at = (time: bigint) => ({ probe: 'P', time, attributes: { x: time } });
  session.event({ ...at(0n), name: 'A' });
  expect(watch.isTrue()).toBe(true);
  session.event({ ...at(1n), name });
  expect(watch.isTrue()).toBe(false);
});

test('with AGGREGATE it may become false again', () => {
  const session = new GrowingSession();
  const watch = session.watch(expressionOf("MATCH (name = 'A') AS a AGGREGATE count() = 1"));
  expect(watch.isTrue()).toBe(false);
  session.event({ probe: 'P', name: 'A' });
  expect(watch.isTrue()).toBe(true);
  session.event({ probe: 'P', name: 'A' });
  expect(watch.isTrue()).toBe(false);
});

test('what no label matches is not evaluated', () => {
  const session = new GrowingSession();
  const watch = session.watch(CHAIN);
  session.event({ probe: 'P', name: 'B' });
  session.event({ probe: 'P', name: 'A' });
  expect(watch.isTrue()).toBe(false);
  let builds = 0;
  const { session: build } = session;
  session.session = () => {
    builds++;
    return build.call(session);
  };
  for (let more = 0; more < 100; more++) {
    session.event({ probe: 'P', name: 'C' });
    expect(watch.isTrue()).toBe(false);
  }
  expect(builds).toBe(0);
  session.event({ probe: 'P', name: 'B' });
  expect(watch.isTrue()).toBe(true);
  expect(builds).toBe(1);
});

test('what cannot be calculated has no answer', () => {
  const session = new GrowingSession();
  const watch = session.watch(expressionOf(`MATCH (x ${'* x '.repeat(10_000)} > 1) AS a`));
  session.event({ probe: 'P', name: 'A' });
  expect(watch.isTrue()).toBe(false);
  session.event({ probe: 'P', name: 'A', attributes: { x: 3n } });
  expect(watch.isTrue()).toBeUndefined();
  const written = session.watch(expressionOf(`MATCH (x > 1${' * 1e308'.repeat(5)}) AS a`));
  expect(written.isTrue()).toBeUndefined();
});

test('with a lag the answer may be late, by that part of the session', () => {
  const session = new GrowingSession({ lag: 0.5 });
  const watch = session.watch(CHAIN);
  for (let more = 0; more < 9; more++) session.event({ probe: 'P', name: 'B' });
  session.event({ probe: 'P', name: 'A' });
  expect(watch.isTrue()).toBe(false);
  for (let size = 11; size < 15; size++) {
    session.event({ probe: 'P', name: 'B' });
    expect(watch.isTrue()).toBe(false);
  }
  session.event({ probe: 'P', name: 'B' });
  expect(watch.isTrue()).toBe(true);
});

test('the answers are those of the session so far', { timeout: 600_000 }, () => {
  for (let seed = 1; seed <= 60; seed++) {
    const dice = roll(seed);
    const session = new GrowingSession();
    const expression = randomExpression(dice);
    const watch = session.watch(expression);
    for (let events = 0; events < 12; events++) {
      const x = BigInt(dice.upTo(2));
      const event = { probe: dice.pick(['P', 'Q']), name: dice.pick(['A', 'B', 'C']) };
      const to = session.event({ ...event, attributes: { x } });
      if (to > 0 && dice.upTo(2) === 0) session.interaction(dice.upTo(to - 1), to);
      const { status } = evaluate(session.session(), expression);
      const isTrue = status === 'undecided' ? undefined : status === 'holds';
      // Before each label has an event, nothing is evaluated.
      if (watch.isTrue() !== false) expect(watch.isTrue(), `seed ${seed}`).toBe(isTrue);
      else expect(status, `seed ${seed}`).not.toBe('holds');
    }
  }
});
