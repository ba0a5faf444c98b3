import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { denyForeign, KEY_HEADER } from '../../mutators/index.js';

/** The currently accepted keys. */
export interface ApiKeys {
  /** Returns true for an accepted key. A wrong key takes as long as an accepted key. */
  accepts(key: string): boolean;
}

/** Creates a set of accepted keys. Comparing digests, all of one length, does not reveal the length of a key. */
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
 * Returns the reason to reject a request. With keys, a request without a key gets a 400, and a wrong key a 401. Node
 * joins repeated headers with a comma, so several keys are one wrong key. Without keys, only web pages are rejected.
 *
 * @param findForeignHost returns the host of another server that the request names, if any
 * @returns the reason, for the log; undefined to accept the request. The reason repeats no text of the client except
 * a foreign host.
 */
export function findDenial(
  keys: ApiKeys | undefined,
  headers: IncomingHttpHeaders,
  findForeignHost: () => string | undefined,
): { readonly status: 400 | 401; readonly reason: string } | undefined {
  if (keys === undefined) {
    const reason = denyForeign(headers, findForeignHost);
    return reason === undefined ? undefined : { status: 401, reason };
  }
  const key = headers[KEY_HEADER];
  if (key === undefined) return { status: 400, reason: `the header ${KEY_HEADER} is missing` };
  return keys.accepts(String(key))
    ? undefined
    : { status: 401, reason: `the header ${KEY_HEADER} has no valid key` };
}
