import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { type Catalog, createCatalog, loadManifest } from '../../src/mutators/index.js';
import { lint, rules } from '../../src/objective/index.js';
import { EXAMPLE_MANIFEST } from '../../src/objective/rules/example.js';
import { type ReporterName, reporters } from '../../src/reporters/index.js';
import { decodeSource } from '../../src/source/index.js';

const directory = 'fixtures/objective';
const bench = catalogOf(readFileSync(join(directory, 'catalog/bench.mutators.toml')));
const example = catalogOf(Buffer.from(EXAMPLE_MANIFEST));

function catalogOf(manifest: Uint8Array): Catalog {
  const { manifest: loaded, findings } = loadManifest(decodeSource('m.toml', manifest));
  expect(findings).toEqual([]);
  const mutators = loaded?.mutators ?? [];
  return createCatalog(mutators.map((mutator) => ({ ...mutator, origin: 'm.toml' })));
}

function objectives(folder: string): string[] {
  return readdirSync(join(directory, folder))
    .filter((name) => name.endsWith('.objective.toml'))
    .map((name) => join(directory, folder, name));
}

const examples = readdirSync('examples/objectives').map((name) =>
  join('examples/objectives', name),
);

function findingsOf(path: string) {
  const options = path.includes('/catalog/') ? { catalog: bench } : {};
  return lint(decodeSource(path, readFileSync(path)), options);
}

function render(path: string, format: ReporterName = 'pretty'): string | Promise<string> {
  return reporters[format](
    { findings: findingsOf(path), fileCount: 1, rules, version: '0.0.0' },
    { color: false, width: 100, directory: '/project', root: '/project' },
  );
}

test.each([...examples, join(directory, 'catalog/clean.objective.toml')])(
  '%s has no finding',
  (path) => {
    expect(findingsOf(path)).toEqual([]);
  },
);

test.each([
  ...objectives('rules'),
  ...objectives('findings'),
  ...objectives('catalog').filter((path) => !/(clean|bench)\.objective\.toml$/.test(path)),
])('%s', async (path) => {
  await expect(await render(path)).toMatchFileSnapshot(resolve(path.replace(/toml$/, 'out')));
});

test.each(Object.keys(reporters) as ReporterName[])(
  'the mistakes against the bench as %s',
  async (format) => {
    const path = join(directory, 'catalog/bench.objective.toml');
    await expect(await render(path, format)).toMatchFileSnapshot(
      resolve(directory, `catalog/bench.${format}.out`),
    );
  },
);

test('every catalog rule is reported for the bench, and each only once for a mistake', () => {
  const reported = objectives('catalog').flatMap(findingsOf);
  const catalogRules = rules.map(({ id }) => id).filter((id) => id.startsWith('catalog/'));
  expect(new Set(reported.map(({ rule }) => rule))).toEqual(new Set([...catalogRules, ...OTHERS]));
  for (const path of objectives('catalog')) {
    const spans = findingsOf(path).map(({ span }) => `${span.start}-${span.end}`);
    expect(spans).toEqual([...new Set(spans)]);
  }
});

/** What else is found in the files that are held against the bench. */
const OTHERS = [
  'objective/duplicate-mutator',
  'objective/invalid-range',
  'objective/range-and-options',
  'objective/unknown-key',
];

const elsewhere = /^(expression|recorded|catalog)\//;

test('every rule over files and objectives has a failing file named after it', () => {
  const own = rules.map(({ id }) => id).filter((id) => !elsewhere.test(id));
  const covered = own.filter((id) => {
    const [group, name] = id.split('/') as [string, string];
    const file = group === 'objective' ? name : `${group}-${name}`;
    return objectives('rules').some(
      (path) =>
        basename(path, '.objective.toml') === file &&
        findingsOf(path).some(({ rule }) => rule === id),
    );
  });
  expect(covered, 'each rule needs fixtures/objective/rules/NAME.objective.toml').toEqual(own);
});

test.each(rules.filter(({ id }) => !/^(expression|recorded)\//.test(id)))(
  'the examples of $id fail and pass as they say',
  ({ id, examples }) => {
    const ids = (text: string) =>
      lint(
        decodeSource('x.toml', Buffer.from(text)),
        id.startsWith('catalog/') ? { catalog: example } : {},
      ).map((d) => d.rule);
    expect(new Set(ids(examples.fails))).toEqual(new Set([id]));
    expect(ids(examples.passes)).toEqual([]);
  },
);
