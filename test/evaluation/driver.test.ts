import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { evaluation, listing } from '../../src/evaluation/answer/driver.js';
import { embeddedSource } from '../../src/evaluation/answer/embedded-source.js';
import type { MatchedBindings, SessionSource } from '../../src/evaluation/answer/source.js';
import { attempt, runAsync, runSync, settle } from '../../src/evaluation/answer/steps.js';
import { memoize, Undecided, unlessUndecided } from '../../src/evaluation/exact/undecided.js';
import { bindings, evaluate } from '../../src/evaluation/index.js';
import { PLAN } from '../../src/evaluation/methods/plan.js';
import { type Expression, parse } from '../../src/expression/index.js';
import { SessionBuilder } from '../../src/session/index.js';
import { isLong } from '../long.js';
import { CAUSAL } from './causal.js';
import { randomCase } from './compare.js';
import { toSession } from './to-session.js';

const undecided = () => new Undecided('WHEN', 'it would take too long', 'ask for less');

/** The same object, but what its functions return or throw comes later. */
function later<Value extends object>(object: Value): Value {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => {
      if (typeof value !== 'function') return [name, value];
      return [
        name,
        async (...args: unknown[]) => {
          await setImmediate();
          return value(...args);
        },
      ];
    }),
  ) as Value;
}

function laterSource(source: SessionSource): SessionSource {
  return later({
    ...source,
    match: (asked) => {
      const matched = source.match(asked) as MatchedBindings;
      const { groups } = matched;
      const keys = groups && later({ keys: groups.keys });
      return later({ ...matched, ...(groups && { groups: { ...groups, ...keys } }) });
    },
  });
}

test('an engine that answers later has the same result', async () => {
  let withList = 0;
  for (let seed = 1; seed <= (isLong ? 2_000 : 60); seed++) {
    const { session: plain, baseline, expression } = randomCase(seed, { isWhole: true });
    const { session } = toSession(plain);
    // Some results are undecided, or lack part of their evidence.
    const limits = { plan: PLAN, budget: seed % 2 === 0 ? 20 : 1e6 };
    const options = {
      ...{ evidence: 3, order: CAUSAL },
      baseline: baseline.map((one) => toSession(one).session),
    };
    const source = laterSource(embeddedSource(session, limits));
    const result = await runAsync(evaluation(source, expression, options));
    expect(result).toEqual(evaluate(session, expression, { ...options, budget: limits.budget }));
    const listed = await runAsync(listing(source, expression, 5));
    expect(listed).toEqual(bindings(session, expression, 5, limits));
    if (listed !== undefined) withList++;
  }
  expect(withList).toBeGreaterThan(10);
});

test('what is undecided about the evidence leaves the verdict', () => {
  const builder = new SessionBuilder();
  builder.event({ probe: 'P', name: 'A' });
  const source = embeddedSource(builder.build(), { plan: PLAN, budget: 1000 });
  const { expression } = parse("MATCH (name = 'A') AS a");
  const broken: SessionSource = {
    ...source,
    describe: () => {
      throw undecided();
    },
  };
  expect(runSync(evaluation(broken, expression as Expression, { evidence: 1 }))).toMatchObject({
    status: 'holds',
    evidence: [],
  });
});

test('undecided travels as an exception and as a rejection', async () => {
  const reasons: string[] = [];
  const note = ({ clause }: Undecided) => reasons.push(clause);
  const throws = () => {
    throw undecided();
  };
  expect(unlessUndecided(throws)).toBeUndefined();
  expect(runSync(attempt(throws, note))).toBeUndefined();
  const rejected = attempt(() => settle(Promise.reject(undecided())), note);
  expect(await runAsync(rejected)).toBeUndefined();
  expect(reasons).toEqual(['WHEN', 'WHEN']);
});

test('any other error passes', async () => {
  const bug = new RangeError('a bug');
  const throws = () => {
    throw bug;
  };
  expect(() => unlessUndecided(throws)).toThrow(bug);
  expect(() => runSync(attempt(throws))).toThrow(bug);
  await expect(runAsync(attempt(() => settle(Promise.reject(bug))))).rejects.toThrow(bug);
});

test('an engine that answers at once never waits', () => {
  expect(() => runSync(settle(Promise.resolve(1)))).toThrow('the work waits for a promise');
});

test('work that is done once returns or throws the same again', () => {
  let times = 0;
  const counted = memoize(() => ++times);
  expect([counted(), counted()]).toEqual([1, 1]);
  const failing = memoize(() => {
    times++;
    throw undecided();
  });
  expect(failing).toThrow('it would take too long');
  expect(failing).toThrow('it would take too long');
  expect(times).toBe(2);
});
