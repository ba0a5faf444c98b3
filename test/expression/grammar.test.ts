import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { print } from '../../src/expression/index.js';
import { lex } from '../../src/expression/lex.js';
import { read, readExpression } from '../../src/expression/parser.js';
import { KEYWORDS, keywordOf, type Token, type TokenType } from '../../src/expression/tokens.js';
import { expression } from './arbitrary.js';
import { toEbnf } from './grammar-ebnf.js';
import { grammarRules, recognise } from './grammar-model.js';
import { toHtml } from './grammar-railroad.js';
import { BETWEEN, TOKEN_SHAPES } from './grammar-tokens.js';

const GRAMMAR = fileURLToPath(new URL('../../grammar/', import.meta.url));

describe('the grammar for readers', () => {
  it('is written as EBNF', async () => {
    const text = toEbnf(grammarRules);
    await expect(text).toMatchFileSnapshot(`${GRAMMAR}trace-expression.ebnf`);
  });

  it('is drawn as railroad diagrams that load nothing', async () => {
    const html = toHtml(grammarRules);
    expect(html).not.toMatch(/https?:|<script|@import|url\(/);
    await expect(html).toMatchFileSnapshot(`${GRAMMAR}trace-expression.html`);
  });
});

describe('the shapes of tokens for readers', () => {
  it.each(TOKEN_SHAPES.map((shape) => [shape.label, shape.pattern] as const))(
    '%s is what the lexer reads',
    (label, pattern) => {
      const tooLarge = (text: string) => label === 'number' && Math.abs(Number(text)) >= 2 ** 63;
      fc.assert(
        fc.property(
          fc.stringMatching(pattern).filter((text) => !isKeyword(text) && !tooLarge(text)),
          (text) => {
            const { tokens } = lex(text);
            expect(tokens.map(({ type, image, problem }) => [type, image, problem])).toEqual([
              [label, text, undefined],
            ]);
          },
        ),
      );
    },
  );

  it.each(BETWEEN.map((shape) => [shape.label, shape.pattern] as const))(
    '%s is no token',
    (_, pattern) => {
      fc.assert(
        fc.property(fc.stringMatching(pattern), (text) => {
          expect(lex(`${text}\n`).tokens).toEqual([]);
        }),
      );
    },
  );

  it('are there for every token of the grammar that is not fixed', () => {
    const fixed = /^([A-Z]+|->|[(),.@])$/;
    const labels = TYPES.filter((label) => !fixed.test(label));
    expect(TOKEN_SHAPES.map((shape) => shape.label)).toEqual(labels);
  });

  it('leave out the keywords, in whatever case', () => {
    const mixed = KEYWORDS.flatMap((word) => [word, word.toLowerCase(), `${word}S`, `_${word}`]);
    expect(mixed.map((text) => lex(text).tokens.map(({ type }) => type))).toEqual(
      KEYWORDS.flatMap((word) => [[word], [word], ['identifier'], ['identifier']]),
    );
  });
});

/** Every type of token, as the parser meets it. */
const TYPES: readonly TokenType[] = [
  ...KEYWORDS,
  'identifier',
  'quoted identifier',
  'string',
  'number',
  'comparator',
  '->',
  '(',
  ')',
  ',',
  '.',
  '@',
];

const CLAUSES = new Set<TokenType>(['WHEN', 'FILTER', 'AGGREGATE']);

const tokenOf = (type: TokenType, index: number): Token => ({
  type,
  start: index,
  end: index + 1,
  image: type === 'comparator' ? '=' : 'x',
  value: type === 'number' ? 1n : 'x',
  problem: undefined,
});

/** The tokens of an expression, some of them changed; no clause twice, which the parser refuses. */
const almost = fc
  .tuple(
    expression.map((tree) => lex(print(tree)).tokens.map(({ type }) => type)),
    fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom(...TYPES)), { maxLength: 3 }),
  )
  .map(([types, changes]) => {
    const changed = [...types];
    for (const [at, removed, type] of changes) {
      changed.splice(at % (changed.length + 1), removed, ...(removed === 2 ? [] : [type]));
    }
    return changed.filter((type, index) => !CLAUSES.has(type) || changed.indexOf(type) === index);
  });

describe('the parser', () => {
  it('reads what the grammar allows, and stops where the grammar does', () => {
    fc.assert(
      fc.property(almost, (types) => {
        const { tree, stopped } = read(readExpression, types.map(tokenOf));
        const { whole, stop } = recognise(types);
        expect(stopped === undefined).toBe(whole);
        expect(stopped?.index ?? types.length).toBe(stop);
        if (whole) expect(tree?.span).toEqual({ start: 0, end: types.length });
      }),
      { numRuns: 3000 },
    );
  });
});

function isKeyword(text: string): boolean {
  return keywordOf(text) !== undefined;
}
