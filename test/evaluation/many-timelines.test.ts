import { expect, test } from 'vitest';
import { manyRequests, shortTimelines } from '../../bench/sessions/many-timelines.js';
import { evaluate } from '../../src/evaluation/index.js';
import { CLOCK_LIMITS, orderIndexOf } from '../../src/evaluation/order/order-index.js';
import { type Expression, parse } from '../../src/expression/index.js';
import type { Session } from '../../src/session/index.js';
import { isLong } from '../long.js';

const PAIRS = `MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a -> b`;

function bindingsOf(session: Session, text: string): string | undefined {
  const { expression } = parse(`${text} AGGREGATE count() >= 0`);
  return evaluate(session, expression as Expression).bindings;
}

test('requests side by side, after one event of another probe', () => {
  const requests = 1_000;
  const session = manyRequests(requests);
  expect(session.timelines.probe).toHaveLength(5 * requests + 1);
  // Of a request, each service's own pair, and the first service's A before the B of four others.
  expect(bindingsOf(session, PAIRS)).toBe(String(9 * requests));
  expect(bindingsOf(session, `${PAIRS} FILTER a.probe = b.probe`)).toBe(String(5 * requests));
  expect(bindingsOf(session, `${PAIRS} FILTER a.x < b.x`)).toBe(
    String(requestsWith(requests, (a, b) => a < b)),
  );
  const injected = `MATCH ('perturb.injected' @ perturb) AS a, (name = 'B') AS b WHEN a -> b`;
  expect(bindingsOf(session, injected)).toBe(String(5 * requests));
});

test('the next event, and what lies between, of requests side by side', () => {
  const requests = 1_000;
  const session = manyRequests(requests);
  // An A is followed on its own timeline, and that of the first service at four others too.
  const other = "MATCH (name = 'A') AS a, (name = 'other') AS next WHEN a -> NEXT next";
  expect(bindingsOf(session, other)).toBe(String(9 * requests));
  const own = `${other} FILTER a.probe = next.probe`;
  expect(bindingsOf(session, own)).toBe(String(5 * requests));
  // Of all events, the last of the first service alone comes after something called B.
  const between = `MATCH (name = 'A') AS a, ('other' @ S0) AS last, NOT (name = 'B') AS b WHEN a -> b -> last`;
  expect(bindingsOf(session, between)).toBe(String(requests));
});

/** How many pairs of events A and B of a request have such values, as `manyRequests` gives them. */
function requestsWith(requests: number, holds: (a: number, b: number) => boolean): number {
  let count = 0;
  for (let request = 0; request < requests; request++) {
    const x = (service: number, place: number) => (request * 7 + service * 3 + place) % 1000;
    for (let service = 0; service < 5; service++) {
      if (holds(x(service, 1), x(service, 3))) count++;
      if (service > 0 && holds(x(0, 1), x(service, 3))) count++;
    }
  }
  return count;
}

test('timelines one after the other are counted, or undecided with the reason', () => {
  // Each B comes after all A before it.
  expect(bindingsOf(shortTimelines(2_000, true), PAIRS)).toBe(String((1_000 * 1_001) / 2));
  expect(bindingsOf(shortTimelines(20_000, false), PAIRS)).toBe('0');
  const { expression } = parse(`${PAIRS} AGGREGATE count() >= 0`);
  const long = shortTimelines(66_000, true);
  // The short form has fewer entries for sparse, which it would take seconds to make.
  orderIndexOf(long.order, isLong ? CLOCK_LIMITS : { ...CLOCK_LIMITS, density: 1e-4 });
  const result = evaluate(long, expression as Expression);
  expect(result.undecided).toEqual({
    clause: 'WHEN',
    reason: 'most of the 33,000 timelines are connected, so ordering 65,999 events takes too long',
    help: 'match events from fewer timelines, or measure only part of the session',
  });
});
