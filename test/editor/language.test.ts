import { expect, test } from 'vitest';
import { namesIn } from '../../src/editor/expressions.js';
import { TOKEN_TYPES } from '../../src/editor/text/token-types.js';
import { FORMS, FUNCTIONS } from '../../src/expression/functions/index.js';
import { TraceGrammar } from '../../src/expression/grammar/grammar.js';
import { lex, parse } from '../../src/expression/index.js';
import { tokenize, tokens } from '../../src/expression/lexer/lexer.js';
import { EXPRESSIONS } from '../expression/fixture.js';
import { ask, oneServer, TAIL } from './open.js';

/*
 * What the editor knows of each construct of the language: each expression is gone through token
 * by token, and together they have every token that the lexer knows.
 */

/** Each token of each expression, with what is before it. */
const positions = EXPRESSIONS.flatMap((text) => {
  const { tokens } = lex(text);
  const roles = new Map(namesIn(parse(text).tree).map(({ span, role }) => [span.start, role]));
  return tokens.map((token) => ({
    token,
    role: roles.get(token.start),
    // A word that is touched would be completed itself.
    before: text.slice(0, token.start).replace(/[\w`]$/, '$& '),
  }));
});

const open = oneServer();

const isWord = (type: string) => /^[A-Z]+$/.test(type);

/** One document, with a measurement for each text. */
async function openAll(texts: readonly string[]) {
  const checks = texts.map((text) => `check = """\n${text}"""`);
  const measurements = checks.map((check, at) => `\n[[measurement]]\nname = "m${at}"\n${check}\n`);
  const text = `name = "x"\n${measurements.join('')}${TAIL}`;
  const { client, uri } = await open(text);
  const starts = checks.map((check) => text.indexOf(check) + 'check = """\n'.length);
  /** The position of an offset in one of the texts. */
  const placeOf = (at: number, offset: number) => {
    const lines = text.slice(0, (starts[at] as number) + offset).split('\n');
    return { line: lines.length - 1, character: (lines.at(-1) as string).length };
  };
  return { client, uri, text, placeOf };
}

test('the expressions have each token and function of the language, and no finding of syntax', () => {
  const known = new Set(positions.map(({ token }) => token.type));
  const others = ['name', 'literal', 'white space', 'comment', 'mistake'];
  expect(tokens.map(({ name }) => name).filter((name) => !known.has(name))).toEqual(others);
  const called = positions
    .filter(({ role }) => role === 'function')
    .map(({ token }) => token.image);
  const words = positions.map(({ token }) => token.image);
  expect(
    [...FUNCTIONS.keys()].filter((name) => !called.includes(name)),
    'each function needs an expression in test/expression/fixture.ts',
  ).toEqual([]);
  expect([...FORMS.keys()].filter((name) => !words.includes(name))).toEqual([]);
  expect(EXPRESSIONS.map((text) => parse(text).expression === undefined)).not.toContain(true);
});

test('what is written next is completed, and no word that cannot be', async () => {
  const { client, uri, placeOf } = await openAll(positions.map(({ before }) => before));
  const grammar = new TraceGrammar();
  const wrong: string[] = [];
  for (const [at, { token, role, before }] of positions.entries()) {
    const position = placeOf(at, before.length);
    const items = await ask<{ label: string }[] | null>(client, 'completion', uri, { position });
    const labels = (items ?? []).map(({ label }) => label);
    const expected = isWord(token.type) || ['label', 'function'].includes(role ?? '');
    const declares = /AS\s*$/.test(before);
    const isName = declares || role === 'attribute';
    const word = token.image.replaceAll('`', '').toLowerCase();
    if (expected && !isName && !labels.some((one) => one.toLowerCase() === word)) {
      wrong.push(`${before}|: not ${token.image}, but ${labels.join(' ')}`);
    }
    const read = tokenize(before).tokens;
    for (const label of labels) {
      const isRead = ['', '(', 'IN ('].some((rest) => {
        const added = tokenize(` ${label} ${rest}`).tokens;
        grammar.setTokens([...read, ...added]);
        grammar.expression();
        return !grammar.errors.some(({ token }) => added.includes(token));
      });
      if (/^\w+$/.test(label) && !isRead) wrong.push(`${before}|: ${label} cannot follow`);
    }
  }
  expect(wrong).toEqual([]);
});

test('each word is coloured, and explained where it is pointed at', async () => {
  const { client, uri, text, placeOf } = await openAll(EXPRESSIONS);
  const { data } = await ask<{ data: number[] }>(client, 'semanticTokens/full', uri, {});
  const lines = text.split('\n');
  const coloured = new Map<string, Set<string>>();
  let [line, character, found] = [0, 0, 0];
  for (let at = 0; at < data.length; at += 5) {
    const [down = 0, along = 0, length = 0, type = 0] = data.slice(at, at + 4);
    line += down;
    character = down === 0 ? character + along : along;
    const word = lines[line]?.slice(character, character + length) as string;
    const words = coloured.get(TOKEN_TYPES[type] ?? '') ?? new Set();
    coloured.set(TOKEN_TYPES[type] ?? '', words.add(word));
    found += 1;
  }
  expect(
    Object.fromEntries([...coloured].map(([type, words]) => [type, [...words].join(' ')])),
  ).toEqual({
    enumMember: 'GUST BEAT',
    function:
      'count exists abs share percentile baseline window max min mean sum stddev distinct COUNT lower',
    keyword:
      'MATCH AS NOT AND WHEN WITHIN FILTER AGGREGATE OR GLOB NEXT true false IN BY FOR HAVING',
    namespace: "GAZEBO 'PX4' PX4",
    number: '3 100ms 0 2 200 204 1 0.01 95 1s',
    operator: '@ > -> < - = * || != <= % + / >=',
    property: 'load time end name id a b ok status kind x k',
    string: "'ask' 'as*' 'a' 'b?'",
    variable: 'gust beat session q n r `s t` a',
  });
  expect(found).toBe(positions.filter(({ token }) => !/^[(),.]$/.test(token.image)).length);
  const unexplained = new Set<string>();
  for (const [at, expression] of EXPRESSIONS.entries()) {
    for (const { start, image, type } of lex(expression).tokens) {
      const position = placeOf(at, start);
      const answer = await ask<object | null>(client, 'hover', uri, { position });
      const hasMeaning =
        /^(?:[A-Z]+|->|\|\||@|%)$/.test(type) || FUNCTIONS.has(image.toLowerCase());
      if (answer === null && hasMeaning) unexplained.add(image);
    }
  }
  expect([...unexplained].sort()).toEqual(['AND', 'OR', 'false', 'true']);
});
