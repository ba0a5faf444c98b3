import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type EvaluateOptions, evaluate } from '../../src/evaluation/index.js';
import { type Expression, parse } from '../../src/expression/index.js';
import { type Session, SessionBuilder } from '../../src/session/index.js';

/* Operands that met nothing: what was compared was never there. */

type Attributes = Readonly<Record<string, bigint | number | string | boolean>>;

/** Requests, each with its answer, and heartbeats of two nodes. */
function sessionOf(request: Attributes, response: Attributes, beat: Attributes = {}): Session {
  const builder = new SessionBuilder();
  for (let n = 0n; n < 3n; n++) {
    const time = n * 100n;
    builder.event({ probe: 'CLIENT', name: 'req', time, attributes: { id: n, ...request } });
    const answer = { id: n, ...response };
    builder.event({ probe: 'SERVER', name: 'resp', time: time + 10n, attributes: answer });
  }
  for (const node of ['n1', 'n2']) {
    builder.event({ probe: node, name: 'beat', time: 50n, attributes: { node, ...beat } });
  }
  return builder.build();
}

const NUMBERS = sessionOf({ size: 7n }, { status: 200n, ok: true, latency: 1.5 });
const TEXTS = sessionOf({ size: '7' }, { status: '200', ok: 'true', latency: '1.5', id: 'x' });

const R = "MATCH (name = 'resp') AS r";
const QR = "MATCH (name = 'req') AS q, (name = 'resp') AS r";
const ABSENT = "MATCH (name = 'req') AS q, NOT (name = 'resp') AS r";

const operandsOf = (session: Session, text: string, options: EvaluateOptions = {}) => {
  const { vacuous, metNothing = [] } = evaluate(
    session,
    parse(text).expression as Expression,
    options,
  );
  return { vacuous, operands: metNothing.map(({ operand }) => operand) };
};

