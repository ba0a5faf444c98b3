import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadManifest, writeListing } from '../../src/mutators/index.js';
import { decodeSource } from '../../src/source/index.js';
import { directoryWith, perturb } from './program.js';

const MANIFEST = readFileSync('fixtures/objective/catalog/bench.mutators.toml');
const OBJECTIVE = readFileSync('fixtures/objective/catalog/bench.objective.toml');
const CLEAN = readFileSync('fixtures/objective/catalog/clean.objective.toml');
const { manifest } = loadManifest(decodeSource('m.toml', MANIFEST));
const LISTING = writeListing(manifest?.mutators ?? []);

const lint = ['objective', 'lint', '-f', 'json', 'a.toml'];

/** A server of the listing on loopback, and what it was asked. */
async function serve(
  answer: (request: IncomingMessage) => { status: number; body: string },
): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    const { status, body } = answer(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/base`, requests };
}

test('a manifest, its saved listing and a live server give the same findings', async () => {
  const { url, requests } = await serve(() => ({ status: 200, body: LISTING }));
  const cwd = directoryWith({
    'a.toml': OBJECTIVE,
    'bench.toml': MANIFEST,
    'bench.json': LISTING,
    'perturb.toml': `[servers.bench]\nurl = "${url}"\n`,
  });
  const reports = [];
  for (const source of ['bench.toml', 'bench.json', url, 'bench']) {
    reports.push(await perturb([...lint, '--mutators', source], { cwd }));
  }
  const [first] = reports;
  expect(first?.code).toBe(1);
  expect(JSON.parse(first?.stdout ?? '').summary).toEqual({ files: 1, errors: 11, warnings: 3 });
  expect(reports).toEqual([first, first, first, first]);
  expect(requests.map(({ method, url: path }) => `${method} ${path}`)).toEqual([
    'GET /base/mutator',
    'GET /base/mutator',
  ]);
});

test('sources of perturb.toml count from its directory, and flags win over them', async () => {
  const cwd = directoryWith({
    'perturb.toml': '[lint]\nmutators = ["bench/m.toml"]\n',
    'bench/m.toml': MANIFEST,
    'deep/a.toml': OBJECTIVE,
    'deep/other.json': '[]',
  });
  const summaryOf = async (args: readonly string[]) => {
    const { stdout } = await perturb([...lint, ...args], { cwd: join(cwd, 'deep') });
    return JSON.parse(stdout).summary;
  };
  expect(await summaryOf([])).toEqual({ files: 1, errors: 11, warnings: 3 });
  const other = await summaryOf(['--mutators', 'other.json']);
  expect(other).not.toEqual({ files: 1, errors: 11, warnings: 3 });
});

test('the key of a named server comes from its variable, and goes to that server only', async () => {
  const bench = await serve(() => ({ status: 200, body: LISTING }));
  const other = await serve(() => ({ status: 200, body: '[]' }));
  const cwd = directoryWith({
    'a.toml': CLEAN,
    'perturb.toml': `[servers.bench]\nurl = "${bench.url}"\napi_key_env = "PERTURB_BENCH_KEY"\n`,
  });
  const args = [...lint, '--mutators', 'bench', '--mutators', other.url];
  const { code, stdout, stderr } = await perturb(args, {
    cwd,
    env: { PERTURB_BENCH_KEY: 'sesame' },
  });
  expect(code).toBe(0);
  expect(stdout + stderr).not.toContain('sesame');
  expect(bench.requests[0]?.headers['mutator_apikey']).toBe('sesame');
  expect(other.requests[0]?.headers['mutator_apikey']).toBeUndefined();
  expect(await perturb(args, { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'perturb: the variable PERTURB_BENCH_KEY for the API key is not set\n',
  });
});

test('two names of one server have each their own key', async () => {
  const bench = await serve(() => ({ status: 200, body: LISTING }));
  const named = (name: string, variable: string) =>
    `[servers.${name}]\nurl = "${bench.url}"\napi_key_env = "${variable}"\n`;
  const cwd = directoryWith({
    'a.toml': CLEAN,
    'perturb.toml': named('bench', 'PERTURB_BENCH_KEY') + named('guest', 'PERTURB_GUEST_KEY'),
  });
  const args = [...lint, '--mutators', 'bench', '--mutators', 'guest'];
  expect(
    (await perturb(args, { cwd, env: { PERTURB_BENCH_KEY: 'one', PERTURB_GUEST_KEY: 'two' } }))
      .code,
  ).toBe(0);
  const keys = bench.requests.map(({ headers }) => headers['mutator_apikey']);
  expect(keys.sort()).toEqual(['one', 'two']);
});

test('--api-key-file: its first line is the key', async () => {
  const bench = await serve(() => ({ status: 200, body: LISTING }));
  const cwd = directoryWith({ 'a.toml': CLEAN, key: '\nsesame\nold\n' });
  const args = [...lint, '--mutators', bench.url, '--api-key-file', 'key'];
  expect((await perturb(args, { cwd })).code).toBe(0);
  expect(bench.requests[0]?.headers['mutator_apikey']).toBe('sesame');
});

test.each([
  [400, 'key'],
  [401, 'key'],
])('a server that answers %i: 4, saying which and what to do', async (status, word) => {
  const bench = await serve(() => ({ status, body: '' }));
  const cwd = directoryWith({ 'a.toml': CLEAN });
  const { code, stdout, stderr } = await perturb([...lint, '--mutators', bench.url], { cwd });
  expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
  expect(stderr).toContain(bench.url);
  expect(stderr).toContain(word);
});

test('--offline opens no connection', async () => {
  const bench = await serve(() => ({ status: 200, body: LISTING }));
  const cwd = directoryWith({ 'a.toml': CLEAN });
  const args = [...lint, '--mutators', bench.url, '--offline'];
  expect(await perturb(args, { cwd })).toEqual({
    code: 4,
    stdout: '',
    stderr: `perturb: "${bench.url}" cannot be fetched with --offline: save the server's listing to a file and pass that file\n`,
  });
  expect(bench.requests).toEqual([]);
});

