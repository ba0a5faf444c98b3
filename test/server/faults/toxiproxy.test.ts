import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { directoryWith } from '../../cli/program.js';
import { blocksOf } from '../../docs/documents.js';
import { inject, reset } from '../programs/server-program.js';
import { listen, serveIn } from './ready-made.js';

/** The manifest of the page. */
const MANIFEST = blocksOf(readFileSync('docs/ready-made-mutators.md', 'utf8')).find(
  ({ file }) => file === 'toxiproxy.mutators.toml',
)?.body;

/** A stand-in for toxiproxy's API, with one proxy and one toxic. Nothing passes through it. */
async function startApi() {
  const proxy: Record<string, unknown> = { name: 'db', enabled: true };
  const toxic = { name: 'slow', type: 'latency', attributes: { latency: 0, jitter: 0 } };
  const server = createServer(async (request, response) => {
    const change = JSON.parse(await text(request));
    if (request.method !== 'PATCH') response.writeHead(405);
    else if (request.url === '/proxies/db') Object.assign(proxy, change);
    else if (request.url === '/proxies/db/toxics/slow') {
      Object.assign(toxic.attributes, change.attributes);
    } else response.writeHead(404);
    response.end();
  });
  const port = await listen(server);
  return { proxy, toxic, port };
}

test('the manifest for toxiproxy sets a state, and sets it back as often as asked', async () => {
  const { proxy, toxic, port } = await startApi();
  const manifest = MANIFEST?.replaceAll('127.0.0.1:8474', `127.0.0.1:${port}`) ?? '';
  const { url } = await serveIn(directoryWith({ 'mutators.toml': manifest }));
  expect(await inject(url, 'db-latency', { delay: 150 })).toBe(201);
  expect(await inject(url, 'db-latency', { delay: 300 })).toBe(201);
  expect(await inject(url, 'db-down')).toBe(201);
  expect([proxy['enabled'], toxic.attributes]).toEqual([false, { latency: 300, jitter: 0 }]);
  for (let times = 0; times < 2; times += 1) {
    expect(await reset(url, 'db-latency')).toBe(200);
    expect(await reset(url, 'db-down')).toBe(200);
    expect([proxy['enabled'], toxic.attributes]).toEqual([true, { latency: 0, jitter: 0 }]);
  }
});
