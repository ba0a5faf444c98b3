import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { denyForeignRequest, KEY_HEADER } from '../../mutators/index.js';

/** The currently accepted keys. */
export interface ApiKeys {
  /** Returns true for an accepted key. The comparison is timing-safe. */
  accepts(key: string): boolean;
}

/**
 * Creates a set of accepted keys. Compares digests of equal length, because comparing keys would reveal their lengths.
 */
export function createKeys(keys: readonly string[]): ApiKeys {
  const digests = keys.map(digestOf);
  return {
    accepts(key) {
      const givenDigest = digestOf(key);
      let matches = 0;
      for (const candidate of digests) matches |= Number(timingSafeEqual(candidate, givenDigest));
      return matches === 1;
    },
  };
}

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/**
 * Returns the reason to reject a request. If keys are required, a request without a key gets a 400, and a request with
 * a wrong key gets a 401. Node joins repeated headers with a comma, so several keys count as a single wrong key. If no
 * key is required, only requests from web pages are rejected.
 *
 * @param findForeignHost returns the host of another server that the request names, if any
 * @returns the reason, for the log; undefined to accept the request. The reason contains no client text except a
 * foreign host.
 */
export function findDenial(
  keys: ApiKeys | undefined,
  headers: IncomingHttpHeaders,
  findForeignHost: () => string | undefined,
): { readonly status: 400 | 401; readonly reason: string } | undefined {
  if (keys === undefined) {
    const reason = denyForeignRequest(headers, findForeignHost);
    return reason === undefined ? undefined : { status: 401, reason };
  }
  const key = headers[KEY_HEADER];
  if (key === undefined) return { status: 400, reason: `the header ${KEY_HEADER} is missing` };
  return keys.accepts(String(key))
    ? undefined
    : { status: 401, reason: `the header ${KEY_HEADER} has no valid key` };
}