test('a source that is not there: 4, naming it', async () => {
  const cwd = directoryWith({ 'a.toml': CLEAN });
  expect(await perturb([...lint, '--mutators', 'no.toml'], { cwd })).toEqual({
    code: 4,
    stdout: '',
    stderr: 'perturb: cannot read mutators from "no.toml": there is no such file\n',
  });
});

test('a manifest with mistakes is reported, and objectives are checked without it', async () => {
  const cwd = directoryWith({ 'a.toml': OBJECTIVE });
  writeFileSync(join(cwd, 'm.toml'), '[[mutator]]\nnme = "wind"\n');
  const { code, stdout } = await perturb([...lint, '--mutators', 'm.toml'], { cwd });
  const { findings } = JSON.parse(stdout);
  expect(code).toBe(1);
  const rules: string[] = findings.map(
    ({ file, rule }: Record<string, string>) => `${file} ${rule}`,
  );
  expect(rules).toContain('m.toml manifest/unknown-key');
  expect(rules.filter((rule) => rule.includes('catalog/'))).toEqual([]);
});

test('what a foreign listing holds that is malformed is a warning on stderr', async () => {
  const listing = readFileSync('fixtures/mutators/foreign-listing.json');
  const cwd = directoryWith({ 'foreign.json': listing });
  const objective =
    'name = "x"\n[[measurement]]\nname = "y"\ncheck = "MATCH (a = 1) AS a"\n[stopping_conditions]\nattempts = 1\n';
  writeFileSync(join(cwd, 'a.toml'), objective);
  const { code, stderr } = await perturb([...lint, '--mutators', 'foreign.json'], { cwd });
  expect(code).toBe(0);
  expect(
    stderr
      .split('\n')
      .filter((line) => line !== '')
      .every((line) => line.startsWith('perturb: warning: foreign.json: ')),
  ).toBe(true);
  expect(stderr).not.toBe('');
});
