import { expect, test } from 'vitest';
import { evaluate } from '../../src/evaluation/index.js';
import { parse, requiredNamesByLabel } from '../../src/expression/index.js';
import { measurementHeadlineOf, type ObjectiveResult } from '../../src/results/index.js';
import { eventNames, SessionBuilder } from '../../src/session/index.js';

/* The sentence that the results of measurements begin with. */

const CHECKS: Readonly<Record<string, string>> = {
  'twice at most': "MATCH (name = 'retry') AS retry AGGREGATE count() <= 2",
  'once at most': "MATCH (name = 'retry') AS retry AGGREGATE count() <= 1",
  'fast answers':
    "MATCH (name = 'asked') AS asked, (name = 'answered') AS answered WHEN asked -> answered AGGREGATE max(answered.time - asked.time) < 100ms",
  answered:
    "MATCH (name = 'asked') AS asked, (name = 'answered') AS answered WHEN asked -> answered WITHIN 100ms",
  'never refused': "MATCH (name = 'refused') AS refused AGGREGATE count() = 0",
  'is asked': "MATCH (name = 'asked') AS asked",
  'is refused': "MATCH (name = 'refused') AS refused",
  'as before': "MATCH (name = 'asked') AS asked AGGREGATE count() <= baseline(count())",
};

/** A session with an answer after some milliseconds, and a number of retries; without either it is empty. */
function session(ms?: number, retries = 0) {
  const builder = new SessionBuilder();
  if (ms !== undefined) {
    const asked = builder.event({ probe: 'CLIENT', name: 'asked', time: 0n });
    const time = BigInt(ms) * 1_000_000n;
    builder.interaction(asked, builder.event({ probe: 'SERVER', name: 'answered', time }));
  }
  for (let n = 0; n < retries; n++) builder.event({ probe: 'CLIENT', name: 'retry' });
  return builder.build();
}

const SLOW = session(250, 2);
const FAST = session(40);

/** The sentence about measurements over sessions; `!` before a name says that it should not hold. */
function headline(
  sessions: Readonly<Record<string, ReturnType<typeof session> | undefined>>,
  names: readonly string[],
  more: Partial<ObjectiveResult> = {},
) {
  return measurementHeadlineOf({
    objective: 'service',
    findings: new Map(),
    sessions: Object.entries(sessions).map(([name, one]) => {
      if (one === undefined) return { name, measurements: [], unread: ['not JSON'] };
      const measurements = names.map((word) => {
        const name = word.replace('!', '');
        const { expression } = parse(CHECKS[name] ?? '');
        if (expression === undefined) throw new Error(`no expression ${name}`);
        const shouldPass = !word.startsWith('!');
        const evaluation = evaluate(one, expression, {
          ...{ evidence: 1, nearMisses: 'always', expects: shouldPass ? 'holds' : 'fails' },
        });
        return { name, shouldPass, evaluation, asked: requiredNamesByLabel(expression) };
      });
      return { name, measurements, names: eventNames(one), events: one.size };
    }),
    ...more,
  });
}

test.each([
  [
    'a value',
    ['fast answers'],
    '"fast answers" failed: max(answered.time - asked.time) was 250ms, wanted below 100ms.',
  ],
  [
    'a near miss',
    ['answered'],
    '"answered" failed: answered at SERVER came after 250ms, limit 100ms.',
  ],
  ['a count', ['once at most'], '"once at most" failed: retry came twice, wanted at most once.'],
  ['no event', ['is refused'], '"is refused" failed: no event matches the pattern of refused.'],
  [
    'an event that should not be there',
    ['!is asked'],
    '"is asked" failed: it holds, but should not.',
  ],
  [
    'another failure',
    ['once at most', 'twice at most', 'answered'],
    '"once at most" failed: retry came twice, wanted at most once. "answered" failed too.',
  ],
  [
    'many failures',
    ['once at most', 'answered', 'fast answers', 'is refused', '!is asked'],
    '"once at most" failed: retry came twice, wanted at most once. 4 other measurements failed too.',
  ],
] as const)('a failure in one session by %s', (_, names, text) => {
  expect(headline({ 'slow.jsonl': SLOW }, names)).toEqual({ verdict: 'failed', text });
});

