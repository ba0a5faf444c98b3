import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { beforeAll, expect, test } from 'vitest';
import { commands, groups } from '../../src/cli/commands.js';
import { configure } from '../../src/cli/runtime/command.js';
import { hasChdb } from '../evaluation/clickhouse/server.js';
import {
  blocksOf,
  commandsOf,
  documents,
  isEntered,
  isOfClone,
  type Need,
  proseOf,
} from './documents.js';
import { INSTALL, type Installation, installPackage, PACK } from './installed.js';
import { kinds, wrongUsage } from './kinds.js';
import { rerun } from './session.js';

/*
 * Nothing that the documents show escapes a test: every command of every page runs, here or, where
 * it needs a clone of the project, in clone.test.ts and the tests that it names. A document is its own golden file: `npm run
 * golden` writes what its commands print anew.
 */

const hasCurl = spawnSync('curl', ['--version']).status === 0;
const hasPython = spawnSync('python3', ['--version']).status === 0;

let installation: Installation;
beforeAll(async () => {
  installation = await installPackage();
}, 600_000);

test.concurrent.for(documents)(
  '$path shows what its commands print',
  { timeout: 1_200_000 },
  async ({ path, text }, { expect, skip }) => {
    const blocks = blocksOf(text);
    const needs = (need: Need) => blocks.some((block) => block.needs === need);
    skip(!hasChdb && needs('clickhouse'), 'there is no chDB');
    skip(!hasCurl && needs('bench'), 'there is no curl');
    skip(!hasPython && text.includes('\n$ python3 '), 'there is no Python');
    const { text: rewritten, ran } = await rerun(text, installation);
    await expect(rewritten).toMatchFileSnapshot(resolve(path));
    const here = blocks.filter((block) => isEntered(block) && !isOfClone(block));
    expect(ran).toEqual(here.map(({ line }) => line));
  },
);

test('the package is installed as docs/getting-started.md shows', () => {
  const { text = '' } = documents.find(({ path }) => path === 'docs/getting-started.md') ?? {};
  const commandsWith = (need: Need) =>
    blocksOf(text)
      .filter(({ needs }) => needs === need)
      .flatMap(commandsOf);
  expect(commandsWith('clone')).toEqual([PACK]);
  expect(commandsWith('packed').slice(0, INSTALL.length)).toEqual(INSTALL);
});

test('no other page of the package has commands', () => {
  const root = join(installation.modules, 'perturb');
  const pages = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.md'),
  );
  expect(pages).toEqual(expect.arrayContaining(documents.map(({ path }) => path)));
  const others = pages.filter((page) => !documents.some(({ path }) => path === page));
  expect(others.length).toBeGreaterThan(60);
  const entered = others.filter((page) =>
    blocksOf(readFileSync(join(root, page), 'utf8')).some(isEntered),
  );
  expect(entered).toEqual([]);
});

test.each(documents)(
  'every block of $path is of a kind that is held, and good',
  async ({ text }) => {
    const wrong: string[] = [];
    for (const block of blocksOf(text)) {
      const examine = kinds[block.language];
      const said = examine === undefined ? 'a block of no known kind' : await examine(block, text);
      if (said !== '') wrong.push(`line ${block.line}, ${block.language}: ${said}`);
    }
    expect(wrong).toEqual([]);
  },
);

test.each(documents)('$path has no code outside those blocks', ({ text }) => {
  expect(proseOf(text).match(/^\s*(?:```|~~~).*$|\n\n(?: {4}|\t)\S.*|<pre/gm) ?? []).toEqual([]);
});

test.each(documents)('the commands within the lines of $path exist', async ({ text }) => {
  const spans = [...proseOf(text).matchAll(/`perturb ([^`]+)`/g)].map(([, words]) =>
    (words as string)
      .replace(/\[[^\]]*\]/g, '')
      .trim()
      .split(/\s+/),
  );
  const said = await Promise.all(spans.map(wrongMention));
  expect(said.filter((one) => one !== '')).toEqual([]);
});

/** What is wrong with a command that is named, but perhaps not with all its arguments. */
async function wrongMention(mentioned: readonly string[]): Promise<string> {
  const words = mentioned[0] === 'help' ? mentioned.slice(1) : mentioned;
  const [first = ''] = words;
  if (words.length === 1 && (first.startsWith('-') || groups[first] !== undefined)) return '';
  const said = await wrongUsage(words);
  return /missing required argument|required option/.test(said) ? '' : said;
}

/** Pages about the project's own scripts, which have flags of their own. */
const ABOUT_SCRIPTS = /^(?:CONTRIBUTING|docs\/(?:architecture|contributing\/.*))\.md$/;

test('every flag that the documents name exists', async () => {
  const known = new Set(['--version', '--help', '--color', '--no-color', '--debug']);
  for (const { load } of commands) {
    const command = new Command();
    configure(command, await load());
    for (const { long } of command.options) known.add(long ?? '');
  }
  // Of the examples, of npm, of Node, of a reflector, of Helix, of VS Code, of kubectl, of Docker, and of the project's own scripts.
  for (const flag of [
    '--newest',
    '--with-ids',
    '--global',
    '--max-old-space-size',
    '--mutator',
    '--health',
    '--install-extension',
    '--url',
    '--timestamps',
    '--prefix',
    '--rm',
  ])
    known.add(flag);
  const pages = documents.filter(({ path }) => !ABOUT_SCRIPTS.test(path));
  const named = pages.flatMap(({ path, text }) =>
    [...proseOf(text).matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([flag]) => `${path}: ${flag}`),
  );
  expect(named.length).toBeGreaterThan(80);
  expect(named.filter((name) => !known.has(name.split(': ')[1] as string))).toEqual([]);
});

test.each(documents)('the scripts of npm that $path names exist', ({ text }) => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const named = [...text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name);
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
});

test('the README has every command', () => {
  const rows = documents[0]?.text.match(/^\| `perturb .*$/gm) ?? [];
  const missing = commands.filter(
    ({ words: [group, name = ''] }) =>
      !rows.some((row) => row.startsWith(`| \`perturb ${group}`) && row.includes(name)),
  );
  expect(missing.map(({ words }) => words.join(' '))).toEqual([]);
});
