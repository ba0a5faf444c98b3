import { expect, test } from 'vitest';
import { fixBytes } from '../../src/diagnostics/index.js';
import { lint } from '../../src/objective/index.js';
import { decodeSource } from '../../src/source/index.js';

const END = `
[stopping_conditions]
attempts = 10
`;

function findings(text: string, inlineIgnores = true): string[] {
  const source = decodeSource('x.toml', Buffer.from(text));
  return lint(source, { inlineIgnores }).map(
    ({ rule, span }) =>
      `${source.source.lines.position(span.start).line} ${rule} ${JSON.stringify(text.slice(span.start, span.end))}`,
  );
}

const measurement = (check: string): string =>
  `name = "x"\n[[measurement]]\nname = "y"\ncheck = ${check}\n${END}`;

test('a comment behind something silences its own line', () => {
  const text = (comment: string) =>
    `name = "x" ${comment}\ntitle = "y"${comment}\n${measurement('"MATCH (a = 1) AS a"').slice(11)}`;
  expect(findings(text(''))).toEqual(['2 objective/unknown-key "title"']);
  const comment = '# perturb: ignore objective/unknown-key';
  expect(findings(text(comment))).toEqual([`1 ignore/unused ${JSON.stringify(comment)}`]);
  expect(findings(text(comment), false)).toEqual(['2 objective/unknown-key "title"']);
});

test.each([
  ['directly above', ''],
  ['above other comments and empty lines', '# why\n\n  # more\n'],
])('a comment on a line of its own silences the next line: %s', (_name, between) => {
  const text = `# perturb: ignore objective/unknown-key it is for another tool\n${between}title = "y"\nother = 1\n${measurement('"MATCH (a = 1) AS a"')}`;
  const line = 3 + between.split('\n').length - 1;
  expect(findings(text)).toEqual([`${line} objective/unknown-key "other"`]);
});

test('ignore-file silences the whole file, above and below', () => {
  const text = `title = "y"\n${measurement('"MATCH (name = B) AS a"')}# perturb: ignore-file objective/unknown-key, expression/unquoted-string\n`;
  expect(findings(text)).toEqual([]);
});

test('comments in an expression silence its lines', () => {
  const text = measurement(`"""
MATCH (name = B) AS a, # perturb: ignore expression/unquoted-string
  # perturb: ignore expression/unquoted-string, expression/cartesian-product
  (name = C) AS b,
  (name = D) AS c
AGGREGATE count() > 1
"""`);
  expect(findings(text)).toEqual([
    '8 expression/unquoted-string "D"',
    '8 expression/cartesian-product "c"',
  ]);
});

test('lines of an expression are those of its text, also when escapes write them', () => {
  const text = measurement(
    '"MATCH (name = B) AS a # perturb: ignore expression/unquoted-string\\nFILTER a.x = b.y"',
  );
  expect(findings(text)).toEqual(['4 expression/unknown-label "b"']);
  const alone = measurement(
    '"# perturb: ignore expression/unquoted-string\\nMATCH (name = B) AS a"',
  );
  expect(findings(alone)).toEqual([]);
});

test('a text that only looks like a comment silences nothing', () => {
  const text = `name = "# perturb: ignore-file objective/unknown-key"\ntitle = 1\n${measurement('"MATCH (a = \'# perturb: ignore a/b\') AS a"').slice(11)}`;
  expect(findings(text)).toEqual(['2 objective/unknown-key "title"']);
});

test('what is not known is said at the id, and at the directive', () => {
  const text = `${measurement('"MATCH (a = 1) AS a"')}# perturb: ignore objective/unknown-kye
# perturb: ignored objective/unknown-key
# perturb: ignore
# perturb: ignore catalog/too-few-mutators
`;
  const source = decodeSource('x.toml', Buffer.from(text));
  expect(
    lint(source).map(({ rule, message, help, span }) => [
      rule,
      text.slice(span.start, span.end),
      message,
      help,
    ]),
  ).toEqual([
    [
      'ignore/unknown-rule',
      'objective/unknown-kye',
      'unknown rule "objective/unknown-kye"',
      'did you mean "objective/unknown-key"?',
    ],
    ['ignore/unknown-rule', 'ignored', 'unknown directive "ignored"', 'did you mean "ignore"?'],
    [
      'ignore/unknown-rule',
      '# perturb: ignore',
      '"ignore" has no rule id',
      "write the rule's id, such as ignore expression/unquoted-string",
    ],
    [
      'ignore/unknown-rule',
      'catalog/too-few-mutators',
      'unknown rule "catalog/too-few-mutators"',
      'the rule no longer exists: remove its id',
    ],
  ]);
});

test('a mandatory rule is reported all the same', () => {
  const text = measurement('"MATCH (a = ) AS a" # perturb: ignore expression/syntax');
  expect(findings(text)).toEqual([
    '4 expression/syntax ")"',
    '4 ignore/unused "# perturb: ignore expression/syntax"',
  ]);
});

