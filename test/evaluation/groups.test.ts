import { expect, test } from 'vitest';
import { evaluate } from '../../src/evaluation/index.js';
import { type Expression, parse } from '../../src/expression/index.js';
import { SessionBuilder } from '../../src/session/index.js';

/* What the answer shows of groups. */

const expressionOf = (text: string) => parse(text).expression as Expression;

test('no binding that an absence forbids is shown of the worst group', () => {
  const builder = new SessionBuilder();
  for (const name of ['ask', 'answer']) builder.event({ probe: 'P', name, attributes: {} });
  const text =
    "MATCH (name = 'ask') AS ask, (name = 'answer') AS other, NOT (name = 'answer') AS answer WHEN ask -> answer AGGREGATE count() > 0 BY ask";
  const { groups, evidence } = evaluate(builder.build(), expressionOf(text), { evidence: 1 });
  expect(groups).toMatchObject({ all: 1, hold: 0 });
  const event = { probe: 'P', seq: 0, attributes: { name: 'ask' } };
  expect(evidence).toEqual([{ why: 'group', binding: { ask: event } }]);
});

test('a key that is a whole number is written in full, be it a float or not', () => {
  const keys = [2 ** 53 + 2, 2n ** 63n - 1n, 2 ** 63, 1.5, Number.POSITIVE_INFINITY];
  const builder = new SessionBuilder();
  for (const x of keys) builder.event({ probe: 'P', name: 'A', attributes: { x } });
  const text = "MATCH (name = 'A') AS a AGGREGATE count() = 0 BY a.x";
  const { groups } = evaluate(builder.build(), expressionOf(text));
  expect(groups?.worst.map((group) => group.keys[0]?.value).sort()).toEqual([
    '1.5',
    '9007199254740994',
    '9223372036854775807',
    '9223372036854775808',
    'Infinity',
  ]);
});

test('a number, a boolean and the texts that read like them are told apart', () => {
  const builder = new SessionBuilder();
  for (const x of [1n, '1', true, 'true', "it's", '']) {
    builder.event({ probe: 'P', name: 'A', attributes: { x } });
  }
  const text = "MATCH (name = 'A') AS a AGGREGATE max(a.x) = '1' BY a.x";
  const { groups } = evaluate(builder.build(), expressionOf(text));
  expect(groups?.all).toBe(6);
  const shown = groups?.worst.map((group) => group.keys[0]?.value);
  expect(shown).toEqual(['1', "'1'", 'true', "'true'", "'it\\'s'"]);
  expect(groups?.worst[0]?.measures[0]).toMatchObject({ left: '1', right: "'1'", holds: false });
});

test('an event that the end of the session cuts off from two windows is one event', () => {
  const builder = new SessionBuilder();
  for (const time of [0n, 5n, 6n]) builder.event({ probe: 'P', name: 'A', time });
  const text =
    "MATCH (name = 'A') AS a AGGREGATE count() >= 0 BY window(a.time, 4ns), window(a.time, 3ns)";
  const { groups } = evaluate(builder.build(), expressionOf(text));
  expect(groups).toMatchObject({ all: 2, cutOff: 2 });
});

test('where two of three absences are broken, the events of both are shown', () => {
  const builder = new SessionBuilder();
  for (const name of ['A', 'C']) builder.event({ probe: 'P', name });
  const text = "MATCH NOT (name = 'A') AS a, NOT (name = 'B') AS b, NOT (name = 'C') AS c";
  const { status, evidence } = evaluate(builder.build(), expressionOf(text), { evidence: 1 });
  expect(status).toBe('fails');
  const shown = evidence.map(({ why, binding }) => [why, Object.keys(binding)]);
  expect(shown).toEqual([['forbidden', ['a', 'c']]]);
});

test('an attribute of a pattern is shown by its whole name, though that begins like a label', () => {
  const builder = new SessionBuilder();
  builder.event({ probe: 'P', name: 'A', attributes: { 'a.x': 1n, x: 2n, y: 3n } });
  const text = 'MATCH (a.x = 1) AS a FILTER a.y = 3';
  const { evidence } = evaluate(builder.build(), expressionOf(text), { evidence: 1 });
  const attributes = { name: 'A', 'a.x': 1, y: 3 };
  expect(evidence[0]?.binding).toEqual({ a: { probe: 'P', seq: 0, attributes } });
});
