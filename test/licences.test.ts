import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/*
 * The licences of the packages in the bundles ask to go with every copy of them.
 * `docs/bundled-licences.txt` is written by `npm run golden`.
 */

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The folders of all packages that a bundle takes something from. */
async function bundledPackages(): Promise<readonly string[]> {
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
  const folders = taken.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  return [...new Set(folders)].sort();
}

function licenceOf(folder: string): string {
  const { name, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) =>
    readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim(),
  );
  return [`${name} (${license})`, ...texts].join('\n\n');
}

const folders = await bundledPackages();

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
