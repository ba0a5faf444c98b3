import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serveMutators } from '../cli/mutator-server.js';
import { serveHttp } from '../mutators/client/servers.js';
import type { startClient } from './client.js';
import { listing, manifest, objective, settings, shows, UNKNOWN } from './one-mutator.js';
import { openIn } from './open.js';

/** An objective that names a mutator that there is not, beside files. */
const openWith = (
  files: Readonly<Record<string, string>>,
  options?: Parameters<typeof startClient>[1],
) => openIn(objective('gale'), files, options);

test.each([
  ['a manifest', 'bench.mutators.toml', manifest('wind')],
  ['a listing', 'bench.json', listing('wind')],
])('%s is loaded, and loaded anew when it changes', async (_, file, text) => {
  const { client, uri, directory } = await openWith({
    'perturb.toml': settings(file),
    [file]: text,
  });
  await shows(client, uri, UNKNOWN);
  writeFileSync(join(directory, file), text.replaceAll('wind', 'gale'));
  await shows(client, uri, []);
  writeFileSync(join(directory, file), text.replaceAll('wind', 'storm'));
  await shows(client, uri, UNKNOWN);
});

test('another perturb.toml is another catalog', async () => {
  const { client, uri, directory } = await openWith({
    'perturb.toml': settings('one.mutators.toml'),
    'one.mutators.toml': manifest('wind'),
    'two.mutators.toml': manifest('gale'),
  });
  await shows(client, uri, UNKNOWN);
  writeFileSync(join(directory, 'perturb.toml'), settings('two.mutators.toml'));
  await shows(client, uri, []);
});

test('a client that watches files is asked to, and what it tells leads to new findings', async () => {
  const { client, uri, directory } = await openWith(
    { 'perturb.toml': settings('mutators.toml'), 'mutators.toml': manifest('wind') },
    { watches: true },
  );
  await shows(client, uri, UNKNOWN);
  const registered = client.calls.find(({ method }) => method === 'client/registerCapability');
  expect(registered?.params).toMatchObject({
    registrations: [
      {
        method: 'workspace/didChangeWatchedFiles',
        registerOptions: {
          watchers: [
            { globPattern: '**/perturb.toml' },
            { globPattern: '**/mutators.toml' },
            { globPattern: '**/*.mutators.toml' },
            { globPattern: '**/*.json' },
          ],
        },
      },
    ],
  });
  writeFileSync(join(directory, 'mutators.toml'), manifest('gale'));
  client.notify('workspace/didChangeWatchedFiles', { changes: [] });
  await shows(client, uri, []);
});

test('a server is asked for its mutators, with the key that perturb.toml names', async () => {
  const { url } = await serveMutators({ listing: listing('wind'), key: 'secret' });
  const config = `${settings('bench')}\n[servers.bench]\nurl = "${url}"\napi_key_env = "PERTURB_BENCH_KEY"\n`;
  const { client, uri } = await openWith(
    { 'perturb.toml': config },
    { env: { PERTURB_BENCH_KEY: 'secret' } },
  );
  await shows(client, uri, UNKNOWN);
});

test.each([false, 'unsaid'] as const)('no server is asked where trust is %s', async (trusted) => {
  let asked = 0;
  const url = await serveHttp((_, response) => {
    asked += 1;
    response.end(listing('wind'));
  });
  const files = {
    'perturb.toml': `[lint]\nmutators = ["${url}", "mutators.toml"]\n`,
    'mutators.toml': manifest('wind'),
  };
  const { client, uri } = await openWith(files, { trusted });
  // The file is loaded, so that the server would have been.
  await shows(client, uri, UNKNOWN);
  expect(asked).toBe(0);
});

test('a server that does not answer holds no keystroke', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await new Promise((done) => silent.once('listening', done));
  const { port } = silent.address() as { readonly port: number };
  const { client, uri } = await openWith({ 'perturb.toml': settings(`http://127.0.0.1:${port}`) });
  // Few enough for a slow machine to check before the server is given up, which is a warning.
  for (let version = 2; version <= 8; version += 1) {
    client.change(uri, version, objective(`gale${version}`));
    expect(await client.diagnostics(uri, version)).toEqual([]);
  }
  const warned = client.calls.filter(({ method }) => method === 'window/logMessage');
  expect(warned).toEqual([]);
});

test.skipIf(process.platform === 'win32')('a pipe as perturb.toml is not read', async () => {
  const { client, uri, directory } = await openWith({});
  await shows(client, uri, []);
  spawnSync('mkfifo', [join(directory, 'perturb.toml')]);
  client.change(uri, 2, objective('storm'));
  expect(await client.diagnostics(uri, 2)).toEqual([]);
});

test.skipIf(process.platform === 'win32')('a pipe as a catalog is not read', async () => {
  const { client, uri, directory } = await openWith({});
  await shows(client, uri, []);
  spawnSync('mkfifo', [join(directory, 'mutators.toml')]);
  writeFileSync(join(directory, 'perturb.toml'), settings('mutators.toml'));
  client.change(uri, 2, objective('storm'));
  expect(await client.diagnostics(uri, 2)).toEqual([]);
  const warning = await client.called('window/logMessage');
  expect(warning).toMatchObject({ message: expect.stringContaining('is not a regular file') });
});
