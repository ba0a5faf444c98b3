import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { strToU8, zipSync } from 'fflate';
import { bundle } from '../../scripts/bundle.js';
import { contentTypes, vsixManifest } from './vsix-manifest.js';

/*
 * Writes the extension as editors/vscode/perturb-VERSION.vsix, or where the argument says. The
 * server in it is the built program, so `npm run build` comes first. The same sources give the same
 * bytes.
 *
 * @vscode/vsce does the same with 200 packages, some of them with install scripts, most for
 * publishing. A .vsix is a zip with two files of XML.
 */

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '../..');

/** What the server needs of the program. */
const SERVER = ['bin.cjs', 'languageserver.cjs'];
const OWN = [
  'bundled-licences.txt',
  ...['README.md', 'language-configuration.json'],
  ...['grammars/toml.tmLanguage.json', 'grammars/trace-expression.tmLanguage.json'],
];

/** The manifest, with the version and the licence of the project. */
function manifestOf() {
  const own = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  const project = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { version, license } = project;
  return { ...own, version, license };
}

async function bundleExtension() {
  const { output } = await bundle(
    { input: join(here, 'extension.ts'), external: ['vscode'], write: false },
    { format: 'cjs', codeSplitting: false, minify: true, comments: false },
  );
  return strToU8(output[0].code);
}

const manifest = manifestOf();
/** @type {Record<string, Uint8Array>} */
const files = {
  '[Content_Types].xml': strToU8(contentTypes),
  'extension.vsixmanifest': strToU8(vsixManifest(manifest)),
  'extension/package.json': strToU8(`${JSON.stringify(manifest, null, 2)}\n`),
  'extension/extension.cjs': await bundleExtension(),
};
for (const name of OWN) files[`extension/${name}`] = readFileSync(join(here, name));
for (const name of SERVER) {
  files[`extension/server/${name}`] = readFileSync(join(root, 'dist', name));
}
// The id of a finding leads to its page.
const pages = readdirSync(join(root, 'docs/rules'), { encoding: 'utf8', recursive: true });
for (const page of pages.filter((name) => name.endsWith('.md')).sort()) {
  files[`extension/docs/rules/${page}`] = readFileSync(join(root, 'docs/rules', page));
}
for (const [name, path] of [
  ['CHANGELOG.md', 'CHANGELOG.md'],
  ['LICENSE.txt', 'LICENSE'],
  ['server/bundled-licences.txt', 'docs/bundled-licences.txt'],
]) {
  files[`extension/${name}`] = readFileSync(join(root, /** @type {string} */ (path)));
}

const [, , target = join(here, `perturb-${manifest.version}.vsix`)] = process.argv;
writeFileSync(target, zipSync(files, { level: 9, mtime: '1980-01-01T12:00:00Z' }));
process.stdout.write(`${target}\n`);
