import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { directoryWith } from '../cli/program.js';
import { cursorIn, type Diagnostic, type Range } from './client.js';
import { ask, HEAD, oneServer, openIn, TAIL, textIn } from './open.js';

/* What was recorded, in an editor: findings, completion and hover. */

const line = (probe: string, name: string, attributes: object = {}): string =>
  `${JSON.stringify({ probe, name, attributes })}\n`;

const SESSION = [
  line('GAZEBO', 'GUST', { force: 13.5, 'source.line': 3 }),
  line('GAZEBO', 'GUST', { force: 9.5 }),
  line('AUTOPILOT', 'MODE', { mode: 'HOLD' }),
  line('AUTOPILOT', 'MODE', { mode: 'LAND' }),
  line('AUTOPILOT', 'MODE', { mode: 'LAND' }),
  line('LOGGER', 'it crashed'),
].join('');

const FILES = {
  'perturb.toml': '[lint]\nsessions = ["flights"]\n',
  'flights/1.session.jsonl': SESSION,
};

const codes = (found: readonly Diagnostic[]): unknown[] => found.map(({ code }) => code);
const isKnown = (found: readonly Diagnostic[]) => codes(found).includes('recorded/unknown-name');

/** An objective with a second measurement whose finding says that the sessions are known. */
function known(check: string) {
  const marker = `\n[[measurement]]\nname = "n"\ncheck = "MATCH (name = 'GUTS') AS g"\n`;
  return cursorIn(`${HEAD}check = """${check}"""\n${marker}${TAIL}`);
}

const open = oneServer(FILES, { trusted: 'unsaid' });

/** Opens it in the one server, and waits until the sessions are known. */
async function openKnown(check: string) {
  const { text, position } = known(check);
  const opened = await open(text);
  await opened.client.until(opened.uri, isKnown);
  return { ...opened, text, position };
}

/** The same in a server and with sessions of its own. */
async function openAlone(check: string) {
  const { text } = known(check);
  const env = { XDG_CACHE_HOME: directoryWith({}) };
  const opened = await openIn(text, FILES, { env, trusted: 'unsaid' });
  await opened.client.until(opened.uri, isKnown);
  return opened;
}

interface Item {
  readonly label: string;
  readonly detail?: string;
  readonly sortText?: string;
  readonly textEdit: { readonly range: Range; readonly newText: string };
}

/** What is offered at the cursor and was recorded, in the order in which editors show it. */
async function offered(check: string): Promise<string[]> {
  const { client, uri, position } = await openKnown(check);
  const items = await ask<Item[]>(client, 'completion', uri, { position });
  return items
    .filter(({ detail }) => detail !== undefined)
    .sort((a, b) => ((a.sortText ?? '') < (b.sortText ?? '') ? -1 : 1))
    .map(({ detail, textEdit }) => `${textEdit.newText}: ${detail?.replace(/ recorded.*/, '')}`);
}

test.each([
  ['names', "MATCH (name = '|') AS a", ["'MODE': 3", "'GUST': 2", "'it crashed': 1"]],
  [
    'names, in a list',
    "MATCH (name IN ('GUST', '|')) AS a",
    ["'MODE': 3", "'GUST': 2", "'it crashed': 1"],
  ],
  [
    'texts of an attribute',
    "MATCH (name = 'MODE' AND mode = '|') AS a",
    ["'LAND': 2", "'HOLD': 1"],
  ],
  [
    'texts behind a label',
    "MATCH (name = 'MODE') AS a FILTER a.mode = |",
    ["'LAND': 2", "'HOLD': 1"],
  ],
  ['the probes of an event', 'MATCH (GUST @ |) AS a', ['GAZEBO: 2']],
  [
    'attributes of a pattern',
    "MATCH (name = 'GUST' AND |) AS a",
    ['name: 2', 'probe: 2', 'force: 2', 'source.line: 1'],
  ],
  [
    'attributes of a label',
    "MATCH (name = 'GUST') AS a FILTER a.|",
    ['name: 2', 'probe: 2', 'force: 2', 'source.line: 1'],
  ],
  ['the rest of an attribute', "MATCH (name = 'GUST') AS a FILTER a.source.|", ['line: 1']],
])('%s', async (_, check, expected) => {
  const all = await offered(check);
  expect(all.filter((one) => !/ @ /.test(one))).toEqual(expected);
});

