import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { decodeSource, lint } from '../../src/index.js';
import { cursorIn, type Range } from './client.js';
import { ask, HEAD, oneServer, openIn, TAIL, textIn } from './open.js';

const open = oneServer();

test('findings as diagnostics: range, severity, rule, help', async () => {
  const text = `${HEAD}check = "MATCH (name = GUST) AS a WHEN a -> b"\n${TAIL}`;
  const { client, uri } = await openIn(text);
  const found = await client.diagnostics(uri);
  expect(
    found.map(({ code, severity, range, message }) => [
      code,
      severity,
      textIn(text, range),
      message,
    ]),
  ).toEqual([
    ['expression/unquoted-string', 2, 'GUST', expect.stringContaining('GUST')],
    ['expression/unknown-label', 1, 'b', expect.stringContaining('"b"')],
  ]);
  expect(await client.end()).toBe(0);
});

test('a half typed statement keeps the findings of all others', async () => {
  const text = `${HEAD}check = "MATCH (name = GUST) AS a"\n${TAIL}`;
  const { client, uri } = await open(text);
  expect((await client.diagnostics(uri)).map(({ code }) => code)).toEqual([
    'expression/unquoted-string',
  ]);
  const typed = text.replace('attempts = 3', 'attempts = 3\ntime = "1h');
  client.change(uri, 2, typed);
  expect((await client.diagnostics(uri, 2)).map(({ code }) => code)).toEqual([
    'expression/unquoted-string',
    'toml/syntax',
  ]);
  const symbols = await ask<{ name: string }[]>(client, 'documentSymbol', uri, {});
  expect(symbols.map(({ name }) => name)).toEqual(['m', 'stopping_conditions']);
});

const LABELS = `${HEAD}check = """
MATCH (name = 'A') AS gu|st,
  (name = "caf\\u00e9 😀") AS beat
WHEN gust -> beat
FILTER gust.x = beat.x
AGGREGATE max(gust.y) > 3
"""
${TAIL}`;

test('a label: where it is bound, where it is named, what it stands for, another name', async () => {
  const { text, position } = cursorIn(LABELS);
  const { client, uri } = await open(text);
  await client.diagnostics(uri);
  const references = await ask<{ range: Range }[]>(client, 'references', uri, {
    position,
    context: { includeDeclaration: true },
  });
  expect(references.map(({ range }) => textIn(text, range))).toEqual([
    'gust',
    'gust',
    'gust',
    'gust',
  ]);
  const use = (references.at(-1) as { range: Range }).range.start;
  const [definition] = await ask<{ range: Range }[]>(client, 'definition', uri, { position: use });
  expect(definition?.range).toEqual(references[0]?.range);
  const hover = await ask<{ contents: { value: string } }>(client, 'hover', uri, { position: use });
  expect(hover.contents.value).toBe("```trace\n(name = 'A') AS gust\n```");
  const renamed = await ask<{ changes: Record<string, { range: Range; newText: string }[]> }>(
    client,
    'rename',
    uri,
    { position, newName: 'a gust' },
  );
  expect(renamed.changes[uri]?.map(({ newText }) => newText)).toEqual(Array(4).fill('`a gust`'));
  await expect(ask(client, 'rename', uri, { position, newName: 'beat' })).rejects.toThrow(
    '"beat" is already a label of this expression',
  );
});

test.each([[[]], [['utf-8', 'utf-16']], [['utf-16']], [['utf-8']]])(
  'places behind an emoji and an escape count in UTF-16 where a client offers %j',
  async (encodings) => {
    const line = `check = "MATCH (name = '😀\\u00e9') AS a FILTER a.x = b.x"`;
    const text = `${HEAD}${line}\n${TAIL}`;
    const { client, uri } = await openIn(text, {}, { encodings });
    const found = await client.diagnostics(uri);
    const unknown = found.find(({ code }) => code === 'expression/unknown-label');
    expect(unknown?.range.start).toEqual({ line: 4, character: line.indexOf('b.x') });
  },
);

test.each([
  ["MATCH (name = 'A') AS a W|", 'WHEN'],
  ["MATCH (name = 'A') AS ab WHEN |", 'ab'],
  ["MATCH (name = 'A') AS ab FILTER a|", 'ab'],
  ["MATCH (name = 'A' AND wind = 1) AS ab FILTER ab.|", 'wind'],
  ["MATCH (name = 'A') AS ab AGGREGATE m|", 'mean'],
  ["MATCH (name = 'A') |", 'AS'],
  ["MATCH (name == 'A' AND e|", 'exists'],
  ["MATCH (name == 'A') AS ab |", 'WHEN'],
  ["MATCH (name == 'A') AS ab FILTER ab.x = 1 AND a|", 'ab'],
])('completes %s', async (expression, expected) => {
  const { text, position } = cursorIn(`${HEAD}check = "${expression}"\n${TAIL}`);
  const { client, uri } = await open(text);
  await client.diagnostics(uri);
  const items = await ask<{ label: string }[]>(client, 'completion', uri, { position });
  expect(items.map(({ label }) => label)).toContain(expected);
});

