import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type EvaluateOptions, evaluate } from '../../src/evaluation/index.js';
import {
  type Condition,
  conjunctsOf,
  type Expression,
  type Pattern,
  parse,
  print,
  printString,
  type RelationNode,
} from '../../src/expression/index.js';
import { SessionBuilder } from '../../src/session/index.js';
import type { Span } from '../../src/source/index.js';
import { isLong } from '../long.js';
import { counted, MOST_GROWTH, stepsOf } from '../steps.js';
import { CAUSAL } from './causal.js';
import { randomCase } from './compare.js';
import type { PlainSession } from './model.js';
import { consult } from './oracle.js';
import { placeFinder, toSession } from './to-session.js';

const expressionOf = (text: string) => parse(text).expression as Expression;

interface Told {
  readonly probe: string;
  readonly name: string;
  readonly ms?: number;
  readonly after?: readonly number[];
  readonly [attribute: string]: unknown;
}

function sessionOf(events: readonly Told[]) {
  const builder = new SessionBuilder();
  const made = events.map(({ probe, name, ms, after = [], ...attributes }) =>
    builder.event({
      ...{ probe, name },
      ...(ms !== undefined && { time: BigInt(ms) * 1_000_000n }),
      attributes: attributes as Record<string, bigint | string>,
    }),
  );
  events.forEach(({ after = [] }, to) => {
    for (const from of after) builder.interaction(made[from] as never, made[to] as never);
  });
  return builder.build();
}

/** The near misses of an expression, as texts with their parts. */
function nearIn(events: readonly Told[], text: string, options: EvaluateOptions = {}) {
  const { evidence } = evaluate(sessionOf(events), expressionOf(text), {
    ...{ evidence: 3, order: CAUSAL, expects: 'holds', nearMisses: 'failures' },
    ...options,
  });
  return evidence.flatMap(({ near }) => (near === undefined ? [] : [near]));
}

const texts = (...given: Parameters<typeof nearIn>) => nearIn(...given).map(({ text }) => text);

const FLIGHT: readonly Told[] = [
  { probe: 'SIMULATOR', name: 'GUST', ms: 1000, force: 18n },
  { probe: 'AUTOPILOT', name: 'HEARTBEAT', ms: 1040, after: [0] },
  { probe: 'SIMULATOR', name: 'GUST', ms: 2000, force: 21n },
  { probe: 'AUTOPILOT', name: 'HEARTBEAT', ms: 2250, after: [2] },
];
const ANSWERED =
  "MATCH (name = 'GUST') AS gust, (HEARTBEAT @ AUTOPILOT) AS beat WHEN gust -> beat WITHIN 100ms AGGREGATE count() >= 1 BY gust";

test('a near miss names the events, the part that they fail, and by how much', () => {
  const late = 'HEARTBEAT at AUTOPILOT came after 250ms, limit 100ms';
  const [near, ...others] = nearIn(FLIGHT, ANSWERED);
  const start = ANSWERED.indexOf('100ms');
  expect(others).toEqual([]);
  expect(near).toEqual({
    ...{ text: late, part: 'WITHIN 100ms', span: { start, end: start + 5 } },
    ...{ distance: 0.6, count: '1' },
  });
  const byAbsence = ANSWERED.replace('(HEARTBEAT', 'NOT (HEARTBEAT').replace(
    'count() >= 1 BY gust',
    'count() = 0',
  );
  expect(texts(FLIGHT, byAbsence)).toEqual([late]);
  expect(texts(FLIGHT, ANSWERED.replace('beat WITHIN', 'beat AND gust -> beat WITHIN'))).toEqual([
    late,
  ]);
});

