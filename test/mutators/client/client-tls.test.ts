import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bundleFile, virtual } from '../../../scripts/bundle.js';
import { createClient } from '../../../src/mutators/index.js';
import { makeAuthority } from './certificates.js';
import { serveHttp, serveTls } from './servers.js';

/** The client in a program of its own: whom Node trusts is settled when it starts. */
const PROGRAM = `
  import { createClient } from './src/mutators/index.js';
  const { list } = createClient({ url: process.argv[2], timeoutMs: 20_000 });
  const told = await list().then(() => 'listed', ({ code, message }) => [code, message]);
  console.log(JSON.stringify(told));
`;

test('certificates are judged', async () => {
  const authority = makeAuthority();
  const outfile = join(authority.directory, 'list.mjs');
  const entry = resolve('list.ts');
  await bundleFile(entry, outfile, { plugins: [virtual(entry, PROGRAM)] });
  const list = async (identity: { key: string; cert: string }) => {
    const port = await serveTls(identity, (_, response) => response.end('[]'));
    const base = `https://127.0.0.1:${port}`;
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: authority.caFile };
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, [outfile, base], { env });
    return JSON.parse(stdout.replaceAll(base, 'URL'));
  };

  expect(await list(authority.issue('IP:127.0.0.1', 30))).toBe('listed');
  expect(await list(authority.issue('DNS:elsewhere.example', 30))).toEqual([
    'tls-wrong-host',
    'the certificate of URL/mutator is for another host: use a host name in the certificate',
  ]);
  expect(await list(authority.issue('IP:127.0.0.1', -1))).toEqual([
    'tls-expired',
    "the certificate of URL/mutator is expired or not yet valid (CERT_HAS_EXPIRED): renew the certificate, or check this machine's clock",
  ]);
  expect(await list(authority.selfSigned('127.0.0.1'))).toEqual([
    'tls-untrusted',
    "the certificate of URL/mutator is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT): set NODE_EXTRA_CA_CERTS to its issuer's file",
  ]);
});

test('https for a server without TLS is told', async () => {
  const url = (await serveHttp((_, response) => response.end('[]'))).replace('http:', 'https:');
  await expect(createClient({ url, timeoutMs: 20_000 }).list()).rejects.toMatchObject({
    code: 'tls-failed',
    // How TLS puts it is the library's own.
    message: expect.stringContaining(`${url}/mutator does not support TLS as expected (`),
  });
});
