import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { SourceFile } from '../../../src/source/index.js';
import { parseToml, type TomlViolation } from '../../../src/toml/index.js';
import { MISTAKES } from './mistakes.js';

function mark(text: string, span: { start: number; end: number }): string {
  return `<${text.slice(span.start, span.end)}> at ${span.start}`;
}

function linesOf(
  text: string,
  { span, message, help, related = [], fix }: TomlViolation,
): string[] {
  return [
    `  ${mark(text, span)}: ${message}`,
    ...(help === undefined ? [] : [`  help: ${help}`]),
    ...related.map((other) => `  related ${mark(text, other.span)}: ${other.message}`),
    ...(fix?.edits ?? []).map((edit) => `  fix ${mark(text, edit.span)}: ${edit.text}`),
  ];
}

describe('syntax errors', () => {
  it('are explained at their exact place', async () => {
    const explained = MISTAKES.map((text) => {
      const { document, violations } = parseToml(new SourceFile('a.toml', text));
      expect(document).toBeUndefined();
      expect(violations.map(({ kind }) => kind)).toEqual(['syntax']);
      return [JSON.stringify(text), ...violations.flatMap((one) => linesOf(text, one))].join('\n');
    });
    await expect(`${explained.join('\n\n')}\n`).toMatchFileSnapshot(
      '../../../fixtures/toml/syntax-errors.out',
    );
  });

  it('are told of brackets that nest too deeply', () => {
    const text = `a = ${'['.repeat(20_000)}`;
    expect(parseToml(new SourceFile('a.toml', text)).violations).toEqual([
      {
        kind: 'syntax',
        message: 'arrays and inline tables are nested too deeply',
        help: 'expected at most 1000 levels',
        span: { start: 1_004, end: 1_005 },
      },
    ]);
  });

  it('are explained for everything that smol-toml refuses', () => {
    const folder = new URL('../../../node_modules/smol-toml/dist/', import.meta.url);
    const code = readdirSync(folder)
      .filter((name) => name.endsWith('.js'))
      .map((name) => readFileSync(new URL(name, folder), 'utf8'))
      .join('\n');
    const known = [...code.matchAll(/TomlError\.x\(\s*(?:\w+ === null\s*\?\s*)?(['`])(.+?)\1/g)];
    const reasons = new Set(MISTAKES.map(reasonOf));
    // Two need options that we do not use; the nesting has a test of its own.
    const others = [
      'document contains an unsafe property',
      'document contains excessively nested structures. aborting.',
      'integer value cannot be represented losslessly',
    ];
    expect(known.length).toBeGreaterThan(30);
    expect([...new Set(known.map((match) => match[2]))].sort()).toEqual(
      [...reasons, ...others].sort(),
    );
  });
});

function reasonOf(text: string): string {
  try {
    parse(text, { integersAsBigInt: true });
  } catch (error) {
    return /: (.*)/.exec(String((error as Error).message))?.[1] ?? '';
  }
  return '';
}

describe('integers', () => {
  it('outside 64 bits are violations of encoding, in the order of the file', () => {
    const text = [
      'a = { b = [0, 9223372036854775808] }',
      'c = -9223372036854775809',
      'd = 0xffff_ffff_ffff_ffff',
      'least = -9223372036854775808',
      'greatest = 0x7fff_ffff_ffff_ffff',
    ].join('\n');
    const { document, violations } = parseToml(new SourceFile('a.toml', text));
    expect(document?.root['greatest']).toBe(2n ** 63n - 1n);
    expect(violations.map(({ kind, message, span }) => [kind, message, mark(text, span)])).toEqual([
      [
        'encoding',
        'integer "9223372036854775808" does not fit in 64 bits',
        '<9223372036854775808> at 14',
      ],
      [
        'encoding',
        'integer "-9223372036854775809" does not fit in 64 bits',
        '<-9223372036854775809> at 41',
      ],
      [
        'encoding',
        'integer "0xffff_ffff_ffff_ffff" does not fit in 64 bits',
        '<0xffff_ffff_ffff_ffff> at 66',
      ],
    ]);
    expect(violations[0]?.help).toBe(
      'expected an integer from -9223372036854775808 to 9223372036854775807',
    );
  });
});