test.each<readonly [string, readonly Told[], string, readonly string[]]>([
  [
    'a misspelt name',
    Array.from({ length: 12 }, (): Told => ({ probe: 'P', name: 'baet' })),
    "MATCH (name = 'beat' AND probe = 'P') AS b AGGREGATE count() >= 1",
    ['12 events match except name: "baet"'],
  ],
  [
    'an event elsewhere',
    [
      { probe: 'P', name: 'beat' },
      { probe: 'Q', name: 'other' },
    ],
    'MATCH (beat @ Q) AS b',
    ['beat at P: probe "P", wanted "Q"'],
  ],
  [
    'a number beyond its limit, the nearest one',
    [
      { probe: 'API', name: 'resp', status: 504n },
      { probe: 'API', name: 'resp', status: 503n },
    ],
    "MATCH (name = 'resp' AND status < 500) AS r",
    ['resp at API: status 503, wanted below 500, and 1 more'],
  ],
  [
    'a conjunct of FILTER',
    [
      { probe: 'P', name: 'a', x: 3n },
      { probe: 'P', name: 'b', x: 9n, kind: 'u' },
    ],
    "MATCH (name = 'a') AS a, (name = 'b') AS b FILTER b.x - a.x <= 4 AND b.kind IN ('u', 'v')",
    ['b.x - a.x = 6, wanted at most 4'],
  ],
  [
    'a missing attribute',
    [{ probe: 'P', name: 'a' }],
    "MATCH (name = 'a' AND size >= 3) AS a",
    ['a at P: no size, wanted at least 3'],
  ],
  [
    'another key',
    [
      { probe: 'P', name: 'sent', id: 7n },
      { probe: 'Q', name: 'handled', id: 8n },
    ],
    "MATCH (name = 'sent') AS s, (name = 'handled') AS h FILTER h.id = s.id",
    ['h.id 8, s.id 7, wanted h.id = s.id'],
  ],
  [
    'the same key, of another name',
    [
      { probe: 'P', name: 'sent', id: 7n },
      { probe: 'Q', name: 'dropped', id: 7n },
    ],
    "MATCH (name = 'sent') AS s, (name = 'handled') AS h FILTER h.id = s.id AGGREGATE count() >= 1 BY s",
    ['dropped at Q: name "dropped", wanted "handled"'],
  ],
  [
    'an event that came before',
    [
      { probe: 'P', name: 'got', ms: 10 },
      { probe: 'Q', name: 'put', ms: 30, after: [0] },
    ],
    "MATCH (name = 'put') AS put, (name = 'got') AS got WHEN put -> got",
    ['got at P came 20ms before put at Q'],
  ],
  [
    'an event that only its time orders',
    [
      { probe: 'P', name: 'put', ms: 10 },
      { probe: 'Q', name: 'got', ms: 30 },
    ],
    "MATCH (name = 'put') AS put, (name = 'got') AS got WHEN put -> got",
    ['nothing orders got at Q after put at P, though its time is 20ms later'],
  ],
  [
    'an event that nothing orders',
    [
      { probe: 'P', name: 'put' },
      { probe: 'Q', name: 'got' },
    ],
    "MATCH (name = 'put') AS put, (name = 'got') AS got WHEN put -> got",
    ['nothing orders got at Q after put at P'],
  ],
  [
    'an event without a recorded order, which is earlier by its time',
    [
      { probe: 'P', name: 'put', ms: 30 },
      { probe: 'Q', name: 'got', ms: 10 },
    ],
    "MATCH (name = 'put') AS put, (name = 'got') AS got WHEN put -> got",
    [],
  ],
  [
    'another name that is recorded too, and one that is written almost the same',
    [
      { probe: 'P', name: 'request' },
      { probe: 'Q', name: 'Request' },
      { probe: 'P', name: 'requests' },
    ],
    'MATCH (request @ Q) AS r',
    ['1 event matches except name: "Request"', 'request at P: probe "P", wanted "Q"'],
  ],
  [
    'an order where none should be',
    [
      { probe: 'P', name: 'lead' },
      { probe: 'Q', name: 'follow', after: [0] },
    ],
    "MATCH (name = 'lead') AS a, (name = 'follow') AS b WHEN a || b",
    ['follow at Q came after lead at P, wanted unordered'],
  ],
  [
    'an event that should not be there',
    [
      { probe: 'P', name: 'ask' },
      { probe: 'Q', name: 'error', after: [0] },
    ],
    "MATCH (name = 'ask') AS ask, NOT (name = 'error') AS error WHEN ask -> error AGGREGATE count() = 1 BY ask",
    ['error at Q should be absent'],
  ],
])('%s', (_, events, text, expected) => {
  expect(texts(events, text)).toEqual(expected);
});