test.each<[text: string, session: Session, operands: readonly string[]]>([
  // FILTER.
  [`${R} FILTER r.status >= 500 AGGREGATE count() = 0`, NUMBERS, []],
  [`${R} FILTER r.status >= 500 AGGREGATE count() = 0`, TEXTS, ['r.status']],
  [`${R} FILTER r.statuss >= 500 AGGREGATE count() = 0`, NUMBERS, ['r.statuss']],
  [`${R} FILTER r.status != 200 AGGREGATE count() = 0`, TEXTS, ['r.status']],
  [`${R} FILTER NOT (r.status >= 500)`, TEXTS, ['r.status']],
  [`${R} FILTER r.status IN (500, 503) AGGREGATE count() = 0`, TEXTS, ['r.status']],
  [`${R} FILTER r.status NOT IN (500, 503)`, TEXTS, ['r.status']],
  [`${R} FILTER r.status IN (500, '503') AGGREGATE count() = 0`, TEXTS, []],
  [`${R} FILTER r.status GLOB '5*' AGGREGATE count() = 0`, TEXTS, []],
  [`${R} FILTER r.status GLOB '5*' AGGREGATE count() = 0`, NUMBERS, ['r.status']],
  [`${R} FILTER r.ok = FALSE AGGREGATE count() = 0`, NUMBERS, []],
  [`${R} FILTER r.ok = FALSE AGGREGATE count() = 0`, TEXTS, ['r.ok']],
  [`${R} FILTER r.ok < r.ok AGGREGATE count() = 0`, NUMBERS, ['r.ok']],
  [`${R} FILTER abs(r.latency - 1) > 5 AGGREGATE count() = 0`, NUMBERS, []],
  [`${R} FILTER abs(r.latency - 1) > 5 AGGREGATE count() = 0`, TEXTS, ['r.latency']],
  [`${R} FILTER r.latency > session.end AGGREGATE count() = 0`, TEXTS, ['r.latency']],
  [`${R} FILTER r.latency @ CLIENT > 1 AGGREGATE count() = 0`, NUMBERS, ['r.latency @ CLIENT']],
  // Two attributes.
  [`${QR} FILTER q.id = r.id AND r.time - q.time > 1s AGGREGATE count() = 0`, NUMBERS, []],
  [
    `${QR} FILTER q.id = r.id AND r.time - q.time > 1s AGGREGATE count() = 0`,
    TEXTS,
    ['q.id', 'r.id'],
  ],
  [`${QR} FILTER q.id = r.request AGGREGATE count() = 0`, NUMBERS, ['r.request']],
  [`${QR} FILTER q.size = r.status AGGREGATE count() = 0`, TEXTS, []],
  [`${ABSENT} FILTER q.id = r.id AGGREGATE count() = 3`, TEXTS, ['q.id', 'r.id']],
  [`${ABSENT} FILTER q.id = r.id AGGREGATE count() = 0`, NUMBERS, []],
  // OR needs all, AND one.
  [`${R} FILTER r.status >= 500 OR r.error = 'timeout' AGGREGATE count() = 0`, NUMBERS, []],
  [
    `${R} FILTER r.status >= 500 OR r.error = 'timeout' AGGREGATE count() = 0`,
    TEXTS,
    ['r.status', 'r.error'],
  ],
  [`${R} FILTER r.ok = TRUE OR (r.id = 1 AND r.error = 'x') AGGREGATE count() = 0`, NUMBERS, []],
  [`${R} FILTER r.id = 1 AND r.error = 'x' AGGREGATE count() = 0`, NUMBERS, ['r.error']],
  [`${R} FILTER NOT (r.id = 1 AND r.error = 'x')`, NUMBERS, ['r.error']],
  // exists, and what is asked for by it.
  [`${R} FILTER exists(r.error) AGGREGATE count() = 0`, NUMBERS, []],
  [`${R} FILTER exists(r.error) AND r.error = 'x' AGGREGATE count() = 0`, NUMBERS, []],
  [`${R} FILTER NOT exists(r.error) OR r.error = 'x'`, NUMBERS, []],
  ["MATCH (name = 'resp' AND exists(ok)) AS r FILTER r.ok = TRUE AGGREGATE count() = 0", TEXTS, []],
  [
    "MATCH (exists(id)) AS q, (name = 'resp') AS r FILTER q.id = r.error AGGREGATE count() = 0",
    NUMBERS,
    ['r.error'],
  ],
  // Functions.
  [`${R} AGGREGATE share(r.status >= 500) <= 0.01`, NUMBERS, []],
  [`${R} AGGREGATE share(r.status >= 500) <= 0.01`, TEXTS, ['r.status']],
  [`${R} AGGREGATE share(NOT (r.status >= 500)) >= 0.99`, TEXTS, ['r.status']],
  [`${R} AGGREGATE max(r.latency) < 5`, NUMBERS, []],
  [`${R} AGGREGATE max(r.latency) < 5`, TEXTS, ['r.latency']],
  [`${R} AGGREGATE percentile(r.latncy, 95) < 5`, NUMBERS, ['r.latncy']],
  [`${R} AGGREGATE count() > 0, 2 * mean(r.latncy) + 1 < 5`, NUMBERS, ['r.latncy']],
  ["MATCH (name = 'beat') AS b AGGREGATE distinct(b.node) = 2", NUMBERS, []],
  ["MATCH (name = 'beat') AS b AGGREGATE distinct(b.nod) = 0", NUMBERS, ['b.nod']],
  // Keys.
  ["MATCH (name = 'beat') AS b AGGREGATE count() <= 1 BY b.node", NUMBERS, []],
  ["MATCH (name = 'beat') AS b AGGREGATE count() <= 1 BY b.nod", NUMBERS, ['b.nod']],
  ["MATCH (name = 'beat') AS b AGGREGATE count() <= 1 BY window(b.at, 10ns)", NUMBERS, ['b.at']],
])('%s', (text, session, operands) => {
  expect(operandsOf(session, text)).toEqual({ vacuous: operands.length > 0, operands });
});

test('one event with a value of the right kind is enough', () => {
  const builder = new SessionBuilder();
  for (const x of ['7', '7', 7n]) builder.event({ probe: 'P', name: 'A', attributes: { x } });
  const text = "MATCH (name = 'A') AS a FILTER a.x > 100 AGGREGATE count() = 0";
  expect(operandsOf(builder.build(), text)).toEqual({ vacuous: false, operands: [] });
});

