import { expect, test } from 'vitest';
import { check, recordedOf } from '../../src/expression/index.js';
import { responseAttributes } from '../../src/runner/polls/answer.js';
import { withPolls } from '../../src/session/index.js';
import { sessionOf, vocabularyIn } from './recordings.js';

/* The events of polls count as recorded, in projects that have recordings. */

const POLL = ['shop', 'response', { ok: true, latency: 7, 'body.total': 3 }] as const;
const without = await vocabularyIn(sessionOf([['GAZEBO', 'GUST', { force: 13.5 }]]));
const before = await vocabularyIn(sessionOf([['GAZEBO', 'GUST', { force: 13.5 }], POLL]));

function told(text: string, vocabulary = without): string[] {
  const recorded = recordedOf(withPolls(vocabulary, ['shop']), []);
  if (recorded === undefined) throw new Error('nothing is recorded');
  return check(text, { role: 'check', recorded }).findings.map(
    ({ message, help }) => `${message}; ${help}`,
  );
}

test.each([
  "MATCH (probe = 'shop' AND name = 'response' AND ok = FALSE) AS bad AGGREGATE count() = 0",
  "MATCH (response @ shop AND error = 'timeout') AS late AGGREGATE count() = 0",
  'MATCH (response @ shop) AS r AGGREGATE max(r.latency) < 250ms',
  "MATCH (response @ shop AND status >= 500 AND body.items.`0`.name = 'a' AND body = 'b') AS r",
  'MATCH (request @ shop) AS q, (response @ shop) AS r WHEN q -> r WITHIN 1s FILTER q.late < 5',
  'MATCH (response @ shop) AS r AGGREGATE mean(r.value) > 0.5',
])('%s', (text) => {
  expect(told(text)).toEqual([]);
  expect(told(text, before)).toEqual([]);
});

test.each([
  [
    'MATCH (response @ shpo) AS r',
    'no recorded event is at the probe "shpo"; did you mean "shop"?',
  ],
  [
    'MATCH (respnse @ shop) AS r',
    'no recorded event has the name "respnse"; did you mean "response"?',
  ],
  [
    'MATCH (response @ shop) AS r AGGREGATE max(r.latancy) < 9',
    'no recorded event that the pattern allows has the attribute "latancy"; did you mean "latency"?',
  ],
  [
    "MATCH (response @ shop AND ok = 'no') AS r",
    '"ok" was always a boolean in recorded events that the pattern allows, never a string; write FALSE',
  ],
])('%s is no question about a poll', (text, message) => {
  expect(told(text)).toEqual([message]);
});

test('polls alone are no recordings', async () => {
  expect(recordedOf(withPolls(await vocabularyIn(), ['shop']), [])).toBeUndefined();
});

test('each attribute of an answer is known', () => {
  const shape = withPolls(without, ['shop']).shapes.find(({ name }) => name === 'response');
  const answers = [
    { ok: true, status: 200, text: '{"a":{"b":1}}' },
    { ok: false, error: 'timeout' },
    { ok: true, text: '2.5' },
    { ok: true, text: '3' },
    { ok: true, text: '"word"', isTruncated: true },
    { ok: true, text: '"word"' },
  ];
  for (const answer of answers) {
    for (const [name, { type }] of responseAttributes(answer)) {
      if (name === 'body' || name.startsWith('body.')) continue;
      expect([name, [...(shape?.attributes.get(name)?.keys() ?? [])]]).toEqual([
        name,
        expect.arrayContaining([type]),
      ]);
    }
  }
});
