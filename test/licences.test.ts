import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/*
 * The licences of the packages in the bundles ask to go with every copy of them. These files are
 * written by `npm run golden`.
 */

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

/** What is bundled, by the file with the licences that go with it. */
const bundles = {
  'docs/bundled-licences.txt': {
    name: 'Perturb',
    entries: ['src/program.ts', 'src/index.ts'],
    external: Object.keys(dependencies),
    contains: 'node_modules/smol-toml',
  },
  'editors/vscode/bundled-licences.txt': {
    name: 'The client of the extension',
    entries: ['editors/vscode/extension.ts'],
    external: ['vscode'],
    contains: 'node_modules/vscode-languageclient',
  },
};

/** The folders of all packages that a bundle takes something from. */
async function bundledPackages(
  entryPoints: string[],
  external: string[],
): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints,
    bundle: true,
    platform: 'node',
    mainFields: ['module', 'main'],
    format: 'esm',
    external,
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

const bundled = await Promise.all(
  Object.entries(bundles).map(async ([path, { entries, external, ...rest }]) => ({
    ...rest,
    path,
    folders: await bundledPackages(entries, external),
  })),
);

test.each(bundled)(
  '$path has the licences of what is bundled',
  async ({ path, name, contains, folders }) => {
    expect(folders).toContain(contains);
    const line = '-'.repeat(72);
    const text = `${name} contains code of these packages, under their licences.\n\n${folders
      .map((folder) => `${line}\n${licenceOf(folder)}\n`)
      .join('\n')}`;
    await expect(text).toMatchFileSnapshot(`../${path}`);
  },
);

test.each([...new Set(bundled.flatMap(({ folders }) => folders))])(
  '%s brings its licence',
  (folder) => {
    expect(licenceOf(folder)).toMatch(/\n\n.*(copyright|permission)/is);
  },
);
