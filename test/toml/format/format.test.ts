import { describe, expect, expectTypeOf, it } from 'vitest';
import { SourceFile } from '../../../src/source/index.js';
import {
  anyScalar,
  array,
  boolean,
  type ConformingTable,
  enumOf,
  integer,
  map,
  number,
  parseToml,
  scalarOrTable,
  string,
  stringOrStrings,
  type TableFormat,
  type TomlDocument,
  type TomlPath,
  table,
  tables,
  tableWithSubtables,
  validate,
} from '../../../src/toml/index.js';

const description = 'A key.';

const constraint = table({
  name: { format: string(), required: true, description },
  range: { format: array(anyScalar), description },
});

const format = table({
  name: { format: string({ nonEmpty: true }), required: true, description, example: 'wind' },
  count: { format: integer({ min: 1n }), description },
  percent: { format: integer({ min: 0n, max: 100n }), description },
  low: { format: integer({ max: -1n }), description },
  enabled: { format: boolean, description },
  factor: { format: number, description },
  least: { format: anyScalar, description },
  kind: { format: enumOf(['exec', 'http']), description },
  tags: { format: array(string()), description },
  limits: { format: table({ attempts: { format: integer(), description } }), description },
  constraint: { format: tables(constraint, { orTable: true }), description },
  rules: { format: map(enumOf(['off', 'warn'])), description },
  measurement: {
    format: tables(table({ check: { format: string(), required: true, description } }), {
      atLeast: 1,
    }),
    description,
  },
});

function read(text: string): TomlDocument {
  const { document, violations } = parseToml(new SourceFile('a.toml', text));
  expect(violations).toEqual([]);
  return document as TomlDocument;
}

const COMPLETE = 'name = "n"\n';
const MEASURED = '\n[[measurement]]\ncheck = "c"\n';

/** Each misfit of a document as one text: the marked characters, then what is said. */
function misfitsOf(text: string, of: TableFormat = format): string[] {
  const document = read(text);
  return validate(document, of).misfits.map(({ kind, message, help, span, path }) => {
    const marked = document.file.text.slice(span.start, span.end);
    return [`${path.join('.')} <${marked}>`, kind, message, ...(help ? [help] : [])].join(' | ');
  });
}

describe('what fits', () => {
  it('is given with the path of each table', () => {
    const text = `name = "n"
count = 3
factor = 1.5
least = 2
kind = "http"
tags = ["a", "b"]
rules = { "__proto__" = "off", b = "warn" }
constraint = { name = "p", range = [1, "x"] }
${MEASURED}`;
    const { value, misfits } = validate(read(text), format);
    expect(misfits).toEqual([]);
    expect(value).toEqual({
      path: [],
      keys: {
        name: 'n',
        count: 3n,
        factor: 1.5,
        least: 2n,
        kind: 'http',
        tags: ['a', 'b'],
        rules: {
          path: ['rules'],
          entries: new Map([
            ['__proto__', 'off'],
            ['b', 'warn'],
          ]),
        },
        constraint: [{ path: ['constraint'], keys: { name: 'p', range: [1n, 'x'] } }],
        measurement: [{ path: ['measurement', 0], keys: { check: 'c' } }],
      },
    });
  });

  it('has the types of the format', () => {
    const { keys } = validate(read(COMPLETE + MEASURED), format).value;
    expectTypeOf(keys.name).toEqualTypeOf<string | undefined>();
    expectTypeOf(keys.count).toEqualTypeOf<bigint | undefined>();
    expectTypeOf(keys.factor).toEqualTypeOf<bigint | number | undefined>();
    expectTypeOf(keys.kind).toEqualTypeOf<'exec' | 'http' | undefined>();
    expectTypeOf(keys.tags).toEqualTypeOf<readonly (string | undefined)[] | undefined>();
    expectTypeOf(keys.limits?.path).toEqualTypeOf<TomlPath | undefined>();
    expectTypeOf(keys.limits?.keys.attempts).toEqualTypeOf<bigint | undefined>();
    expectTypeOf(keys.rules?.entries.get('x')).toEqualTypeOf<'off' | 'warn' | undefined>();
    expectTypeOf(keys.constraint?.[0]).toEqualTypeOf<
      ConformingTable<(typeof constraint)['keys']> | undefined
    >();
    expect(keys).toEqual({
      name: 'n',
      measurement: [{ path: ['measurement', 0], keys: { check: 'c' } }],
    });
  });

  it('keeps the indexes of elements when others do not fit', () => {
    const text = `${COMPLETE}tags = [1, "b"]\nconstraint = [7, { name = "q" }]\n${MEASURED}`;
    const { value } = validate(read(text), format);
    expect(value.keys.tags).toEqual([undefined, 'b']);
    expect(value.keys.constraint).toEqual([
      undefined,
      { path: ['constraint', 1], keys: { name: 'q' } },
    ]);
  });
});

