import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { SourceFile } from '../../../src/source/index.js';
import { parseToml } from '../../../src/toml/index.js';

/** A mistake; then the marked characters, the message, the help, and related places. */
const MISTAKES: readonly [string, readonly string[]][] = [
  ['name = foo', ['<foo> at 7', 'invalid value "foo"', 'put it in quotes: "foo"']],
  [
    'name = Wind gust # x',
    ['<Wind gust> at 7', 'invalid value "Wind gust"', 'put it in quotes: "Wind gust"'],
  ],
  ['name = foo"', ['<foo"> at 7', 'invalid value "foo\\""', 'add the opening quote: "foo"']],
  ['name = True', ['<True> at 7', 'invalid value "True"', 'write true']],
  ['a = yes', ['<yes> at 4', 'invalid value "yes"', 'write true']],
  [
    'a = null',
    ['<null> at 4', 'invalid value "null"', 'leave the key out: TOML has no such value'],
  ],
  ['a = .5', ['<.5> at 4', 'invalid value ".5"', 'write 0.5']],
  ['a = 5.', ['<5.> at 4', 'invalid number "5."', 'write 5.0']],
  ['a = 007', ['<007> at 4', 'invalid number "007"', 'write 7, or "007" for a text']],
  ['a = 1__0', ['<1__0> at 4', 'invalid number "1__0"', 'an underscore stands between digits']],
  ['a = _1', ['<_1> at 4', 'invalid value "_1"', 'an underscore stands between digits']],
  ['a = 1_', ['<1_> at 4', 'invalid number "1_"', 'an underscore stands between digits']],
  ['time = 10m', ['<10m> at 7', 'invalid number "10m"', 'put it in quotes: "10m"']],
  [
    'time = 1h 30min # c',
    ['<1h 30min> at 7', 'invalid number "1h 30min"', 'put it in quotes: "1h 30min"'],
  ],
  [
    'a = 127.0.0.1',
    ['<127.0.0.1> at 4', 'invalid number "127.0.0.1"', 'put it in quotes: "127.0.0.1"'],
  ],
  ['a = [1, 2m]', ['<2m> at 8', 'invalid number "2m"', 'put it in quotes: "2m"']],
  [
    'a = 2023-13-01',
    [
      '<2023-13-01> at 4',
      'invalid date or time "2023-13-01"',
      'a date is written 1979-05-27, a time 07:32:00',
    ],
  ],
  [
    'a = 2023-1-1',
    [
      '<2023-1-1> at 4',
      'invalid number "2023-1-1"',
      'a date is written 1979-05-27, a time 07:32:00',
    ],
  ],
  [
    'a = 1979-05-2x',
    [
      '<1979-05-2x> at 4',
      'invalid date or time "1979-05-2x"',
      'a date is written 1979-05-27, a time 07:32:00',
    ],
  ],
  [
    'a = 25:00:00',
    ['<25:00:00> at 4', 'invalid date or time "25:00:00"', 'a time is written 07:32:00'],
  ],
  [
    'a = 1979-05-27T0732',
    [
      '<1979-05-27T0732> at 4',
      'invalid date or time "1979-05-27T0732"',
      'a date is written 1979-05-27, a time 07:32:00',
    ],
  ],
  [
    'a = 0xfg',
    [
      '<0xfg> at 4',
      'invalid number "0xfg"',
      '0x takes hexadecimal digits, 0o octal, 0b binary ones, and none a sign',
    ],
  ],
  [
    'a = 0x',
    [
      '<0x> at 4',
      'invalid number "0x"',
      '0x takes hexadecimal digits, 0o octal, 0b binary ones, and none a sign',
    ],
  ],
  [
    'a = +0x1',
    [
      '<+0x1> at 4',
      'invalid number "+0x1"',
      '0x takes hexadecimal digits, 0o octal, 0b binary ones, and none a sign',
    ],
  ],
  ['a = +', ['<+> at 4', 'invalid value "+"', 'put it in quotes: "+"']],
  ['a =', ['<=> at 2', 'expected a value after "="', 'the value begins on the line of its key']],
  [
    'a = # c',
    ['<=> at 2', 'expected a value after "="', 'the value begins on the line of its key'],
  ],
  ['a =\n1', ['<=> at 2', 'expected a value after "="', 'the value begins on the line of its key']],
  ['a = [1,,2]', ['<,> at 7', 'expected a value, found ","']],
  ['a = [,]', ['<,> at 5', 'expected a value, found ","']],
  ['a = [1,', ['<[> at 4', 'this array is never closed', 'add a closing "]"']],
  ['a = [1, ', ['<[> at 4', 'this array is never closed', 'add a closing "]"']],
  ['a = [1', ['<[> at 4', 'this array is never closed', 'add a closing "]"']],
  [
    'a = [1\nb = 2',
    [
      '<b> at 7',
      'expected "," or "]", found "b"',
      'close the array with "]" before the next key',
      'the array begins here <[> at 4',
    ],
  ],
  [
    'a = ["x" "y"]',
    ['<"> at 9', 'expected "," or "]", found a string', 'the array begins here <[> at 4'],
  ],
  [
    'a = ["x"\n"y"]',
    ['<"> at 9', 'expected "," or "]", found a string', 'the array begins here <[> at 4'],
  ],
  ['a == 1', ['<=> at 3', 'expected a value, found "="', 'write one "="']],
  ['a = ]', ['<]> at 4', 'expected a value, found "]"']],
  ['a = [', ['<[> at 4', 'this array is never closed', 'add a closing "]"']],
  ['a = {', ['<{> at 4', 'this inline table is never closed', 'add a closing "}"']],
  ['a = { b', ['<b> at 6', 'expected "=" and a value after "b"']],
  ['a = { b = 1', ['<{> at 4', 'this inline table is never closed', 'add a closing "}"']],
  ['a = { b = 1,', ['<{> at 4', 'this inline table is never closed', 'add a closing "}"']],
  [
    'a = {b = 1 c = 2}',
    ['<c> at 11', 'expected "," or "}", found "c"', 'the inline table begins here <{> at 4'],
  ],
  ['a = {b}', ['<b> at 5', 'expected "=" and a value after "b"']],
  ['a = {"b": 1}', ['<:> at 8', 'expected "=" after the key, found ":"', 'write "=" for ":"']],
  ['a = {b = 1,, c = 2}', ['<,> at 11', 'expected a key, found ","']],
  ['a = {,}', ['<,> at 5', 'expected a key, found ","']],
  [
    'a = {b = 1\nc = 2}',
    ['<c> at 11', 'expected "," or "}", found "c"', 'the inline table begins here <{> at 4'],
  ],
  ['name', ['<name> at 0', 'expected "=" and a value after "name"']],
  ['name\nb = 1', ['<name> at 0', 'expected "=" and a value after "name"']],
  [
    'name "x"',
    [
      '<"> at 5',
      'expected "=" after the key, found a string',
      'write "=" between a key and its value',
    ],
  ],
  ['name: "x"', ['<:> at 4', 'expected "=" after the key, found ":"', 'write "=" for ":"']],
  ['"name": "x"', ['<:> at 6', 'expected "=" after the key, found ":"', 'write "=" for ":"']],
  [
    'a b = 1',
    ['<b> at 2', 'expected "=" after the key, found "b"', 'put the key in quotes: "a b"'],
  ],
  [
    'naïve = 1',
    ['<ï> at 2', 'a key without quotes can\'t contain "ï"', 'put the key in quotes: "naïve"'],
  ],
  [
    'a/b = 1',
    ['</> at 1', 'a key without quotes can\'t contain "/"', 'put the key in quotes: "a/b"'],
  ],
  ['= 1', ['<=> at 0', 'expected a key before "="']],
  ['a. = 1', ['<=> at 3', 'expected a key before "="']],
  ['a..b = 1', ['<.> at 2', 'expected a key before "."']],
  ['.a = 1', ['<.> at 0', 'expected a key before "."']],
  [
    '"""a""" = 1',
    [
      '<"""> at 0',
      "a key can't be a multi-line string",
      'write it between single or double quotes',
    ],
  ],
  ['// hi', ['</> at 0', 'expected a key, found "/"', 'a comment begins with "#"']],
  ['/* hi */', ['</> at 0', 'expected a key, found "/"']],
  ['] ', ['<]> at 0', 'expected a key, found "]"']],
  [
    'a[0] = 1',
    ['<[> at 1', 'a key without quotes can\'t contain "["', 'put the key in quotes: "a[0]"'],
  ],
  [
    '"a\nb" = 1',
    [
      '<"a> at 0',
      'this string is not closed on its line',
      'add a closing ", or use """ for several lines',
    ],
  ],
  ['[', ['<[> at 0', 'this header is not closed', 'add a closing "]"']],
  ['[]', ['<]> at 1', 'expected a key before "]"']],
  ['[a', ['<[a> at 0', 'this header is not closed', 'add a closing "]"']],
  ['[a\nb = 1', ['<[a> at 0', 'this header is not closed', 'add a closing "]"']],
  ['[a b]', ['<b> at 3', 'expected "]" after the key, found "b"', 'put the key in quotes: "a b"']],
  ['[a.]', ['<]> at 3', 'expected a key before "]"']],
  ['[[a]', ['<[[a]> at 0', 'this header is not closed', 'add a closing "]]"']],
  ['[[a] ]', ['<[[a]> at 0', 'this header is not closed', 'add a closing "]]"']],
  ['[[a\n]]', ['<[[a> at 0', 'this header is not closed', 'add a closing "]]"']],
  [
    '[naïve]',
    ['<ï> at 3', 'a key without quotes can\'t contain "ï"', 'put the key in quotes: "naïve"'],
  ],
  [
    '[a:b]',
    ['<:> at 2', 'a key without quotes can\'t contain ":"', 'put the key in quotes: "a:b"'],
  ],
  ['[a]]', ['<]> at 3', 'expected the end of the line, found "]"']],
  [
    '[a] x = 1',
    ['<x> at 4', 'expected the end of the line, found "x"', 'begin a line for each key'],
  ],
  ['[a],', ['<,> at 3', 'expected the end of the line, found ","', 'remove the ","']],
  ['[ä', ['<ä> at 1', 'a key without quotes can\'t contain "ä"']],
  [
    'a = 1 b = 2',
    ['<b> at 6', 'expected the end of the line, found "b"', 'begin a line for each key'],
  ],
  ['a = "x",', ['<,> at 7', 'expected the end of the line, found ","', 'remove the ","']],
  [
    'a = "say "hi" now"',
    [
      '<hi> at 10',
      'expected the end of the line, found "hi"',
      'write \\" for a quote inside the string',
    ],
  ],
  [
    "a = 'it's'",
    [
      '<s> at 8',
      'expected the end of the line, found "s"',
      'use double quotes for a string with "\'" in it',
    ],
  ],
  [
    'a = 1 // c',
    ['</> at 6', 'expected the end of the line, found "/"', 'a comment begins with "#"'],
  ],
  ['a = 1;', ['<1;> at 4', 'invalid number "1;"', 'remove the ";"']],
  [
    'a = "x',
    [
      '<"x> at 4',
      'this string is not closed on its line',
      'add a closing ", or use """ for several lines',
    ],
  ],
  [
    'a = "x\nb = 1',
    [
      '<"x> at 4',
      'this string is not closed on its line',
      'add a closing ", or use """ for several lines',
    ],
  ],
  [
    'a = "x\r\nb = 1',
    [
      '<"x> at 4',
      'this string is not closed on its line',
      'add a closing ", or use """ for several lines',
    ],
  ],
  [
    "a = 'x",
    [
      "<'x> at 4",
      'this string is not closed on its line',
      "add a closing ', or use ''' for several lines",
    ],
  ],
  ["a = '''x\n", ["<'''> at 4", 'this multi-line string is never closed', "add the closing '''"]],
  ['a = """x""', ['<"""> at 4', 'this multi-line string is never closed', 'add the closing """']],
  ['a = "\u0007"', ['<\u0007> at 5', 'control character U+0007', 'write \\u0007']],
  [
    "a = '\u0007'",
    ['<\u0007> at 5', 'control character U+0007', 'use double quotes and write \\u0007'],
  ],
  [
    'a = "x\ry"',
    ['<\r> at 6', 'carriage return without a line feed after it', 'end lines with LF or CRLF'],
  ],
  [
    'a = 1\rb = 2',
    ['<\r> at 5', 'carriage return without a line feed after it', 'end lines with LF or CRLF'],
  ],
  [
    '# x\ry',
    ['<\r> at 3', 'carriage return without a line feed after it', 'end lines with LF or CRLF'],
  ],
  ['# \u0000', ['<\u0000> at 2', 'control character U+0000', 'remove it']],
  ['a\u0000 = 1', ['<\u0000> at 1', 'control character U+0000', 'remove it']],
  ['a = \u0000', ['<\u0000> at 4', 'control character U+0000', 'remove it']],
  [
    'a = "\\d"',
    [
      '<\\d> at 5',
      'unknown escape "\\d"',
      'write \\\\ for a backslash, or use a string in single quotes',
    ],
  ],
  [
    'a = "C:\\dir"',
    [
      '<\\d> at 7',
      'unknown escape "\\d"',
      'write \\\\ for a backslash, or use a string in single quotes',
    ],
  ],
  ['a = "\\u12"', ['<\\u12> at 5', 'escape "\\u12" needs 4 hexadecimal digits']],
  ['a = "\\xzz"', ['<\\x> at 5', 'escape "\\x" needs 2 hexadecimal digits']],
  ['a = "\\ud800"', ['<\\ud800> at 5', 'escape "\\ud800" is not a Unicode character']],
  ['a = "\\UFFFFFFFF"', ['<\\UFFFFFFFF> at 5', 'escape "\\UFFFFFFFF" is not a Unicode character']],
  [
    'a = """x\\  y"""',
    [
      '<\\> at 8',
      'only white space may follow this backslash on its line',
      'write \\\\ for a backslash',
    ],
  ],
  [
    'a = "x\\',
    [
      '<"x\\> at 4',
      'this string is not closed on its line',
      'add a closing ", or use """ for several lines',
    ],
  ],
  ['a = 1,', ['<1,> at 4', 'invalid number "1,"', 'remove the ","']],
  [
    'éa = 1',
    ['<é> at 0', 'a key without quotes can\'t contain "é"', 'put the key in quotes: "éa"'],
  ],
  ['[é]', ['<é> at 1', 'a key without quotes can\'t contain "é"', 'put the key in quotes: "é"']],
  ['@ = 1', ['<@> at 0', 'expected a key, found "@"']],
  ['[@]', ['<@> at 1', 'expected a key, found "@"']],
  ['a = "x" \u0001', ['<\u0001> at 8', 'control character U+0001', 'remove it']],
  ['a \u0001= 1', ['<\u0001> at 2', 'control character U+0001', 'remove it']],
  ['a = é', ['<é> at 4', 'invalid value "é"', 'put it in quotes: "é"']],
  ['a = """x\u0001"""', ['<\u0001> at 8', 'control character U+0001', 'write \\u0001']],
  ['a = 😀', ['<😀> at 4', 'invalid value "😀"', 'put it in quotes: "😀"']],
  ['😀 = 1', ['<😀> at 0', 'expected a key, found "😀"']],
  ['a = 1.', ['<1.> at 4', 'invalid number "1."', 'write 1.0']],
  ['a = 1e', ['<1e> at 4', 'invalid number "1e"', 'put it in quotes: "1e"']],
  ['a = tru', ['<tru> at 4', 'invalid value "tru"', 'put it in quotes: "tru"']],
  ['a = {b = foo, c = 1}', ['<foo> at 9', 'invalid value "foo"', 'put it in quotes: "foo"']],
  [
    'a = [foo bar, 1]',
    ['<foo bar> at 5', 'invalid value "foo bar"', 'put it in quotes: "foo bar"'],
  ],
  [
    'a = [\n1,\n2\n\nb = [3]',
    [
      '<b> at 12',
      'expected "," or "]", found "b"',
      'close the array with "]" before the next key',
      'the array begins here <[> at 4',
    ],
  ],
  [
    'a = 1 # c\rx',
    ['<\r> at 9', 'carriage return without a line feed after it', 'end lines with LF or CRLF'],
  ],
  ['\ufeff\ufeffa = foo', ['<\ufeff> at 1', 'expected a key, found "\\u{feff}"']],
  ['# c\r\n\r\na = foo', ['<foo> at 11', 'invalid value "foo"', 'put it in quotes: "foo"']],
  ["a = '''''", ["<'''> at 4", 'this multi-line string is never closed', "add the closing '''"]],
  [
    'a."b" . \'c\' = 1\na.b.c = 2',
    ['<c> at 20', 'duplicate key "c"', "first defined here <'c'> at 8"],
  ],
  ['a = 1\na = 2', ['<a> at 6', 'duplicate key "a"', 'first defined here <a> at 0']],
  [
    'a = 1\na.b = 2',
    [
      '<a> at 6',
      '"a" is already defined, and can\'t be extended here',
      'first defined here <a> at 0',
    ],
  ],
  [
    '[a]\n[a]',
    [
      '<a> at 5',
      'duplicate table "a"',
      'write [[a]] at each, for an array of tables',
      'first defined here <a> at 1',
    ],
  ],
  [
    '[[a]]\n[a]',
    [
      '<a> at 7',
      '"a" is already an array',
      'write [[a]] to add a table to it',
      'first defined here <a> at 2',
    ],
  ],
  [
    '[a]\n[[a]]',
    [
      '<a> at 6',
      'duplicate table "a"',
      'write [[a]] at each, for an array of tables',
      'first defined here <a> at 1',
    ],
  ],
  ['a.b = 1\n[a]', ['<a> at 9', 'duplicate table "a"', 'first defined here <a> at 0']],
  ['a = {b = 1, b = 2}', ['<b> at 12', 'duplicate key "b"', 'first defined here <b> at 5']],
  ['a = {b.c = 1, b = 2}', ['<b> at 14', 'duplicate key "b"', 'first defined here <b> at 5']],
  [
    'a = {}\n[a.b]',
    [
      '<a> at 8',
      '"a" is already defined, and can\'t be extended here',
      'first defined here <a> at 0',
    ],
  ],
  [
    '[a.b]\n[a]\nb.c = 1',
    [
      '<b> at 10',
      '"b" is already defined, and can\'t be extended here',
      'first defined here <b> at 3',
    ],
  ],
  ['a = [1]\n[[a]]', ['<a> at 10', '"a" is already an array', 'first defined here <a> at 0']],
  ['"a" = 1\n\'a\' = 2', ["<'a'> at 8", 'duplicate key "a"', 'first defined here <"a"> at 0']],
  [
    '[[x]]\n[[x.y]]\nz=1\n"z"=2',
    ['<"z"> at 18', 'duplicate key "z"', 'first defined here <z> at 14'],
  ],
  ['a = 1\n[a]', ['<a> at 7', '"a" is already defined, as a value', 'first defined here <a> at 0']],
  ['a = [{b = 1, b = 2}]', ['<b> at 13', 'duplicate key "b"', 'first defined here <b> at 6']],
  [
    '[[x]]\n[[x]]\n[x.y]\n[x.y]',
    [
      '<y> at 21',
      'duplicate table "y"',
      'write [[x.y]] at each, for an array of tables',
      'first defined here <y> at 15',
    ],
  ],
  [
    'a = long long long long long long long long long long long long word',
    [
      '<long long long long long long long long long long long long word> at 4',
      'invalid value "long long long long long long long long long long long long…"',
      'put a text in quotes',
    ],
  ],
];

