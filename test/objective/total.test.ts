import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { loadObjective, rules } from '../../src/objective/index.js';
import { decodeSource, SourceFile } from '../../src/source/index.js';
import { roll } from '../dice.js';
import { isLong, runs } from '../long.js';

const ids = new Set(rules.map(({ id }) => id));
const prototype = JSON.stringify(Object.getOwnPropertyNames(Object.prototype));

/** Lints bytes: every finding is of a known rule and lies in the text, in order. */
function lintAny(input: Uint8Array | string) {
  const decoded = decodeSource('x.toml', typeof input === 'string' ? Buffer.from(input) : input);
  return lintDecoded(decoded);
}

function lintDecoded(decoded: Parameters<typeof loadObjective>[0]) {
  const { findings, objective } = loadObjective(decoded);
  const { length } = decoded.source.text;
  let last = 0;
  for (const { rule, span, message } of findings) {
    expect(ids).toContain(rule);
    expect(message).not.toBe('');
    expect(span.start).toBeGreaterThanOrEqual(last);
    expect(span.end).toBeGreaterThanOrEqual(span.start);
    expect(span.end).toBeLessThanOrEqual(length);
    last = span.start;
  }
  const failed = findings.some(({ severity }) => severity === 'error');
  expect(objective === undefined).toBe(failed);
  return findings;
}

const objective = (check: string): string =>
  `name = "x"\n[[measurement]]\nname = "y"\ncheck = ${check}\n[stopping_conditions]\nattempts = 1\n`;

const quoted = (text: string): string => JSON.stringify(text).replaceAll('\u007f', '\\u007f');

afterAll(() => {
  expect(JSON.stringify(Object.getOwnPropertyNames(Object.prototype))).toBe(prototype);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('any bytes give findings', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      lintAny(bytes);
    }),
    { numRuns: runs(3_000) },
  );
}, 300_000);

const TOML = [
  ...['name', 'measurement', 'mutator', 'check', 'stopping_conditions', 'attempts', 'time'],
  ...['param_constraints', 'range', 'enum_options', 'mutation_constraints', '__proto__', 'probe'],
  ...['mutation_precondition', 'mutator_tags', 'constructor', 'polluted', 'should_pass'],
  ...['[', ']', '[[', ']]', '{', '}', '=', ' = ', ',', '.', '"', "'", '"""', "'''", '\n', '\r\n'],
  ...['1', '-1', '0x10', '1.5', 'nan', 'inf', 'true', '9223372036854775808', '1979-05-27'],
  ...['"x"', '"1h 30m"', '["a", "b"]', '[1, 2]', '# note\n', '\\', '\\u0041', '\t', '🚁', '\u0000'],
];

const TRACE = [
  ...['MATCH', 'AS', 'WHEN', 'FILTER', 'AGGREGATE', 'AND', 'OR', 'TRUE', '(', ')', '->', '@', ','],
  ...['=', '!=', '<', '<=', '>', '>=', '.', 'a', 'b', 'name', 'probe', 'count', 'max', '()', '`a`'],
  ...["'s'", '"s"', '1', '1.5', '-3', "'", '"', '`', '#', '\n', '\\', '🚁', '\u00a0', ' ', '  '],
  ...['(name = 1) AS a', 'a -> b', 'a.x > 3', '==', '&&', '\ud800', '\r'],
];

test('anything that looks like TOML gives findings', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      lintAny(roll(seed).text(40, TOML));
    }),
    { numRuns: runs(10_000) },
  );
}, 300_000);

test('a sound file with a stretch of it replaced gives findings', () => {
  const sound = `name = "x"
[mutation_constraints]
mutator_tags = ["a", "b"]
[[mutator]]
name = "m"
param_constraints = [{ name = "p", range = [1, 2] }, { name = "q", enum_options = ["u"] }]
[[measurement]]
name = "y"
check = """
MATCH (name = 'a') AS a, (name = 'b') AS b WHEN a -> b AGGREGATE count() = 0
"""
[stopping_conditions]
attempts = 1
time = "1h 30min"
`;
  expect(lintAny(sound)).toEqual([]);
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const dice = roll(seed);
      const start = dice.upTo(sound.length);
      const end = start + dice.upTo(12);
      lintAny(sound.slice(0, start) + dice.text(4, TOML) + sound.slice(end));
    }),
    { numRuns: runs(10_000) },
  );
}, 300_000);