test('events at their probes begin a pattern', async () => {
  const all = await offered('MATCH (|) AS a');
  expect(all.filter((one) => / @ /.test(one))).toEqual([
    'MODE @ AUTOPILOT: 3',
    'GUST @ GAZEBO: 2',
    '`it crashed` @ LOGGER: 1',
  ]);
});

test.each([
  [
    "MATCH (name = 'GU|ST') AS a",
    "'GUST'",
    '2 recorded events, at `GAZEBO` (2).\n\nAttributes: `force`, `source.line`.',
  ],
  [
    'MATCH (GUST @ GAZ|EBO) AS a',
    'GAZEBO',
    '2 recorded events, named `GUST` (2).\n\nAttributes: `force`, `source.line`.',
  ],
  [
    "MATCH (name = 'MODE') AS a FILTER a.mo|de = 'LAND'",
    'mode',
    'string, in 3 recorded events: `MODE`.\n\nTexts: `LAND` (2), `HOLD` (1).',
  ],
  ["MATCH (mode = 'LA|ND') AS a", "'LAND'", '`mode` had this value in 2 recorded events.'],
  ["MATCH (name = 'CRA|SH') AS a", "'CRASH'", 'Not in any recorded event.'],
])('hover on %s', async (check, word, expected) => {
  const { client, uri, text, position } = await openKnown(check);
  const said = await ask<{ range: Range; contents: { value: string } }>(client, 'hover', uri, {
    position,
  });
  expect([textIn(text, said.range), said.contents.value]).toEqual([word, expected]);
});

test('a session that is added is read, and one that is being named is not', async () => {
  const { client, uri, directory } = await openAlone("MATCH (name = 'WHIRL') AS a");
  const path = join(directory, 'perturb.toml');
  client.open(`file://${path}`, '[lint]\nsessions = ["/"]\n');
  await client.diagnostics(`file://${path}`);
  expect(codes(await client.diagnostics(uri))).toContain('recorded/unknown-name');
  writeFileSync(
    join(directory, 'flights/2.session.jsonl'),
    line('GAZEBO', 'WHIRL') + line('GAZEBO', 'GUTS'),
  );
  client.notify('workspace/didChangeWatchedFiles', { changes: [] });
  await client.until(uri, (found) => !isKnown(found));
});

/** A table of [reading] for logs. */
const table = (name: string, pattern: string) =>
  `[reading.${name}]\nfiles = ["*.log"]\npattern = '${pattern}'\n`;
const LOGS = '[lint]\nsessions = ["flights/*.log"]\n';
const WORDS = table('app', String.raw`^(?<name>\w+) (?<force>\w+)$`);

/** Opens an objective beside a log and a perturb.toml. */
function openLog(perturb: string, trusted: boolean | 'unsaid', log = 'GUST 7\n') {
  const { text } = known("MATCH (name = 'GUST') AS a|");
  const files = { 'perturb.toml': `${LOGS}${perturb}`, 'flights/1.log': log };
  return openIn(text, files, { env: { XDG_CACHE_HOME: directoryWith({}) }, trusted });
}

const unknownNames = (found: readonly Diagnostic[]): string[] =>
  found.flatMap(({ code, message }) => (code === 'recorded/unknown-name' ? [message] : []));
const GUTS = 'no recorded event has the name "GUTS"\ndid you mean "GUST"?';

test('sessions are read by the [reading] tables of the saved perturb.toml', async () => {
  const { client, uri, directory } = await openLog(WORDS, true);
  expect(unknownNames(await client.until(uri, isKnown))).toEqual([GUTS]);
  const other = WORDS.replace('name', 'x').replace('force', 'name');
  writeFileSync(join(directory, 'perturb.toml'), `${LOGS}${other}`);
  client.notify('workspace/didChangeWatchedFiles', { changes: [] });
  await client.until(uri, (found) => unknownNames(found).length === 2);
});