describe('a table with others in it', () => {
  const times = { at: { format: stringOrStrings, description } };
  const mixed = table({ times: { format: tableWithSubtables(times, table(times)), description } });

  it('gives its own keys, and the tables of other names', () => {
    const { value } = validate(read('times.at = "1s"\n[times.wind]\nat = ["2s", "3s"]\n'), mixed);
    expectTypeOf(value.keys.times?.keys.at).toEqualTypeOf<
      string | readonly (string | undefined)[] | undefined
    >();
    expect(value.keys.times).toEqual({
      path: ['times'],
      keys: { at: '1s' },
      subtables: new Map([['wind', { path: ['times', 'wind'], keys: { at: ['2s', '3s'] } }]]),
    });
  });

  it.each([
    ['times.ta = "1s"', 'times.ta <ta> | unknown-key | unknown key "ta" | expected "at"'],
    ['times.wind.ta = "1s"', 'times.wind.ta <ta> | unknown-key | unknown key "ta" | expected "at"'],
    [
      'times.at = {}',
      'times.at <{}> | wrong-type | expected a string or an array of strings, found a table',
    ],
    [
      'times.at = ["1s", 2]',
      'times.at.1 <2> | wrong-type | expected a string, found an integer | put it in quotes: "2"',
    ],
  ])('%j', (text, misfit) => {
    expect(misfitsOf(text, mixed)).toEqual([misfit]);
  });
});

describe('missing-key', () => {
  it.each<[string, string[]]>([
    [
      '',
      [
        'name <> | missing-key | missing key "name" | add name = "wind"',
        'measurement <> | missing-key | missing key "measurement" | add a table [[measurement]]',
      ],
    ],
    [
      `# mine\r\n${COMPLETE}`,
      [
        'measurement <# mine> | missing-key | missing key "measurement" | add a table [[measurement]]',
      ],
    ],
    [
      `${COMPLETE}measurement = [ ]`,
      ['measurement <[ ]> | missing-key | "measurement" is empty, expected at least one table'],
    ],
    [
      `${COMPLETE}[[ measurement ]] # x\n`,
      [
        'measurement.0.check <[[ measurement ]]> | missing-key | missing key "check" | add check = "..."',
      ],
    ],
    [
      `${COMPLETE}measurement = [{ }]`,
      ['measurement.0.check <{ }> | missing-key | missing key "check" | add check = "..."'],
    ],
    [
      `${COMPLETE}constraint.range = []\n${MEASURED}`,
      ['constraint.name <constraint> | missing-key | missing key "name" | add name = "..."'],
    ],
  ])('%j', (text, expected) => {
    expect(misfitsOf(text)).toEqual(expected);
  });

  it('tells what to add by the format of the key', () => {
    const inner = table({
      'a b': { format: table({}), required: true, description },
      list: { format: tables(table({}), { atLeast: 1 }), description },
      either: { format: tables(table({}), { orTable: true }), required: true, description },
      words: { format: array(string()), required: true, description },
      kind: { format: enumOf(['exec', 'http']), required: true, description },
      count: { format: integer(), required: true, description },
      pair: { format: array(number), required: true, description, example: [0, 1.5] },
      should: { format: boolean, required: true, description, default: true },
      free: { format: map(string()), required: true, description },
    });
    const outer = table({ top: { format: inner, description } });
    const helps = (text: string) => validate(read(text), outer).misfits.map(({ help }) => help);
    const shared = ['add words = [...]', 'add kind = "exec" or "http"', 'add count = ...'];
    expect(helps('[top]')).toEqual([
      'add a table [top."a b"]',
      'add a table [[top.list]]',
      'add a table [[top.either]]',
      ...shared,
      'add pair = [0, 1.5]',
      'add should = true',
      'add a table [top.free]',
    ]);
    expect(helps('top = {}')).toEqual([
      'add "a b" = { ... }',
      'add list = [{ ... }]',
      'add either = [{ ... }]',
      ...shared,
      'add pair = [0, 1.5]',
      'add should = true',
      'add free = { ... }',
    ]);
  });
});

