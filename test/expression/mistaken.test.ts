import { describe, expect, it } from 'vitest';
import { check } from '../../src/expression/index.js';
import { told } from './told.js';

/* What a person writes who knows another language, mistypes, or forgets something. */

describe('a keyword where a name is due', () => {
  it.each([
    [
      'MATCH (a = 1) AS match, (b = 1) AS when WHEN match -> when',
      [
        'syntax',
        '"match" is a keyword',
        'write it in backquotes to use it as a name: `match`',
        '17 match',
      ],
      [
        'syntax',
        '"when" is a keyword',
        'write it in backquotes to use it as a name: `when`',
        '35 when',
      ],
      [
        'syntax',
        '"match" is a keyword',
        'write it in backquotes to use it as a name: `match`',
        '45 match',
      ],
    ],
    [
      'MATCH (a = 1) AS or WHEN or -> or',
      ['syntax', '"or" is a keyword', 'write it in backquotes to use it as a name: `or`', '17 or'],
    ],
    [
      'MATCH (a = 1) AS a WHEN as -> a',
      ['syntax', '"as" is a keyword', 'write it in backquotes to use it as a name: `as`', '24 as'],
    ],
    [
      'MATCH (a = 1) AS a WHEN a as',
      [
        'syntax',
        'expected "->" and a label after "a", found "as"',
        'write an order such as a -> b',
        '26 as',
      ],
    ],
    [
      'MATCH (a = 1) AS a WHEN a -> filter -> b',
      [
        'syntax',
        '"filter" is a keyword',
        'write it in backquotes to use it as a name: `filter`',
        '29 filter',
      ],
    ],
    [
      'MATCH (a.or = 1) AS a',
      ['syntax', '"or" is a keyword', 'write it in backquotes to use it as a name: `or`', '9 or'],
    ],
    [
      'MATCH (a.match = 1) AS a',
      [
        'syntax',
        '"match" is a keyword',
        'write it in backquotes to use it as a name: `match`',
        '9 match',
      ],
    ],
    [
      'MATCH (x @ and) AS a',
      [
        'syntax',
        '"and" is a keyword',
        'write it in backquotes to use it as a name: `and`',
        '11 and',
      ],
    ],
    [
      'MATCH (filter @ match) AS a',
      [
        'syntax',
        '"filter" is a keyword',
        'write it in backquotes to use it as a name: `filter`',
        '7 filter',
      ],
    ],
    [
      'MATCH (x = match AND y = 1) AS a',
      [
        'syntax',
        '"match" is a keyword',
        'write it in backquotes to use it as a name: `match`',
        '11 match',
      ],
    ],
    [
      'MATCH (aggregate = 1) AS a',
      [
        'syntax',
        '"aggregate" is a keyword',
        'write it in backquotes to use it as a name: `aggregate`',
        '7 aggregate',
      ],
    ],
    [
      'MATCH (when AS b) AS c',
      [
        'syntax',
        '"when" is a keyword',
        'write it in backquotes to use it as a name: `when`',
        '7 when',
      ],
    ],
    [
      'MATCH (a = 1) AS a FILTER a.filter',
      [
        'syntax',
        '"filter" is a keyword',
        'write it in backquotes to use it as a name: `filter`',
        '28 filter',
      ],
    ],
    [
      'MATCH (a = 1) AS a FILTER a.x @ filter',
      [
        'syntax',
        '"filter" is a keyword',
        'write it in backquotes to use it as a name: `filter`',
        '32 filter',
      ],
    ],
    [
      'MATCH (a = 1) AS a, match = 1',
      ['syntax', 'expected "(" after ",", found "match"', 'write (condition) AS label', '20 match'],
    ],
    [
      'MATCH (a = 1) AS filter x',
      ['syntax', 'expected a label after "AS", found "filter"', '', '17 filter'],
      [
        'syntax',
        'expected a comparator after "x", found the end',
        "to match an event, write label.name = 'x'",
        '25 ',
      ],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('a word of another query language', () => {
  it.each([
    ['MATCH (a IS TRUE) AS a', ['syntax', 'unexpected "IS"', 'write "=" or "!="', '9 IS']],
    ['MATCH (a EQUALS 1) AS a', ['syntax', 'unexpected "EQUALS"', 'write "="', '9 EQUALS']],
    [
      "MATCH (a LIKE 'x%') AS a",
      [
        'syntax',
        'unexpected "LIKE"',
        'there are no text patterns: compare whole strings with "="',
        '9 LIKE',
      ],
    ],
    [
      "MATCH (a CONTAINS 'x') AS a",
      [
        'syntax',
        'unexpected "CONTAINS"',
        'there are no text patterns: compare whole strings with "="',
        '9 CONTAINS',
      ],
    ],
    [
      'MATCH (a BETWEEN 1 AND 3) AS a',
      [
        'syntax',
        'unexpected "BETWEEN"',
        'write two comparisons, with AND between them',
        '9 BETWEEN',
      ],
    ],
    [
      'MATCH (NOT (a = 1)) AS a',
      [
        'syntax',
        'unexpected "NOT"',
        'there is no negation: write the opposite comparator, such as "!=" for "="',
        '7 NOT',
      ],
    ],
    [
      'MATCH (a = 1) AS a HAVING count() > 3',
      ['syntax', 'unexpected "HAVING"', 'write AGGREGATE', '19 HAVING'],
    ],
    [
      'MATCH (a = 1) AS a SELECT count()',
      ['syntax', 'unexpected "SELECT"', 'write AGGREGATE', '19 SELECT'],
    ],
    [
      'MATCH (a = 1) AS a WHEN a BEFORE b',
      ['syntax', 'unexpected "BEFORE"', 'write "->"', '26 BEFORE'],
    ],
    ['MATCH (a = 1) AS a WHEN a THEN b', ['syntax', 'unexpected "THEN"', 'write "->"', '26 THEN']],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('a misspelt keyword', () => {
  it.each([
    ['MATCH (a = 1) ASS a', ['syntax', 'unexpected "ASS"', 'did you mean "AS"?', '14 ASS']],
    [
      'MATCH (a = 1) AS a FILTER a.x = 1 AGREGATE count() > 3',
      ['syntax', 'unexpected "AGREGATE"', 'did you mean "AGGREGATE"?', '34 AGREGATE'],
    ],
    [
      'MATCH (a = 1) AS a FILTER a.x = 1 WEHN a -> b',
      ['syntax', 'unexpected "WEHN"', 'did you mean "WHEN"?', '34 WEHN'],
    ],
    [
      'MATCH (a = 1) AS a FILTER a.x = 1 ORR a.y = 2',
      ['syntax', 'unexpected "ORR"', 'did you mean "OR"?', '34 ORR'],
    ],
    [
      'MATCH (a = 1) AS a WHEN (a -> b ADN b -> c)',
      ['syntax', 'unexpected "ADN"', 'did you mean "AND"?', '32 ADN'],
    ],
    [
      'MATCH (a = 1) AS a WHEN a ADN b',
      [
        'syntax',
        'expected "->" and a label after "a", found "ADN"',
        'write an order such as a -> b',
        '26 ADN',
      ],
    ],
    [
      'MATCH (a = 1) AS a ADN (b = 2) AS b',
      ['syntax', 'expected "," or a clause after "a", found "ADN"', '', '19 ADN'],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('a comparison that is not whole', () => {
  it.each([
    [
      'MATCH (HEARTBEAT AND a = 1) AS a',
      [
        'syntax',
        'expected a comparator after "HEARTBEAT", found "AND"',
        "to match an event, write name = 'HEARTBEAT'",
        '17 AND',
      ],
    ],
    [
      'MATCH (HEARTBEAT OR a = 1) AS a',
      [
        'syntax',
        'expected a comparator after "HEARTBEAT", found "OR"',
        "to match an event, write name = 'HEARTBEAT'",
        '17 OR',
      ],
    ],
    [
      "MATCH ('HEARTBEAT') AS a",
      [
        'syntax',
        'expected a comparator after "\'HEARTBEAT\'", found ")"',
        "to match an event, write name = 'HEARTBEAT'",
        '18 )',
      ],
    ],
    [
      'MATCH (`HEARTBEAT`) AS a',
      [
        'syntax',
        'expected a comparator after "`HEARTBEAT`", found ")"',
        'write one of = != < <= > >=',
        '18 )',
      ],
    ],
    [
      "MATCH (name = 'a' or 'b') AS a",
      [
        'syntax',
        'expected a comparator after "\'b\'", found ")"',
        'write a whole comparison after OR',
        '24 )',
      ],
    ],
    [
      "MATCH (name = 'a' AND b) AS a",
      [
        'syntax',
        'expected a comparator after "b", found ")"',
        'write a whole comparison after AND',
        '23 )',
      ],
    ],
    [
      'MATCH (max b) AS a',
      [
        'syntax',
        'expected a comparator after "max", found "b"',
        'write one of = != < <= > >=',
        '11 b',
      ],
    ],
    [
      "MATCH (a.'b' = 1) AS a",
      ['syntax', 'expected the name of an attribute after ".", found "\'b\'"', '', "9 'b'"],
    ],
    ['MATCH (5 @ p = 1) AS a', ['syntax', 'unexpected "@" after a number', '', '9 @']],
    [
      'MATCH (a = . 5) AS a',
      ['syntax', 'expected an attribute or a value after "=", found "."', '', '11 .'],
    ],
    [
      'MATCH (a = TRUE @ p) AS a',
      ['syntax', 'expected AND, OR or ")" after "TRUE", found "@"', '', '16 @'],
    ],
    [
      'MATCH (a = 1) AS a FILTER foo(a.x) > 3',
      [
        'syntax',
        'expected a comparator after "foo", found "("',
        'write one of = != < <= > >=',
        '29 (',
      ],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('what is missing between two parts', () => {
  it.each([
    ['MATCH (a = 1 `b` = 2) AS a', ['syntax', 'expected AND or OR before "`b`"', '', '13 `b`']],
    ['MATCH (a = 1 FALSE) AS a', ['syntax', 'expected AND or OR before "FALSE"', '', '13 FALSE']],
    ['MATCH (a = 1-2) AS a', ['syntax', 'expected AND or OR before "-2"', '', '12 -2']],
    ['MATCH (a = max(b)) AS a', ['syntax', 'expected AND or OR before "("', '', '14 (']],
    [
      'MATCH (a = 1) AS a FILTER a.x = 1 TRUE',
      ['syntax', 'expected AND or OR before "TRUE"', '', '34 TRUE'],
    ],
    [
      "MATCH (a = 1) AS a FILTER a.x = 'b' 'c'",
      ['syntax', 'expected AND or OR before "\'c\'"', '', "36 'c'"],
    ],
    ['MATCH (a = 1) AS a WHEN (a -> b) 5', ['syntax', 'expected AND before "5"', '', '33 5']],
    [
      'MATCH (a = 1) AS x AGGREGATE count() > 3 max(x.a) < 2',
      ['syntax', 'expected "," before "max"', '', '41 max'],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('an order that is none', () => {
  it.each([
    [
      'MATCH (a = 1) AS a WHEN',
      [
        'syntax',
        'expected a label after "WHEN", found the end',
        'write an order such as a -> b',
        '23 ',
      ],
    ],
    [
      'MATCH (a = 1) AS a WHEN a -> a AND',
      [
        'causal-cycle',
        '"a" would have to happen before itself',
        'turn round or delete an arrow of the circle "a -> a"',
        '26 ->',
      ],
      [
        'syntax',
        'expected a label after "AND", found the end',
        'write an order such as a -> b',
        '34 ',
      ],
    ],
    [
      'MATCH (a = 1) AS a WHEN -> a',
      [
        'syntax',
        'expected a label after "WHEN", found "->"',
        'write an order such as a -> b',
        '24 ->',
      ],
    ],
    [
      'MATCH (a = 1) AS a WHEN (a',
      [
        'syntax',
        'expected "->" and a label after "a", found the end',
        'write an order such as a -> b',
        '26 ',
      ],
    ],
    [
      'MATCH (a = 1) AS a WHEN a = 1',
      [
        'syntax',
        'unexpected "="',
        'WHEN orders labels, such as a -> b; conditions stand in FILTER',
        '26 =',
      ],
    ],
    [
      'MATCH (a = 1) AS a WHEN a -> b @ p',
      ['syntax', 'expected "->", AND or a clause after "b", found "@"', '', '31 @'],
    ],
    [
      'MATCH (a = 1) AS a WHEN (a -> a) @ p',
      ['syntax', 'expected AND or a clause after ")", found "@"', '', '33 @'],
    ],
    [
      'MATCH (a = 1) AS a WHEN (a -> b OR b -> c)',
      ['syntax', 'unexpected "OR"', 'orders are joined by AND only', '32 OR'],
    ],
    [
      'MATCH (a = 1) AS a WHEN a -> b WHEN b -> c',
      ['unknown-label', 'no pattern has the label "b"', 'expected "a"', '29 b'],
      [
        'syntax',
        'a second "WHEN" clause',
        'write all orders in one WHEN, joined by AND',
        '31 WHEN',
        '19 WHEN',
      ],
    ],
    [
      'MATCH (a = 1) AS a FILTER (a.x = 1) -> b',
      ['syntax', '"->" orders events', 'write it in WHEN, between labels', '36 ->'],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('a measure that is none', () => {
  it.each([
    [
      'MATCH (a = 1) AS x AGGREGATE',
      [
        'syntax',
        'expected a function or a value after "AGGREGATE", found the end',
        'write a measure such as count() > 0 or max(label.attribute) < 10',
        '28 ',
      ],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE 3',
      [
        'syntax',
        'expected a comparator after "3", found the end',
        'write one of = != < <= > >=',
        '30 ',
      ],
    ],
    [
      "MATCH (a = 1) AS x AGGREGATE 'a'",
      [
        'syntax',
        'expected a comparator after "\'a\'", found the end',
        'write one of = != < <= > >=',
        '32 ',
      ],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE total > 3',
      ['syntax', 'expected "(" after "total"', '', '35 >'],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE count(',
      ['syntax', 'expected ")" after "(", found the end', 'close the parenthesis', '35 ', '34 ('],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE max(x.a > 3)',
      [
        'syntax',
        'expected ")", found ">"',
        'a function takes one label.attribute, and count() nothing',
        '37 >',
      ],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE max(x.a x.b) > 3',
      ['syntax', 'expected ")" after "a", found "x"', '', '37 x'],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE 1 < count() < 5',
      ['syntax', 'a second comparator "<"', 'write two comparisons, with "," between them', '41 <'],
    ],
    [
      'MATCH (a = 1) AS x AGGREGATE count() > 3 AS n',
      ['syntax', 'expected "," or a clause after "3", found "AS"', '', '41 AS'],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('parentheses and commas', () => {
  it.each([
    [
      'MATCH ((a = 1), b = 2) AS x',
      ['syntax', 'unexpected ","', 'join conditions with AND or OR', '14 ,'],
    ],
    [
      'MATCH (a = 1 as) AS x',
      ['syntax', 'expected ")" after "1", found "as"', 'close the parenthesis', '13 as', '6 ('],
    ],
    [
      'MATCH (a = 1) AS a, , (b = 1) AS b',
      ['syntax', 'expected a pattern after ",", found ","', 'write (condition) AS label', '20 ,'],
    ],
    [
      'MATCH (a = 1) AS a = 5',
      ['syntax', 'expected "," or a clause after "a", found "="', '', '19 ='],
    ],
    [
      'MATCH (a = 1) AS a FILTER (a.x = 1, a.y = 2)',
      ['syntax', 'unexpected ","', 'join conditions with AND or OR', '34 ,'],
    ],
    [
      'MATCH (a = 1) AS a FILTER (a.x = 1, a.y = 2',
      ['syntax', 'expected ")" after "1", found ","', 'close the parenthesis', '34 ,', '26 ('],
    ],
    [
      'MATCH (a = 1) AS a FILTER a.x = 1, (a.y = 2',
      ['syntax', 'unexpected ","', 'join conditions with AND or OR', '33 ,'],
    ],
    [
      'MATCH (a = 1) AS a FILTER (a.x = 1).y',
      ['syntax', 'expected AND, OR or a clause after ")", found "."', '', '35 .'],
    ],
    [
      'MATCH (a = 1) AS a WHEN a -> a, (a -> b',
      ['syntax', 'unexpected ","', 'join orders with AND', '30 ,'],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('an operator that may mean several things, or nothing', () => {
  it.each([
    ['MATCH (a ~= 1) AS a', ['syntax', 'unknown operator "~="', 'write "!="', '9 ~=']],
    ['MATCH (a = 1 & b = 2) AS a', ['syntax', 'unknown operator "&"', 'write "AND"', '13 &']],
    ['MATCH (a = 1 | b = 2) AS a', ['syntax', 'unknown operator "|"', 'write "OR"', '13 |']],
    [
      'MATCH (!a = 1) AS a',
      [
        'syntax',
        'unknown operator "!"',
        'there is no negation: write the opposite comparator, such as "!=" for "="',
        '7 !',
      ],
    ],
    [
      'MATCH (a : 1) AS a',
      [
        'syntax',
        'unexpected ":"',
        'write "." in an attribute, "@" before a probe, "=" to compare',
        '9 :',
      ],
    ],
    ['MATCH (a = 1) AS a WHEN a ⇒ b', ['syntax', 'unknown operator "⇒"', 'write "->"', '26 ⇒']],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('hyphens', () => {
  it.each([
    [
      'MATCH (a >- 1) AS a',
      [
        'syntax',
        'unexpected "-"',
        'a name with a hyphen at its end stands in backquotes; there is no subtraction',
        '10 -',
      ],
    ],
    [
      'MATCH (a = b - c > 3) AS a',
      [
        'syntax',
        'unexpected "-"',
        'a name with a hyphen at its end stands in backquotes; there is no subtraction',
        '13 -',
      ],
    ],
    [
      'MATCH (a = 1) AS a WHEN a -  > b',
      ['syntax', 'an arrow is one word', 'write "->"', '26 -  >'],
    ],
    [
      'MATCH (a = 1) AS a WHEN a -        > b',
      [
        'syntax',
        'unexpected "-"',
        'a name with a hyphen at its end stands in backquotes; there is no subtraction',
        '26 -',
      ],
    ],
    [
      'MATCH (a = 1) AS a WHEN a- > b',
      [
        'syntax',
        'unexpected "-"',
        'a name with a hyphen at its end stands in backquotes; there is no subtraction',
        '25 -',
      ],
    ],
    [
      'MATCH (a = 1) AS a WHEN a -- > b',
      [
        'syntax',
        'unexpected "--"',
        'a comment begins with "#"; a name with a hyphen at its end stands in backquotes',
        '26 --',
      ],
    ],
    [
      'MATCH (a-- = 1 AND ö = 2) AS a',
      [
        'syntax',
        'unexpected "--"',
        'a comment begins with "#"; a name with a hyphen at its end stands in backquotes',
        '8 --',
      ],
      [
        'syntax',
        'unexpected "ö"',
        'a name with letters outside A to Z stands in backquotes, a string in quotes',
        '19 ö',
      ],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('characters that begin no token', () => {
  it.each([
    [
      'MATCH (ö a = 1) AS a',
      [
        'syntax',
        'unexpected "ö"',
        'a name with letters outside A to Z stands in backquotes, a string in quotes',
        '7 ö',
      ],
    ],
    [
      'MATCH (ö-a = 1) AS a',
      [
        'syntax',
        'unexpected "ö"',
        'a name with letters outside A to Z stands in backquotes, a string in quotes',
        '7 ö',
      ],
    ],
    ['MATCH (aö€ = 1) AS a', ['syntax', 'unexpected "ö€"', '', '8 ö€']],
    ['MATCH (a€ö = 1) AS a', ['syntax', 'unexpected "€ö"', '', '8 €ö']],
    [
      'MATCH (a = 5ö) AS a',
      [
        'syntax',
        'unexpected "5ö"',
        'a name with letters outside A to Z stands in backquotes, a string in quotes',
        '11 5ö',
      ],
    ],
    [
      'MATCH (a = 1-2) AS a FILTER a.ö = 3',
      ['syntax', 'expected AND or OR before "-2"', '', '12 -2'],
      [
        'syntax',
        'unexpected "ö"',
        'a name with letters outside A to Z stands in backquotes, a string in quotes',
        '30 ö',
      ],
    ],
    ['MATCH (a = €# comment) AS a', ['syntax', 'unexpected "€"', '', '11 €']],
    ['MATCH (a = $b) AS a', ['syntax', 'unexpected "$"', 'expressions have no variables', '11 $']],
    ['MATCH (a = ?) AS a', ['syntax', 'unexpected "?"', 'expressions have no variables', '11 ?']],
    [
      'MATCH (a = 1) AS a /* comment */',
      ['syntax', 'unexpected "/*"', 'a comment begins with "#" and ends with its line', '19 /*'],
      ['syntax', 'unexpected "*/"', 'a comment begins with "#" and ends with its line', '30 */'],
    ],
    [
      'MATCH (a = 1) AS a ;// comment',
      [
        'syntax',
        'unexpected ";//"',
        'write nothing, or "," between patterns and measures',
        '19 ;//',
      ],
    ],
    [
      'MATCH (a = 1)\u200b AS a',
      ['syntax', 'unexpected control character U+200B', 'delete it', '13 \u200b'],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('typographic quotes', () => {
  it.each([
    [
      'MATCH (a = ““) AS a',
      [
        'syntax',
        'typographic quotes around ""',
        "write the string in straight quotes: ''",
        '11 ““',
      ],
    ],
    [
      'MATCH (a = “aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa”) AS a',
      [
        'syntax',
        'typographic quotes around "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"',
        "write the string in straight quotes: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'",
        '11 “aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa”',
      ],
    ],
    [
      'MATCH (a = “aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa”) AS a',
      [
        'syntax',
        'typographic quotes around "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"',
        'write the string in straight quotes',
        '11 “aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa”',
      ],
    ],
    [
      'MATCH (a = “x\ny”) AS a',
      ['syntax', 'unexpected typographic quote "“"', 'write a straight quote', '11 “'],
      ['syntax', 'unexpected typographic quote "”"', 'write a straight quote', '15 ”'],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('what stands after a string or name with a mistake', () => {
  it.each([
    [
      "MATCH (a = 1) AS x AGGREGATE max(x.a) = '\\q',count() >",
      [
        'syntax',
        'unknown escape "\\\\q"',
        'write \\\\ for a backslash; the escapes are \\\\ \\\' \\" \\n \\t \\r \\uXXXX',
        '41 \\q',
      ],
      [
        'syntax',
        'expected a function or a value after ">", found the end',
        'write a measure such as count() > 0 or max(label.attribute) < 10',
        '54 ',
      ],
    ],
    [
      'MATCH (`` = 1) AS x WHEN x ->',
      ['syntax', 'a name in backquotes is empty', '', '7 ``'],
      ['syntax', 'expected a label after "->", found the end', '', '29 '],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('malformed numbers', () => {
  it.each([
    [
      'MATCH (a = 1e+) AS a',
      ['syntax', 'malformed number "1e+"', 'write the exponent after "e", as in 1e6', '11 1e+'],
    ],
    [
      'MATCH (a = 1e5e) AS a',
      [
        'syntax',
        'malformed number "1e5e"',
        'expected a number such as 5, -0.5 or 1e6; a string stands in quotes',
        '11 1e5e',
      ],
    ],
    [
      'MATCH (a = 1d-5) AS a',
      [
        'syntax',
        'malformed number "1d"',
        'write a number without a unit, or a string in quotes',
        '11 1d',
      ],
    ],
    [
      'MATCH (a = 1.2.) AS a',
      [
        'syntax',
        'malformed number "1.2."',
        'expected a number such as 5, -0.5 or 1e6; a string stands in quotes',
        '11 1.2.',
      ],
    ],
    [
      'MATCH (a = 10x1) AS a',
      [
        'syntax',
        'malformed number "10x1"',
        'expected a number such as 5, -0.5 or 1e6; a string stands in quotes',
        '11 10x1',
      ],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});

describe('an operator that means just one thing', () => {
  it.each([
    ['MATCH (a == 1) AS a', 'unknown operator "=="', 'write =', 'MATCH (a = 1) AS a'],
    ['MATCH (a === 1) AS a', 'unknown operator "==="', 'write =', 'MATCH (a = 1) AS a'],
    ['MATCH (a !== 1) AS a', 'unknown operator "!=="', 'write !=', 'MATCH (a != 1) AS a'],
    ['MATCH (a <> 1) AS a', 'unknown operator "<>"', 'write !=', 'MATCH (a != 1) AS a'],
    ['MATCH (a =< 1) AS a', 'unknown operator "=<"', 'write <=', 'MATCH (a <= 1) AS a'],
    ['MATCH (a ≠ 1) AS a', 'unknown operator "≠"', 'write !=', 'MATCH (a != 1) AS a'],
    ['MATCH (a≤b) AS a', 'unknown operator "≤"', 'write <=', 'MATCH (a<=b) AS a'],
    ['MATCH (a ≥ 1) AS a', 'unknown operator "≥"', 'write >=', 'MATCH (a >= 1) AS a'],
    [
      'MATCH (a = 1&&b = 2) AS a',
      'unknown operator "&&"',
      'write AND',
      'MATCH (a = 1 AND b = 2) AS a',
    ],
    [
      'MATCH (a = b&&c = 1) AS a',
      'unknown operator "&&"',
      'write AND',
      'MATCH (a = b AND c = 1) AS a',
    ],
    [
      "MATCH (a = 'b'||c = 1) AS a",
      'unknown operator "||"',
      'write OR',
      "MATCH (a = 'b'OR c = 1) AS a",
    ],
    [
      'MATCH (a = 1||(b = 2)) AS a',
      'unknown operator "||"',
      'write OR',
      'MATCH (a = 1 OR(b = 2)) AS a',
    ],
    [
      'MATCH (a = 1 && b = 2) AS a',
      'unknown operator "&&"',
      'write AND',
      'MATCH (a = 1 AND b = 2) AS a',
    ],
    [
      'MATCH (a = 1 || b = 2) AS a',
      'unknown operator "||"',
      'write OR',
      'MATCH (a = 1 OR b = 2) AS a',
    ],
    [
      'MATCH (a = 1) AS a WHEN a → b',
      'unknown operator "→"',
      'write ->',
      'MATCH (a = 1) AS a WHEN a -> b',
    ],
    [
      'MATCH (a = 1) AS a WHEN a→b',
      'unknown operator "→"',
      'write ->',
      'MATCH (a = 1) AS a WHEN a->b',
    ],
  ])('%s is put right', (text, message, title, right) => {
    const [finding, ...others] = check(text, { role: 'check' }).findings;
    const [edit, ...further] = finding?.fix?.edits ?? [];
    const { start = 0, end = 0 } = edit?.span ?? {};
    expect([finding?.message, finding?.fix?.title]).toEqual([message, title]);
    expect(text.slice(0, start) + edit?.text + text.slice(end)).toBe(right);
    expect([...others, ...further]).toEqual([]);
  });
});

describe('a word that was to join', () => {
  const two = 'MATCH (a = 1) AS a, (b = 1) AS b';
  it.each([
    [
      'MATCH (a = 1 ADN b = 2) AS a',
      ['syntax', 'unexpected "ADN"', 'did you mean "AND"?', '13 ADN'],
    ],
    [`${two} WHEN a -> b ORR b -> a`, ['syntax', 'expected AND before "ORR"', '', '45 ORR']],
    [
      `${two} WHEN (a -> b AND (b -> a) -> b)`,
      ['syntax', 'expected AND or ")" after ")", found "->"', '', '59 ->'],
    ],
  ])('%s', (text, ...findings) => {
    expect(told(text)).toEqual(findings);
  });
});
