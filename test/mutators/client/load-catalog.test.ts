import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  findMutators,
  type LoadOptions,
  loadCatalog,
  probesOf,
  SourceError,
  selectByTags,
} from '../../../src/mutators/index.js';
import { deadUrl, serveHttp } from './servers.js';

const options: LoadOptions = { offline: false, timeoutMs: 20_000, readFile };
const manifest = 'fixtures/mutators/drone.mutators.toml';
const listing = 'fixtures/mutators/foreign-listing.json';

function fileOf(name: string, content: string | Uint8Array): string {
  const directory = mkdtempSync(join(tmpdir(), 'perturb-catalog-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, name), content);
  return join(directory, name);
}

const failure = (sources: readonly string[], more: Partial<LoadOptions> = {}) =>
  loadCatalog(sources, { ...options, ...more }).then(
    () => 'no failure',
    (error: unknown) => {
      if (!(error instanceof SourceError)) throw error;
      return error.message;
    },
  );

test('a catalog is gathered from a manifest, a listing and a server', async () => {
  const keys: unknown[] = [];
  const url = await serveHttp((request, response) => {
    keys.push(request.headers['mutator_apikey']);
    response.end('[{"mutator_correlation_id":"gps","attributes":{"mutator.probe":"SIM"}}]');
  });
  const sources = [manifest, listing, url];
  const { catalog, findings, warnings } = await loadCatalog(sources, {
    ...options,
    apiKeyFor: () => 'k',
  });
  expect(keys).toEqual(['k']);
  expect(findings).toEqual([]);
  expect(new Set(warnings.map(({ source }) => source))).toEqual(new Set([listing]));
  expect(catalog.mutators.map(({ id, origin }) => [id, sources.indexOf(origin)])).toEqual([
    ['wind', 0],
    ['link-drop-packets', 0],
    ['battery', 0],
    ['gps', 0],
    ['gps-module', 0],
    ['wind', 1],
    ['a/b', 1],
    ['bare', 1],
    ['gps', 2],
  ]);

  const gps = findMutators(catalog, 'gps');
  expect(probesOf(gps)).toEqual(['NAV', 'BENCH', 'SIM']);
  expect(findMutators(catalog, 'gps', 'BENCH').map(({ id }) => id)).toEqual(['gps-module']);
  expect(findMutators(catalog, 'gps', 'ELSEWHERE')).toEqual([]);
  expect(findMutators(catalog, 'constructor')).toEqual([]);
  expect(probesOf(findMutators(catalog, 'simulation-wind'))).toEqual(['GAZEBO']);
  expect([...catalog.tags]).toEqual(['drone', 'simulator']);
  const selected = selectByTags(catalog.mutators, ['simulator', 'unknown']);
  expect(selected.map(({ id, origin }) => [id, origin])).toEqual([['wind', manifest]]);
  expect(selectByTags(catalog.mutators, [])).toEqual([]);
});

test('a manifest with findings gives them, and no mutators', async () => {
  const sources = ['fixtures/mutators/bad.mutators.toml', manifest];
  const { catalog, findings } = await loadCatalog(sources, options);
  expect(new Set(catalog.mutators.map(({ origin }) => origin))).toEqual(new Set([manifest]));
  expect(new Set(findings.map(({ file }) => file.path))).toEqual(new Set([sources[0]]));
});

test('JSON and TOML are told apart by ending, or else by content', async () => {
  const toml = readFileSync(manifest);
  const count = async (path: string) =>
    (await loadCatalog([path], options)).catalog.mutators.length;
  expect(await count(fileOf('mutators', toml))).toBe(5);
  expect(await count(fileOf('mutators', '\ufeff [\n]'))).toBe(0);
  expect(
    await count(fileOf('listing.JSON', '[{"mutator_correlation_id":"a","attributes":{}}]')),
  ).toBe(1);
  expect(await failure([fileOf('mutators', '{}')])).toContain(
    'is not a mutator listing: expected an array of mutators, found an object',
  );
  expect(await failure([fileOf('mutators.json', toml)])).toContain(
    'not a mutator listing: not JSON',
  );
});

test('a file that cannot be used is named', async () => {
  expect(await failure([listing, 'nowhere/mutators.toml'])).toBe(
    `cannot read mutators from "nowhere/mutators.toml": there is no such file`,
  );
  expect(await failure(['fixtures'])).toBe(
    `cannot read mutators from "fixtures": it is a directory`,
  );
  const latin = fileOf('latin.json', Buffer.from('["\xe9"]', 'latin1'));
  expect(await failure([latin])).toBe(`"${latin}" is not a mutator listing: the text is not UTF-8`);
});

test('of several sources that cannot be used the first is named', async () => {
  const dead = await deadUrl();
  expect(await failure([dead, 'nowhere.json'])).toBe(
    `${dead}/mutator refused the connection: check that the mutator server is running on this port`,
  );
});

test('a URL that is none of a server is refused, without its credentials', async () => {
  expect(await failure(['ftp://me:secret@host/mutators.json'])).toBe(
    '"ftp://host/mutators.json" is not the URL of a mutator server: expected it to begin with http:// or https://',
  );
});

test('offline no connection is opened', async () => {
  let connections = 0;
  const url = await serveHttp((_, response) => {
    connections += 1;
    response.end('[]');
  });
  expect(await failure([manifest, url], { offline: true })).toBe(
    `"${url}" cannot be fetched with --offline: save the server's listing to a file and pass that file`,
  );
  expect(connections).toBe(0);
  const { catalog } = await loadCatalog([manifest], { ...options, offline: true });
  expect(catalog.mutators).toHaveLength(5);
});