describe('unknown-key', () => {
  const known =
    'expected one of "name", "count", "percent", "low", "enabled", "factor", "least", "kind" or 5 more';
  it.each<[string, string[]]>([
    [
      '"nam" = 1',
      [
        'nam <"nam"> | unknown-key | unknown key "nam" | "name" is already here: keep one of the two',
      ],
    ],
    [
      'limits.atempts = 1',
      ['limits.atempts <atempts> | unknown-key | unknown key "atempts" | did you mean "attempts"?'],
    ],
    ['__proto__ = 1', [`__proto__ <__proto__> | unknown-key | unknown key "__proto__" | ${known}`]],
    [
      'constructor.x = 1',
      [`constructor <constructor> | unknown-key | unknown key "constructor" | ${known}`],
    ],
    ['toString = "x"', [`toString <toString> | unknown-key | unknown key "toString" | ${known}`]],
    ['[ "\\u0078" ]', [`x <"\\u0078"> | unknown-key | unknown key "x" | ${known}`]],
  ])('%j', (text, expected) => {
    const rest = text.startsWith('[')
      ? `${COMPLETE}${MEASURED}${text}`
      : `${COMPLETE}${text}${MEASURED}`;
    expect(misfitsOf(rest)).toEqual(expected);
  });

  it('leaves Object.prototype alone', () => {
    misfitsOf('__proto__.polluted = 1\n[constructor.prototype]\npolluted = 2');
    expect({}).not.toHaveProperty('polluted');
    expect(read('a = 1').has(['toString'])).toBe(false);
    expect(read('a = [1]').has(['a', 0])).toBe(true);
    expect(read('a = [1]').has(['a', 'length'])).toBe(false);
  });
});

describe('a table of free keys', () => {
  const free = table({
    own: { format: map(scalarOrTable, { reserved: { name: 'it is above' } }), description },
  });

  it('has strings, numbers, booleans and tables as they are', () => {
    const { value, misfits } = validate(
      read('own = { a = 1, b.c = [2.5], d = "x", e = true }'),
      free,
    );
    expect(misfits).toEqual([]);
    expect(value.keys.own?.entries).toEqual(
      new Map<string, unknown>([
        ['a', 1n],
        ['b', { c: [2.5] }],
        ['d', 'x'],
        ['e', true],
      ]),
    );
  });

  it('has neither arrays nor dates, nor reserved keys', () => {
    const expected = 'wrong-type | expected a string, a number, a boolean or a table, found';
    expect(misfitsOf('[own]\na = [1]\nb = 2024-05-01\nname = []', free)).toEqual([
      `own.a <[1]> | ${expected} an array`,
      `own.b <2024-05-01> | ${expected} a date | put it in quotes: "2024-05-01"`,
      'own.name <name> | unknown-key | "name" is reserved | it is above',
    ]);
  });
});

