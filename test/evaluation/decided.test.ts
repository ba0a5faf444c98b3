import { expect, test } from 'vitest';
import { evaluate } from '../../src/evaluation/index.js';
import { type Expression, parse } from '../../src/expression/index.js';
import { type Session, SessionBuilder } from '../../src/session/index.js';

/*
 * What is decided, and how, of 600 events at five probes that interact: the limits in the code and
 * what the pages show. With no budget at all, only what needs no list of bindings is decided.
 */

const [A, B, C, D, E] = ['A', 'B', 'C', 'D', 'E'].map(
  (name) => `(name = '${name}') AS ${name.toLowerCase()}`,
);

const THREE = `MATCH ${A}, ${B}, ${C}`;
const TWO = `MATCH ${A}, ${B}`;
const FIVE = `MATCH ${A}, ${B}, ${C}, ${D}, ${E}`;
const COUNT = 'AGGREGATE count() > 1';
const TREE = 'WHEN a -> b AND b -> c AND d -> b AND d -> e';
const DIAMOND = `MATCH ${A}, ${B}, ${C}, ${D} WHEN a -> b -> d AND a -> c -> d`;

/** Decided without trying bindings one by one. */
const WITHOUT_BUDGET = {
  reachability: [
    `MATCH ${A}`,
    TWO,
    `${TWO} WHEN a -> b`,
    `${FIVE} ${TREE}`,
    `${TWO} WHEN a -> b AND b -> a AGGREGATE count() = 0`,
    `${TWO} FILTER 1 > 2 AGGREGATE count() = 0`,
    `MATCH (name = 'none') AS none, ${A} FILTER a.x != none.x ${COUNT}`,
    `${TWO} WHEN a -> b FILTER a.x < 50 AND b.x - b.y < 1ms AGGREGATE max(a.x) > 5, min(b.y) < 9`,
  ],
  'join tree': [
    `MATCH ${A} ${COUNT}`,
    `${TWO} WHEN a -> b ${COUNT}`,
    `${THREE} WHEN a -> b -> c AND a -> c ${COUNT}`,
    `${FIVE} ${TREE} ${COUNT}, mean(b.x) > 1, sum(e.y) > 1, stddev(a.x) > 1`,
    `${TWO} WHEN a -> b FILTER a.id = b.id ${COUNT}`,
    `${TWO} FILTER a.id = b.id AND a.x = b.x ${COUNT}`,
    `${TWO} WHEN a -> b FILTER a.x < b.x ${COUNT}, max(b.x - a.x) > 1, min(b.x - a.x) < 9`,
    `${TWO} FILTER a.x < b.x ${COUNT}`,
    `${TWO} FILTER a.x != b.x ${COUNT}`,
    `${TWO} WHEN a -> b FILTER a.x != b.x AND a.y != b.y AND a.id != b.id ${COUNT}`,
    `${TWO} WHEN a -> b FILTER a.x != b.x AND a.y < b.y AND a.id = b.id ${COUNT}`,
    `${TWO} WHEN a -> b FILTER b.time - a.time < 100ms ${COUNT}, mean(b.time - a.time) > 1`,
    `${TWO} WHEN a -> b FILTER b.x - a.x > 10 AND b.x - a.x <= 40 ${COUNT}`,
    `${TWO} FILTER b.x - a.x >= 40 AND b.x - a.x < 10 AGGREGATE count() = 0`,
    `${TWO} FILTER abs(b.time - a.time) <= 100ms ${COUNT}, max(b.time - a.time) > 1, min(b.x + a.x) < 9`,
    `${TWO} FILTER a.z > abs(b.x - a.x) ${COUNT}`,
    `${TWO} FILTER b.time > a.time - 100ms AND b.time < a.time + 100ms ${COUNT}, max(b.x - a.x) > 1`,
    `${TWO} FILTER a.time - 100ms < b.time AND b.time - a.time <= 100ms ${COUNT}`,
    `${TWO} WHEN a -> b WITHIN 100ms FILTER b.time - a.time > 10ms AND b.time - a.time < 1s ${COUNT}`,
    `${TWO} FILTER a.x < b.x AND a.y < b.y ${COUNT}, max(a.x + b.x) > 1`,
    `${TWO} WHEN a -> b FILTER a.x <= b.x AND a.y > b.y AND a.id = b.id ${COUNT}, min(a.x + b.x) > 1`,
    `${TWO} WHEN a || b FILTER a.x < b.x AND a.y < b.y AND a.id != b.id ${COUNT}`,
    `${THREE} WHEN a -> b -> c FILTER a.x < b.x AND a.y < b.y AND b.x < c.x ${COUNT}, sum(c.x - a.x) > 1`,
    `${THREE} WHEN a -> b -> c FILTER a.id = b.id AND b.x < c.x ${COUNT}, sum(c.x - a.x) > 1`,
    `${TWO} WHEN a -> b FILTER a.x = 1 OR b.y = 2 ${COUNT}`,
    `${TWO} WHEN a -> b FILTER (a.x < 9 AND b.y < 9) OR (a.y > 5 AND b.x > 5) ${COUNT}, max(a.x) > 1`,
    `${THREE} FILTER (a.x < 9 OR b.x < 9) AND (b.y < 9 OR c.y > 5) ${COUNT}, max(a.x + c.x) > 1`,
    `${THREE} FILTER a.x < 1 OR a.x > 90 OR b.x < 1 OR b.x > 90 OR b.y = 5 OR c.x < 1 OR c.x = 8 OR c.y < 9 ${COUNT}`,
    `${FIVE} ${COUNT}`,
    `MATCH ${A} AGGREGATE mean(a.x) > 1, max(a.x + a.y) > 1, stddev(a.x - a.y) > 1`,
    `${TWO} WHEN a -> b FILTER a.x = b.x`,
    `MATCH ${Array.from({ length: 60 }, (_, at) => `(name = 'A') AS l${at}`).join(', ')} ${COUNT}`,
  ],
} as const;

