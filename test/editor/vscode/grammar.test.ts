import { readFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';
import { lex, parse, visit } from '../../../src/expression/index.js';
import { keywords } from '../../../src/expression/lexer/lexer.js';
import { expressionsOf } from '../../../src/objective/index.js';
import { decodeSource, type Span } from '../../../src/source/index.js';
import { parseToml } from '../../../src/toml/index.js';
import { scopesOf, tomlGrammar } from './textmate.js';

const grammar = await tomlGrammar();

/** The beginnings of the scopes that a token of the language may have, by its type. */
function scopeOf(type: string): RegExp {
  if (/^(?:TRUE|FALSE)$/.test(type)) return /^constant\.language\.boolean\.trace$/;
  if (/^(?:EXISTS|ABS|SHARE|BASELINE|WINDOW)$/.test(type)) return /^entity\.name\.function/;
  if (/^(?:AND|OR|NOT|IN|GLOB)$/.test(type)) return /^keyword\.operator\.logical\.trace$/;
  if (/^[A-Z]+$/.test(type)) return /^keyword\.control\.trace$/;
  if (type === 'string') return /^string\.quoted\.(?:single|double)\.trace$/;
  if (type === 'number' || type === 'duration') return /^constant\.numeric\.trace$/;
  if (type.endsWith('identifier')) return /^(?:variable\.other|entity\.name\.function)\..*trace$/;
  if (['comparator', '->', '||', '@', '%', 'sign', 'factor sign'].includes(type))
    return /^keyword\.operator\.trace$/;
  return /^punctuation\.separator\.trace$/;
}

/** What the grammar of the extension and the lexer of the language do not agree about in a file. */
function disagreements(path: string, text: string): string[] {
  const { document } = parseToml(decodeSource(path, Buffer.from(text)).source);
  if (document === undefined) return [];
  const scoped = scopesOf(grammar, text);
  const wrong: string[] = [];
  const compare = (type: string, expected: RegExp, { start, end }: Span): void => {
    for (const part of scoped.filter((one) => one.start < end && one.end > start)) {
      if (text.slice(part.start, part.end).trim() === '') continue;
      const scope = part.scopes.findLast((name) => name.endsWith('.trace') && !/^meta/.test(name));
      if (scope === undefined || !expected.test(scope)) {
        wrong.push(`${path}: ${text.slice(start, end)} (${type}) is ${part.scopes.join(' ')}`);
      }
    }
  };
  for (const { path: key } of expressionsOf(document)) {
    const source = document.embed(key);
    const { tokens, comments } = lex(source.text);
    const names = new Set<number>();
    const { expression } = parse(source.text);
    if (expression !== undefined) visit(expression, { name: ({ span }) => names.add(span.start) });
    for (const { type, ...span } of tokens) {
      const known = names.has(span.start) && /^[A-Z]+$/.test(type) ? 'identifier' : type;
      compare(known, scopeOf(known), source.toFile(span));
    }
    for (const span of comments) compare('comment', /^comment\./, source.toFile(span));
  }
  return wrong;
}

const objectives = globSync(['examples/**/*.objective.toml', 'fixtures/objective/fmt/**/*.toml']);

test.each(objectives)('the grammar and the lexer see the same in %s', (path) => {
  expect(disagreements(path, readFileSync(path, 'utf8'))).toEqual([]);
});

test('in each kind of string, with what has to be escaped there', () => {
  const text = [
    `check = "MATCH (name = 'A' AND n = \\"B\\\\\\"\\" AND m = 'it\\\\'s') AS a # so \\"it\\" is"`,
    `check = 'MATCH (name = "A\\"" AND n = -1.5e3) AS a FILTER a.x + 2min > a.y # done'`,
    `check = """MATCH (name = "it's" OR \`a b\` = TRUE) AS \`the a\` # a "comment"\nWHEN a -> \\\n  b"""`,
    `check = '''# first\n\nmatch (A @ 'B') as or-else, (x = '"') AS b\naggregate count() > 3'''`,
  ].map((line) => `[[measurement]]\n${line}\n`);
  expect(disagreements('a', text.join(''))).toEqual([]);
});

test('the words of the language where they are words, and where they are names', () => {
  const expressions = [
    "MATCH NOT (x NOT IN (1, 'a') AND NOT exists(y) OR not = 3) AS n, (in IN (2) AND z GLOB 'a*') AS by WHEN n -> next -> by WITHIN 5s AND n -> NEXT by AND by || n AND n != by",
    'MATCH (x * (y + 1) / 2 > abs(z)) AS for WHEN for -> within AGGREGATE 2 * baseline(count()) < share(NOT (for.by = 1)) BY for.in, window(for.time, 1s) FOR 95%',
    'MATCH (Exists(x) AND ABS(y) > 1) AS a AGGREGATE COUNT() > 1, Max(a.y) < Share(EXISTS(a.x)) BY Window(a.time, 1s)',
  ];
  const text = expressions.map((one) => `[[measurement]]\ncheck = '''${one}'''\n`).join('');
  expect(disagreements('a', text)).toEqual([]);
});

test('every keyword of the language is one of the grammar', () => {
  const text = `check = "MATCH ${keywords.map(({ name }) => name).join(' , ')}"`;
  const plain = scopesOf(grammar, text).filter(({ start, end, scopes }) => {
    const isWord = /^[A-Z]+$/.test(text.slice(start, end).trim());
    return isWord && !/keyword|boolean/.test(scopes.at(-1) ?? '');
  });
  expect(plain).toEqual([]);
});

test('what is no expression keeps the looks of TOML', () => {
  const scopesAt = (text: string, word: string): readonly string[] => {
    const at = text.indexOf(word);
    return scopesOf(grammar, text).find(({ start, end }) => start <= at && at < end)?.scopes ?? [];
  };
  expect(scopesAt('check = "cargo check AND more"', 'AND')).toEqual([
    'source.toml',
    'string.quoted.single.basic.toml',
  ]);
  expect(scopesAt('name = "MATCH me"', 'MATCH')).toEqual([
    'source.toml',
    'string.quoted.single.basic.toml',
  ]);
  expect(scopesAt('# check = "MATCH me"', 'MATCH')).toEqual([
    'source.toml',
    'comment.line.number-sign.toml',
  ]);
  expect(scopesAt('check = "MATCH (a = 1)"\nname = "AND"', '"AND')).toEqual([
    'source.toml',
    'string.quoted.single.basic.toml',
  ]);
  expect(scopesAt('[mutator.actuator]', 'mutator')).toEqual([
    'source.toml',
    'entity.name.section.toml',
  ]);
});
