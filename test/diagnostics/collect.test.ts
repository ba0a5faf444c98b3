import { expect, test } from 'vitest';
import { arrange, count, type Finding } from '../../src/diagnostics/index.js';
import { SourceFile } from '../../src/source/index.js';

const a = new SourceFile('a.toml', 'x'.repeat(20));
const b = new SourceFile('b.toml', 'x'.repeat(20));

function finding(file: SourceFile, start: number, end: number, rule = 'objective/r'): Finding {
  return { rule, severity: 'error', message: `${start}-${end}`, file, span: { start, end } };
}

test('findings are ordered by file, start, end and rule', () => {
  const ordered = [
    finding(a, 1, 2, 'expression/a'),
    finding(a, 1, 2, 'expression/b'),
    finding(a, 1, 3),
    finding(a, 10, 11),
    finding(b, 0, 1),
  ];
  expect(arrange([...ordered].reverse())).toEqual(ordered);
});

test('files are ordered by code point', () => {
  const [first, last] = ['\uff5e.toml', '\u{1f600}.toml'].map((path) => new SourceFile(path, 'x'));
  const ordered = [finding(first as SourceFile, 0, 1), finding(last as SourceFile, 0, 1)];
  expect(arrange([...ordered].reverse())).toEqual(ordered);
});

test('the same finding is kept once', () => {
  const twice = finding(a, 1, 2);
  expect(arrange([twice, { ...twice }])).toEqual([twice]);
});

test('findings that differ in message, rule or file are kept', () => {
  const one = finding(a, 1, 2);
  const all = [
    one,
    { ...one, message: 'other' },
    { ...one, rule: 'objective/s' },
    { ...one, file: b },
  ];
  expect(arrange(all)).toHaveLength(4);
});

test('findings are counted by severity', () => {
  const warning: Finding = { ...finding(a, 1, 2), severity: 'warning' };
  expect(count([finding(a, 1, 2), warning, warning])).toEqual({ errors: 1, warnings: 2 });
  expect(count([])).toEqual({ errors: 0, warnings: 0 });
});