test('completes keys, headers, and mutators of a manifest of the project', async () => {
  const manifest = `[[mutator]]
id = "wind"
name = "simulation-wind"
probe = "GAZEBO"
[[mutator.param]]
name = "speed"
type = "float"
hard_range = [0.0, 40.0]
units = "m/s"
[mutator.actuator]
kind = "exec"
inject = ["true", "{speed}"]
reset = ["true"]
`;
  const files = {
    'mutators.toml': manifest,
    'perturb.toml': '[lint]\nmutators = ["mutators.toml"]\n',
  };
  const { text, position } = cursorIn(
    `${HEAD}check = "MATCH (x = 1) AS a"\n\n[[mutator]]\nname = "|"\n${TAIL}`,
  );
  const { client, uri } = await openIn(text, files);
  const names = async (where: typeof position) =>
    (await ask<{ label: string }[]>(client, 'completion', uri, { position: where })).map(
      ({ label }) => label,
    );
  await expect.poll(() => names(position), { timeout: 50_000 }).toEqual(['simulation-wind']);
  const [, ...typing] = [
    text,
    text.replace('name = ""', 'pro'),
    text.replace('[[mutator]]', '[[m'),
  ];
  client.change(uri, 2, typing[0] as string);
  expect(await names({ line: position.line, character: 3 })).toEqual([
    'name',
    'probe',
    'mutation_precondition',
    'param_constraints',
  ]);
  client.change(uri, 3, typing[1] as string);
  expect(await names({ line: position.line - 1, character: 3 })).toEqual([
    'mutator',
    'mutator.param_constraints',
    'measurement',
  ]);
});

test('fixes, ignoring a rule here, and turning it off in the project', async () => {
  const text = `${HEAD}check = """\nMATCH (name = 'A') AS b,\n  (name = GUST) AS a\nWHEN a -> b\n"""\n${TAIL}`;
  const { client, uri, directory } = await openIn(text);
  const [finding] = await client.diagnostics(uri);
  const actions = await ask<
    {
      title: string;
      kind: string;
      edit: { changes?: Record<string, { newText: string; range: Range }[]> };
    }[]
  >(client, 'codeAction', uri, { range: finding?.range, context: { diagnostics: [] } });
  expect(actions.map(({ kind }) => kind)).toEqual(Array(4).fill('quickfix'));
  expect(actions[0]?.edit.changes?.[uri]?.[0]?.newText).toBe("'GUST'");
  expect(actions[1]?.edit.changes?.[uri]?.[0]?.newText).toBe('`GUST`');
  const ignore = actions[2]?.edit.changes?.[uri]?.[0];
  expect(ignore?.newText).toBe('  # perturb: ignore expression/unquoted-string\n');
  const { range, newText } = ignore as { range: Range; newText: string };
  const lines = text.split('\n');
  lines.splice(range.start.line, 0, newText.slice(0, -1));
  expect(lint(decodeSource('a', Buffer.from(lines.join('\n'))))).toEqual([]);
  expect(JSON.stringify(actions[3]?.edit)).toContain(
    pathToFileURL(join(directory, 'perturb.toml')).href,
  );
});

test('formatting is what objective fmt does', async () => {
  const text = `${HEAD}check = "match (name='A') as a"\n${TAIL}`;
  const { client, uri } = await open(text);
  await client.diagnostics(uri);
  const options = { tabSize: 2, insertSpaces: true };
  const edits = await ask<{ newText: string }[]>(client, 'formatting', uri, { options });
  expect(edits.map(({ newText }) => newText)).toEqual([`"MATCH (name = 'A') AS a"`]);
});

test('a BOM that the client counts moves no edit', async () => {
  const text = `\ufeff${HEAD}check = "match (name='A') as a"\n${TAIL}`;
  const { client, uri } = await open(text);
  expect(await client.diagnostics(uri)).toEqual([]);
  const options = { tabSize: 2, insertSpaces: true };
  const edits = await ask<{ newText: string; range: Range }[]>(client, 'formatting', uri, {
    options,
  });
  expect(edits.map(({ newText, range }) => [textIn(text, range), newText])).toEqual([
    [`"match (name='A') as a"`, `"MATCH (name = 'A') AS a"`],
  ]);
});

test.each([{}, { line: 0 }, { line: 'a', character: 0 }, { line: 0.5, character: 0 }])(
  'the position %j is refused, and others are served',
  async (position) => {
    const { client, uri } = await open(cursorIn(LABELS).text);
    await client.diagnostics(uri);
    await expect(ask(client, 'hover', uri, { position })).rejects.toThrow(
      'a position needs a line and a character',
    );
    expect(await ask(client, 'hover', uri, { position: { line: 0, character: 1 } })).not.toBeNull();
  },
);

test('tokens, folding and selections of an expression', async () => {
  const { text, position } = cursorIn(LABELS);
  const { client, uri } = await open(text);
  await client.diagnostics(uri);
  const { data } = await ask<{ data: number[] }>(client, 'semanticTokens/full', uri, {});
  expect(data.slice(0, 15)).toEqual([5, 0, 5, 0, 0, 0, 7, 4, 6, 0, 0, 5, 1, 1, 0]);
  const folding = await ask<{ startLine: number; endLine: number }[]>(
    client,
    'foldingRange',
    uri,
    {},
  );
  expect(folding).toContainEqual({ startLine: 4, endLine: 10 });
  const [selection] = await ask<{ range: Range; parent?: { range: Range } }[]>(
    client,
    'selectionRange',
    uri,
    { positions: [position] },
  );
  expect(textIn(text, (selection as { range: Range }).range)).toBe('gust');
  expect(textIn(text, (selection as { parent: { range: Range } }).parent.range)).toBe(
    "(name = 'A') AS gust",
  );
});

test('without --stdio it says how to start it', async () => {
  const { perturb } = await import('../cli/program.js');
  expect(await perturb(['lsp'])).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'perturb: the language server communicates only over stdin and stdout\nStart it with --stdio.\n',
  });
});
