import { describe, expect, it } from 'vitest';
import { check } from '../../src/expression/index.js';
import { SourceFile } from '../../src/source/index.js';
import { parseToml } from '../../src/toml/index.js';
import { told } from './told.js';

describe('what no value satisfies', () => {
  it.each([
    [
      'MATCH (a = 1) AS x AGGREGATE count() < 0',
      [
        'always-false',
        'nothing satisfies "count() < 0"',
        'it is an integer of at least 0',
        '29 count() < 0',
      ],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE count() <= -1',
      [
        'always-false',
        'nothing satisfies "count() <= -1"',
        'it is an integer of at least 0',
        '29 count() <= -1',
      ],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE count() = -1',
      [
        'always-false',
        'nothing satisfies "count() = -1"',
        'it is an integer of at least 0',
        '29 count() = -1',
      ],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE count() = 0.5',
      [
        'always-false',
        'nothing satisfies "count() = 0.5"',
        'it is an integer of at least 0',
        '29 count() = 0.5',
      ],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE stddev(x.a) < 0',
      [
        'always-false',
        'nothing satisfies "stddev(x.a) < 0"',
        'it is at least 0',
        '29 stddev(x.a) < 0',
      ],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE 0 > stddev(x.a)',
      [
        'always-false',
        'nothing satisfies "0 > stddev(x.a)"',
        'it is at least 0',
        '29 0 > stddev(x.a)',
      ],
    ],
    ["MATCH (a < '') AS x", ['always-false', 'nothing satisfies "a < \'\'"', '', "7 a < ''"]],
    [
      'MATCH (a = 1) AS x AGGREGATE count() < count()',
      [
        'always-false',
        'nothing satisfies "count() < count()"',
        'both sides are the same',
        '29 count() < count()',
      ],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE max(x.a) < max(x.a)',
      [
        'always-false',
        'nothing satisfies "max(x.a) < max(x.a)"',
        'both sides are the same',
        '29 max(x.a) < max(x.a)',
      ],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE mean(x.a) > 1, mean(x.a) < 1',
      [
        'always-false',
        'nothing satisfies both "mean(x.a) > 1" and "mean(x.a) < 1"',
        '',
        '29 mean(x.a) > 1, mean(x.a) < 1',
      ],
    ],
    [
      'MATCH (a = 1 AND a = 2 AND a = 3) AS x',
      ['always-false', 'nothing satisfies both "a = 1" and "a = 2"', '', '7 a = 1 AND a = 2'],
    ],
    [
      'MATCH (a >= 1 AND a > 1 AND a <= 1) AS x',
      ['always-false', 'nothing satisfies both "a > 1" and "a <= 1"', '', '18 a > 1 AND a <= 1'],
    ],
    [
      'MATCH (a <= 1 AND a < 1 AND a >= 1) AS x',
      ['always-false', 'nothing satisfies both "a < 1" and "a >= 1"', '', '18 a < 1 AND a >= 1'],
    ],
    [
      'MATCH (a = 1 AND a = 2) AS x FILTER x.a = 3',
      ['always-false', 'nothing satisfies both "a = 1" and "a = 2"', '', '7 a = 1 AND a = 2'],
    ],
    [
      'MATCH (a = 1) AS x FILTER x.b = 1 AND (x.a = 2 OR x.a = 3)',
      [
        'always-false',
        'nothing satisfies "x.b = 1 AND (x.a = 2 OR x.a = 3)"',
        'change the alternatives, or what stands beside them',
        '26 x.b = 1 AND (x.a = 2 OR x.a = 3)',
        '39 x.a = 2 OR x.a = 3',
      ],
    ],
    [
      "MATCH (x @ p AND name = 'y') AS a",
      [
        'always-false',
        'nothing satisfies both "x @ p" and "name = \'y\'"',
        '',
        "7 x @ p AND name = 'y'",
      ],
    ],
    [
      "MATCH (x @ p) AS a FILTER a.probe = 'q'",
      [
        'always-false',
        'nothing satisfies both "x @ p" and "a.probe = \'q\'"',
        '',
        "26 a.probe = 'q'",
        '7 x @ p',
      ],
    ],
    [
      "MATCH (x @ p) AS a FILTER a.name = 'y'",
      [
        'always-false',
        'nothing satisfies both "x @ p" and "a.name = \'y\'"',
        '',
        "26 a.name = 'y'",
        '7 x @ p',
      ],
    ],
    [
      'MATCH (x @ p) AS a FILTER a.b @ q = 1',
      [
        'always-false',
        'nothing satisfies both "x @ p" and "a.b @ q = 1"',
        '',
        '26 a.b @ q = 1',
        '7 x @ p',
      ],
    ],
    [
      'MATCH (b @ p = 1 AND c @ q = 2) AS a',
      [
        'always-false',
        'nothing satisfies both "b @ p = 1" and "c @ q = 2"',
        '',
        '7 b @ p = 1 AND c @ q = 2',
      ],
    ],
    [
      'MATCH (1 = b AND 2 = b) AS a',
      ['always-false', 'nothing satisfies both "1 = b" and "2 = b"', '', '7 1 = b AND 2 = b'],
    ],
    [
      'MATCH (1 < b AND 1 > b) AS a',
      ['always-false', 'nothing satisfies both "1 < b" and "1 > b"', '', '7 1 < b AND 1 > b'],
    ],
    [
      'MATCH (1 != b AND b = 1) AS a',
      ['always-false', 'nothing satisfies both "1 != b" and "b = 1"', '', '7 1 != b AND b = 1'],
    ],
    [
      'MATCH (1 <= b AND b < 1) AS a',
      ['always-false', 'nothing satisfies both "1 <= b" and "b < 1"', '', '7 1 <= b AND b < 1'],
    ],
    [
      'MATCH (1 >= b AND b > 1) AS a',
      ['always-false', 'nothing satisfies both "1 >= b" and "b > 1"', '', '7 1 >= b AND b > 1'],
    ],
    [
      'MATCH (a = TRUE AND a = FALSE) AS x',
      [
        'always-false',
        'nothing satisfies both "a = TRUE" and "a = FALSE"',
        '',
        '7 a = TRUE AND a = FALSE',
      ],
    ],
    [
      'MATCH (a = TRUE AND a = 1) AS x',
      [
        'always-false',
        'nothing satisfies both "a = TRUE" and "a = 1"',
        'nothing is a boolean and a number at once',
        '7 a = TRUE AND a = 1',
      ],
    ],
    [
      'MATCH (a != TRUE AND a != FALSE) AS x',
      [
        'always-false',
        'nothing satisfies both "a != TRUE" and "a != FALSE"',
        '',
        '7 a != TRUE AND a != FALSE',
      ],
    ],
    [
      'MATCH ((a = 1 OR a = 2) AND a = 3) AS x',
      [
        'always-false',
        'nothing satisfies "(a = 1 OR a = 2) AND a = 3"',
        'change the alternatives, or what stands beside them',
        '7 (a = 1 OR a = 2) AND a = 3',
        '8 a = 1 OR a = 2',
      ],
    ],
    [
      'MATCH ((a = 1 OR a = 2) AND (b = 1 OR b = 2) AND a = 3 AND b = 3) AS x',
      [
        'always-false',
        'nothing satisfies "(a = 1 OR a = 2) AND (b = 1 OR b = 2) AND a = 3 AND b = 3"',
        'change the alternatives, or what stands beside them',
        '7 (a = 1 OR a = 2) AND (b = 1 OR b = 2) AND a = 3 AND b = 3',
        '8 a = 1 OR a = 2',
      ],
    ],
    [
      'MATCH ((a = 1 AND a = 2 OR a = 2) AND a = 3) AS x',
      ['always-false', 'nothing satisfies both "a = 1" and "a = 2"', '', '8 a = 1 AND a = 2'],
    ],
    [
      'MATCH (a > 1 AND b = 1 AND a > 2 AND a != 7 AND a < 0) AS x',
      [
        'always-false',
        'nothing satisfies both "a > 2" and "a < 0"',
        '',
        '27 a > 2 AND a != 7 AND a < 0',
      ],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE count() > 0, count() < 6, count() != 1, count() != 2, count() != 3, count() != 4, count() != 5',
      [
        'always-false',
        'nothing satisfies "count() > 0", "count() < 6", "count() != 1", "count() != 2" and 3 more together',
        'it is an integer of at least 0',
        '29 count() > 0, count() < 6, count() != 1, count() != 2, count() != 3, count() != 4, count() != 5',
      ],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE count() > 0, count() < 3, count() != 1, count() != 2',
      [
        'always-false',
        'nothing satisfies "count() > 0", "count() < 3", "count() != 1" and "count() != 2" together',
        'it is an integer of at least 0',
        '29 count() > 0, count() < 3, count() != 1, count() != 2',
      ],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE count() > 0, count() < 4, count() != 1, count() != 2, count() != 3',
      [
        'always-false',
        'nothing satisfies "count() > 0", "count() < 4", "count() != 1", "count() != 2" and 1 more together',
        'it is an integer of at least 0',
        '29 count() > 0, count() < 4, count() != 1, count() != 2, count() != 3',
      ],
    ],
    [
      'MATCH (a = 1) AS `x y` FILTER `x y`.a = 2',
      [
        'always-false',
        'nothing satisfies both "a = 1" and "`x y`.a = 2"',
        '',
        '30 `x y`.a = 2',
        '7 a = 1',
      ],
    ],
    [
      'FILTER x.a = 2 MATCH (a = 1) AS x',
      ['always-false', 'nothing satisfies both "x.a = 2" and "a = 1"', '', '7 x.a = 2', '22 a = 1'],
      [
        'syntax',
        '"MATCH" is not the first clause',
        'write it before "FILTER"',
        '15 MATCH',
        '0 FILTER',
      ],
    ],
    [
      'FILTER x.a = 1 AND x.a = 2',
      [
        'syntax',
        'expected "MATCH" before "FILTER"',
        'write MATCH (condition) AS label',
        '0 FILTER',
      ],
      [
        'always-false',
        'nothing satisfies both "x.a = 1" and "x.a = 2"',
        '',
        '7 x.a = 1 AND x.a = 2',
      ],
    ],
    [
      'MATCH (a = 1 AND a = 2 AND b = 1 AND b = 2 AND a = 3) AS x',
      ['always-false', 'nothing satisfies both "a = 1" and "a = 2"', '', '7 a = 1 AND a = 2'],
      ['always-false', 'nothing satisfies both "b = 1" and "b = 2"', '', '27 b = 1 AND b = 2'],
    ],
    [
      'MATCH (a @ p > 3 AND a < 2) AS x',
      [
        'always-false',
        'nothing satisfies both "a @ p > 3" and "a < 2"',
        '',
        '7 a @ p > 3 AND a < 2',
      ],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('a contradiction', () => {
  const relatedIn = (text: string) =>
    check(text, { role: 'check' }).findings.map(({ related }) => related);

  it('names the pattern that FILTER contradicts', () => {
    expect(relatedIn('MATCH (a = 1) AS x FILTER x.a = 2')).toMatchObject([
      [{ message: 'the pattern asks for this', span: { start: 7, end: 12 } }],
    ]);
  });

  it('has nothing related where all of it stands in one clause', () => {
    expect(relatedIn('MATCH (a = 1 AND a = 2) AS x')).toEqual([undefined]);
  });
});

describe('what everything satisfies', () => {
  it.each([
    [
      'MATCH (a = 1) AS x AGGREGATE count() = count()',
      [
        'always-true',
        'everything satisfies "count() = count()"',
        'correct it, or delete it',
        '29 count() = count()',
      ],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE count() >= count()',
      [
        'always-true',
        'everything satisfies "count() >= count()"',
        'correct it, or delete it',
        '29 count() >= count()',
      ],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE count() >= 0',
      [
        'always-true',
        'everything satisfies "count() >= 0"',
        'correct it, or delete it',
        '29 count() >= 0',
      ],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE count() > -1',
      [
        'always-true',
        'everything satisfies "count() > -1"',
        'correct it, or delete it',
        '29 count() > -1',
      ],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE -1 < count()',
      [
        'always-true',
        'everything satisfies "-1 < count()"',
        'correct it, or delete it',
        '29 -1 < count()',
      ],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE count() != 0.5',
      [
        'always-true',
        'everything satisfies "count() != 0.5"',
        'correct it, or delete it',
        '29 count() != 0.5',
      ],
    ],
    [
      'MATCH (1 < 2) AS x',
      ['always-true', 'everything satisfies "1 < 2"', 'correct it, or delete it', '7 1 < 2'],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('orders in a circle', () => {
  it.each([
    [
      'MATCH (a = 1) AS x WHEN x -> x',
      [
        'causal-cycle',
        '"x" would have to happen before itself',
        'turn round or delete an arrow of the circle "x -> x"',
        '26 ->',
      ],
    ],
    [
      'MATCH (a=1) AS a, (a=1) AS b, (a=1) AS c, (a=1) AS d, (a=1) AS e, (a=1) AS f WHEN a -> b -> c -> d -> e -> f -> a',
      [
        'causal-cycle',
        '"a" would have to happen before itself',
        'turn round or delete an arrow of the circle "a -> b -> c -> d -> e -> f -> a"',
        '109 ->',
        '84 ->',
        '89 ->',
        '94 ->',
        '99 ->',
        '104 ->',
      ],
    ],
    [
      'MATCH (a=1) AS a, (a=1) AS b, (a=1) AS c, (a=1) AS d, (a=1) AS e, (a=1) AS f, (a=1) AS g WHEN a -> b -> c -> d -> e -> f -> g -> a',
      [
        'causal-cycle',
        '"a" would have to happen before itself',
        'turn round or delete an arrow of the circle',
        '126 ->',
        '96 ->',
        '101 ->',
        '106 ->',
        '111 ->',
        '116 ->',
        '121 ->',
      ],
    ],
    [
      'MATCH (a=1) AS a, (a=1) AS b WHEN a -> b AND b -> a AND b -> a AND a -> b',
      [
        'causal-cycle',
        '"a" would have to happen before itself',
        'turn round or delete an arrow of the circle "a -> b -> a"',
        '47 ->',
        '36 ->',
      ],
    ],
    [
      'MATCH (a=1) AS a, (a=1) AS b, (a=1) AS c WHEN a -> b AND a -> z AND z -> b AND b -> c -> a',
      ['unknown-label', 'no pattern has the label "z"', 'expected one of "a", "b" or "c"', '62 z'],
      ['unknown-label', 'no pattern has the label "z"', 'expected one of "a", "b" or "c"', '68 z'],
      [
        'causal-cycle',
        '"a" would have to happen before itself',
        'turn round or delete an arrow of the circle "a -> b -> c -> a"',
        '86 ->',
        '48 ->',
        '81 ->',
      ],
    ],
    [
      'MATCH (a=1) AS a, (a=1) AS b WHEN a -> z AND a -> b -> a',
      ['unknown-label', 'no pattern has the label "z"', 'expected one of "a" or "b"', '39 z'],
      [
        'causal-cycle',
        '"a" would have to happen before itself',
        'turn round or delete an arrow of the circle "a -> b -> a"',
        '52 ->',
        '47 ->',
      ],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });

  it('name no other part of a circle of one arrow', () => {
    const { findings } = check('MATCH (a = 1) AS x WHEN x -> x', { role: 'check' });
    expect(findings.map(({ rule, related }) => [rule, related])).toEqual([
      ['expression/causal-cycle', undefined],
    ]);
  });
});

describe('patterns apart', () => {
  it.each([
    [
      'MATCH (a=1) AS a, (a=1) AS b, (a=1) AS c, (a=1) AS d WHEN a -> b -> c',
      [
        'cartesian-product',
        'nothing ties "d" to "a" and 2 more',
        'order them in WHEN, or compare their attributes in FILTER',
        '51 d',
        '15 a',
      ],
    ],
    [
      'MATCH (a=1) AS a, (a=1) AS b, (a=1) AS c, (a=1) AS d, (a=1) AS e WHEN b -> c -> d -> e',
      [
        'cartesian-product',
        'nothing ties "b" and 3 more to "a"',
        'order them in WHEN, or compare their attributes in FILTER',
        '27 b',
        '15 a',
      ],
    ],
    [
      'MATCH (a=1) AS a, (a=1) AS b FILTER a.x = 1',
      [
        'cartesian-product',
        'nothing ties "b" to "a"',
        'order them in WHEN, or compare their attributes in FILTER',
        '27 b',
        '15 a',
      ],
    ],
    [
      'MATCH (a=1) AS a, (a=1) AS b FILTER e @ p',
      [
        'cartesian-product',
        'nothing ties "b" to "a"',
        'order them in WHEN, or compare their attributes in FILTER',
        '27 b',
        '15 a',
      ],
      [
        'missing-label',
        'the event "e" has no label',
        `write label.name = 'e' AND label.probe = 'p' with the label "a" or "b"`,
        '36 e @ p',
      ],
    ],
    [
      'MATCH (a=1) AS a, (a=1) AS b, (a=1) AS c WHEN a -> b -> a',
      [
        'cartesian-product',
        'nothing ties "c" to "a" and "b"',
        'order them in WHEN, or compare their attributes in FILTER',
        '39 c',
        '15 a',
      ],
      [
        'causal-cycle',
        '"a" would have to happen before itself',
        'turn round or delete an arrow of the circle "a -> b -> a"',
        '53 ->',
        '48 ->',
      ],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('names without quotes', () => {
  it.each([
    [
      'MATCH (a = nil) AS x',
      [
        'unquoted-string',
        '"nil" is an attribute here, for it has no quotes',
        'there is no null: comparing a missing attribute is false',
        '11 nil',
      ],
    ],
    [
      'MATCH (a = None) AS x',
      [
        'unquoted-string',
        '"None" is an attribute here, for it has no quotes',
        'there is no null: comparing a missing attribute is false',
        '11 None',
      ],
    ],
    [
      'MATCH (a = undefined) AS x',
      [
        'unquoted-string',
        '"undefined" is an attribute here, for it has no quotes',
        'there is no null: comparing a missing attribute is false',
        '11 undefined',
      ],
    ],
    [
      'MATCH (a = null) AS x',
      [
        'unquoted-string',
        '"null" is an attribute here, for it has no quotes',
        'there is no null: comparing a missing attribute is false',
        '11 null',
      ],
    ],
    [
      'MATCH (b.a = a) AS x',
      [
        'unquoted-string',
        '"a" is an attribute here, for it has no quotes',
        "write 'a', or `a` if the attribute is meant",
        '13 a',
      ],
    ],
    [
      'MATCH (a.b = a) AS x',
      [
        'unquoted-string',
        '"a" is an attribute here, for it has no quotes',
        "write 'a', or `a` if the attribute is meant",
        '13 a',
      ],
    ],
    [
      'MATCH (a @ p = a) AS x',
      [
        'unquoted-string',
        '"a" is an attribute here, for it has no quotes',
        "write 'a', or `a` if the attribute is meant",
        '15 a',
      ],
    ],
    [
      'MATCH (HEART = name) AS x',
      [
        'unquoted-string',
        '"HEART" is an attribute here, for it has no quotes',
        "write 'HEART', or `HEART` if the attribute is meant",
        '7 HEART',
      ],
    ],
    [
      'MATCH (HEART = probe) AS x',
      [
        'unquoted-string',
        '"HEART" is an attribute here, for it has no quotes',
        "write 'HEART', or `HEART` if the attribute is meant",
        '7 HEART',
      ],
    ],
    [
      'MATCH (HEART = b.c) AS x',
      [
        'unquoted-string',
        '"HEART" is an attribute here, for it has no quotes',
        "write 'HEART', or `HEART` if the attribute is meant",
        '7 HEART',
      ],
    ],
    [
      'MATCH (a != HEART) AS x',
      [
        'unquoted-string',
        '"HEART" is an attribute here, for it has no quotes',
        "write 'HEART', or `HEART` if the attribute is meant",
        '12 HEART',
      ],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('the fix of a name without quotes', () => {
  it('is a string in single quotes', () => {
    const { findings } = check('MATCH (a = HEART) AS x', { role: 'check' });
    expect(findings.map(({ fix }) => fix)).toEqual([
      {
        title: "write 'HEART'",
        edits: [{ span: { start: 11, end: 16 }, text: "'HEART'" }],
      },
    ]);
  });

  it('is one in double quotes where single ones delimit', () => {
    const file = new SourceFile('a.toml', "a = 'MATCH (a = HEART) AS x'");
    const place = () => parseToml(file).document?.embed(['a']) ?? file;
    const { findings } = check('MATCH (a = HEART) AS x', { role: 'check', place });
    expect(findings[0]?.fix?.edits).toEqual([{ span: { start: 16, end: 21 }, text: '"HEART"' }]);
  });
});

describe('functions of other languages', () => {
  it.each([
    [
      'MATCH (a=1) AS a AGGREGATE MAXIMUM(a.x) > 1',
      ['unknown-function', 'unknown function "MAXIMUM"', 'did you mean "max"?', '27 MAXIMUM'],
    ],
    [
      'MATCH (a=1) AS a AGGREGATE minimum(a.x) > 1',
      ['unknown-function', 'unknown function "minimum"', 'did you mean "min"?', '27 minimum'],
    ],
    [
      'MATCH (a=1) AS a AGGREGATE total(a.x) > 1',
      ['unknown-function', 'unknown function "total"', 'did you mean "sum"?', '27 total'],
    ],
    [
      'MATCH (a=1) AS a AGGREGATE std(a.x) > 1',
      ['unknown-function', 'unknown function "std"', 'did you mean "stddev"?', '27 std'],
    ],
    [
      'MATCH (a=1) AS a AGGREGATE Stdev(a.x) > 1',
      ['unknown-function', 'unknown function "Stdev"', 'did you mean "stddev"?', '27 Stdev'],
    ],
    [
      'MATCH (a=1) AS a AGGREGATE avg(a.x) > 1',
      ['unknown-function', 'unknown function "avg"', 'did you mean "mean"?', '27 avg'],
    ],
    [
      'MATCH (a=1) AS a AGGREGATE average(a.x) > 1',
      ['unknown-function', 'unknown function "average"', 'did you mean "mean"?', '27 average'],
    ],
    [
      'MATCH (a=1) AS a AGGREGATE cuont(a.x) > 1',
      ['unknown-function', 'unknown function "cuont"', 'did you mean "count"?', '27 cuont'],
    ],
    [
      'MATCH (a=1) AS a AGGREGATE countcountcountcountXcount(a.x) > 1',
      [
        'unknown-function',
        'unknown function "countcountcountcountXcount"',
        'expected one of "count", "max", "min", "mean", "sum" or "stddev"',
        '27 countcountcountcountXcount',
      ],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('attributes without a label', () => {
  it.each([
    [
      'MATCH (a=1) AS a FILTER x = a.b',
      [
        'missing-label',
        'the attribute "x" has no label',
        "write a.x, or 'x' if it is a string",
        '24 x',
      ],
    ],
    [
      'MATCH (a=1) AS a FILTER a = 1',
      [
        'missing-label',
        '"a" is a label, not an attribute',
        'write an attribute of it, such as a.severity',
        '24 a',
      ],
    ],
    [
      'MATCH (a=1) AS a FILTER a = a.b',
      [
        'missing-label',
        '"a" is a label, not an attribute',
        'write an attribute of it, such as a.severity',
        '24 a',
      ],
    ],
    [
      'MATCH (a=1) AS a, (a=1) AS b FILTER a.b = x AND b.a = a.a',
      [
        'missing-label',
        'the attribute "x" has no label',
        'write label.x with the label "a" or "b", or \'x\' if it is a string',
        '42 x',
      ],
    ],
    [
      'MATCH (a=1) AS a FILTER x = y',
      ['missing-label', 'the attribute "x" has no label', 'write a.x', '24 x'],
      ['missing-label', 'the attribute "y" has no label', 'write a.y', '28 y'],
    ],
    [
      'MATCH (a=1) AS a FILTER x @ y',
      [
        'missing-label',
        'the event "x" has no label',
        "write a.name = 'x' AND a.probe = 'y'",
        '24 x @ y',
      ],
    ],
    [
      'MATCH (a=1) AS a AGGREGATE 1 < max(x)',
      ['missing-label', 'the attribute "x" has no label', 'write a.x', '35 x'],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('kinds that do not go together', () => {
  it.each([
    [
      'MATCH (a=1) AS a AGGREGATE 1 < max(a.name)',
      [
        'type-mismatch',
        '"a.name" is a string, but max() takes numbers',
        'aggregate an attribute that is a number',
        '27 1 < max(a.name)',
      ],
    ],
    [
      'MATCH (a=1) AS a AGGREGATE max(a.name) > min(a.probe)',
      [
        'type-mismatch',
        '"a.name" is a string, but max() takes numbers',
        'aggregate an attribute that is a number',
        '27 max(a.name) > min(a.probe)',
      ],
    ],
    [
      'MATCH (a < TRUE) AS x',
      [
        'type-mismatch',
        'booleans have no order: "a", "TRUE"',
        'compare with "=" or "!="',
        '7 a < TRUE',
      ],
    ],
    [
      'MATCH (TRUE < a) AS x',
      [
        'type-mismatch',
        'booleans have no order: "TRUE", "a"',
        'compare with "=" or "!="',
        '7 TRUE < a',
      ],
    ],
    [
      'MATCH (name < 3) AS x',
      [
        'type-mismatch',
        '"name" is a string, but "3" is a number',
        'compare values of one kind; a string stands in quotes, a number does not',
        '7 name < 3',
      ],
    ],
    [
      "MATCH (a=1) AS a AGGREGATE max(a.x) > 'x'",
      [
        'type-mismatch',
        '"max(a.x)" is a number, but "\'x\'" is a string',
        'compare values of one kind; a string stands in quotes, a number does not',
        "27 max(a.x) > 'x'",
      ],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('what is reported by one rule only', () => {
  it.each([
    [
      'MATCH (a = 1) AS x, (b = 2) AS x FILTER x.a = 2',
      [
        'duplicate-label',
        'a second pattern has the label "x"',
        'give one of the patterns another label',
        '31 x',
        '17 x',
      ],
    ],
    [
      "MATCH (a=1) AS a AGGREGATE max(a.name) = 'x'",
      [
        'type-mismatch',
        '"a.name" is a string, but max() takes numbers',
        'aggregate an attribute that is a number',
        "27 max(a.name) = 'x'",
      ],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE count(x.a) < 0',
      [
        'wrong-arguments',
        '"count()" takes no argument',
        'write "count()"; to count only some events, say which in FILTER',
        '29 count(x.a)',
      ],
    ],
    [
      'MATCH (a=1) AS a AGGREGATE count(a.name) > 1',
      [
        'wrong-arguments',
        '"count()" takes no argument',
        'write "count()"; to count only some events, say which in FILTER',
        '27 count(a.name)',
      ],
    ],
    [
      'MATCH (a=1) AS a AGGREGATE 1 < count(a.x)',
      [
        'wrong-arguments',
        '"count()" takes no argument',
        'write "count()"; to count only some events, say which in FILTER',
        '31 count(a.x)',
      ],
    ],
    [
      "MATCH (a=1) AS a AGGREGATE foo(a.name) > 'x'",
      [
        'unknown-function',
        'unknown function "foo"',
        'expected one of "count", "max", "min", "mean", "sum" or "stddev"',
        '27 foo',
      ],
    ],
    [
      'MATCH (a=1) AS a AGGREGATE max(b.name) > 1',
      ['unknown-label', 'no pattern has the label "b"', 'expected "a"', '31 b'],
    ],
    [
      'MATCH (a=1) AS a FILTER b.name = 1',
      ['unknown-label', 'no pattern has the label "b"', 'expected "a"', '24 b'],
    ],
    [
      'MATCH (a=1) AS a AGGREGATE max(a.x) > 1, foo() < foo()',
      [
        'unknown-function',
        'unknown function "foo"',
        'expected one of "count", "max", "min", "mean", "sum" or "stddev"',
        '41 foo',
      ],
      [
        'unknown-function',
        'unknown function "foo"',
        'expected one of "count", "max", "min", "mean", "sum" or "stddev"',
        '49 foo',
      ],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('clauses', () => {
  it.each([
    [
      'MATCH (a=1) AS a MATCH (b=1) AS b',
      [
        'syntax',
        'a second "MATCH" clause',
        'write all patterns in one MATCH, with "," between them',
        '17 MATCH',
        '0 MATCH',
      ],
    ],
    [
      'MATCH (a=1) AS a, (b=1) AS b WHEN a -> b WHEN b -> a',
      [
        'syntax',
        'a second "WHEN" clause',
        'write all orders in one WHEN, joined by AND',
        '41 WHEN',
        '29 WHEN',
      ],
    ],
    [
      'MATCH (a=1) AS a AGGREGATE count() > 1 AGGREGATE count() > 2',
      [
        'syntax',
        'a second "AGGREGATE" clause',
        'write all measures in one AGGREGATE, with "," between them',
        '39 AGGREGATE',
        '17 AGGREGATE',
      ],
    ],
    [
      'MATCH (a=1) AS a FILTER a.b = 1 FILTER a.b = 2',
      [
        'syntax',
        'a second "FILTER" clause',
        'write all conditions in one FILTER, joined by AND',
        '32 FILTER',
        '17 FILTER',
      ],
    ],
    [
      'FILTER a.b = 1 MATCH (a=1) AS a MATCH (b=1) AS c',
      [
        'syntax',
        '"MATCH" is not the first clause',
        'write it before "FILTER"',
        '15 MATCH',
        '0 FILTER',
      ],
      [
        'syntax',
        'a second "MATCH" clause',
        'write all patterns in one MATCH, with "," between them',
        '32 MATCH',
        '15 MATCH',
      ],
    ],
    [
      'FILTER a.b = 1',
      [
        'syntax',
        'expected "MATCH" before "FILTER"',
        'write MATCH (condition) AS label',
        '0 FILTER',
      ],
    ],
    [
      'X MATCH (a=1) AS a',
      ['syntax', 'expected "MATCH", found "X"', 'write MATCH (condition) AS label', '0 X'],
    ],
    ['~ MATCH (a=1) AS a', ['syntax', 'unexpected "~"', '', '0 ~']],
    ['', ['syntax', 'the expression is empty', 'write MATCH (condition) AS label', '0 ']],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('strings and names', () => {
  it.each([
    [
      "MATCH (a = 'x\\",
      [
        'syntax',
        'the string is not closed on its line',
        "write the closing quote ('), or look for a stray quote before it",
        "11 'x\\",
      ],
    ],
    [
      "MATCH (a = 'x\\\n') AS a",
      [
        'syntax',
        'the string is not closed on its line',
        "write the closing quote ('), or look for a stray quote before it",
        "11 'x\\",
      ],
    ],
    [
      "MATCH (a = 'x\\q\\z') AS a",
      [
        'syntax',
        'unknown escape "\\\\q"',
        'write \\\\ for a backslash; the escapes are \\\\ \\\' \\" \\n \\t \\r \\uXXXX',
        '13 \\q',
      ],
    ],
    [
      "MATCH (a = 'x\\z and more') AS a",
      [
        'syntax',
        'unknown escape "\\\\z"',
        'write \\\\ for a backslash; the escapes are \\\\ \\\' \\" \\n \\t \\r \\uXXXX',
        '13 \\z',
      ],
    ],
    [
      "MATCH (a = '\\u12G4') AS a",
      [
        'syntax',
        'unknown escape "\\\\u12"',
        'write four hexadecimal digits after "\\u"',
        '12 \\u12',
      ],
    ],
    [
      "MATCH (a = '\\uG124') AS a",
      ['syntax', 'unknown escape "\\\\u"', 'write four hexadecimal digits after "\\u"', '12 \\u'],
    ],
    [
      "MATCH (a = '\\u') AS a",
      ['syntax', 'unknown escape "\\\\u"', 'write four hexadecimal digits after "\\u"', '12 \\u'],
    ],
    [
      "MATCH (a = '\\constructor') AS a",
      [
        'syntax',
        'unknown escape "\\\\c"',
        'write \\\\ for a backslash; the escapes are \\\\ \\\' \\" \\n \\t \\r \\uXXXX',
        '12 \\c',
      ],
    ],
    [
      "MATCH (a = '\\🚁') AS a",
      [
        'syntax',
        'unknown escape "\\\\🚁"',
        'write \\\\ for a backslash; the escapes are \\\\ \\\' \\" \\n \\t \\r \\uXXXX',
        '12 \\🚁',
      ],
    ],
    [
      "MATCH (a = 'x\r') AS a",
      [
        'syntax',
        'the string is not closed on its line',
        "write the closing quote ('), or look for a stray quote before it",
        "11 'x",
      ],
    ],
    ['MATCH (`` = 1) AS a', ['syntax', 'a name in backquotes is empty', '', '7 ``']],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('labels beside what is broken', () => {
  it.each([
    [
      'MATCH (a = ) AS `x y`, (b = 1) AS y FILTER z.a = 1',
      ['syntax', 'expected an attribute or a value after "=", found ")"', '', '11 )'],
      ['unknown-label', 'no pattern has the label "z"', 'expected one of "x y" or "y"', '43 z'],
    ],
    [
      'MATCH (a = ) AS , (b = 1) AS y FILTER z.a = 1',
      ['syntax', 'expected an attribute or a value after "=", found ")"', '', '11 )'],
    ],
    [
      'MATCH (a = ), (b = 1) AS y AS z FILTER w.a = 1',
      ['syntax', 'expected an attribute or a value after "=", found ")"', '', '11 )'],
      ['syntax', 'expected "," or a clause after "y", found "AS"', '', '27 AS'],
    ],
    [
      'MATCH (a = ) AS when, (b = 1) AS y FILTER z.a = 1 AND when.a = 2',
      ['syntax', 'expected an attribute or a value after "=", found ")"', '', '11 )'],
      [
        'syntax',
        '"when" is a keyword',
        'write it in backquotes to use it as a name: `when`',
        '54 when',
      ],
    ],
    [
      'MATCH (a = ) AS x, (b = 1) AS `y FILTER z.a = 1',
      ['syntax', 'expected an attribute or a value after "=", found ")"', '', '11 )'],
      [
        'syntax',
        'the name is not closed on its line',
        'write the closing backquote, or look for a stray quote before it',
        '30 `y FILTER z.a = 1',
      ],
    ],
    [
      "MATCH (a = ) AS 'x', (b = 1) AS y FILTER z.a = 1",
      ['syntax', 'expected an attribute or a value after "=", found ")"', '', '11 )'],
    ],
    [
      'MATCH (a = ) AS x (b = 1) AS y, (c = 1) FILTER z.a = 1',
      ['syntax', 'expected an attribute or a value after "=", found ")"', '', '11 )'],
      [
        'syntax',
        'expected "AS" and a label after ")", found "FILTER"',
        'write (condition) AS label',
        '40 FILTER',
      ],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('a label that nothing binds', () => {
  it('may be what was to tie the patterns', () => {
    expect(told('MATCH (a = 1) AS x, (b = 1) AS y FILTER x.a = z.b')).toEqual([
      ['unknown-label', 'no pattern has the label "z"', 'expected one of "x" or "y"', '46 z'],
    ]);
  });
});

describe('numbers', () => {
  it.each([
    ['MATCH (a = 12.) AS a', ['syntax', 'malformed number "12."', 'write "12.0"', '11 12.']],
    ['MATCH (a = -12.) AS a', ['syntax', 'malformed number "-12."', 'write "-12.0"', '11 -12.']],
    [
      'MATCH (a = -0x1F) AS a',
      ['syntax', 'malformed number "-0x1F"', 'write the number in decimal', '11 -0x1F'],
    ],
    [
      'MATCH (a = 0b1) AS a',
      ['syntax', 'malformed number "0b1"', 'write the number in decimal', '11 0b1'],
    ],
    [
      'MATCH (a = 1_000) AS a',
      ['syntax', 'malformed number "1_000"', 'write the digits without "_"', '11 1_000'],
    ],
    [
      'MATCH (a = 12ms) AS a',
      [
        'syntax',
        'malformed number "12ms"',
        'write a number without a unit, or a string in quotes',
        '11 12ms',
      ],
    ],
    [
      'MATCH (a = 12.25ms) AS a',
      [
        'syntax',
        'malformed number "12.25ms"',
        'write a number without a unit, or a string in quotes',
        '11 12.25ms',
      ],
    ],
    [
      'MATCH (a = 1e) AS a',
      ['syntax', 'malformed number "1e"', 'write the exponent after "e", as in 1e6', '11 1e'],
    ],
    [
      'MATCH (a = -2.5E-) AS a',
      [
        'syntax',
        'malformed number "-2.5E-"',
        'write the exponent after "e", as in 1e6',
        '11 -2.5E-',
      ],
    ],
    [
      'MATCH (a = 1.2.3) AS a',
      [
        'syntax',
        'malformed number "1.2.3"',
        'expected a number such as 5, -0.5 or 1e6; a string stands in quotes',
        '11 1.2.3',
      ],
    ],
    [
      'MATCH (a = -9223372036854775809) AS a',
      [
        'syntax',
        'integer "-9223372036854775809" does not fit in 64 bits',
        'expected an integer from -9223372036854775808 to 9223372036854775807, or a float such as 1e19',
        '11 -9223372036854775809',
      ],
    ],
    [
      'MATCH (a = 9223372036854775808) AS a',
      [
        'syntax',
        'integer "9223372036854775808" does not fit in 64 bits',
        'expected an integer from -9223372036854775808 to 9223372036854775807, or a float such as 1e19',
        '11 9223372036854775808',
      ],
    ],
    [
      'MATCH (a = 100000000000000000000) AS a',
      [
        'syntax',
        'integer "100000000000000000000" does not fit in 64 bits',
        'expected an integer from -9223372036854775808 to 9223372036854775807, or a float such as 1e19',
        '11 100000000000000000000',
      ],
    ],
    [
      'MATCH (a = 1e400) AS a',
      [
        'syntax',
        'number "1e400" is too large for a float',
        'expected at most 1.7976931348623157e+308',
        '11 1e400',
      ],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('a label that is misspelt', () => {
  const help = (label: string, name: string) =>
    told(`MATCH (a = 1) AS ${label} FILTER ${name}.x = 1`).map((finding) => finding[2]);

  it('is put right up to 64 characters; of longer ones the labels are listed', () => {
    const label = 'abcdefgh'.repeat(8);
    const shown = '"abcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabc…"';
    expect(help(label, label.replace(/h$/, 'x'))).toEqual([`did you mean ${shown}?`]);
    expect(help(label, `${label}x`)).toEqual([`expected ${shown}`]);
  });

  it('is put right until 200,000 pairs are compared', () => {
    const others = Array.from({ length: 2000 }, (_, index) => `, (a = 1) AS x${index}`).join('');
    const uses = Array.from({ length: 101 }, () => 'tarqet.x = 1').join(' OR ');
    const findings = told(`MATCH (a = 1) AS target${others} FILTER ${uses}`);
    const helps = findings
      .filter(([rule]) => rule === 'unknown-label')
      .map((finding) => finding[2]);
    expect(helps).toEqual([
      ...Array.from({ length: 100 }, () => 'did you mean "target"?'),
      'expected one of "target", "x0", "x1", "x2", "x3", "x4", "x5", "x6" or 1993 more',
    ]);
  });

  it('has all labels listed when it is long, whatever they are', () => {
    expect(help('mutants', 'x'.repeat(65))).toEqual(['expected "mutants"']);
  });
});

describe('what has no label, or one that is unknown', () => {
  it.each([
    [
      'MATCH (a = 1) AS x FILTER x = 1 AND x = 2',
      [
        'missing-label',
        '"x" is a label, not an attribute',
        'write an attribute of it, such as x.severity',
        '26 x',
      ],
      [
        'missing-label',
        '"x" is a label, not an attribute',
        'write an attribute of it, such as x.severity',
        '36 x',
      ],
    ],
    [
      'MATCH (a = 1) FILTER severity > 3',
      [
        'syntax',
        'expected "AS" and a label after ")", found "FILTER"',
        'write (condition) AS label',
        '14 FILTER',
      ],
      [
        'missing-label',
        'the attribute "severity" has no label',
        'write label.severity',
        '21 severity',
      ],
    ],
    [
      'MATCH (a = 1) AS x FILTER y.a = 1 AND y.a = 2',
      ['unknown-label', 'no pattern has the label "y"', 'expected "x"', '26 y'],
      ['unknown-label', 'no pattern has the label "y"', 'expected "x"', '38 y'],
    ],
    [
      'MATCH (a = ), (b = 1) AS y FILTER z.a = 1 AND z.a = 2',
      ['syntax', 'expected an attribute or a value after "=", found ")"', '', '11 )'],
      [
        'always-false',
        'nothing satisfies both "z.a = 1" and "z.a = 2"',
        '',
        '34 z.a = 1 AND z.a = 2',
      ],
    ],
    [
      'MATCH (a = 1) AS x FILTER E @ p AND F @ q',
      [
        'missing-label',
        'the event "E" has no label',
        "write x.name = 'E' AND x.probe = 'p'",
        '26 E @ p',
      ],
      [
        'missing-label',
        'the event "F" has no label',
        "write x.name = 'F' AND x.probe = 'q'",
        '36 F @ q',
      ],
    ],
    [
      'MATCH (a = 1) AS x FILTER b @ p > 3 AND c @ q > 3',
      ['missing-label', 'the attribute "b" has no label', 'write x.b', '26 b @ p'],
      ['missing-label', 'the attribute "c" has no label', 'write x.c', '40 c @ q'],
    ],
    [
      'MATCH (a = 1) AS x FILTER y.a != y.a',
      ['unknown-label', 'no pattern has the label "y"', 'expected "x"', '26 y'],
      ['unknown-label', 'no pattern has the label "y"', 'expected "x"', '33 y'],
    ],
    [
      'MATCH (a = 1) AS x FILTER y.name = 5',
      ['unknown-label', 'no pattern has the label "y"', 'expected "x"', '26 y'],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('findings that begin at one place', () => {
  it.each([
    [
      "MATCH (a = 1) AS x AGGREGATE count(x.a) < 'b'",
      [
        'wrong-arguments',
        '"count()" takes no argument',
        'write "count()"; to count only some events, say which in FILTER',
        '29 count(x.a)',
      ],
      [
        'type-mismatch',
        '"count(x.a)" is a number, but "\'b\'" is a string',
        'compare values of one kind; a string stands in quotes, a number does not',
        "29 count(x.a) < 'b'",
      ],
    ],
    [
      'MATCH (HEART = name AND HEART < TRUE) AS x',
      [
        'unquoted-string',
        '"HEART" is an attribute here, for it has no quotes',
        "write 'HEART', or `HEART` if the attribute is meant",
        '7 HEART',
      ],
      [
        'type-mismatch',
        'booleans have no order: "HEART", "TRUE"',
        'compare with "=" or "!="',
        '24 HEART < TRUE',
      ],
    ],
  ])('are told the shortest first: %s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('what looks like a mistake and is none', () => {
  it.each([
    "MATCH (a <= '') AS x",
    'MATCH (a = 1) AS x AGGREGATE max(x.a) = max(x.a)',
    'MATCH (a = 1) AS x AGGREGATE max(x.a) < max(x.b)',
    'MATCH (a = 1) AS x AGGREGATE max(x.a) < min(x.a)',
    'MATCH (a = 1) AS x AGGREGATE count() > 0',
    'MATCH (a = 1) AS x AGGREGATE mean(x.a @ p) > 1, mean(x.a) < 1',
    'MATCH (a = 1) AS x AGGREGATE mean(x.a) > 1, mean(x.b) < 1',
    'MATCH (a = 1) AS x AGGREGATE mean(x.a.b) > 1, mean(x.ab) < 1',
    'MATCH (a = 1) AS x AGGREGATE mean(x.a) > 1, sum(x.a) < 1',
    'MATCH ((a = 1 OR b = 2) AND a = 3) AS x',
    'MATCH (a.b = 1 AND ab = 2) AS x',
    'MATCH (a = 1) AS x, (a = 2) AS y WHEN x -> y FILTER x.b = y.b AND x.a = 1',
    'MATCH (a=1) AS a, (a=1) AS b, (a=1) AS c FILTER a.x = b.x OR b.x = c.x',
    'MATCH (a=1) AS a, (a=1) AS b, (a=1) AS c WHEN a -> b -> c AND a -> c',
    'MATCH (a = a) AS x',
    'MATCH (a.b = b.c) AS x',
    'MATCH (a < HEART) AS x',
    'MATCH (a = HEART @ p) AS x',
    'MATCH (a = `HEART`) AS x',
    'MATCH (3 = HEART) AS x',
    'MATCH (HEART = TRUE) AS x',
    'MATCH (a=1) AS a FILTER a.name.x = 1',
    'MATCH (name.x = 1) AS a',
    "MATCH (a = '\\toString') AS a",
    'MATCH (a = 00000000000000000000000001) AS a',
    'MATCH (a = -00000000000000000000000001) AS a',
    'MATCH (a = -9223372036854775808) AS a',
    'MATCH (a = 9223372036854775807) AS a',
    'MATCH (a = 00000000000000000000) AS a',
    'MATCH (a > 1 AND a < 1.5) AS x',
    'MATCH (a = TRUE AND b = FALSE) AS x',
    'MATCH (a <-1) AS x',
    'MATCH (a = 1E-5) AS x',
    "MATCH (a >= '') AS x",
    'MATCH (a = 1) AS x FILTER x.b = 1 AND x.c = 2',
    'MATCH (a = 1) AS x FILTER 3 < x.b',
    'MATCH (a = 1) AS x AGGREGATE max(x.a) > 5, max(x.a @ undefined) < 3',
  ])('%s', (text) => {
    expect(told(text)).toEqual([]);
  });
});

describe('what a string holds', () => {
  it.each([
    [String.raw`'a\\b'`, 'a\\b'],
    [String.raw`'\n\t\r\'\"'`, '\n\t\r\'"'],
    [String.raw`'\u0041\u00e9B'`, 'AéB'],
    ['"it\'s"', "it's"],
    ["''", ''],
  ])('%s', (image, value) => {
    const { expression } = check(`MATCH (a = ${image}) AS x`, { role: 'check' });
    expect(expression?.match.patterns[0]?.condition).toMatchObject({
      right: { kind: 'string', value },
    });
  });
});
