import { statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { quote } from '../../diagnostics/index.js';
import { isApiKey } from '../../mutators/index.js';
import { type ApiKeys, createKeys } from '../api/auth.js';
import type { TlsIdentity } from '../api/http-server.js';
import { readConfiguredFile, ServeError } from './serve-error.js';

const POLL_MS = 1_000;

/** The sources of a server's keys. */
export interface KeySources {
  /** A file with one key per line. */
  readonly file?: string;
  /** The name of an environment variable that contains a key. */
  readonly variable?: string;
  /** A reflector's token, to accept as a key. */
  readonly token?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Keys that are reloaded when their file changes. */
export interface LiveKeys extends ApiKeys {
  /** The keys themselves, for redaction. */
  readonly secrets: readonly string[];
  /** Stops watching the file. */
  close(): void;
}

/**
 * Reads the keys, and reloads the file whenever it changes, to allow key rotation without a restart. An unusable change
 * leaves the keys unchanged.
 *
 * @param onChange called for each change, with the reason if the change is unusable
 * @param pollMs interval between checks of the file, in milliseconds
 * @returns undefined if no source is configured
 */
export function openKeys(
  sources: KeySources,
  onChange: (problem?: ServeError) => void,
  pollMs = POLL_MS,
): LiveKeys | undefined {
  const { file } = sources;
  const fixedKeys = [
    ...fromVariable(sources),
    ...(sources.token === undefined ? [] : [sources.token]),
  ];
  if (file === undefined) {
    if (fixedKeys.length === 0) return undefined;
    return { ...createKeys(fixedKeys), secrets: fixedKeys, close() {} };
  }
  // Taken before reading, to detect a change during the read.
  let lastFingerprint = fingerprint(file);
  let secrets = [...fixedKeys, ...readKeyFile(file, true)];
  let keys = createKeys(secrets);
  const poll = () => {
    const currentFingerprint = fingerprint(file);
    if (currentFingerprint === lastFingerprint) return;
    lastFingerprint = currentFingerprint;
    try {
      // Does not read a pipe, which would block all responses.
      secrets = [...fixedKeys, ...readKeyFile(file, false)];
      keys = createKeys(secrets);
      onChange();
    } catch (error) {
      if (!(error instanceof ServeError)) throw error;
      onChange(error);
    }
  };
  const timer = setInterval(poll, pollMs).unref();
  return {
    accepts: (key) => keys.accepts(key),
    get secrets() {
      return secrets;
    },
    close: () => clearInterval(timer),
  };
}

/**
 * Returns a value that changes when a file is written, replaced or removed, or when a symbolic link to the file is
 * redirected.
 */
function fingerprint(file: string): string {
  try {
    const { dev, ino, size, mtimeNs } = statSync(file, { bigint: true });
    return [dev, ino, size, mtimeNs].join();
  } catch {
    // The reason is reported when the file is read.
    return '';
  }
}

function fromVariable({ variable, env }: KeySources): string[] {
  if (variable === undefined) return [];
  const key = env[variable];
  if (key === undefined || key === '') {
    throw new ServeError('bad-key', `the environment variable ${quote(variable)} contains no key`);
  }
  if (!isApiKey(key)) {
    throw new ServeError('bad-key', `the key in ${quote(variable)} ${INVALID_KEY}`);
  }
  return [key];
}

const INVALID_KEY =
  'contains characters that are not allowed in a header: expected printable ASCII';

function readKeyFile(file: string, pipe: boolean): string[] {
  const text = readConfiguredFile('bad-key', file, pipe).toString();
  const lines = text.split('\n').map((line) => line.trim());
  const invalidIndex = lines.findIndex((line) => line !== '' && !isApiKey(line));
  if (invalidIndex !== -1) {
    throw new ServeError(
      'bad-key',
      `the key in line ${invalidIndex + 1} of ${quote(file)} ${INVALID_KEY}`,
    );
  }
  const keys = lines.filter((line) => line !== '');
  if (keys.length === 0) {
    throw new ServeError('bad-key', `${quote(file)} contains no key: expected one key per line`);
  }
  return keys;
}

/** Reads a server's certificate and private key from PEM files. Throws a ServeError if they cannot be used. */
export function loadTls(certFile: string, keyFile: string): TlsIdentity {
  const read = (file: string) => readConfiguredFile('bad-tls', file, true).toString();
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
