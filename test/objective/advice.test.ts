import { describe, expect, it, test } from 'vitest';
import { applyEdits, type Finding, type Fix, fixBytes } from '../../src/diagnostics/index.js';
import { lint, lintText } from '../../src/objective/index.js';
import { decodeSource } from '../../src/source/index.js';
import { MISTAKES, RIGHT, SLIPS } from './mistakes.js';
import { catalog } from './planted.js';

const objective = (check: string) => `name = "x"
[[measurement]]
name = "m"
check = '''${check}'''
[stopping_conditions]
attempts = 1
`;

/** What an expression is after its safe fixes, and after the suggested ones too. */
function fixed(check: string, suggested: boolean): string {
  const bytes = Buffer.from(objective(check));
  const find = (some: Uint8Array) => lint(decodeSource('x.toml', some));
  const text = Buffer.from(fixBytes('x.toml', bytes, find, { suggested }).bytes).toString();
  return /check = '''(.*)'''/s.exec(text)?.[1] ?? text;
}

const A_B = "MATCH (name = 'A') AS a, (name = 'B') AS b";

describe('safe fixes change nothing that was meant', () => {
  it.each([
    ['MATCH (requested = granted) AS a'],
    ['MATCH (mode != expected_mode) AS a'],
    ['MATCH (mode = STEADY AND STEADY > 3) AS a'],
    ['MATCH (name = HEARTBEAT) AS a'],
    ['MATCH (armed = yes) AS a'],
    ['MATCH (b=!c) AS a'],
    ["MATCH (name = 'A' || 'B') AS a"],
    [`${A_B} WHEN a ==> b`],
    [`${A_B} WHEN a -> b AGGREGATE count() > 1 || max(a.x) > 5`],
  ])('%s stays as it is', (check) => {
    expect(fixed(check, false)).toBe(check);
  });

  it.each([
    ["MATCH (name == 'A' && x <> 1) AS a", "MATCH (name = 'A' AND x != 1) AS a"],
    ['MATCH (name = “CRASH”) AS a', "MATCH (name = 'CRASH') AS a"],
    [`${A_B} WHEN a → b`, `${A_B} WHEN a -> b`],
    [
      "MATCH (name = 'A') AS a AGGREGATE count() > 1 && max(a.x) < 3",
      "MATCH (name = 'A') AS a AGGREGATE count() > 1, max(a.x) < 3",
    ],
    [
      "MATCH (x = 1) AS a && (name = 'B') AS b WHEN a -> b",
      "MATCH (x = 1) AS a, (name = 'B') AS b WHEN a -> b",
    ],
  ])('%s becomes %s', (check, right) => {
    expect(fixed(check, false)).toBe(right);
  });
});