test('of two rules in one comment only the idle one is unused', () => {
  const text = `title = 1 # perturb: ignore objective/unknown-key, objective/wrong-type\n${measurement('"MATCH (a = 1) AS a"')}`;
  const source = decodeSource('x.toml', Buffer.from(text));
  expect(lint(source)).toEqual([
    expect.objectContaining({
      message: 'rule "objective/wrong-type" reports nothing here to ignore',
      help: 'remove "objective/wrong-type"',
      fix: {
        title: 'remove "objective/wrong-type"',
        kind: 'safe',
        edits: [{ span: { start: 49, end: 71 }, text: '' }],
      },
    }),
  ]);
});

test('a thousand ignores silence a thousand findings', () => {
  const tables = Array.from(
    { length: 1_000 },
    (_, i) => `[[measurement]]
name = "m${i}"
# perturb: ignore expression/unquoted-string
check = "MATCH (name = B${i}) AS b"
`,
  );
  const source = decodeSource('x.toml', Buffer.from(`name = "x"\n${tables.join('')}${END}`));
  const found = [false, true].map((inlineIgnores) => lint(source, { inlineIgnores }).length);
  expect(found).toEqual([1_000, 0]);
});

test('a group of rules is ignored as --only names it', () => {
  const text = (comment: string) =>
    measurement(`"MATCH (name = B AND x > 5 AND x < 3) AS a" # perturb: ignore ${comment}`);
  expect(findings(text('expression/*'))).toEqual([]);
  expect(findings(text('objective/*, expression/*'))).toEqual([
    '4 ignore/unused "# perturb: ignore objective/*, expression/*"',
  ]);
  expect(findings(text('expresion/*')).filter((one) => one.includes('ignore/'))).toEqual([
    '4 ignore/unknown-rule "expresion/*"',
  ]);
  const broken = measurement('"MATCH (name" # perturb: ignore expression/*, catalog/*');
  expect(findings(broken)).toEqual(['4 expression/syntax ""']);
});

test.each([
  ['expression/syntx -- it is meant so', 'expression/syntax -- it is meant so'],
  ['expression/unquoted-strin: it is meant so', 'expression/unquoted-string: it is meant so'],
  ['expressio/*: it is meant so', 'expression/*: it is meant so'],
])('the reason of %s stays when the id is mended', (written, right) => {
  const text = measurement(`"MATCH (name = B) AS a" # perturb: ignore ${written}`);
  const source = decodeSource('x.toml', Buffer.from(text));
  const edits = lint(source).flatMap(({ rule, fix }) =>
    rule === 'ignore/unknown-rule' ? (fix?.edits ?? []) : [],
  );
  const [{ span, text: by } = { span: { start: 0, end: 0 }, text: '' }] = edits;
  expect(text.slice(0, span.start) + by + text.slice(span.end)).toContain(`ignore ${right}\n`);
});

test.each([
  [' # perturb: ignore objective/unknown-key', ''],
  [' # perturb: ignore objective/unknown-key just so', ''],
  [' # perturb: ignore objective/unknown-key -- just so', ' # just so'],
  [' # perturb: ignore objective/*: just so', ' # just so'],
  [
    ' # perturb: ignore objective/unknown-key, expression/unquoted-string: just so',
    ' # perturb: ignore expression/unquoted-string: just so',
  ],
  [
    ' # perturb: ignore expression/unquoted-string, objective/*, objective/unknown-key',
    ' # perturb: ignore expression/unquoted-string',
  ],
])('what silences nothing of %s is removed, and its reason stays', (written, left) => {
  const text = (comment: string) => measurement(`"MATCH (name = B) AS a"${comment}`);
  const find = (bytes: Uint8Array) => lint(decodeSource('x.toml', bytes));
  const { bytes } = fixBytes('x.toml', Buffer.from(text(written)), find);
  expect(Buffer.from(bytes).toString()).toBe(text(left));
});

test('a comment above a string of several lines says where it belongs', () => {
  const text = measurement('"""\nMATCH\n  (name = CRASH) AS a\n"""').replace(
    'check =',
    '# perturb: ignore expression/unquoted-string\ncheck =',
  );
  const source = decodeSource('x.toml', Buffer.from(text));
  const [unused, reported] = lint(source);
  expect([unused?.rule, unused?.message, unused?.help, unused?.fix]).toEqual([
    'ignore/unused',
    'rule "expression/unquoted-string" has a finding on line 7, which this comment does not cover',
    'a comment silences only one line: move the comment into the string, above line 7',
    undefined,
  ]);
  expect(reported?.rule).toBe('expression/unquoted-string');
  const moved = text
    .replace('# perturb: ignore expression/unquoted-string\n', '')
    .replace('  (name', '# perturb: ignore expression/unquoted-string\n  (name');
  expect(findings(moved)).toEqual([]);
});