function mark(text: string, span: { start: number; end: number }): string {
  return `<${text.slice(span.start, span.end)}> at ${span.start}`;
}

describe('syntax errors', () => {
  it.each(MISTAKES)('%j', (text, expected) => {
    const { document, violations } = parseToml(new SourceFile('a.toml', text));
    expect(document).toBeUndefined();
    const told = violations.map(({ kind, message, help, span, related = [] }) => {
      expect(kind).toBe('syntax');
      const places = related.map((other) => `${other.message} ${mark(text, other.span)}`);
      return [mark(text, span), message, ...(help === undefined ? [] : [help]), ...places];
    });
    expect(told).toEqual([expected]);
  });

  it('are told of brackets that nest too deep', () => {
    const text = `a = ${'['.repeat(20_000)}`;
    expect(parseToml(new SourceFile('a.toml', text)).violations).toEqual([
      {
        kind: 'syntax',
        message: 'arrays and inline tables are nested too deep',
        help: 'expected at most 1000 levels',
        span: { start: 1_004, end: 1_005 },
      },
    ]);
  });

  it('are explained for everything that smol-toml refuses', () => {
    const folder = new URL('../../../node_modules/smol-toml/dist/', import.meta.url);
    const code = readdirSync(folder)
      .filter((name) => name.endsWith('.js'))
      .map((name) => readFileSync(new URL(name, folder), 'utf8'))
      .join('\n');
    const known = [...code.matchAll(/TomlError\.x\(\s*(?:\w+ === null\s*\?\s*)?(['`])(.+?)\1/g)];
    const reasons = new Set(MISTAKES.map(([text]) => reasonOf(text)));
    // Two need options that we do not use; the nesting has a test of its own.
    const others = [
      'document contains an unsafe property',
      'document contains excessively nested structures. aborting.',
      'integer value cannot be represented losslessly',
    ];
    expect(known.length).toBeGreaterThan(30);
    expect([...new Set(known.map((match) => match[2]))].sort()).toEqual(
      [...reasons, ...others].sort(),
    );
  });
});

function reasonOf(text: string): string {
  try {
    parse(text, { integersAsBigInt: true });
  } catch (error) {
    return /: (.*)/.exec(String((error as Error).message))?.[1] ?? '';
  }
  return '';
}

describe('integers', () => {
  it('outside 64 bits are violations of encoding, in the order of the file', () => {
    const text = [
      'a = { b = [0, 9223372036854775808] }',
      'c = -9223372036854775809',
      'd = 0xffff_ffff_ffff_ffff',
      'least = -9223372036854775808',
      'greatest = 0x7fff_ffff_ffff_ffff',
    ].join('\n');
    const { document, violations } = parseToml(new SourceFile('a.toml', text));
    expect(document?.root['greatest']).toBe(2n ** 63n - 1n);
    expect(violations.map(({ kind, message, span }) => [kind, message, mark(text, span)])).toEqual([
      [
        'encoding',
        'integer "9223372036854775808" does not fit 64 bits',
        '<9223372036854775808> at 14',
      ],
      [
        'encoding',
        'integer "-9223372036854775809" does not fit 64 bits',
        '<-9223372036854775809> at 41',
      ],
      [
        'encoding',
        'integer "0xffff_ffff_ffff_ffff" does not fit 64 bits',
        '<0xffff_ffff_ffff_ffff> at 66',
      ],
    ]);
    expect(violations[0]?.help).toBe(
      'expected an integer from -9223372036854775808 to 9223372036854775807',
    );
  });
});