describe('suggestions are made where they are asked for', () => {
  it.each([
    ['MATCH (mode = STEADY) AS a', "MATCH (mode = 'STEADY') AS a"],
    ['MATCH (name = HEARTBEAT) AS a', "MATCH (name = 'HEARTBEAT') AS a"],
    ['MATCH (armed = yes) AS a', 'MATCH (armed = TRUE) AS a'],
    ["MATCH (b=!'c') AS a", "MATCH (b!='c') AS a"],
    ["MATCH (name = 'A' || 'B') AS a", "MATCH (name IN ('A', 'B')) AS a"],
    [
      "MATCH (name != 'A' OR 'B' OR 'C') AS a",
      "MATCH (name != 'A' AND name != 'B' AND name != 'C') AS a",
    ],
    ["MATCH (name = ['A', 'B']) AS a", "MATCH (name IN ('A', 'B')) AS a"],
    ["MATCH (name = ('A' OR 'B')) AS a", "MATCH (name IN ('A', 'B')) AS a"],
    ['MATCH (name = ‘it’s’) AS a', "MATCH (name = 'it\\'s') AS a"],
    ['MATCH (x BETWEEN 1 AND 5) AS a', 'MATCH (x >= 1 AND x <= 5) AS a'],
    ['MATCH (1 < x < 5) AS a', 'MATCH (1 < x AND x < 5) AS a'],
    ['MATCH (x NOT BETWEEN 1 AND 5) AS a', 'MATCH ((x < 1 OR x > 5)) AS a'],
    ['MATCH (x IS NULL) AS a', 'MATCH (NOT exists(x)) AS a'],
    ['MATCH (x = null) AS a', 'MATCH (NOT exists(x)) AS a'],
    [`${A_B} WHEN a -> b FILTER a.x.y IS NOT NULL`, `${A_B} WHEN a -> b FILTER exists(a.x.y)`],
    [`${A_B} WHEN a -> b FILTER a.x != NULL`, `${A_B} WHEN a -> b FILTER exists(a.x)`],
    ["MATCH (startsWith(name, 'a')) AS a", "MATCH (name GLOB 'a*') AS a"],
    ["NOT (name = 'A')", "MATCH NOT (name = 'A') AS event"],
    ["name != 'A'", "MATCH NOT (name = 'A') AS event"],
    [
      `${A_B} WHEN a -> b AGGREGATE percentile(b.x, 0.999) < 5`,
      `${A_B} WHEN a -> b AGGREGATE percentile(b.x, 99.9) < 5`,
    ],
    [
      `${A_B} WHEN a -> b AGGREGATE count() > 1 BY a FOR 0.95%`,
      `${A_B} WHEN a -> b AGGREGATE count() > 1 BY a FOR 95%`,
    ],
    ["MATCH (name CONTAINS 'a*') AS a", "MATCH (name GLOB '*a[*]*') AS a"],
    [`${A_B} WHEN a ==> b`, `${A_B} WHEN a -> b`],
    [
      `${A_B} WHEN a -> b AGGREGATE count() in (2, 1)`,
      `${A_B} WHEN a -> b AGGREGATE count() >= 1, count() <= 2`,
    ],
    [`${A_B} WHEN a FOLLOWED BY b`, `${A_B} WHEN a -> b`],
    [`${A_B} WHEN a -> b WITHIN 100 ms`, `${A_B} WHEN a -> b WITHIN 100ms`],
    [`${A_B} WHEN a -> b WITHIN 10sec`, `${A_B} WHEN a -> b WITHIN 10s`],
    [`${A_B} WHEN a -> b WITHIN '5s'`, `${A_B} WHEN a -> b WITHIN 5s`],
    [`${A_B} WHEN a -> b WITHIN 5m`, `${A_B} WHEN a -> b WITHIN 5min`],
    [`${A_B} WHEN a -> b FILTER x > b.x`, `${A_B} WHEN a -> b FILTER a.x > b.x`],
    ['MATCH (fault.x > 3) AS fault', 'MATCH (x > 3) AS fault'],
  ])('%s becomes %s', (check, right) => {
    expect(fixed(check, true)).toBe(right);
  });
});

const curly = (line: string) =>
  `${line}\n[[measurement]]\nname = "m"\ncheck = "MATCH (x = 1) AS a"\n[stopping_conditions]\nattempts = 1\n`;

test.each([
  ['name = “Wind”', 'name = "Wind"'],
  ['name = ‘don’t’', 'name = "don\'t"'],
  ['name = “a “quoted” name”', 'name = "a \'quoted\' name"'],
  ['name = “it’s windy” # “so”', 'name = "it\'s windy" # “so”'],
  ['name = “””\nWind “so”\n”””', 'name = """\nWind “so”\n"""'],
])('%s in curly quotes is %s', (line, right) => {
  const find = (some: Uint8Array) => lint(decodeSource('x.toml', some));
  const { bytes, findings } = fixBytes('x.toml', Buffer.from(curly(line)), find);
  expect(Buffer.from(bytes).toString()).toBe(curly(right));
  expect(findings).toEqual([]);
});

