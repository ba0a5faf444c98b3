import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CLAUSES } from '../../src/editor/features/describe.js';
import { type Expression, parse, print } from '../../src/expression/index.js';
import { tokens } from '../../src/expression/lexer/lexer.js';
import { applyFixes, decodeSource, lint } from '../../src/index.js';
import { cursorIn, type Position, type Range } from './client.js';
import { ask, HEAD, oneServer, openIn, TAIL, textIn } from './open.js';

const open = oneServer();

interface Edit {
  readonly range: Range;
  readonly newText: string;
}

/** The position of an offset. */
function positionIn(text: string, offset: number): Position {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length - 1, character: (lines.at(-1) as string).length };
}

/** The offset of a position. */
function offsetIn(text: string, { line, character }: Position): number {
  const start = text.split('\n').slice(0, line).join('\n').length + (line > 0 ? 1 : 0);
  return start + character;
}

function edited(text: string, edits: readonly Edit[]): string {
  const spans = edits.map(({ range, newText }) => ({
    start: offsetIn(text, range.start),
    end: offsetIn(text, range.end),
    newText,
  }));
  spans.sort((a, b) => b.start - a.start);
  return spans.reduce(
    (result, { start, end, newText }) => result.slice(0, start) + newText + result.slice(end),
    text,
  );
}