test('a missing partner is looked for beside the event that lacks it', () => {
  const events: Told[] = [
    { probe: 'P', name: 'sent', id: 1n, ms: 0 },
    { probe: 'Q', name: 'handled', id: 1n, ms: 60 },
    { probe: 'Q', name: 'handled', id: 1n, ms: 101 },
    { probe: 'P', name: 'sent', id: 2n, ms: 1000 },
    { probe: 'Q', name: 'handled', id: 2n, ms: 1300 },
  ];
  const text =
    "MATCH (name = 'sent') AS s, (name = 'handled') AS h FILTER h.id = s.id AND h.time - s.time < 100ms AGGREGATE count() >= 2";
  expect(texts(events, text)[0]).toBe('h.time - s.time = 300ms, wanted below 100ms');
});

test('a pass by absence has near misses where they are asked for', () => {
  const events: Told[] = [
    { probe: 'API', name: 'resp', status: 499n },
    { probe: 'API', name: 'resp', status: 200n },
    { probe: 'API', name: 'ready' },
  ];
  const none = "MATCH (name = 'resp' AND status >= 500) AS r AGGREGATE count() = 0";
  const found = ['resp at API: status 499, wanted at least 500, and 1 more'];
  expect(texts(events, none)).toEqual([]);
  expect(texts(events, none, { nearMisses: 'always' })).toEqual(found);
  const absent = "MATCH NOT (name = 'resp' AND status >= 500) AS r";
  expect(texts(events, absent, { nearMisses: 'always' })).toEqual(found);
  for (const far of ["(name = 'CRASH')", "(name = 'resp' AND size > 3)", '(ready @ OTHER)']) {
    const text = `MATCH ${far} AS c AGGREGATE count() = 0`;
    expect(texts(events, text, { nearMisses: 'always' })).toEqual([]);
  }
});

test('what came out as expected, or has too much of something, has none', () => {
  expect(texts(FLIGHT, ANSWERED.replace('100ms', '300ms'))).toEqual([]);
  expect(texts(FLIGHT, "MATCH (name = 'GUST') AS gust AGGREGATE count() = 0")).toEqual([]);
  expect(texts(FLIGHT, "MATCH (name = 'GUST') AS gust AGGREGATE max(gust.force) < 20")).toEqual([]);
});

test('each near miss fails the part that it names, and nothing else', { timeout: 600_000 }, () => {
  const parts = new Map<string, number>();
  const seeds = fc.integer({ min: 1, max: 1_000_000 });
  fc.assert(
    fc.property(seeds, fc.constantFrom('holds', 'fails'), (seed, expects) => {
      const { session: plain, expression: random } = randomCase(seed, { isWhole: true });
      // For the places of its parts.
      const { expression } = parse(print(random));
      fc.pre(expression !== undefined);
      const { session, placeOf } = toSession(plain);
      const options = { evidence: 1, order: CAUSAL, expects, nearMisses: 'always' } as const;
      const { evidence } = evaluate(session, expression, options);
      const place = placeFinder(session, placeOf);
      for (const { near, binding } of evidence) {
        if (near === undefined) continue;
        const row = expression.match.patterns.map(({ label }) => {
          const event = binding[label.text];
          return event === undefined ? -1 : place(event);
        });
        const asked = withPresent(expression, new Set(Object.keys(binding)));
        const forbids = expression.match.patterns.some(
          ({ absent, span }) => absent && isSame(span, near.span),
        );
        const isBinding = (one: Expression) => hasBinding(plain, one, row);
        const told = `seed ${seed}: ${near.text} (${near.part}) in ${print(expression)}`;
        expect(isBinding(forbids ? asked : without(asked, near.span)), told).not.toBe(false);
        if (!forbids) expect(isBinding(asked), told).not.toBe(true);
        const kind = forbids ? 'NOT' : (/WITHIN|->|\|\|/.exec(near.part)?.[0] ?? 'condition');
        parts.set(kind, (parts.get(kind) ?? 0) + 1);
      }
    }),
    { numRuns: isLong ? 20_000 : 800 },
  );
  expect([...parts.keys()].sort()).toEqual(['->', 'NOT', 'WITHIN', 'condition', '||']);
});

/** Undefined where the oracle has too much to do. */
function hasBinding(session: PlainSession, expression: Expression, row: readonly number[]) {
  return consult(session, expression)?.all.some((one) => one.join() === row.join());
}