test('anything that looks like an expression gives findings', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const text = roll(seed).text(30, TRACE);
      lintAny(objective(quoted(text.replaceAll('\ud800', '\ufffd'))));
    }),
    { numRuns: runs(10_000) },
  );
}, 300_000);

test('lone surrogates in a text that was never bytes give findings', () => {
  for (const text of ['\ud800', objective('"MATCH \udc00"'), 'name = "\ud83d"', '# \ud800\n']) {
    lintDecoded({ source: new SourceFile('x.toml', text), invalid: [] });
  }
});

test.each([
  ['130,000 characters in a name', `name = "${'x'.repeat(130_000)}"\n`],
  ['130,000 characters in a wrong key', `'${'x'.repeat(130_000)}' = 1\n`],
  [
    '130,000 characters in an expression',
    objective(quoted(`MATCH (name = '${'x'.repeat(130_000)}' = 1) AS a`)),
  ],
  ['20,000 nested arrays', `name = ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`],
  ['20,000 nested inline tables', `name = ${'{a='.repeat(20_000)}1${'}'.repeat(20_000)}\n`],
  ['900 nested arrays', `name = ${'['.repeat(900)}${']'.repeat(900)}\n`],
  ['20,000 dotted keys', `${'a.'.repeat(20_000)}b = 1\n`],
  ['a header of 20,000 parts', `[${'a.'.repeat(20_000)}b]\n`],
  [
    'an expression nested 1,000 deep',
    objective(quoted(`MATCH ${'('.repeat(1_000)}a = 1${')'.repeat(1_000)} AS a`)),
  ],
  [
    'an expression nested 20,000 deep',
    objective(quoted(`MATCH ${'('.repeat(20_000)}a = 1${')'.repeat(20_000)} AS a`)),
  ],
  ['300 kB of opening parentheses', objective(quoted(`MATCH ${'('.repeat(300_000)}`))],
  ['300 kB of commas', objective(quoted(`MATCH ${','.repeat(300_000)}`))],
  ['300 kB of one name', objective(quoted(`MATCH ${'a'.repeat(300_000)}`))],
  ['300 kB of comment', objective(quoted(`#${'x'.repeat(300_000)}`))],
  ['300 kB of escapes', objective(`"${'\\u0041'.repeat(50_000)}"`)],
  ['300 kB without a line end', 'x'.repeat(300_000)],
  ['300 kB of line ends', '\n'.repeat(300_000)],
  ['300 kB of quotes', '"'.repeat(300_000)],
  ['1,000 wrong keys', Array.from({ length: 1_000 }, (_, index) => `k${index} = 1\n`).join('')],
  ['1,000 wrong arrays', Array.from({ length: 1_000 }, (_, at) => `k${at} = [1]\n`).join('')],
  [
    '1,000 preconditions',
    Array.from(
      { length: 1_000 },
      (_, at) =>
        `[[mutator]]\nname = "m${at}"\nmutation_precondition = "MATCH (name = 'e') AS e"\n`,
    ).join(''),
  ],
  ['__proto__ as a key', '__proto__ = { polluted = true }\n'],
  [
    '__proto__ as a table',
    '[__proto__]\npolluted = true\n[[constructor.prototype]]\npolluted = 1\n',
  ],
  ['__proto__ inside of tables', '[stopping_conditions]\n__proto__.polluted = 1\n'],
  ['an empty file', ''],
  ['only a BOM', '\ufeff'],
])('%s gives findings', (_name, text) => {
  expect(lintAny(text).length).toBeGreaterThan(0);
});

const PATTERNS = isLong ? 20_000 : 1_000;

test(`an expression of ${PATTERNS} patterns is checked to its end`, () => {
  const patterns = Array.from(
    { length: PATTERNS },
    (_, index) => `(name = 'event' AND id = ${index}) AS l${index}`,
  );
  const chain = Array.from({ length: PATTERNS }, (_, index) => `l${index}`).join(' -> ');
  const text = `MATCH ${patterns.join(', ')} WHEN ${chain}`;
  expect(lintAny(objective(quoted(text)))).toEqual([]);
  const findings = lintAny(objective(quoted(`${text} -> l0 -> nowhere`)));
  expect(findings.map(({ rule }) => rule)).toEqual([
    'expression/causal-cycle',
    'expression/unknown-label',
  ]);
});
