import { expect, test } from 'vitest';
import { type Expression, expressionToJson, parse, visit } from '../../../src/expression/index.js';
import type { Span } from '../../../src/source/index.js';

const TEXT = `MATCH (name = 'A' AND x.y @ P >= 9223372036854775807) AS a, (B @ Q OR z = 1.5) AS b
WHEN a -> b AND b || c AND c != d FILTER a.f = true AND a.e NOT IN (1) AND exists(a.h) AND a.g GLOB '*'
AGGREGATE count() * 2 = baseline(sum(abs(a.t - a.u))), share(a.v = 1) < 2s BY d.k, window(d.time, 1s) FOR 5%`;
const textOf = ({ start, end }: Span) => TEXT.slice(start, end);
const expression = parse(TEXT).expression as Expression;

test('visits every node once, a node before its parts, in text order', () => {
  const seen: [string, number][] = [];
  const note = (node: { readonly kind: string; readonly span: { readonly start: number } }) => {
    seen.push([node.kind, node.span.start]);
  };
  const kinds =
    'expression match pattern when chain arrow concurrent distinct filter aggregate measure call share baseline by window and or not comparison located in glob exists attribute abs sum product string integer float boolean duration name';
  visit(expression, Object.fromEntries(kinds.split(' ').map((kind) => [kind, note])));
  expect(new Set(seen.map(([kind]) => kind))).toEqual(new Set(kinds.split(' ')));
  const starts = seen.map(([, start]) => start);
  expect(starts).toEqual([...starts].sort((a, b) => a - b));
  const words = seen
    .filter(([kind]) => kind === 'name')
    .map(([, start]) => TEXT.slice(start, start + 1));
  expect(words.join('')).toBe('nxyPaBQzbabbccdafaeahagcsatauavdkdt');
});

test('a kind that shares its shape with another has a visitor of its own', () => {
  const alternatives: string[] = [];
  visit(expression, {
    or: ({ operands }) => alternatives.push(...operands.map(({ span }) => textOf(span))),
  });
  expect(alternatives).toEqual(['B @ Q', 'z = 1.5']);
});

test('false leaves out what is below', () => {
  const labels: string[] = [];
  visit(expression, {
    pattern: ({ label }) => labels.push(label.text) > 9,
    name: () => labels.push('!'),
  });
  expect(labels.slice(0, 2)).toEqual(['a', 'b']);
});

test('as JSON it is exact', () => {
  const json = expressionToJson(expression);
  expect(json).toContain('"value":9223372036854775807}');
  expect(JSON.parse(json)).toMatchObject({
    kind: 'expression',
    span: { start: 0, end: TEXT.length },
  });
  expect(JSON.parse(json).match.patterns).toHaveLength(2);
});