function withPresent({ aggregate: _, ...expression }: Expression, labels: ReadonlySet<string>) {
  const patterns = expression.match.patterns.map(({ absent, ...pattern }) => ({
    ...pattern,
    ...(absent && !labels.has(pattern.label.text) && { absent }),
  }));
  return { ...expression, match: { ...expression.match, patterns } };
}

const isSame = (a: Span, b: Span) => a.start === b.start && a.end === b.end;

/** An expression without one of its parts. */
function without({ match, when, filter, ...expression }: Expression, part: Span): Expression {
  const isKept = ({ span }: { readonly span: Span }) => !isSame(span, part);
  const rest = (conditions: readonly Condition[]): Condition => ({
    ...{ kind: 'and', span: match.span },
    operands: conditions.filter(isKept).flatMap((one) => {
      if (one.kind !== 'located') return [one];
      // Either half may be the part.
      return [
        ...(isKept(one.event) ? [conditionOf(`name = ${printString(one.event.text)}`)] : []),
        ...(isKept(one.probe) ? [conditionOf(`probe = ${printString(one.probe.text)}`)] : []),
      ];
    }),
  });
  const patterns = match.patterns.map((one) => {
    return { ...one, condition: rest(conjunctsOf(one.condition)) };
  });
  const conditions = filter ? [...conjunctsOf(filter.condition)] : [];
  const relations = (when?.relations ?? []).flatMap((relation): RelationNode[] => {
    if (relation.kind !== 'chain') return isSame(relation.signSpan, part) ? [] : [relation];
    const { within, ...chain } = relation;
    if (within !== undefined && !isKept(within)) return [chain];
    const at = chain.arrows.findIndex((arrow) => !isKept(arrow));
    if (at < 0) return [relation];
    const [first, last] = [chain.labels[0]?.text, chain.labels.at(-1)?.text];
    if (within !== undefined && first !== last) {
      conditions.push(conditionOf(`${last}.time - ${first}.time <= ${within.value}ns`));
    }
    return [
      { ...chain, labels: chain.labels.slice(0, at + 1), arrows: chain.arrows.slice(0, at) },
      { ...chain, labels: chain.labels.slice(at + 1), arrows: chain.arrows.slice(at + 1) },
    ].filter(({ arrows }) => arrows.length > 0);
  });
  return {
    ...{ ...expression, match: { ...match, patterns } },
    ...(relations.length > 0 && { when: { kind: 'when', span: match.span, relations } }),
    filter: { kind: 'filter', span: match.span, condition: rest(conditions) },
  };
}

/** A condition of FILTER, or of a pattern. */
function conditionOf(text: string): Condition {
  return (expressionOf(`MATCH (${text}) AS x`).match.patterns[0] as Pattern).condition;
}

const { evaluate: countedEvaluate } = await counted<typeof import('../../src/evaluation/index.js')>(
  '../src/evaluation/index.js',
);

test.each([
  ['of a group', ANSWERED],
  ['of all bindings', ANSWERED.replace('>= 1 BY gust', '>= 100000')],
  [
    'beside an absence',
    ANSWERED.replace('(HEARTBEAT', 'NOT (HEARTBEAT').replace(/AGG.*/, 'AGGREGATE count() = 0'),
  ],
])('the steps for near misses %s are linear in the events', async (_, text) => {
  const expression = expressionOf(text);
  const steps = async (gusts: number) => {
    const session = sessionOf(
      Array.from({ length: gusts }, (_, at): Told[] => [
        { probe: 'SIMULATOR', name: 'GUST', ms: 1000 * at, force: 18n },
        { probe: 'AUTOPILOT', name: 'HEARTBEAT', ms: 1000 * at + 150, after: [2 * at] },
      ]).flat(),
    );
    const options = { evidence: 1, order: CAUSAL, nearMisses: 'failures' } as const;
    return stepsOf(() => {
      const { evidence } = countedEvaluate(session, expression, options);
      const [near] = evidence.flatMap((one) => one.near ?? []);
      expect(near?.text).toContain('HEARTBEAT at AUTOPILOT came after 150ms, limit 100ms');
    });
  };
  const short = await steps(500);
  expect(await steps(2_000)).toBeLessThan(MOST_GROWTH * short);
});
