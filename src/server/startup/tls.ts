import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { quote } from '../../diagnostics/index.js';
import type { Tls } from '../api/http-server.js';
import { ServeError, unreadable } from './serve-error.js';

/** Reads and tries the identity of a server from PEM files. */
export function loadTls(certFile: string, keyFile: string): Tls {
  const tls = { cert: read(certFile), key: read(keyFile) };
  try {
    createSecureContext(tls);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServeError(
      'bad-tls',
      `${quote(certFile)} and ${quote(keyFile)} cannot be used for TLS: ${reason}`,
      'Expected a certificate and its private key, both in PEM.',
    );
  }
  return tls;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw unreadable('bad-tls', file, error);
  }
}