test('what the other conjuncts leave does not matter, only what the pattern matches', () => {
  const text = `${R} FILTER r.id = 99 AND r.status >= 500 AGGREGATE count() = 0`;
  expect(operandsOf(NUMBERS, text)).toEqual({ vacuous: false, operands: [] });
});

test('attributes that good sessions lack may be missing', () => {
  const text = `${R} FILTER r.error.code = 5 AGGREGATE count() = 0`;
  const expected = ['error.code'];
  expect(operandsOf(NUMBERS, text)).toEqual({ vacuous: true, operands: ['r.error.code'] });
  expect(operandsOf(NUMBERS, text, { expected })).toEqual({ vacuous: false, operands: [] });
});

test('of an event that good sessions lack, no attribute is asked for', () => {
  const text =
    "MATCH (name = 'resp') AS r, NOT (name = 'CRASH') AS c FILTER c.id = r.id AGGREGATE count() = 3";
  const expected = ['CRASH'];
  expect(operandsOf(NUMBERS, text, { expected })).toEqual({ vacuous: false, operands: [] });
});

test('a result has the counts of what its label has, what to write, and no margin', () => {
  const ask = (text: string) => {
    const { metNothing, margin } = evaluate(TEXTS, parse(text).expression as Expression);
    return { metNothing, margin };
  };
  expect(ask(`${R} FILTER r.status >= 500 AGGREGATE count() = 0`)).toEqual({
    metNothing: [
      {
        ...{ label: 'r', operand: 'r.status', events: 3, kinds: { string: 3 } },
        help: "compare with '500'",
      },
    ],
    margin: undefined,
  });
  const join = ask(`${QR} FILTER q.id = r.id AGGREGATE count() = 0`);
  expect(join.metNothing?.map(({ help }) => help)).toEqual(['r.id is text', 'q.id is a number']);
  expect(ask(`${R} AGGREGATE max(r.latncy) < 5`).metNothing).toEqual([
    { label: 'r', operand: 'r.latncy', events: 3, kinds: {} },
  ]);
});

/** Parts of FILTER and AGGREGATE that are about an attribute, by its text; a number is enough for each. */
const ABOUT: readonly ((attribute: string) => string)[] = [
  (x) => `FILTER ${x} > 5 AGGREGATE count() = 0`,
  (x) => `FILTER NOT (${x} = 1 AND r.id = 1)`,
  (x) => `FILTER ${x} NOT IN (1, 'a', TRUE) AGGREGATE count() <= 3`,
  (x) => `FILTER ${x} * 2 - r.id < 1 AND r.id = 1 AGGREGATE count() = 0`,
  (x) => `AGGREGATE share(${x} = 1 OR ${x} = 2) = 0`,
  (x) => `AGGREGATE stddev(${x}) < 5 BY r`,
  (x) => `AGGREGATE distinct(${x}) <= 1`,
  (x) => `AGGREGATE count() >= 1 BY ${x}, r.id`,
];

test('an expression over an attribute is vacuous exactly if no event has it, whatever it holds', () => {
  const name = fc
    .stringMatching(/^[a-z]{1,6}$/)
    .filter((one) => !/^(?:name|probe|time|seq|id)$/.test(one));
  const value = fc.oneof(fc.bigInt(-3n, 3n), fc.constantFrom('a', '1', true, 0.5));
  const events = fc.array(fc.dictionary(name, value, { maxKeys: 3 }), {
    ...{ minLength: 1, maxLength: 8 },
  });
  fc.assert(
    fc.property(events, name, fc.constantFrom(...ABOUT), fc.boolean(), (all, x, about, isThere) => {
      const builder = new SessionBuilder();
      for (const [id, { [x]: _, ...attributes }] of all.entries()) {
        const own = isThere && id === 0 ? { ...attributes, [x]: 1n } : attributes;
        builder.event({ probe: 'P', name: 'resp', attributes: { ...own, id } });
      }
      const { vacuous, operands } = operandsOf(builder.build(), `${R} ${about(`r.${x}`)}`);
      expect([vacuous, operands.includes(`r.${x}`)]).toEqual([!isThere, !isThere]);
    }),
  );
});
