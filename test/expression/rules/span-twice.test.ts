import { expect, test } from 'vitest';
import { applyEdits } from '../../../src/diagnostics/index.js';
import { check, recordedOf } from '../../../src/expression/index.js';
import { SessionBuilder, vocabularyOf } from '../../../src/session/index.js';

/* A span is two events with one name. */

const builder = new SessionBuilder();
for (const id of ['a', 'b']) {
  builder.event({ probe: 'WEB', name: 'get', attributes: { id, 'span.start': true } });
  builder.event({ probe: 'WEB', name: 'get', attributes: { id, 'span.end': true, status: 200n } });
  builder.event({ probe: 'WEB', name: 'log', attributes: { id } });
}
const recorded = recordedOf(vocabularyOf(builder.build()), []);

function twice(text: string) {
  const { findings } = check(text, { role: 'check', ...(recorded && { recorded }) });
  return findings.filter(({ rule }) => rule === 'recorded/span-twice');
}

const GET = "MATCH (name = 'get') AS g";

test.each([
  `${GET} AGGREGATE count() = 2`,
  `${GET} AGGREGATE count() <= 1 BY g.id`,
  `${GET} AGGREGATE 2 < count() / 3`,
  `${GET} AGGREGATE max(g.status) < 300 BY g`,
  "MATCH (get @ WEB) AS g, (name = 'log') AS l WHEN g -> l FILTER g.id = l.id AGGREGATE count() >= 1 BY g",
  "MATCH (name IN ('get', 'log')) AS g AGGREGATE count() < 5",
])('a span counts twice: %s', (text) => {
  const [finding, ...others] = twice(text);
  expect(others).toEqual([]);
  expect(finding).toMatchObject({
    severity: 'warning',
    message: '"get" matches both the start and the end of each span, so each span counts twice',
    help: 'select one of them, as in span.end = TRUE',
  });
  expect(finding?.fix?.kind).toBe('suggested');
  const fixed = applyEdits(text, finding?.fix?.edits ?? []);
  expect(fixed).toContain(' AND span.end = TRUE) AS g');
  expect(twice(fixed)).toEqual([]);
});

test.each([
  // Nothing is counted, or only whether there is any.
  `${GET}`,
  `${GET} AGGREGATE count() = 0`,
  `${GET} AGGREGATE 1 <= count()`,
  `${GET} AGGREGATE max(g.status) < 300`,
  // One of the two is asked for, or something that only one has.
  "MATCH (name = 'get' AND span.start = TRUE) AS g AGGREGATE count() = 2",
  "MATCH (name = 'get' AND NOT exists(span.end)) AS g AGGREGATE count() = 2",
  "MATCH (name = 'get' AND status = 200) AS g AGGREGATE count() = 2",
  `${GET} FILTER g.span.end = TRUE AGGREGATE count() = 2`,
  `${GET} FILTER g.status < 500 AGGREGATE count() = 2 BY g.id`,
  // No spans, or an absent label.
  "MATCH (name = 'log') AS l AGGREGATE count() = 2",
  "MATCH (name = 'log') AS l, NOT (name = 'get') AS g WHEN l -> g FILTER l.id = g.id AGGREGATE count() = 2",
])('a span counts once: %s', (text) => {
  expect(twice(text)).toEqual([]);
});

test('alternatives get parentheses', () => {
  const text = "MATCH (name = 'get' OR name = 'log') AS g AGGREGATE count() = 2";
  const fixed = applyEdits(text, twice(text)[0]?.fix?.edits ?? []);
  expect(fixed).toBe(
    "MATCH ((name = 'get' OR name = 'log') AND span.end = TRUE) AS g AGGREGATE count() = 2",
  );
});

test.each([
  ["name GLOB 'gte*'", '"gte*"', 'did you mean "get*"?'],
  ["name GLOB '*lgo'", '"*lgo"', 'did you mean "*log"?'],
  ["name GLOB 'FATAL*'", '"FATAL*"', 'expected one of "get" or "log"'],
])('a GLOB that matches no recorded name: %s', (pattern, shown, help) => {
  const { findings } = check(`MATCH (${pattern}) AS a`, {
    ...{ role: 'check' as const },
    ...(recorded && { recorded }),
  });
  expect(findings).toMatchObject([
    {
      rule: 'recorded/unknown-name',
      message: `no recorded event has a name that matches ${shown}`,
      help,
    },
  ]);
});

test('a GLOB that matches a recorded name, or one that sessions rightly lack, is fine', () => {
  const lacking = recordedOf(vocabularyOf(builder.build()), ['FATAL disk']);
  for (const pattern of ["name GLOB 'g*'", "name GLOB 'FATAL*'", "probe GLOB '?EB'"]) {
    const { findings } = check(`MATCH (${pattern}) AS a`, {
      ...{ role: 'check' as const },
      ...(lacking && { recorded: lacking }),
    });
    expect(findings).toEqual([]);
  }
});

test('an attribute that sessions rightly lack is no mistake', () => {
  const text = "MATCH (name = 'get') AS g FILTER g.error = 'x' AGGREGATE count() = 0";
  const found = (expected: readonly string[]) => {
    const known = recordedOf(vocabularyOf(builder.build()), expected);
    const { findings } = check(text, { role: 'check', ...(known && { recorded: known }) });
    return findings.map(({ rule }) => rule);
  };
  expect(found([])).toEqual(['recorded/unknown-attribute']);
  expect(found(['error'])).toEqual([]);
});
