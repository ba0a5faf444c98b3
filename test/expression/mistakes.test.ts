import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, print } from '../../src/expression/index.js';
import { expression } from './arbitrary.js';

/** The parts of an expression that are read for themselves, each with a mistake put into it. */
const MISTAKES: readonly (readonly [string, (text: string) => string, string])[] = [
  ['an unknown character', (text) => `${text} ~`, 'unexpected "~"'],
  ['a wrong operator', (text) => `${text} ==`, 'unknown operator "=="'],
  ['an unclosed string', (text) => `${text} 'x`, 'the string is not closed on its line'],
  ['a stray parenthesis', (text) => `${text} )`, '")" closes no parenthesis'],
];

describe('a mistake at the end of one clause', () => {
  it.each(MISTAKES)('%s is found once, where it is', (_, spoil, message) => {
    fc.assert(
      fc.property(expression, fc.nat(), (tree, nth) => {
        const clauses = clausesOf(tree);
        const spoilt = nth % clauses.length;
        const texts = clauses.map((text, index) => (index === spoilt ? spoil(text) : text));
        const start = texts.slice(0, spoilt).join('\n').length + (spoilt > 0 ? 1 : 0);
        const from = start + (clauses[spoilt]?.length ?? 0) + 1;
        const { problems, tree: read } = parse(texts.join('\n'));
        expect(problems.map((problem) => [problem.message, problem.span.start])).toEqual([
          [message, from],
        ]);
        expect(read.broken.size).toBe(1);
      }),
    );
  });
});

/** The clauses of a random expression, each on its own line. */
function clausesOf(tree: Parameters<typeof print>[0]): string[] {
  const { match, when, filter, aggregate } = tree;
  const head = { kind: 'expression', span: tree.span, match } as const;
  const start = print(head);
  const rest = [when && { when }, filter && { filter }, aggregate && { aggregate }]
    .filter((clause) => clause !== undefined)
    .map((clause) => print({ ...head, ...clause }).slice(start.length + 1));
  return [start, ...rest];
}

describe('mistakes in two clauses', () => {
  it('give two findings, and the third clause is still there', () => {
    const { problems, tree, expression } = parse(
      "MATCH (name = 'a') AS a, (x = ) AS b WHEN a -> b FILTER a.x >",
    );
    expect(problems.map(({ span }) => span)).toEqual([
      { start: 30, end: 31 },
      { start: 61, end: 61 },
    ]);
    expect(expression).toBeUndefined();
    expect([...tree.broken]).toEqual(['match', 'filter']);
    expect(tree.when?.chains).toHaveLength(1);
    expect(tree.filter).toBeUndefined();
    expect(tree.match?.patterns.map(({ label }) => label.text)).toEqual(['a']);
    expect(tree.labels.map(({ text }) => text)).toEqual(['a', 'b']);
    expect(tree.labelsComplete).toBe(true);
  });
});