test('a finding names related places, and its page', async () => {
  const text = `${HEAD}check = "MATCH (name = 'A') AS a, (name = 'B') AS a"\n${TAIL}`;
  const { client, uri } = await open(text);
  const found = await client.diagnostics(uri);
  const [duplicate] = found.filter(({ code }) => code === 'expression/duplicate-label');
  const [related] = duplicate?.relatedInformation ?? [];
  expect(related?.location.uri).toBe(uri);
  expect(textIn(text, related?.location.range as Range)).toBe('a');
  expect(related?.location.range.start.character).toBeLessThan(
    duplicate?.range.start.character as number,
  );
  const href = duplicate?.codeDescription?.href ?? '';
  expect(readFileSync(href.replace(/^.*\/docs\//, 'docs/'), 'utf8')).toContain(
    'expression/duplicate-label',
  );
});

test('fix all, as on save, is what lint --fix does', async () => {
  const text = `${HEAD}check = "MATCH (name == GUST) AS a, (name == 'BEAT') AS b WHEN a -> b"\n${TAIL}`;
  const { client, uri } = await open(text);
  await client.diagnostics(uri);
  const start = { line: 0, character: 0 };
  const actions = await ask<{ kind: string; edit: { changes: Record<string, Edit[]> } }[]>(
    client,
    'codeAction',
    uri,
    { range: { start, end: start }, context: { diagnostics: [], only: ['source.fixAll'] } },
  );
  expect(actions.map(({ kind }) => kind)).toEqual(['source.fixAll.perturb']);
  const fixed = edited(text, actions[0]?.edit.changes[uri] ?? []);
  expect(fixed).toBe(applyFixes(text, lint(decodeSource('a', Buffer.from(text)))));
  expect(fixed).toContain('(name = GUST)');
});

test.each([
  ['none yet', undefined, '[lint.rules]\n"expression/unquoted-string" = "off"\n'],
  [
    'one with rules',
    '[lint.rules]\n"toml/syntax" = "warn"\n',
    '[lint.rules]\n"expression/unquoted-string" = "off"\n"toml/syntax" = "warn"\n',
  ],
  [
    'one without',
    '[store]\nurl = "sqlite:a"',
    '[store]\nurl = "sqlite:a"\n\n[lint.rules]\n"expression/unquoted-string" = "off"\n',
  ],
  [
    'one with the rule',
    '[lint.rules] # 😀\n"expression/unquoted-string" = "warn"\n',
    '[lint.rules] # 😀\n"expression/unquoted-string" = "off"\n',
  ],
  [
    'one with rules within braces',
    '[lint]\nrules = { "toml/syntax" = "warn" }\n',
    '[lint]\nrules = { "expression/unquoted-string" = "off", "toml/syntax" = "warn" }\n',
  ],
  [
    'one with all within braces',
    'lint = {}\n',
    'lint = { rules = { "expression/unquoted-string" = "off" } }\n',
  ],
])('a rule is turned off in the project: perturb.toml is %s', async (_, before, after) => {
  const text = `${HEAD}check = "MATCH (name = GUST) AS a"\n${TAIL}`;
  const files = before === undefined ? {} : { 'perturb.toml': before };
  const { client, uri } = await openIn(text, files);
  const [finding] = await client.diagnostics(uri);
  const actions = await ask<
    {
      title: string;
      edit: { changes?: Record<string, Edit[]>; documentChanges?: { edits?: Edit[] }[] };
    }[]
  >(client, 'codeAction', uri, { range: finding?.range, context: { diagnostics: [] } });
  const off = actions.find(({ title }) => title.startsWith('Turn'));
  expect(off?.title).toBe('Turn expression/unquoted-string off in this project');
  const { changes, documentChanges } = off?.edit ?? {};
  const edits = changes?.[uri.replace('a.objective.toml', 'perturb.toml')];
  const made = edits ?? documentChanges?.flatMap((change) => change.edits ?? []) ?? [];
  expect(edited(before ?? '', made)).toBe(after);
});

test('a rule is not turned off where rules are keys with dots, which take no table', async () => {
  const text = `${HEAD}check = "MATCH (name = GUST) AS a"\n${TAIL}`;
  const files = { 'perturb.toml': '[lint]\nrules."toml/syntax" = "warn"\n' };
  const { client, uri } = await openIn(text, files);
  const [finding] = await client.diagnostics(uri);
  const actions = await ask<{ title: string }[]>(client, 'codeAction', uri, {
    range: finding?.range,
    context: { diagnostics: [] },
  });
  expect(actions.map(({ title }) => title)).toEqual([
    "Write 'GUST'",
    'Write `GUST`',
    'Ignore expression/unquoted-string on this line',
  ]);
});

const ESCAPED = `${HEAD}check = """
MATCH (name = '😀\\u00e9' AND x = 1) AS \`g\\u0075st\`, (name = "caf\\u00e9 😀") AS beat \\
  WHEN gust \\
    -> beat
FILTER \`gust\`.x = beat.time - gust.time # 😀 gust
AGGREGATE max(gust.y) > 3
"""
${TAIL}`;

test.each(['\n', '\r\n'])(
  'a label is renamed through escapes and emoji, line ends %j',
  async (lineEnd) => {
    const text = ESCAPED.replaceAll('\n', lineEnd);
    const { client, uri } = await open(text);
    await client.diagnostics(uri);
    const position = positionIn(text, text.indexOf('gust.time') + 2);
    const { changes } = await ask<{ changes: Record<string, Edit[]> }>(client, 'rename', uri, {
      position,
      newName: 'an "é"',
    });
    const renamed = edited(text, changes[uri] ?? []);
    expect(renamed).toBe(
      text
        .replace('`g\\u0075st`', '`an \\"é\\"`')
        .replace('WHEN gust', 'WHEN `an \\"é\\"`')
        .replace('`gust`.x', '`an \\"é\\"`.x')
        .replace('gust.time', '`an \\"é\\"`.time')
        .replace('max(gust', 'max(`an \\"é\\"`'),
    );
    const rules = lint(decodeSource('a', Buffer.from(renamed))).map(({ rule }) => rule);
    expect(rules).toEqual(lint(decodeSource('a', Buffer.from(text))).map(({ rule }) => rule));
  },
);

test('edits behind an emoji count in UTF-16, whatever else a client offers', async () => {
  const text = `${HEAD}check = "MATCH (name = '😀é') AS gust WHEN gust -> gusd"\n${TAIL}`;
  const { client, uri } = await openIn(text, {}, { encodings: ['utf-8', 'utf-16'] });
  expect((await client.diagnostics(uri)).map(({ code }) => code)).toContain(
    'expression/unknown-label',
  );
  const start = positionIn(text, text.indexOf('gusd') + 3);
  const end = positionIn(text, text.indexOf('gusd') + 4);
  client.change(uri, 2, 't', { start, end });
  const codes = (await client.diagnostics(uri, 2)).map(({ code }) => code);
  const fixed = text.replace('gusd', 'gust');
  expect(codes).toEqual(lint(decodeSource('a', Buffer.from(fixed))).map(({ rule }) => rule));
});

test('tokens are those of the expression', async () => {
  const { client, uri } = await open(ESCAPED);
  await client.diagnostics(uri);
  const { data } = await ask<{ data: number[] }>(client, 'semanticTokens/full', uri, {});
  let position = { line: 0, character: 0 };
  const words: string[] = [];
  for (let at = 0; at < data.length; at += 5) {
    const [lines = 0, characters = 0, length = 0] = data.slice(at, at + 3);
    const character = lines === 0 ? position.character + characters : characters;
    position = { line: position.line + lines, character };
    const end = { ...position, character: character + length };
    const [from, to] = [position, end].map((one) => offsetIn(ESCAPED, one));
    words.push(ESCAPED.slice(from, to));
  }
  expect(words.join(' ')).toBe(
    'MATCH name = \'😀\\u00e9\' AND x = 1 AS `g\\u0075st` name = "caf\\u00e9 😀" AS beat ' +
      'WHEN gust -> beat FILTER `gust` x = beat time - gust time # 😀 gust ' +
      'AGGREGATE max gust y > 3',
  );
});

test('symbols, folding and selections follow the tables', async () => {
  const { text, position } = cursorIn(
    `${HEAD}check = "MATCH (name = 'A') AS a FILTER a.x + 10|ms > a.y"\n\n[measurement.stopping_conditions]\nfailing_measurements = 2\n${TAIL}`,
  );
  const { client, uri } = await open(text);
  await client.diagnostics(uri);
  const symbols = await ask<
    { name: string; detail: string; range: Range; children: { name: string }[] }[]
  >(client, 'documentSymbol', uri, {});
  expect(symbols.map(({ name, detail, children }) => [name, detail, children.length])).toEqual([
    ['m', 'measurement', 1],
    ['stopping_conditions', 'stopping_conditions', 0],
  ]);
  expect(symbols[0]?.children[0]?.name).toBe('stopping_conditions');
  const folding = await ask<object[]>(client, 'foldingRange', uri, {});
  expect(folding).toEqual([
    { startLine: 2, endLine: 7 },
    { startLine: 6, endLine: 7 },
    { startLine: 9, endLine: 10 },
  ]);
  interface Selection {
    readonly range: Range;
    readonly parent?: Selection;
  }
  const [selection] = await ask<Selection[]>(client, 'selectionRange', uri, {
    positions: [position],
  });
  const texts: string[] = [];
  for (let one = selection; one !== undefined; one = one.parent) {
    texts.push(textIn(text, one.range));
  }
  expect(texts.slice(0, 4)).toEqual([
    '10ms',
    'a.x + 10ms',
    'a.x + 10ms > a.y',
    'FILTER a.x + 10ms > a.y',
  ]);
  expect(texts.at(-1)).toBe(text);
});

test('tables that nest deeply are folded, each from its key on', async () => {
  const depth = 3_000;
  const { client, uri } = await open(`${'a.'.repeat(depth)}a = [\n]\n`);
  const folding = await ask<object[]>(client, 'foldingRange', uri, {});
  expect(folding).toEqual(Array(depth).fill({ startLine: 0, endLine: 1 }));
});

test('formatting keeps what is around the expressions, and what they mean', async () => {
  const before = "match (name='😀') as a filter (a.x - a.y > 10ms)";
  const text = `${HEAD}check = "${before}"   # kept\r\n${TAIL}`;
  const { client, uri } = await open(text);
  await client.diagnostics(uri);
  const options = { tabSize: 2, insertSpaces: true };
  const edits = await ask<Edit[]>(client, 'formatting', uri, { options });
  const after = "MATCH (name = '😀') AS a FILTER a.x - a.y > 10ms";
  expect(edited(text, edits)).toBe(text.replace(before, after));
  expect(print(parse(after).expression as Expression)).toBe(
    print(parse(before).expression as Expression),
  );
});

test('what is left of a document is taken back when it is closed', async () => {
  const text = `${HEAD}check = "MATCH (name = GUST) AS a"\n${TAIL}`;
  const { client, uri } = await open(text);
  expect(await client.diagnostics(uri)).toHaveLength(1);
  client.notify('textDocument/didClose', { textDocument: { uri } });
  expect(await client.until(uri, (shown) => shown.length === 0)).toEqual([]);
  expect(await ask(client, 'hover', uri, { position: { line: 0, character: 0 } })).toBeNull();
});

test('each word of the language, and each sign of its own, is explained', () => {
  const own = tokens
    .map(({ name }) => name)
    .filter((name) => /^(?:[A-Z]+|->|\|\||@|%)$/.test(name));
  const unexplained = own.filter((name) => CLAUSES[name] === undefined);
  expect(own.length).toBeGreaterThan(20);
  expect(unexplained.sort()).toEqual(['AND', 'FALSE', 'OR', 'TRUE']);
});
