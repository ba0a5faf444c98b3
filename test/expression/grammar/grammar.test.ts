import { fileURLToPath } from 'node:url';
import { Lexer } from 'chevrotain';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TraceGrammar } from '../../../src/expression/grammar/grammar.js';
import { parseTokens } from '../../../src/expression/grammar/parser.js';
import { Mistake, tokenize, tokens } from '../../../src/expression/lexer/lexer.js';
import { isKeyword, KEYWORDS } from '../../../src/expression/tree/print.js';
import { anyText } from '../../any-text.js';
import { runs } from '../../long.js';
import { BETWEEN, productions, TOKEN_SHAPES, toEbnf } from './ebnf.js';
import { toHtml } from './railroad.js';

const GRAMMAR = fileURLToPath(new URL('../../../grammar/', import.meta.url));

const imagesOf = (text: string) =>
  tokenize(text).tokens.map(({ tokenType, image }) => [tokenType.name, image]);

describe('the grammar', () => {
  it('is unambiguous with one token of lookahead, as Chevrotain proves', () => {
    expect(() => new TraceGrammar(true)).not.toThrow();
  });

  it('has tokens that Chevrotain has nothing to say against', () => {
    const lexer = new Lexer(tokens, { positionTracking: 'onlyOffset', ensureOptimizations: true });
    expect(lexer.lexerDefinitionErrors).toEqual([]);
  });

  it('is written as EBNF', async () => {
    await expect(toEbnf(productions())).toMatchFileSnapshot(`${GRAMMAR}trace-expression.ebnf`);
  });

  it('is drawn as railroad diagrams that load nothing', async () => {
    const html = toHtml(productions());
    expect(html).not.toMatch(/https?:|<script|@import|url\(/);
    await expect(html).toMatchFileSnapshot(`${GRAMMAR}trace-expression.html`);
  });
});

describe('any text', () => {
  const lexer = new Lexer(tokens, { positionTracking: 'onlyOffset', skipValidations: true });

  it('is cut into tokens, white space and comments', () => {
    const units = fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) });
    fc.assert(
      fc.property(fc.oneof(units, anyText()), (text) => {
        expect(lexer.tokenize(text).errors).toEqual([]);
        const { tokens, comments } = tokenize(text);
        const parts = [...tokens, ...comments];
        parts.sort((a, b) => a.startOffset - b.startOffset);
        let end = 0;
        for (const { startOffset, image } of parts) {
          expect(text.slice(end, startOffset)).toMatch(/^[ \t\r\n]*$/);
          end = startOffset + image.length;
        }
        expect(text.slice(end)).toMatch(/^[ \t\r\n]*$/);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('may begin with any character', () => {
    const refused = Array.from({ length: 0x1_0000 }, (_, code) => code).filter(
      (code) => lexer.tokenize(String.fromCharCode(code)).errors.length > 0,
    );
    expect(refused).toEqual([]);
  });
});

const PLACES: Readonly<Record<string, number>> = { ns: 0, us: 3, ms: 6 };

/** Whether a number or a duration has a value that 64 bits hold. */
function fits(label: string, text: string): boolean {
  if (label === 'number') return Math.abs(Number(text)) < 2 ** 63;
  const [, whole = '', fraction = '', unit = ''] =
    /^-?0*(\d+)(?:\.(\d+))?([a-z]+)$/.exec(text) ?? [];
  return label !== 'duration' || (whole.length < 7 && fraction.length <= (PLACES[unit] ?? 9));
}

describe('the shapes of tokens for readers', () => {
  it.each(TOKEN_SHAPES.map((shape) => [shape.label, shape.pattern] as const))(
    '%s is what the lexer reads',
    (label, pattern) => {
      fc.assert(
        fc.property(
          fc.stringMatching(pattern).filter((text) => !isKeyword(text) && fits(label, text)),
          (text) => {
            // A sign is one between white space only.
            const [token, ...others] = tokenize(` ${text} `).tokens;
            expect(others).toEqual([]);
            expect(token?.image).toBe(text);
            // A word that is not reserved is an identifier too.
            expect(
              [token?.tokenType, ...(token?.tokenType.CATEGORIES ?? [])].map((type) => type?.name),
            ).toContain(label);
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
          expect(imagesOf(`${text}\n`)).toEqual([]);
        }),
      );
    },
  );

  it('are there for every token of the grammar that is not fixed', () => {
    const fixed = /^([A-Z]+|->|\|\||[(),.@%])$/;
    const names = tokens
      .filter((type) => type !== Mistake && type.PATTERN !== Lexer.NA)
      .map(({ name }) => name);
    const shapes = [...TOKEN_SHAPES, ...BETWEEN].map(({ label }) => label);
    expect(shapes.sort()).toEqual(names.filter((name) => !fixed.test(name)).sort());
  });

  it('leave out the keywords, in whatever case', () => {
    const mixed = KEYWORDS.flatMap((word) => [word, word.toLowerCase(), `${word}S`, `_${word}`]);
    expect(mixed.map((text) => imagesOf(text).map(([name]) => name))).toEqual(
      KEYWORDS.flatMap((word) => [[word], [word], ['identifier'], ['identifier']]),
    );
  });
});

describe('a parse failure', () => {
  it.each([
    ['pattern', '(a = 1 AS x', 4, 'pattern', ')'],
    ['pattern', '(a = 1) x', 5, 'pattern', 'AS'],
    ['pattern', '(a = 1) AS )', 6, 'pattern', 'name'],
    ['relation', 'a', 1, 'relation order', undefined],
    ['relation', '(a -> b', 4, 'relation', ')'],
    [
      'requirement',
      'max(a.x = 3',
      5,
      'requirement oneRequirement measure term termFactor call',
      ')',
    ],
    ['requirement', 'max = 3', 1, 'requirement oneRequirement measure term termFactor call', '('],
    ['requirement', '(max(a.x) = 3', 9, 'requirement oneRequirement', ')'],
    ['condition', 'x.y 3', 3, 'condition primary comparison', undefined],
    ['condition', 'x = 1 )', 3, '', undefined],
  ] as const)('of %s in %s', (production, text, index, rules, expected) => {
    const { failure } = parseTokens(production, tokenize(text).tokens);
    expect(failure?.index).toBe(index);
    expect(failure?.rules.join(' ')).toBe(rules);
    expect(failure?.expected).toBe(expected);
  });
});