describe('wrong-type', () => {
  it.each<[string, string]>([
    [
      'name = 5',
      'name <5> | wrong-type | expected a string, found an integer | put it in quotes: "5"',
    ],
    [
      'name = 0.5',
      'name <0.5> | wrong-type | expected a string, found a float | put it in quotes: "0.5"',
    ],
    [
      'name = true',
      'name <true> | wrong-type | expected a string, found a boolean | put it in quotes: "true"',
    ],
    [
      'name = 1979-05-27',
      'name <1979-05-27> | wrong-type | expected a string, found a date | put it in quotes: "1979-05-27"',
    ],
    [
      'name = 07:32',
      'name <07:32> | wrong-type | expected a string, found a time | put it in quotes: "07:32"',
    ],
    [
      'name = 1979-05-27 07:32Z',
      'name <1979-05-27 07:32Z> | wrong-type | expected a string, found a date with a time | put it in quotes: "1979-05-27 07:32Z"',
    ],
    ['name = ["n"]', 'name <["n"]> | wrong-type | expected a string, found an array'],
    ['name = []', 'name <[]> | wrong-type | expected a string, found an array'],
    ['name = {}', 'name <{}> | wrong-type | expected a string, found a table'],
    ['name.x = 1', 'name <name> | wrong-type | expected a string, found a table'],
    [
      'count = "5"',
      'count <"5"> | wrong-type | expected an integer, found a string | remove the quotes: 5',
    ],
    ['count = "five"', 'count <"five"> | wrong-type | expected an integer, found a string'],
    ['count = 5.0', 'count <5.0> | wrong-type | expected an integer, found a float | write 5'],
    ['count = 5.5', 'count <5.5> | wrong-type | expected an integer, found a float'],
    [
      'factor = "0.5"',
      'factor <"0.5"> | wrong-type | expected a number, found a string | remove the quotes: 0.5',
    ],
    [
      'enabled = "true"',
      'enabled <"true"> | wrong-type | expected a boolean, found a string | remove the quotes: true',
    ],
    ['enabled = 1', 'enabled <1> | wrong-type | expected a boolean, found an integer'],
    [
      'least = [1]',
      'least <[1]> | wrong-type | expected a string, a number or a boolean, found an array',
    ],
    [
      'least = 1979-05-27',
      'least <1979-05-27> | wrong-type | expected a string, a number or a boolean, found a date',
    ],
    [
      'kind = 1',
      'kind <1> | wrong-type | expected a string, found an integer | expected one of "exec" or "http"',
    ],
    [
      'tags = "a"',
      'tags <"a"> | wrong-type | expected an array, found a string | put it in brackets: ["a"]',
    ],
    [
      'tags = ["a", 2]',
      'tags.1 <2> | wrong-type | expected a string, found an integer | put it in quotes: "2"',
    ],
    ['rules = 1', 'rules <1> | wrong-type | expected a table, found an integer'],
    [
      'limits = [{ attempts = 1 }]',
      'limits <[{ attempts = 1 }]> | wrong-type | expected a table, found an array of tables | remove the brackets',
    ],
    [
      '[[limits]]',
      'limits <[[limits]]> | wrong-type | expected a table, found an array of tables | write [limits]',
    ],
    [
      'constraint = 1',
      'constraint <1> | wrong-type | expected a table or an array of tables, found an integer',
    ],
    ['constraint = [1]', 'constraint.0 <1> | wrong-type | expected a table, found an integer'],
  ])('%j', (text, expected) => {
    const name = text.startsWith('name') ? '' : COMPLETE;
    const rest = text.startsWith('[[') ? `${name}${MEASURED}${text}` : `${name}${text}${MEASURED}`;
    expect(misfitsOf(rest)).toEqual([expected]);
  });

  it.each<[string, string]>([
    [
      '[ measurement ]\ncheck = "c"',
      '<[ measurement ]> | wrong-type | expected an array of tables, found a table | write [[measurement]]',
    ],
    [
      'measurement.check = "c"',
      '<measurement> | wrong-type | expected an array of tables, found a table | use [[measurement]]',
    ],
    [
      'measurement = { check = "c" }',
      '<{ check = "c" }> | wrong-type | expected an array of tables, found a table | put it in brackets: [{ ... }]',
    ],
    ['measurement = "c"', '<"c"> | wrong-type | expected an array of tables, found a string'],
  ])('%j', (text, expected) => {
    expect(misfitsOf(COMPLETE + text)).toEqual([`measurement ${expected}`]);
  });

  it('writes the whole path in a header', () => {
    const inner = table({ 'param set': { format: tables(table({})), description } });
    const outer = table({ mutator: { format: tables(inner), description } });
    expect(misfitsOf('[[mutator]]\n[mutator."param set"]', outer)).toEqual([
      'mutator.0.param set <[mutator."param set"]> | wrong-type | expected an array of tables, found a table | write [[mutator."param set"]]',
    ]);
  });
});

describe('invalid-value', () => {
  it.each<[string, string]>([
    ['name = ""', 'name <""> | invalid-value | "name" must not be empty'],
    ['name = """\\\n  """', 'name <"""\\\n  """> | invalid-value | "name" must not be empty'],
    ['name = " \\t"', 'name <" \\t"> | invalid-value | "name" must not be empty'],
    ['count = 0', 'count <0> | invalid-value | "count" is 0, expected at least 1'],
    ['low = 0', 'low <0> | invalid-value | "low" is 0, expected at most -1'],
    ['percent = 0x65', 'percent <0x65> | invalid-value | "percent" is 101, expected 0 to 100'],
    [
      'kind = "htp"',
      'kind <"htp"> | invalid-value | "kind" cannot be "htp" | did you mean "http"?',
    ],
    [
      'kind = "file"',
      'kind <"file"> | invalid-value | "kind" cannot be "file" | expected one of "exec" or "http"',
    ],
    [
      'rules.x = "of"',
      'rules.x <"of"> | invalid-value | "x" cannot be "of" | expected one of "off" or "warn"',
    ],
  ])('%j', (text, expected) => {
    const name = text.startsWith('name') ? '' : COMPLETE;
    const misfits = misfitsOf(`${name}${text}${MEASURED}`);
    expect(misfits).toEqual([expected]);
  });
});
