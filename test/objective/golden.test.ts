import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { lint, rules } from '../../src/objective/index.js';
import { reporters } from '../../src/reporters/index.js';
import { decodeSource } from '../../src/source/index.js';

const directory = 'fixtures/objective';

function objectives(folder: string): string[] {
  return readdirSync(join(directory, folder))
    .filter((name) => name.endsWith('.objective.toml'))
    .map((name) => join(directory, folder, name));
}

function findingsOf(path: string) {
  return lint(decodeSource(path, readFileSync(path)));
}

function render(path: string): string | Promise<string> {
  return reporters.pretty(
    { diagnostics: findingsOf(path), fileCount: 1, rules, version: '0.0.0' },
    { color: false, width: 100, directory: '/project', root: '/project' },
  );
}

test.each(objectives('clean'))('%s has no finding', (path) => {
  expect(findingsOf(path)).toEqual([]);
});

test.each([...objectives('rules'), ...objectives('findings')])('%s', async (path) => {
  await expect(await render(path)).toMatchFileSnapshot(
    join(process.cwd(), path.replace(/toml$/, 'out')),
  );
});

test('every rule over files and objectives has a failing file named after it', () => {
  const own = rules.map(({ id }) => id).filter((id) => !id.startsWith('expression/'));
  const covered = own.filter((id) => {
    const [group, name] = id.split('/') as [string, string];
    const file = group === 'toml' ? `toml-${name}` : name;
    return objectives('rules').some(
      (path) =>
        basename(path, '.objective.toml') === file &&
        findingsOf(path).some(({ rule }) => rule === id),
    );
  });
  expect(covered).toEqual(own);
});

test.each(rules.filter(({ id }) => !id.startsWith('expression/')))(
  'the examples of $id fail and pass as they say',
  ({ id, examples }) => {
    const ids = (text: string) =>
      lint(decodeSource('x.toml', Buffer.from(text))).map((d) => d.rule);
    expect(new Set(ids(examples.fails))).toEqual(new Set([id]));
    expect(ids(examples.passes)).toEqual([]);
  },
);
