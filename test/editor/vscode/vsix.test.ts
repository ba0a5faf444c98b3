import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { XMLParser } from 'fast-xml-parser';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { allRules } from '../../../src/cli/rules.js';
import { version } from '../../../src/version.js';
import { installPackage } from '../../docs/installed.js';
import { Client } from '../client.js';

/* The extension as VS Code installs it: packed by the script, and unpacked again. */

const root = mkdtempSync(join(tmpdir(), 'perturb-vsix-'));
let files: Readonly<Record<string, Uint8Array>>;

function pack(name: string): Buffer {
  const target = join(root, name);
  const { status, stderr } = spawnSync(process.execPath, ['editors/vscode/vsix.js', target], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return readFileSync(target);
}

function textOf(name: string): string {
  const bytes = files[name];
  if (bytes === undefined) throw new Error(`the extension has no ${name}`);
  return strFromU8(bytes);
}

beforeAll(() => {
  files = unzipSync(pack('perturb.vsix'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('it holds the client, the server, the grammars and their licences', () => {
  const pages = allRules.map(({ id }) => `extension/docs/rules/${id}.md`);
  const listed = [...pages, 'extension/docs/rules/README.md'];
  expect(
    Object.keys(files)
      .filter((name) => name.includes('/docs/'))
      .sort(),
  ).toEqual(listed.sort());
  expect(
    Object.keys(files)
      .filter((name) => !name.includes('/docs/'))
      .sort(),
  ).toEqual([
    '[Content_Types].xml',
    'extension.vsixmanifest',
    'extension/CHANGELOG.md',
    'extension/LICENSE.txt',
    'extension/README.md',
    'extension/bundled-licences.txt',
    'extension/extension.cjs',
    'extension/grammars/toml.tmLanguage.json',
    'extension/grammars/trace-expression.tmLanguage.json',
    'extension/language-configuration.json',
    'extension/package.json',
    'extension/server/bin.cjs',
    'extension/server/bundled-licences.txt',
    'extension/server/languageserver.cjs',
  ]);
});

test('the same sources give the same bytes', () => {
  expect(pack('again.vsix').equals(readFileSync(join(root, 'perturb.vsix')))).toBe(true);
});

test('the package holds it, where the docs say', async () => {
  const { files: packed, modules } = await installPackage();
  const page = readFileSync('docs/editors.md', 'utf8');
  const [path = ''] = /(?<=`node_modules\/perturb\/)\S+\.vsix/.exec(page) ?? [];
  expect(packed.filter((file) => file.startsWith('editors/'))).toEqual([path]);
  const installed = join(modules, 'perturb');
  const shipped = unzipSync(readFileSync(join(installed, path)));
  const expected = { ...files };
  // The server is the one that was packed: the same code, built at another time.
  for (const name of ['bin.cjs', 'languageserver.cjs']) {
    expected[`extension/server/${name}`] = readFileSync(join(installed, 'dist', name));
  }
  const names = Object.keys(expected);
  expect(Object.keys(shipped)).toEqual(names);
  const differs = (name: string) =>
    Buffer.compare(shipped[name] as Uint8Array, expected[name] as Uint8Array) !== 0;
  expect(names.filter(differs)).toEqual([]);
});

test('each file that its manifest names is there', () => {
  const { main, contributes } = JSON.parse(textOf('extension/package.json'));
  const named: string[] = [
    main,
    ...contributes.languages.map(({ configuration }: { configuration: string }) => configuration),
    ...contributes.grammars.map(({ path }: { path: string }) => path),
  ];
  expect(named).toHaveLength(4);
  const missing = named.filter((path) => files[`extension/${path.slice(2)}`] === undefined);
  expect(missing).toEqual([]);
  const assets = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' }).parse(
    textOf('extension.vsixmanifest'),
  ).PackageManifest.Assets.Asset as readonly { readonly Path: string }[];
  expect(assets).toHaveLength(4);
  expect(assets.filter(({ Path }) => files[Path] === undefined)).toEqual([]);
});

test('both manifests have the version of the project, and the same publisher', () => {
  const { publisher, ...manifest } = JSON.parse(textOf('extension/package.json'));
  expect(manifest.version).toBe(version);
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' });
  const { Identity, Properties } = parser.parse(textOf('extension.vsixmanifest')).PackageManifest
    .Metadata;
  expect(Identity).toEqual({
    Language: 'en-US',
    Id: 'perturb',
    Version: version,
    Publisher: publisher,
  });
  expect(Properties.Property).toContainEqual({
    Id: 'Microsoft.VisualStudio.Code.Engine',
    Value: manifest.engines.vscode,
  });
});

test('in an untrusted workspace it is limited, and keeps its program', () => {
  const { capabilities, contributes } = JSON.parse(textOf('extension/package.json'));
  const { supported, restrictedConfigurations } = capabilities.untrustedWorkspaces;
  expect(supported).toBe('limited');
  const settings = Object.keys(contributes.configuration.properties);
  expect(settings.filter((name) => name.endsWith('.path'))).toEqual(restrictedConfigurations);
});

test('its README has each of its settings and commands', () => {
  const { contributes } = JSON.parse(textOf('extension/package.json'));
  const readme = textOf('extension/README.md');
  const names = Object.keys(contributes.configuration.properties);
  expect(names.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
  for (const { category, title } of contributes.commands) {
    expect(readme).toContain(`"${category}: ${title}"`);
  }
});

test('the server in it serves, with nothing beside it', async () => {
  const unpacked = join(root, 'unpacked');
  for (const [name, bytes] of Object.entries(files)) {
    const path = join(unpacked, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  const program = join(unpacked, 'extension/server/bin.cjs');
  const child = spawn(
    process.execPath,
    [program, 'lsp', '--stdio', `--clientProcessId=${process.pid}`],
    {
      cwd: root,
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const client = new Client(child);
  await client.request('initialize', { processId: null, rootUri: null, capabilities: {} });
  client.notify('initialized', {});
  const uri = pathToFileURL(join(root, 'a.objective.toml')).href;
  client.open(uri, 'name = 1\n');
  const found = await client.diagnostics(uri);
  const page = join(unpacked, 'extension/docs/rules/objective/wrong-type.md');
  expect(found.find(({ code }) => code === 'objective/wrong-type')?.codeDescription).toEqual({
    href: pathToFileURL(page).href,
  });
  expect(await client.end()).toBe(0);
});
