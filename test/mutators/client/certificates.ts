import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface Identity {
  readonly key: string;
  readonly cert: string;
}

/** Makes certificates with the `openssl` command; without a directory, in one that goes when the test ends. */
export function makeAuthority(directory = temporaryDirectory()) {
  const at = (name: string) => join(directory, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const authority = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'];

  const selfSigned = (name: string): Identity => {
    const files = ['-keyout', at(`${name}.key`), '-out', at(`${name}.pem`)];
    openssl('req', '-x509', ...newKey, ...files, '-days', '30', '-subj', `/CN=${name}`);
    return {
      key: readFileSync(at(`${name}.key`), 'utf8'),
      cert: readFileSync(at(`${name}.pem`), 'utf8'),
    };
  };
  selfSigned('ca');

  return {
    directory,
    /** The file of the authority's own certificate. */
    caFile: at('ca.pem'),
    selfSigned,
    /** An identity for hosts such as `IP:127.0.0.1`, valid for so many days. */
    issue(hosts: string, days: number): Identity {
      const files = ['-keyout', at('host.key'), '-out', at('host.csr')];
      openssl('req', ...newKey, ...files, '-subj', '/CN=host');
      writeFileSync(at('host.ext'), `subjectAltName=${hosts}\n`);
      const request = ['-in', at('host.csr'), '-extfile', at('host.ext'), '-days', String(days)];
      openssl('x509', '-req', ...request, ...authority, '-out', at('host.pem'));
      return {
        key: readFileSync(at('host.key'), 'utf8'),
        cert: readFileSync(at('host.pem'), 'utf8'),
      };
    },
  };
}

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'perturb-certificates-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}
