import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { denyForeign, KEY_HEADER } from '../../mutators/index.js';

/** The keys that let a client in, at this moment. */
export interface ApiKeys {
  /** Whether it is one of the keys; takes as long for a wrong key as for a right one. */
  accepts(key: string): boolean;
}

/** Holds digests of keys: all have one length, so that comparing them does not reveal how long a key is. */
export function createKeys(keys: readonly string[]): ApiKeys {
  const digests = keys.map(digest);
  return {
    accepts(key) {
      const given = digest(key);
      let found = 0;
      for (const one of digests) found |= Number(timingSafeEqual(one, given));
      return found === 1;
    },
  };
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/**
 * Whether a request may go on. With keys it must carry one of them: none is a
 * 400 and a wrong one a 401. Node joins repeated headers with a comma, so several
 * keys are one wrong key. Without keys anyone may, except web pages.
 *
 * @param foreign the host of another server that the request names, if it names one
 * @returns why it is turned away, for the log: nothing of what the client sent but such a host
 */
export function deny(
  keys: ApiKeys | undefined,
  headers: IncomingHttpHeaders,
  foreign: () => string | undefined,
): { readonly status: 400 | 401; readonly reason: string } | undefined {
  if (keys === undefined) {
    const reason = denyForeign(headers, foreign);
    return reason === undefined ? undefined : { status: 401, reason };
  }
  const key = headers[KEY_HEADER];
  if (key === undefined) return { status: 400, reason: `the header ${KEY_HEADER} is missing` };
  return keys.accepts(String(key))
    ? undefined
    : { status: 401, reason: `the header ${KEY_HEADER} has no valid key` };
}
