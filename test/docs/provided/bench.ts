import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeAuthority } from '../../mutators/client/certificates.js';
import { hostsEnvironment } from './hosts.js';
import type { Provide } from './provided.js';

const HOST = 'bench.example';
const KEY = 'the-key-of-the-bench';
const SERVING = /^Serving .* at https:\/\/127\.0\.0\.1:(\d+)\/api$/m;

/**
 * Serves the mutators of an example at https://bench.example/api, with a key. Node and curl find the
 * host and trust its certificate.
 */
export const provideBench: Provide = async ({ installation, home, hidden }) => {
  const directory = join(hidden, 'bench');
  mkdirSync(directory);
  const authority = makeAuthority(directory);
  const { key, cert } = authority.issue(`DNS:${HOST}`, 30);
  writeFileSync(join(directory, 'key.pem'), key);
  writeFileSync(join(directory, 'cert.pem'), cert);
  const manifest = join(installation.modules, 'perturb/examples/drone/mutators.toml');
  const server = spawn(
    join(installation.modules, '.bin/perturb'),
    [
      ...['serve', 'mutators', manifest, '--port', '0', '--base-path', '/api'],
      ...['--tls-cert', 'cert.pem', '--tls-key', 'key.pem', '--api-key-env', 'KEY'],
    ],
    {
      cwd: directory,
      env: { PATH: process.env['PATH'], KEY },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const closed = once(server, 'close');
  let said = '';
  for (const stream of [server.stdout, server.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  }
  while (!SERVING.test(said) && (server.exitCode ?? server.signalCode) === null) {
    await Promise.race([once(server.stdout, 'data'), once(server.stderr, 'data'), closed]);
  }
  const port = Number(SERVING.exec(said)?.[1]);
  if (Number.isNaN(port)) throw new Error(`no bench: ${said}`);
  writeFileSync(
    join(home, '.curlrc'),
    `resolve = "${HOST}:${port}:127.0.0.1"\ncacert = "${authority.caFile}"\n`,
  );
  return {
    env: {
      ...hostsEnvironment,
      BENCH_API_KEY: KEY,
      NODE_EXTRA_CA_CERTS: bundle(join(directory, 'bundle.pem'), authority.caFile),
    },
    hosts: { [HOST]: port },
    async end() {
      server.kill('SIGTERM');
      await closed;
    },
  };
};

/** A file with an authority's certificate beside those that Node is given here. */
function bundle(path: string, caFile: string): string {
  const given = process.env['NODE_EXTRA_CA_CERTS'] ?? '';
  const certificates = [caFile, given].filter((file) => existsSync(file));
  writeFileSync(path, certificates.map((file) => readFileSync(file, 'utf8')).join('\n'));
  return path;
}
