import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/*
 * The licences of the packages in the bundles ask to go with every copy of them.
 * `docs/bundled-licences.txt` is written by `npm run golden`.
 */

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The folders of all packages that a bundle takes something from, with the files that it takes from. */
async function bundledPackages(): Promise<ReadonlyMap<string, readonly string[]>> {
  const { metafile } = await build({
    entryPoints: ['src/program.ts', 'src/index.ts'],
    bundle: true,
    platform: 'node',
    mainFields: ['module', 'main'],
    format: 'esm',
    external: Object.keys(dependencies),
    outdir: 'unwritten',
    write: false,
    metafile: true,
  });
  const taken = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? path : [])),
  );
  const byFolder = new Map<string, string[]>();
  for (const path of [...new Set(taken)].sort()) {
    const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
    if (folder !== undefined) byFolder.set(folder, [...(byFolder.get(folder) ?? []), path]);
  }
  return new Map([...byFolder].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** What the files of a package begin with, where it has its licence there alone. */
function headersOf(paths: readonly string[]): readonly string[] {
  const headers = paths.flatMap(
    (path) => /^(?:\/\/.*\n)+/.exec(readFileSync(path, 'utf8'))?.[0].trim() ?? [],
  );
  return [...new Set(headers)];
}

function licenceOf(folder: string): string {
  const { name, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) =>
    readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim(),
  );
  const all = texts.length > 0 ? texts : headersOf(packages.get(folder) ?? []);
  return [`${name} (${license})`, ...all].join('\n\n');
}

const packages = await bundledPackages();
const folders = [...packages.keys()];

test('docs/bundled-licences.txt has the licences of what is bundled', async () => {
  expect(folders).toContain('node_modules/smol-toml');
  const line = '-'.repeat(72);
  const text = `Perturb contains code of these packages, under their licences.\n\n${folders
    .map((folder) => `${line}\n${licenceOf(folder)}\n`)
    .join('\n')}`;
  await expect(text).toMatchFileSnapshot('../docs/bundled-licences.txt');
});

test.each(folders)('%s brings its licence', (folder) => {
  expect(licenceOf(folder)).toMatch(/\n\n.*(copyright|permission)/is);
});
