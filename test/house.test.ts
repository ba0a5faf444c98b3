import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/*
 * The size of the house: a file is one idea that is worth opening, and a name means one thing.
 * Whoever adds a file beyond these limits joins two others first.
 */

const MOST_FILES = 456;
/** To become 50,000. */
const MOST_LINES = 75_800;
const LEAST_MEDIAN = 100;
const MOST_IN_FOLDER = 20;
const LEAST_IN_FOLDER = 3;
/** What every command exports. */
const OF_COMMANDS = ['configure', 'run', 'hints', 'help'];

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => join('src', path))
  .sort()
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

const lengths = files.map(({ text }) => text.split('\n').length - 1).sort((a, b) => a - b);

test('src has few files and lines, and half of the files are long enough', () => {
  expect(files.length).toBeLessThanOrEqual(MOST_FILES);
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(MOST_LINES);
  expect(lengths[Math.floor(lengths.length / 2)]).toBeGreaterThanOrEqual(LEAST_MEDIAN);
});

test('a folder has neither too many files nor too few, unless it has an index', () => {
  const folders = new Map<string, typeof files>();
  for (const file of files) {
    const folder = dirname(file.path);
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  const wrong = [...folders].filter(
    ([folder, within]) =>
      within.length > MOST_IN_FOLDER ||
      (within.length < LEAST_IN_FOLDER &&
        !within.some(({ path }) => path === join(folder, 'index.ts'))),
  );
  expect(wrong.map(([folder, within]) => `${folder}: ${within.length}`)).toEqual([]);
});

const EXPORTED =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|class|const|let|type|interface|enum) (\w+)/gm;

test('no exported name is defined in two files', () => {
  const places = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    for (const [, name = ''] of text.matchAll(EXPORTED)) {
      places.set(name, (places.get(name) ?? new Set()).add(path));
    }
  }
  const twice = [...places].filter(
    ([name, paths]) => paths.size > 1 && !OF_COMMANDS.includes(name),
  );
  expect(twice.map(([name, paths]) => `${name}: ${[...paths].join(', ')}`)).toEqual([]);
});