test('a failure in several sessions names the worst', () => {
  const sessions = { a: FAST, b: SLOW, c: session(310), d: session(20) };
  expect(headline(sessions, ['fast answers', 'is asked']).text).toBe(
    '"fast answers" failed in 2 of 4 sessions; at worst, in c, max(answered.time - asked.time) was 310ms, wanted below 100ms.',
  );
  expect(headline(sessions, ['once at most', 'fast answers']).text).toBe(
    '"fast answers" failed in 2 of 4 sessions; at worst, in c, max(answered.time - asked.time) was 310ms, wanted below 100ms. "once at most" failed too.',
  );
  expect(headline({ a: FAST, b: SLOW }, ['is refused']).text).toBe(
    '"is refused" failed in 2 of 2 sessions; for example, in a, no event matches the pattern of refused.',
  );
  expect(headline({ a: FAST, b: SLOW, c: undefined }, ['answered']).text).toBe(
    '"answered" failed in 1 of 2 sessions; in b, answered at SERVER came after 250ms, limit 100ms. 1 of 3 sessions could not be read.',
  );
});

test('what passed, and what came closest to failing', () => {
  expect(headline({ a: FAST }, ['is asked'])).toEqual({
    ...{ verdict: 'passed', text: '"is asked" passed.' },
  });
  expect(headline({ a: FAST }, ['fast answers', 'is asked']).text).toBe(
    'Both measurements passed; "fast answers" came closest to failing: max(answered.time - asked.time) < 100ms: 40ms, 40 % of its bound.',
  );
  expect(headline({ a: FAST, b: session(90) }, ['fast answers']).text).toBe(
    '"fast answers" passed in 2 sessions; closest to failing, in b: max(answered.time - asked.time) < 100ms: 90ms, 90 % of its bound.',
  );
});

test('what passed without saying anything is vacuous', () => {
  expect(headline({ a: FAST }, ['is asked', 'never refused']).text).toBe(
    'Both measurements passed; "never refused" is vacuous.',
  );
  expect(headline({ a: FAST }, ['never refused'], { failVacuous: true })).toEqual({
    ...{ verdict: 'failed', text: 'Failed because "never refused" is vacuous.' },
  });
});

test('an undecided result says why', () => {
  const undecided = headline({ a: FAST }, ['as before', 'is asked']);
  expect(undecided.verdict).toBe('undecided');
  expect(undecided.text).toBe(
    '"as before" is undecided (baseline(count()): there is no baseline session); nothing failed.',
  );
  expect(headline({ a: FAST, b: SLOW }, ['as before']).text).toContain(
    '"as before" is undecided in 2 of 2 sessions (',
  );
});

test('sessions without events, and sessions that cannot be read', () => {
  expect(headline({ a: session() }, ['is asked']).text).toBe(
    'The session has no events; "is asked" failed: no event matches the pattern of asked.',
  );
  expect(headline({ a: session(), b: session() }, ['never refused']).text).toBe(
    'None of the sessions has events; "never refused" passed in 2 sessions; "never refused" is vacuous.',
  );
  expect(headline({ a: undefined, b: undefined }, [])).toEqual({
    ...{ verdict: 'undecided', text: 'None of 2 sessions could be read.' },
  });
  expect(headline({ 'x.jsonl': FAST, 'y.jsonl': undefined }, ['is asked'])).toEqual({
    ...{ verdict: 'undecided', text: '1 of 2 sessions could not be read; "is asked" passed.' },
  });
  expect(headline({ a: undefined }, []).text).toBe('The session could not be read.');
  expect(headline({}, []).text).toBe('Nothing was measured.');
});
