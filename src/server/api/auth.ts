import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { denyForeign, KEY_HEADER } from '../../mutators/index.js';

/** The currently accepted keys. */
export interface ApiKeys {
  /** True if it is one of the keys; takes as long for a wrong key as for a right one. */
  accepts(key: string): boolean;
}

/** Holds digests of keys: all have one length, so comparing them does not reveal the length of a key. */
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
 * Decides if a request is rejected. With keys it must carry one of them: none is a 400 and a wrong one a 401. Node
 * joins repeated headers with a comma, so several keys are one wrong key. Without keys anyone may, except web
 * pages.
 *
 * @param findForeignHost the host of another server that the request names, if any
 * @returns the reason for the log, which repeats nothing that the client sent but such a host; undefined if
 * accepted
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
