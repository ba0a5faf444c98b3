import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/*
 * The size of the house: a file is one idea that is worth opening, and a name means one thing.
 * Whoever adds a file beyond these limits joins two others first.
 */

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => join('src', path))
  .sort()
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

const lengths = files.map(({ text }) => text.split('\n').length - 1).sort((a, b) => a - b);

test('src has at most 460 files and 50,000 lines, and half of the files have 100 or more', () => {
  expect(files.length).toBeLessThanOrEqual(460);
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(50_000);
  expect(lengths[Math.floor(lengths.length / 2)]).toBeGreaterThanOrEqual(100);
});

test('a folder has 3 to 20 files, or fewer with an index', () => {
  const folders = new Map<string, typeof files>();
  for (const file of files) {
    const folder = dirname(file.path);
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  const wrong = [...folders].filter(
    ([folder, within]) =>
      within.length > 20 ||
      (within.length < 3 && !within.some(({ path }) => path === join(folder, 'index.ts'))),
  );
  expect(wrong.map(([folder, within]) => `${folder}: ${within.length}`)).toEqual([]);
});

/** What every command exports. */
const OF_COMMANDS = ['configure', 'run', 'hints', 'completions'];
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
