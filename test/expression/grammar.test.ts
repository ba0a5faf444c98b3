import { fileURLToPath } from 'node:url';
import { tokenLabel } from 'chevrotain';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lex, problemOf } from '../../src/expression/lex.js';
import { grammarTokens, keywords } from '../../src/expression/tokens.js';
import { KEYWORDS } from '../../src/expression/words.js';
import { toEbnf } from './grammar-ebnf.js';
import { grammarRules } from './grammar-model.js';
import { toHtml } from './grammar-railroad.js';
import { BETWEEN, TOKEN_SHAPES } from './grammar-tokens.js';

const GRAMMAR = fileURLToPath(new URL('../../grammar/', import.meta.url));

describe('the grammar for readers', () => {
  it('is the EBNF of the parser', async () => {
    const text = toEbnf(grammarRules());
    await expect(text).toMatchFileSnapshot(`${GRAMMAR}trace-expression.ebnf`);
  });

  it('is the railroad diagrams of the parser, and they load nothing', async () => {
    const html = toHtml(grammarRules());
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
            expect(tokens.map((token) => [tokenLabel(token.tokenType), token.image])).toEqual([
              [label, text],
            ]);
            expect(tokens.map(problemOf)).toEqual([undefined]);
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

  it('are there for every token that is not fixed', () => {
    const fixed = /^([A-Z]+|->|[(),.@])$/;
    const labels = grammarTokens.map(tokenLabel).filter((label) => !fixed.test(label));
    expect(TOKEN_SHAPES.map((shape) => shape.label)).toEqual(labels);
  });

  it('leave out the keywords, which are the reserved words', () => {
    expect(new Set(keywords.map(tokenLabel))).toEqual(KEYWORDS);
  });
});

function isKeyword(text: string): boolean {
  return KEYWORDS.has(text.toUpperCase());
}