test('without trust, tables without a pattern are used', async () => {
  const mapped = `[reading.app]\nfiles = ["*.log"]\nmap = "name=$.n"\n`;
  const { client, uri } = await openLog(mapped, 'unsaid', '{"n":"GUST"}\n');
  expect(unknownNames(await client.until(uri, isKnown))).toEqual([GUTS]);
});

test.each([
  [
    'a pattern without trust',
    WORDS,
    false,
    'the pattern of [reading.app] is used only in a trusted folder',
  ],
  [
    'a pattern where nothing is said of trust',
    WORDS,
    'unsaid',
    'the pattern of [reading.app] is used only in a trusted folder',
  ],
  ['a table with mistakes', table('app', '^(?<time>.*)$'), true, '[reading.app] has errors'],
  [
    'a pattern that takes too long',
    table('app', '^(?<name>(A+)+)$'),
    true,
    'the pattern takes more than 1001 ms for 41 bytes because it backtracks too much; avoid nested repetitions such as (a+)+',
  ],
] as const)('sessions are not read by %s', async (_, perturb, trusted, message) => {
  const { client, directory } = await openLog(perturb, trusted, `${'A'.repeat(39)}!\n`);
  expect(await client.called('window/logMessage')).toEqual({
    type: 2,
    message: `${join(directory, 'flights/1.log')}: ${message}`,
  });
});

test('sessions that two tables match are not read', async () => {
  const { client, directory } = await openLog(`${WORDS}${table('other', '^(?<name>.*)$')}`, true);
  expect(await client.called('window/logMessage')).toEqual({
    type: 2,
    message: `${join(directory, 'flights/1.log')} matches [reading.app] and [reading.other] of perturb.toml`,
  });
});

test('the polls of perturb.toml are offered with what was recorded', async () => {
  const files = { ...FILES, 'perturb.toml': `${FILES['perturb.toml']}[polls.shop]\ntcp = "h:1"\n` };
  const { text, position } = known('MATCH (response @ |) AS a');
  const env = { XDG_CACHE_HOME: directoryWith({}) };
  const { client, uri } = await openIn(text, files, { env });
  await client.until(uri, isKnown);
  const items = await ask<Item[]>(client, 'completion', uri, { position });
  const told = items.flatMap(({ label, detail }) => (detail ? [`${label}: ${detail}`] : []));
  expect(told).toEqual(['shop: no recorded event']);
});

test('what was recorded is a quick fix for what never was', async () => {
  const { client, uri, position } = await openKnown("MATCH (name = 'MO|ED') AS a");
  const range = { start: position, end: position };
  const context = { diagnostics: [] };
  const actions = await ask<{ title: string }[]>(client, 'codeAction', uri, { range, context });
  expect(actions.map(({ title }) => title)).toEqual([
    "Write 'MODE'",
    'Ignore recorded/unknown-name on this line',
    'Turn recorded/unknown-name off in this project',
  ]);
});

const HOSTILE = line('LOG`GER', '[x](command:y) `z`', { 'odd`key': 1, mode: 'b`c' });

test('recorded words with backticks are written in quotes, or left out where none can hold them', async () => {
  const files = { ...FILES, 'flights/2.session.jsonl': HOSTILE };
  const env = { XDG_CACHE_HOME: directoryWith({}) };
  const open = async (check: string) => {
    const { text, position } = known(check);
    const opened = await openIn(text, files, { env, trusted: 'unsaid' });
    await opened.client.until(opened.uri, isKnown);
    return { ...opened, position };
  };
  const { client, uri, position } = await open('MATCH (|');
  const items = await ask<Item[]>(client, 'completion', uri, { position });
  expect(items.map(({ textEdit }) => textEdit.newText).filter((one) => /`|odd/.test(one))).toEqual([
    "'[x](command:y) `z`' @ 'LOG`GER'",
    '`it crashed` @ LOGGER',
  ]);
  const pattern = await open("MATCH ('[x](com|mand:y) `z`' @ 'LOG`GER') AS a");
  const hover = await ask<{ contents: { value: string } }>(pattern.client, 'hover', pattern.uri, {
    position: pattern.position,
  });
  expect(hover.contents.value).toBe(
    '1 recorded event, at ``LOG`GER`` (1).\n\nAttributes: ``odd`key``, `mode`.',
  );
});
