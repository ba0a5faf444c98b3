import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { bundle } from '../scripts/bundle.js';
import { external } from '../scripts/external.js';

/*
 * The licences of the packages in the bundles ask to go with every copy of them.
 * The files with them are written by `npm run golden`.
 */

/** What is bundled, by the file with the licences that go with it. */
const bundles = {
  'docs/bundled-licences.txt': {
    name: 'Perturb',
    entries: ['src/program.ts', 'src/languageserver.ts', 'src/index.ts'],
    external,
    contains: 'node_modules/smol-toml',
  },
  'editors/vscode/bundled-licences.txt': {
    name: 'The client of the extension',
    entries: ['editors/vscode/extension.ts'],
    external: ['vscode'],
    contains: 'node_modules/vscode-languageclient',
  },
};

/** A package that a bundle takes something from: its folder, and the files that it takes from. */
interface Package {
  readonly folder: string;
  readonly paths: readonly string[];
}

async function bundledPackages(input: string[], external: string[]): Promise<Package[]> {
  const { output } = await bundle({ input, external, write: false }, { format: 'esm' });
  const taken = output.flatMap((one) =>
    one.type === 'chunk'
      ? Object.entries(one.modules).flatMap(([path, { renderedLength }]) =>
          renderedLength > 0 ? relative('.', path) : [],
        )
      : [],
  );
  const byFolder = new Map<string, string[]>();
  for (const path of [...new Set(taken)].sort()) {
    const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
    if (folder !== undefined) byFolder.set(folder, [...(byFolder.get(folder) ?? []), path]);
  }
  return [...byFolder]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([folder, paths]) => ({ folder, paths }));
}

/** What the files of a package begin with, where it has its licence there alone. */
function headersOf(paths: readonly string[]): readonly string[] {
  const headers = paths.flatMap(
    (path) => /^(?:\/\/.*\n)+/.exec(readFileSync(path, 'utf8'))?.[0].trim() ?? [],
  );
  return [...new Set(headers)];
}

function licenceOf({ folder, paths }: Package): string {
  const { name, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) =>
    readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim(),
  );
  const all = texts.length > 0 ? texts : headersOf(paths);
  return [`${name} (${license})`, ...all].join('\n\n');
}

const bundled = await Promise.all(
  Object.entries(bundles).map(async ([path, { entries, external, ...rest }]) => ({
    ...rest,
    path,
    packages: await bundledPackages(entries, external),
  })),
);

test.each(bundled)(
  '$path has the licences of what is bundled',
  async ({ path, name, contains, packages }) => {
    expect(packages.map(({ folder }) => folder)).toContain(contains);
    const line = '-'.repeat(72);
    const text = `${name} contains code of these packages, under their licences.\n\n${packages
      .map((one) => `${line}\n${licenceOf(one)}\n`)
      .join('\n')}`;
    await expect(text).toMatchFileSnapshot(`../${path}`);
  },
);

test.each(bundled.flatMap(({ path, packages }) => packages.map((one) => ({ ...one, path }))))(
  '$folder brings its licence to $path',
  (one) => {
    expect(licenceOf(one)).toMatch(/\n\n.*(copyright|permission)/is);
  },
);
