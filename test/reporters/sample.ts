import type { Finding, RuleMeta } from '../../src/diagnostics/index.js';
import type { Report, ReporterContext } from '../../src/reporters/index.js';
import { SourceFile, type Span } from '../../src/source/index.js';

const rule = (id: string, severity: RuleMeta['severity'], summary: string): RuleMeta => ({
  id,
  severity,
  summary,
  why: 'A mistake here is found hours later, on the bench.',
  action: 'Write what the `format` asks for.',
  examples: { fails: 'name = 1', passes: 'name = "wind"' },
});

const rules: readonly RuleMeta[] = [
  rule('expression/syntax', 'error', 'A trace expression that the parser cannot read.'),
  rule('expression/unknown-label', 'error', 'A clause names a label that MATCH does not bind.'),
  {
    ...rule('expression/unquoted-string', 'warning', 'An attribute compared with a bare name.'),
    fixable: 'safe',
  },
  rule('objective/duplicate-mutator', 'error', 'Two `mutator` tables with one name and probe.'),
  rule('objective/invalid-value', 'error', 'A value that is empty, or too small.'),
  rule('objective/missing-key', 'error', 'A required key is absent.'),
  { ...rule('toml/syntax', 'error', 'The file is not TOML.'), mandatory: true },
];

/** The span of the nth place (from 1) at which a text stands in a file. */
export function spanOf(file: SourceFile, text: string, nth = 1): Span {
  let start = -1;
  for (let seen = 0; seen < nth; seen++) {
    start = file.text.indexOf(text, start + 1);
    if (start === -1) throw new Error(`no ${JSON.stringify(text)} in ${file.path}`);
  }
  return { start, end: start + text.length };
}

const wind = new SourceFile(
  'objectives/wind.objective.toml',
  `# what gusts do to the heartbeat
name = "wind"

[[measurement]]
name = "lost"
check = """
  MATCH start a, beat b
  WHEN a -> c
  FILTER b.name = HEARTBEAT
"""

[[mutator]]
name = "gust"

[[mutator]]
name = "gust"
param_constraints = [
  { name = "speed" },
  { name = "angle" },
  { name = "from" },
  { name = "to" },
  { name = "seed" },
  { name = "hold" },
  { name = "fade" },
]
`,
);

const wide = new SourceFile(
  'objectives/wide café 100%.toml',
  'name = "日本"\t# \u{1f469}‍\u{1f4bb} cafe\u0301 \u202eevil\u202c \u001b[31m \u0000 a\rb \ud800 z\n\tcheck = "𝒳"\n',
);

const crlf = new SourceFile(
  'objectives/crlf.toml',
  '\r\n[stopping_condition]\r\ntime = "5 m"\r\nattempts = [\r\n\t1,\r\n\t2\r\n]\r\n',
  true,
);

const long = new SourceFile(
  '/elsewhere/long.toml',
  `a = "${'x'.repeat(300)} needle ${'y'.repeat(300)} thread ${'z'.repeat(1_000_000)}"`,
);

const empty = new SourceFile('-', '');

const findings: readonly Finding[] = [
  {
    rule: 'toml/syntax',
    severity: 'error',
    message: 'the file is empty',
    file: empty,
    span: { start: 0, end: 0 },
  },
  {
    rule: 'toml/syntax',
    severity: 'error',
    message: 'no string is that long',
    file: long,
    span: spanOf(long, 'needle'),
    related: [
      { message: 'the string', file: long, span: { start: 4, end: long.text.length } },
      { message: 'near', file: long, span: spanOf(long, 'yy') },
      { message: 'far', file: long, span: spanOf(long, 'thread') },
    ],
  },
  {
    rule: 'objective/missing-key',
    severity: 'error',
    message: '"name" is missing',
    file: crlf,
    span: { start: 0, end: 2 },
  },
  {
    rule: 'objective/invalid-value',
    severity: 'error',
    message:
      '"m" is no unit: 50% of \r\n readers, "::" and <others> & all, ]]> take it for a metre',
    help: 'write `min`, not `m`\n::error file=a,line=1::spoofed \u001b[31m%25',
    file: crlf,
    span: spanOf(crlf, 'm"'),
  },
  {
    rule: 'objective/invalid-value',
    severity: 'warning',
    message: 'an array is no count',
    file: crlf,
    span: spanOf(crlf, '[\r\n\t1,\r\n\t2\r\n]'),
  },
  {
    rule: 'objective/invalid-value',
    severity: 'error',
    message: 'the end of the file',
    file: crlf,
    span: { start: crlf.text.length, end: crlf.text.length },
  },
  {
    rule: 'objective/invalid-value',
    severity: 'warning',
    message: "wide characters: '日本'",
    file: wide,
    span: spanOf(wide, '日本'),
    related: [
      { message: 'a sequence', file: wide, span: spanOf(wide, '\u{1f469}‍\u{1f4bb}') },
      { message: 'half of it', file: wide, span: spanOf(wide, '\u{1f4bb}') },
      { message: 'a combining mark', file: wide, span: spanOf(wide, 'e\u0301') },
      { message: 'hidden characters', file: wide, span: spanOf(wide, '\u202eevil\u202c') },
      { message: 'after them', file: wide, span: spanOf(wide, 'z') },
    ],
  },
  {
    rule: 'objective/invalid-value',
    severity: 'error',
    message: 'a tab, then half a surrogate pair: \ud835',
    file: wide,
    span: { start: wide.text.indexOf('𝒳'), end: wide.text.indexOf('𝒳') + 1 },
  },
  {
    rule: 'expression/unknown-label',
    severity: 'error',
    message: 'no pattern is labelled "c"',
    help: 'did you mean "b"?',
    file: wind,
    span: spanOf(wind, 'c', 3),
    related: [{ message: 'bound here', file: wind, span: spanOf(wind, 'beat b') }],
  },
  {
    rule: 'expression/unquoted-string',
    severity: 'warning',
    message: '"HEARTBEAT" is compared as a string',
    help: 'put it in quotes',
    file: wind,
    span: spanOf(wind, 'HEARTBEAT'),
    fix: {
      title: "write 'HEARTBEAT'",
      kind: 'safe',
      edits: [{ span: spanOf(wind, 'HEARTBEAT'), text: "'HEARTBEAT'" }],
    },
  },
  {
    rule: 'objective/duplicate-mutator',
    severity: 'error',
    message: 'two mutators are named "gust"',
    file: wind,
    span: spanOf(wind, '"gust"', 2),
    related: [
      { message: 'the first', file: wind, span: spanOf(wind, '"gust"') },
      { message: 'elsewhere', file: crlf, span: spanOf(crlf, 'attempts') },
    ],
  },
  {
    rule: 'objective/invalid-value',
    severity: 'warning',
    message: 'these constrain nothing',
    file: wind,
    span: { start: spanOf(wind, '[', 7).start, end: spanOf(wind, ']', 7).end },
  },
];

/** One finding of every kind that is hard to show: what each format makes of it is in fixtures/reporters. */
export const sample: Report = { findings, fileCount: 6, rules, version: '1.2.3' };

export const context: ReporterContext = {
  color: false,
  width: 80,
  directory: '/repo/bench',
  root: '/repo',
};

/** The path of a golden file. */
export const golden = (name: string) =>
  new URL(`../../fixtures/reporters/${name}`, import.meta.url).pathname;
