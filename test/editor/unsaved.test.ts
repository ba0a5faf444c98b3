import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { serveHttp } from '../mutators/client/servers.js';
import { type Client, cursorIn, type Range } from './client.js';
import { listing, manifest, objective, settings, shows, UNKNOWN } from './one-mutator.js';
import { ask, openIn } from './open.js';

/* Open documents win over the disk: what perturb.toml and manifests say counts before it is saved. */

/** An open objective that names the mutator `gale`, beside files. */
async function openBeside(files: Readonly<Record<string, string>>) {
  const opened = await openIn(objective('gale'), files);
  const uriOf = (name: string): string => pathToFileURL(join(opened.directory, name)).href;
  return { ...opened, uriOf };
}

/** The same beside a manifest that does not have it, once that is found. */
async function openBesideWind(name = 'mutators.toml') {
  const opened = await openBeside({ 'perturb.toml': settings(name), [name]: manifest('wind') });
  await shows(opened.client, opened.uri, UNKNOWN);
  return opened;
}

const close = (client: Client, uri: string): void =>
  client.notify('textDocument/didClose', { textDocument: { uri } });

test('levels of an unsaved perturb.toml count, until it is closed', async () => {
  const { client, uri, uriOf } = await openBesideWind();
  const config = uriOf('perturb.toml');
  client.open(config, settings('mutators.toml'));
  const off = `${settings('mutators.toml')}[lint.rules]\n"${UNKNOWN[0]}" = "off"\n`;
  client.change(config, 2, off);
  await shows(client, uri, []);
  close(client, config);
  await shows(client, uri, UNKNOWN);
});

test('while a statement of perturb.toml is half typed, the others count', async () => {
  const { client, uri, uriOf } = await openBesideWind();
  const config = uriOf('perturb.toml');
  const level = (text: string): string => `[lint.rules]\n"${UNKNOWN[0]}" = "warn"${text}`;
  client.open(config, level('\n'));
  await shows(client, uri, []);
  client.change(config, 2, `${level('\n')}[servers.be`);
  client.change(config, 3, `${level(`\n\n${settings('mutators.toml')}`)}[servers.be`);
  const shown = await client.until(uri, ({ length }) => length === 1);
  expect(shown.map(({ code, severity }) => [code, severity])).toEqual([[UNKNOWN[0], 2]]);
});

test('a perturb.toml that was never saved is that of its folder', async () => {
  const { client, uri, uriOf } = await openBeside({ 'mutators.toml': manifest('wind') });
  expect(await client.diagnostics(uri)).toEqual([]);
  client.open(uriOf('perturb.toml'), settings('mutators.toml'));
  await shows(client, uri, UNKNOWN);
});

test.each([
  ['mutators.toml'],
  // Its name does not say what it is.
  ['bench.toml'],
])('mutators of an unsaved %s count, until it is closed', async (name) => {
  const { client, uri, uriOf } = await openBesideWind(name);
  client.open(uriOf(name), manifest('wind'));
  client.change(uriOf(name), 2, manifest('gale'));
  await shows(client, uri, []);
  close(client, uriOf(name));
  await shows(client, uri, UNKNOWN);
});

test('while a manifest is half typed, the mutators that it had are known', async () => {
  const { client, uri, uriOf } = await openBesideWind();
  const uriOfManifest = uriOf('mutators.toml');
  client.open(uriOfManifest, manifest('storm'));
  client.change(uriOfManifest, 2, `${manifest('storm')}[[mutator]]\nname = `);
  client.change(uriOfManifest, 3, `${manifest('storm')}[[mutator]]\nname = "gale"\n`);
  await client.diagnostics(uriOfManifest, 3);
  const { text, position } = cursorIn(objective('|'));
  client.change(uri, 2, text);
  await client.diagnostics(uri, 2);
  const offered = await ask<{ label: string }[]>(client, 'completion', uri, { position });
  expect(offered.map(({ label }) => label)).toEqual(['storm']);
});

test('a definition leads to where an unsaved manifest has it', async () => {
  const { client, uri, uriOf } = await openBesideWind();
  const its = uriOf('mutators.toml');
  client.open(its, `# new\n${manifest('gale')}`);
  await shows(client, uri, []);
  const position = { line: 3, character: 9 };
  const found = await ask<{ uri: string; range: Range }[]>(client, 'definition', uri, { position });
  expect(found).toEqual([
    { uri: its, range: { start: { line: 2, character: 7 }, end: { line: 2, character: 13 } } },
  ]);
});

test('a server that an unsaved perturb.toml names is asked only once that is saved', async () => {
  let asked = 0;
  const url = await serveHttp((_, response) => {
    asked += 1;
    response.end(listing('wind'));
  });
  const { client, uri, uriOf, directory } = await openBesideWind();
  const config = uriOf('perturb.toml');
  client.open(config, settings(url));
  // What the server has is not known, so nothing is said of mutators.
  await shows(client, uri, []);
  client.change(config, 2, settings('mutators.toml'));
  await shows(client, uri, UNKNOWN);
  expect(asked).toBe(0);
  client.change(config, 3, settings(url));
  await shows(client, uri, []);
  writeFileSync(join(directory, 'perturb.toml'), settings(url));
  client.notify('textDocument/didSave', { textDocument: { uri: config } });
  await shows(client, uri, UNKNOWN);
  expect(asked).toBe(1);
});

test('edits of a manifest do not ask the servers beside it again', async () => {
  let asked = 0;
  const url = await serveHttp((_, response) => {
    asked += 1;
    response.end(listing('wind'));
  });
  const { client, uri, uriOf } = await openBeside({
    'perturb.toml': `[lint]\nmutators = ["${url}", "mutators.toml"]\n`,
    'mutators.toml': manifest('storm'),
  });
  await shows(client, uri, UNKNOWN);
  const its = uriOf('mutators.toml');
  client.open(its, manifest('gale'));
  await shows(client, uri, []);
  client.change(its, 2, manifest('breeze'));
  await shows(client, uri, UNKNOWN);
  expect(asked).toBe(1);
});
