import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, print } from '../../../src/expression/index.js';
import { runs } from '../../long.js';
import { expression, withoutSpans } from '../arbitrary.js';

function reprint(text: string): string {
  const { expression, violations } = parse(text);
  expect(violations).toEqual([]);
  return expression === undefined ? '' : print(expression);
}

describe('print', () => {
  it('writes a text that reads back as the same tree', () => {
    fc.assert(
      fc.property(expression, (tree) => {
        const text = print(tree);
        const read = parse(text);
        expect(read.violations).toEqual([]);
        expect(withoutSpans(read.expression)).toEqual(tree);
        expect(reprint(text)).toBe(text);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('escapes what a string cannot hold, the shorter way where there is one', () => {
    const text = String.raw`MATCH (a = '\u000a\u000D\u0009\u0027\u005c\u0000\ud800"') AS x`;
    expect(reprint(text)).toBe(String.raw`MATCH (a = '\n\r\t\'\\\u0000\uD800"') AS x`);
  });

  it.each([
    [
      'the clauses in one order, keywords in capitals',
      'match(a=1)as x aggregate count()>0 filter x.a=2 when x->y',
      'MATCH (a = 1) AS x WHEN x -> y FILTER x.a = 2 AGGREGATE count() > 0',
    ],
    [
      'parentheses around AND within OR, and no needless ones',
      'MATCH (((a = 1) AND (b = 2 AND c = 3)) OR ((d = 4 OR e = 5))) AS x',
      'MATCH ((a = 1 AND b = 2 AND c = 3) OR d = 4 OR e = 5) AS x',
    ],
    [
      'the parentheses that are needed',
      'MATCH (a = 1 AND (b = 2 OR c = 3)) AS x WHEN ((x -> y) AND x -> z)',
      'MATCH (a = 1 AND (b = 2 OR c = 3)) AS x WHEN x -> y AND x -> z',
    ],
    [
      'single quotes, and escapes where they are needed',
      String.raw`MATCH (a = "it's \"\u0041\u0000\ud800\n\\" ) AS x`,
      String.raw`MATCH (a = 'it\'s "A\u0000\uD800\n\\') AS x`,
    ],
    [
      'names bare where they can be',
      'MATCH (`a`.`b c`.`or` = `when` AND `x-1` = `x-` AND `ANDROID` = 1) AS `order`',
      'MATCH (a.`b c`.`or` = `when` AND x-1 = `x-` AND ANDROID = 1) AS order',
    ],
    [
      'names around @ bare, in backquotes or as a string',
      String.raw`MATCH ('a' @ 'b c' OR a @ '\u0060' = 1 OR '' @ 'x\ny') AS x`,
      "MATCH (a @ `b c` OR a @ '`' = 1 OR '' @ 'x\\ny') AS x",
    ],
    [
      'floats with a fraction or an exponent, integers without',
      'MATCH (a = 5.0 OR a = 1e21 OR a = -0.0 OR a = 1E-7 OR a = 5 OR a = -007 OR a = -0) AS x',
      'MATCH (a = 5.0 OR a = 1e+21 OR a = -0.0 OR a = 1e-7 OR a = 5 OR a = -7 OR a = 0) AS x',
    ],
    [
      'functions in small letters',
      'MATCH (Exists(a) AND ABS(b) > 1) AS x AGGREGATE COUNT() > Share(EXISTS(x.a)), 2 * Baseline(Max(x.a)) > StdDev(Abs(x.b)), PERCENTILE(x.a, 95) < `Min`(x.b) BY WINDOW(x.time, 1s)',
      'MATCH (exists(a) AND abs(b) > 1) AS x AGGREGATE count() > share(exists(x.a)), 2 * baseline(max(x.a)) > stddev(abs(x.b)), percentile(x.a, 95) < min(x.b) BY window(x.time, 1s)',
    ],
    ['booleans in capitals', 'MATCH (a = true) AS x', 'MATCH (a = TRUE) AS x'],
    [
      'what is absent and what is not so',
      'MATCH not ((not (a = 1)) AND NOT ((b in ("x",2) ))) AS x WHEN x!=x AND x||y AND x -> next y->z within 1.5s',
      "MATCH NOT (NOT a = 1 AND b NOT IN ('x', 2)) AS x WHEN x != x AND x || y AND x -> NEXT y -> z WITHIN 1500ms",
    ],
    [
      'the parentheses that arithmetic needs',
      'MATCH (((a + (b)) - (c - (d + e)))*2 = (a*(b*c))/(d*(e/f)) OR (a) + (b*c) glob "?") AS x',
      "MATCH ((a + b - (c - (d + e))) * 2 = a * b * c / (d * e / f) OR a + b * c GLOB '?') AS x",
    ],
    [
      'groups',
      'MATCH (a = 1) AS x AGGREGATE 2*(count() + 1) < baseline((sum(x.y))), percentile(abs(x.y),99.90) < 1 by x, x.`y`.z, Window(x.time,60s) for 95 %',
      'MATCH (a = 1) AS x AGGREGATE 2 * (count() + 1) < baseline(sum(x.y)), percentile(abs(x.y), 99.9) < 1 BY x, x.y.z, window(x.time, 1min) FOR 95%',
    ],
    ['a condition alone', "(('ready' @ `P`))", 'ready @ P'],
    [
      'new words bare as names, but for an attribute that is called not',
      'MATCH (not = 1 AND `not` NOT IN (2) AND in.by IN (3) AND exists = abs AND glob GLOB "4") AS within WHEN within -> next -> for WITHIN 1s AND a -> next within AGGREGATE max(by.window) > 1 BY by',
      "MATCH (`not` = 1 AND `not` NOT IN (2) AND in.by IN (3) AND exists = abs AND glob GLOB '4') AS within WHEN within -> next -> for WITHIN 1s AND a -> NEXT within AGGREGATE max(by.window) > 1 BY by",
    ],
    [
      'a decimal with all its digits where a double has fewer',
      'MATCH (a = 0.12345678901234567890) AS x',
      'MATCH (a = 1.234567890123456789e-1) AS x',
    ],
  ])('writes %s', (_, text, printed) => {
    expect(reprint(text)).toBe(printed);
    expect(reprint(printed)).toBe(printed);
  });
});
