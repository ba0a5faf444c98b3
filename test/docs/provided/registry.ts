import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { configured, type Installation, npmEnvironment } from '../installed.js';
import type { Provide } from './provided.js';

interface Locked {
  readonly version: string;
  readonly integrity: string;
}

type Packuments = Map<string, { versions: Record<string, unknown> }>;

/** Takes the package away, and gives npm a registry that has it. */
export const provideRegistry: Provide = async ({ installation, directory }) => {
  const server = await serveRegistry(installation);
  rmSync(join(directory, 'node_modules'));
  return {
    env: { ...npmEnvironment(), npm_config_registry: urlOf(server) },
    async end() {
      server.close();
      server.closeAllConnections();
    },
  };
};

/**
 * Serves the package that was packed, and what was installed with it, on the loopback. The bytes of
 * its dependencies npm finds in its cache, by their digests; anything else is where npm has it from.
 */
async function serveRegistry({ lock, tarball }: Installation): Promise<Server> {
  const upstream = configured('registry').replace(/\/$/, '');
  let packuments: Packuments = new Map();
  const server = createServer(({ url = '/' }, response) => {
    const path = decodeURIComponent(url);
    const packument = packuments.get(path.slice(1));
    // Nothing of this belongs in npm's cache: the next run has another port.
    response.setHeader('cache-control', 'no-store');
    if (packument !== undefined) {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(packument));
    } else if (path.startsWith('/perturb/-/')) {
      response.setHeader('content-type', 'application/octet-stream').end(readFileSync(tarball));
    } else response.writeHead(302, { location: `${upstream}${url}` }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  packuments = packumentsOf(JSON.parse(readFileSync(lock, 'utf8')), urlOf(server));
  return server;
}

/** What a registry says of the packages in a lock file. */
function packumentsOf(
  { packages }: { readonly packages: Readonly<Record<string, Locked>> },
  registry: string,
): Packuments {
  const packuments: Packuments = new Map();
  for (const [path, { integrity, ...entry }] of Object.entries(packages)) {
    const name = path.split('node_modules/').at(-1) as string;
    if (name === '') continue;
    const { version } = entry;
    const tarball = `${registry}/${name}/-/${name.split('/').at(-1)}-${version}.tgz`;
    const manifest = { ...entry, name, version, dist: { integrity, tarball } };
    const versions = { ...packuments.get(name)?.versions, [version]: manifest };
    packuments.set(name, { ...{ name, 'dist-tags': { latest: version } }, versions });
  }
  return packuments;
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