/** Decided with the steps that the events of one label take. */
const BY_EACH_EVENT = [
  `${DIAMOND} ${COUNT}`,
  `${DIAMOND} AGGREGATE mean(d.x) > 1, max(a.y) > 1`,
  `${THREE} WHEN a -> b -> c FILTER a.id = c.id ${COUNT}`,
  `${THREE} FILTER a.x = b.x AND b.y = c.y AND a.id = c.id ${COUNT}, sum(c.x - a.x) > 1`,
  `${TWO} FILTER a.x < b.x AND a.y < b.y AND a.z < b.z ${COUNT}`,
  `${TWO} FILTER a.x != b.x AND a.y != b.y AND a.id != b.id AND a.z != b.z ${COUNT}`,
  `${THREE} WHEN a -> c AND b -> c FILTER a.x < b.x ${COUNT}`,
];

/** Beyond the limits: the bindings are tried one by one. */
const BY_ENUMERATION = [
  `${TWO} FILTER a.x + b.x > b.y OR a.y = 1 ${COUNT}`,
  `${TWO} FILTER a.x < b.x OR a.id = b.id ${COUNT}`,
  `${TWO} WHEN a -> b AGGREGATE stddev(b.x - a.x) > 1`,
  `${TWO} FILTER ${Array.from({ length: 13 }, (_, at) => `${at % 2 ? 'a' : 'b'}.x = ${at}`).join(' OR ')} ${COUNT}`,
  `${TWO} FILTER abs(a.x - b.x) < 9 AND abs(a.y - b.y) < 9 AGGREGATE max(a.x + b.x) > 1`,
  `${TWO} FILTER abs(b.x - a.x) > 10 ${COUNT}`,
];

function recorded(): Session {
  const builder = new SessionBuilder();
  const probes = ['P', 'Q', 'R', 'S', 'T'];
  const events = Array.from({ length: 600 }, (_, at) => {
    const attributes = {
      x: BigInt((at * 7) % 101),
      y: BigInt((at * 11) % 97),
      z: BigInt((at * 5) % 89),
      id: BigInt(at % 40),
    };
    const name = 'ABCDE'[(at * 3 + Math.floor(at / 5)) % 5] as string;
    const time = BigInt(at) * 1_000_000n;
    return builder.event({ probe: probes[at % 5] as string, name, time, attributes });
  });
  for (let at = 10; at < 600; at += 3) {
    builder.interaction(events[at - 1 - (at % 4)] as number, events[at] as number);
  }
  return builder.build();
}

const session = recorded();

function answer(text: string, budget: number): string {
  const { expression } = parse(text);
  const { status, method } = evaluate(session, expression as Expression, { budget });
  return status === 'undecided' ? status : method;
}

test.each(
  Object.entries(WITHOUT_BUDGET).flatMap(([method, texts]) =>
    texts.map((text) => [method, text] as const),
  ),
)('%s decides without a budget: %s', (method, text) => {
  expect(answer(text, 0)).toBe(method);
});

test.each(BY_EACH_EVENT)('each event of one label decides: %s', (text) => {
  expect(answer(text, 300)).toBe('undecided');
  expect(answer(text, 30_000)).toBe('each event');
});

test.each(BY_ENUMERATION)('bindings are tried one by one: %s', (text) => {
  expect(answer(text, 1000)).toBe('undecided');
  expect(answer(text, 300_000)).not.toBe('undecided');
});