test('a file whose quotes an editor made curly is as it was after its safe fixes', () => {
  const straight = RIGHT.replaceAll('"""', '"').replace(/(?<=check = ")[^"]*/, (text) =>
    text.replaceAll('\n', ' '),
  );
  const pasted = straight
    .replace(/(^|[\s(=[])(["'])/gm, (_, before, mark) => before + (mark === '"' ? '“' : '‘'))
    .replaceAll('"', '”')
    .replaceAll("'", '’');
  const find = (some: Uint8Array) => lint(decodeSource('x.toml', some), { catalog });
  const { bytes } = fixBytes('x.toml', Buffer.from(pasted), find);
  expect(Buffer.from(bytes).toString()).toBe(straight);
});

const lintWithCatalog = (text: string): Finding[] => lintText('x.toml', text, { catalog });

/** Findings that a fix leads to: a mistake that was hidden by the one it mends is none. */
function added(
  text: string,
  findings: readonly Finding[],
  { edits }: Pick<Fix, 'edits'>,
): string[] {
  const known = new Set(findings.map(({ rule, message }) => rule + message));
  const left = lintWithCatalog(applyEdits(text, edits));
  return left
    .filter(({ severity }) => severity === 'error')
    .filter(({ rule, message }) => !known.has(rule + message))
    .map(({ rule, message }) => `${rule} ${message}`);
}

const slips = SLIPS.map((marked) => {
  const [before = '', word = '', after = ''] = marked.split(/[«»]/);
  return [`misspelt ${marked}`, before + word + after, `${before}${word}${word.at(-1)}${after}`];
});

/** Advice that names a shape, or asks for what only the author knows. */
const SHAPES =
  /such as|\(condition\)|label\.attribute|\[lower, upper\]|closing quote|in WHEN|before the pattern|^write AND: |of one label|label\.payload|\]\] first,/;

test.each([...MISTAKES, ...slips] as const)(
  'the advice on %s can be followed',
  (...[, right = '', written = '']) => {
    const text = RIGHT.replace(right, () => written.replaceAll(/[«»]/g, ''));
    const findings = lintWithCatalog(text);
    expect(findings.length).toBeGreaterThan(0);
    for (const finding of findings) {
      const { help = '', fix, rule, message, span } = finding;
      if (/^(?:write|did you mean|put|remove the quotes)/.test(help) && !SHAPES.test(help)) {
        expect(fix, help).toBeDefined();
      }
      for (const one of fix === undefined ? [] : [fix, ...(fix.alternatives ?? [])]) {
        const left = lintWithCatalog(applyEdits(text, one.edits));
        const same = left.filter(
          (other) =>
            other.rule === rule && other.message === message && other.span.start === span.start,
        );
        expect(same, one.title).toEqual([]);
        expect(added(text, findings, one), one.title).toEqual([]);
      }
    }
  },
);

test.each([
  ['should_pass = true', 'should_fail = true', 'should_pass = false'],
  ['enum_options = ["gust", "steady"]', 'options = ["gust"]', 'enum_options = ["gust"]'],
  ['check = "MATCH', 'query = "MATCH', 'check = "MATCH'],
  ['name = "Wind"', 'title = "Wind"', 'name = "Wind"'],
  ['range = [0.0, 25.0]', 'range = ["9", "10"]', 'range = [9, 10]'],
  ['range = [0.0, 25.0]', 'range = "0..25"', 'range = [0, 25]'],
  ['range = [0.0, 25.0]', 'range = ["-5 - 2.5"]', 'range = [-5, 2.5]'],
  ['range = [0.0, 25.0]', 'range = (0, 25)', 'range = [0, 25]'],
  ['range = [0.0, 25.0]', 'range = 0..25', 'range = [0, 25]'],
  ['[stopping_conditions]', '[stopping conditions]', '[stopping_conditions]'],
  ['time = "2h 30min"', 'time = "PT1H30M"', 'time = "1h 30min"'],
  ['time = "2h 30min"', 'time = 1.5', 'time = "1.5h"'],
])('for %s, %s is one finding, and its answer %s', (right, written, answer) => {
  const findings = lintWithCatalog(RIGHT.replace(right, () => written));
  expect(findings).toHaveLength(1);
  const text = RIGHT.replace(right, () => written);
  expect(applyEdits(text, findings[0]?.fix?.edits ?? [])).toBe(RIGHT.replace(right, answer));
});

test.each([
  [
    `${A_B} WHEN NOT a -> b`,
    'for b without a before it, use NOT (condition) AS a in MATCH; for a without b after it, NOT (condition) AS b',
  ],
  ...['AGGREGATE count() > 5 OR max(a.x) > 3', 'AGGREGATE count() IN (1, 3)'].map((measures) => [
    `${A_B} WHEN a -> b ${measures}`,
    'AGGREGATE has no OR: all its measures must hold; make each a measurement of its own, and compare their results',
  ]),
])('nothing is suggested for %s', (check, help) => {
  expect(lintText('x.toml', objective(check))).toEqual([
    expect.objectContaining({ rule: 'expression/syntax', help }),
  ]);
  expect(fixed(check, true)).toBe(check);
});

test.each([
  ['[stopping_conditions]', 'merge the two'],
  ['[measurement]', 'write [[measurement]] at each'],
  ['[mutators]', 'merge the two, or write [[mutators]] at each for an array of tables'],
])('%s twice: %s', (header, help) => {
  const findings = lintText('x.toml', `${header}\nattempts = 1\n${header}\nattempts = 1\n`);
  expect(findings.map((finding) => finding.help)).toEqual([help]);
});

const OTLP = "MATCH (span.name = 'GET' AND http.status_code >= 500) AS http";

test.each([
  [OTLP, []],
  ["MATCH (span.name = 'GET') AS span, (span.kind = 'server') AS b WHEN span -> b", []],
  ['MATCH (a.x > 3) AS a FILTER a.a.x > 4', []],
  ['MATCH (a.x > 3) AS a FILTER a.x > 4', ['expression/label-in-pattern']],
  ['MATCH (url.depth > 3) AS url', ['expression/label-in-pattern']],
  [A_B, []],
  [`${A_B} AGGREGATE count() = 0`, ['expression/cartesian-product']],
  [`${A_B} WHEN a -> a AGGREGATE count() = 0`, ['expression/causal-cycle']],
])('%s has the findings %j', (check, rules) => {
  expect(lintText('x.toml', objective(check)).map(({ rule }) => rule)).toEqual(rules);
});

test('a constraint that is named by its key is one finding', () => {
  const text = (constraint: string) =>
    `${objective('MATCH (x = 1) AS a')}[[mutator]]\nname = "wind"\nparam_constraints = { ${constraint} = [0, 5] }\n`;
  const findings = lintText('x.toml', text('speed'));
  expect(findings.map(({ help }) => help)).toEqual(['write name = "speed", range = ...']);
  expect(applyEdits(text('speed'), findings[0]?.fix?.edits ?? [])).toBe(
    text('name = "speed", range'),
  );
});

test('a misspelt label is one finding with all its places, and one fix', () => {
  const match = "MATCH (name = 'A') AS early, (name = 'B') AS b";
  const rest =
    'WHEN early -> b FILTER early.x > 1 AND b.y < early.y AGGREGATE max(early.x) > 2 BY early';
  const [right, wrong] = [`${match} ${rest}`, `${match} ${rest.replaceAll('early', 'erly')}`];
  const [finding, ...others] = lintText('x.toml', objective(wrong));
  expect(others).toEqual([]);
  expect(finding).toMatchObject({
    rule: 'expression/unknown-label',
    help: 'did you mean "early"?',
  });
  expect(finding?.related).toHaveLength(4);
  expect(fixed(wrong, true)).toBe(right);
});

test.each([
  ['No missing heartbeat', "(name = 'HEARTBEAT') AS h"],
  ['Never fails to land', "(name = 'LAND') AS l"],
  ['Reports not ready', "(name = 'NOT_READY') AS r"],
  ['No load is noticed', "(name = 'NO_LOAD') AS l"],
  ['Never in error state', "(name = 'STATE' AND error = FALSE) AS s"],
  ['No low battery', "(name = 'BATTERY') AS b FILTER b.level > 20"],
  ['No power, safe stop', "(name = 'STOP') AS s"],
  ['Not stuck in takeoff', "(name = 'TAKEOFF_DONE') AS t"],
])('the name %j goes with %s', (name, pattern) => {
  const text = objective(`MATCH ${pattern}`).replace('name = "m"', `name = "${name}"`);
  expect(lintText('x.toml', text)).toEqual([]);
});

test.each([
  ['No crash at all', 'CRASH'],
  ['Lands without a crash', 'CRASH'],
  ['No loss of GPS', 'GPS_LOSS'],
])('the name %j rules %s out', (name, event) => {
  const text = objective(`MATCH (${event} @ GPS) AS e`).replace('name = "m"', `name = "${name}"`);
  expect(lintText('x.toml', text).map(({ message }) => message)).toEqual([
    `"${name}" passes where there is a "${event}"`,
  ]);
});

test.each([
  ['', ['objective/circular-precondition']],
  [' AGGREGATE count() = 0', ['expression/aggregate-in-precondition']],
])('a precondition of what was injected%s has the findings %j', (measure, rules) => {
  const text = `MATCH (name = 'perturb.injected') AS i${measure}`;
  const found = lintText(
    'x.toml',
    `${objective('MATCH (x = 1) AS a')}[mutation_constraints]\nmutation_precondition = "${text}"\n`,
  );
  expect(found.map(({ rule }) => rule)).toEqual(rules);
});

test.each([
  ["k = 'open'", "k = 'open'", true],
  ["k = 'open'", "k = 'open' AND id > 3", true],
  ["k GLOB 'a*'", "k GLOB 'b*'", false],
  ["k = 'b'", "k GLOB 'a*'", false],
  ["k IN ('x', 'y')", "k IN ('z', 'w')", false],
  ["(k = 'b' OR k = 'c')", "(k = 'd' OR k = 'e')", false],
])('orders with %s and orders with %s may be one event: %s', (one, other, may) => {
  const orders = [`(name = 'o' AND ${one}) AS a`, `(name = 'o' AND ${other}) AS b`];
  const text = `MATCH ${orders.join(', ')} FILTER a.id = b.id`;
  expect(lintText('x.toml', objective(text)).map(({ rule }) => rule)).toEqual(
    may ? ['expression/same-event'] : [],
  );
});

test.each(['', '\n\n', '# nothing yet\n'])('the empty file %j is one finding', (text) => {
  expect(lintText('x.toml', text).map(({ rule, message }) => [rule, message])).toEqual([
    ['objective/missing-key', 'the file is empty'],
  ]);
});

test.each(['/* Wind */', '// Wind'])('%s is answered with how TOML has comments', (comment) => {
  const findings = lintText('x.toml', `${comment}\n${RIGHT}`);
  expect(findings.map(({ help }) => help)).toEqual(['a comment begins with "#"']);
});

test.each([
  ["(name = 'A') AS a AGGREGATE max(a.x) - min(a.x) > 5", []],
  ["(name = 'A') AS a AGGREGATE 5 <= count() + distinct(a.x)", []],
  [
    "(name = 'A') AS a AGGREGATE max(a.x) + min(a.x) > 5",
    ['this may become false again as more happens'],
  ],
  [
    "(name = 'A') AS a AGGREGATE count() - max(a.x) > 5",
    ['this may become false again as more happens'],
  ],
])('as a precondition, %s has the findings %j', (pattern, messages) => {
  const text = RIGHT.replace(/(?<=mutation_precondition = ").*(?=")/, () => `MATCH ${pattern}`);
  expect(lintWithCatalog(text).map(({ message }) => message)).toEqual(messages);
});

test('a range of a lower and an upper key is written with the bounds that they have', () => {
  const text = RIGHT.replace('range = [0.0, 25.0]', 'min = 5\nmax = 7');
  expect(lintWithCatalog(text).map(({ help }) => help)).toEqual(['write range = [5, 7]']);
});
