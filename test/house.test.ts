import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** What every command exports. */
const OF_COMMANDS = ['args', 'options', 'prepare', 'run', 'hints', 'help'];

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => join('src', path))
  .sort()
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

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
