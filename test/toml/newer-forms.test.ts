import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { applyFixes, fixBytes } from '../../src/diagnostics/index.js';
import { lint, lintText } from '../../src/objective/index.js';
import { decodeSource } from '../../src/source/index.js';
import { readToml } from '../../src/toml/index.js';

function found(text: string) {
  const { findings } = readToml(decodeSource('x.toml', Buffer.from(text)));
  return findings.map(({ rule, severity, message, span }) => {
    return `${severity} ${rule} ${text.slice(span.start, span.end)}: ${message}`;
  });
}

const said = (at: string, what: string) =>
  `warning toml/newer-syntax ${at}: ${what} needs TOML 1.1, which many parsers do not support yet`;
const LINES = said('{', 'an inline table over several lines');
const COMMA = said(',', 'a trailing comma in an inline table');
const escaping = (written: string) => said(written, `the escape "${written}"`);

test.each([
  ['a = { b = 1,\n  c = 2 }', [LINES], 'a = { b = 1, c = 2 }'],
  ['a = {\r\n  b = 1,\r\n  c = 2,\r\n}', [LINES], 'a = { b = 1, c = 2 }'],
  ['a = { b = "}", c = [1,\n2,\n], }', [COMMA], 'a = { b = "}", c = [1,\n2,\n] }'],
  ['a = [\n  { b = "{x}",\n c = 1 },\n]', [LINES], 'a = [\n  { b = "{x}", c = 1 },\n]'],
  ['a = { b = {\n c = 1 } }', [LINES], 'a = { b = { c = 1 } }'],
  ['a = "\\e[0m"', [escaping('\\e')], 'a = "\\u001b[0m"'],
  [
    '"\\x41" = """\n\\\\x \\x42"""',
    [escaping('\\x41'), escaping('\\x42')],
    '"\\u0041" = """\n\\\\x \\u0042"""',
  ],
  ['a = 07:32', [said('07:32', 'a time without seconds')], 'a = 07:32:00'],
  [
    'a = 1979-05-27 07:32Z',
    [said('1979-05-27 07:32Z', 'a time without seconds')],
    'a = 1979-05-27 07:32:00Z',
  ],
])('%j is a form that TOML 1.0 does not have', (text, findings, right) => {
  expect(found(text)).toEqual(findings);
  const find = (bytes: Uint8Array) => readToml(decodeSource('x.toml', bytes)).findings;
  const fixed = Buffer.from(fixBytes('x.toml', Buffer.from(text), find).bytes).toString();
  expect(fixed.replaceAll(/ +/g, ' ')).toBe(right.replaceAll(/ +/g, ' '));
  expect(parse(fixed)).toEqual(parse(text));
  expect(found(fixed)).toEqual([]);
});

test.each([
  'a = { b = 1, c = [\n 1,\n] }',
  "a = '\\e \\x41' # \\e { a = 1, }",
  'a = 07:32:00.5\nb = 1979-05-27T00:32:00-07:00',
  "a = '''\n{ b = 1,\n}'''",
  'a = [\n  { b = "\\\\e" },\n]',
])('%j is TOML 1.0', (text) => {
  expect(found(text)).toEqual([]);
});

test('a table with comments between its lines is left to its author', () => {
  const text = 'a = { # one\n b = 1 }';
  expect(found(text)).toEqual([LINES]);
  const { findings } = readToml(decodeSource('x.toml', Buffer.from(text)));
  expect(applyFixes(text, findings)).toBe(text);
});

test('the warning can be silenced, and the file is read nevertheless', () => {
  const text = (comment: string) => `name = "x"
stopping_conditions = { attempts = 1, }${comment}
[[measurement]]
name = "m"
check = "MATCH (x = 1) AS a"
`;
  const rules = (some: string) => lintText('x.toml', some).map(({ rule }) => rule);
  expect(rules(text(''))).toEqual(['toml/newer-syntax']);
  expect(rules(text(' # perturb: ignore toml/newer-syntax'))).toEqual([]);
});

const units = (text: string) => Buffer.from(text, 'utf16le');

test.each([
  ['UTF-16LE', units('\ufeffname = "x"\nb = 1\n')],
  ['UTF-16LE', units('name = "x"\nb = 1\n')],
  ['UTF-16BE', units('\ufeffname = "x"\nb = 1\n').swap16()],
  ['UTF-16BE', units('name = "x"\nb = 1\n').swap16()],
])('a file in %s is one finding that says so', (encoding, bytes) => {
  const find = (some: Uint8Array) => lint(decodeSource('x.toml', some));
  const findings = find(bytes);
  expect(findings).toEqual([
    expect.objectContaining({
      rule: 'toml/encoding',
      severity: 'error',
      message: `this file is ${encoding}, not UTF-8`,
      help: `save it as UTF-8, or convert it with iconv -f ${encoding} -t UTF-8`,
      span: { start: 0, end: 'name = "x"'.length },
    }),
  ]);
  expect(findings[0]?.file.text).toBe('name = "x"\nb = 1\n');
  expect(fixBytes('x.toml', bytes, find, { suggested: true }).changed).toBe(false);
});
