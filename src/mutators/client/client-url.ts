import { ClientError } from './client-error.js';

/**
 * The base of a mutator server's endpoints, without a slash at its end.
 * Refuses what is not the plain URL of a server with a ClientError; a URL with
 * credentials among it, for those end up in logs and process lists.
 */
export function baseOf(text: string): string {
  const shown = withoutCredentials(text);
  if (!/^https?:\/\//i.test(text)) {
    throw new ClientError('bad-url', shown, 'expected it to begin with http:// or https://');
  }
  if (!/^[^/]*\/\/[^/\\?#]/.test(text) || !URL.canParse(text)) {
    throw new ClientError('bad-url', shown, 'it has no valid host and port');
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw new ClientError('bad-url', shown, 'credentials do not belong in it, use an API key');
  }
  if (/[?#]/.test(text)) {
    throw new ClientError('bad-url', url.origin + url.pathname, 'it has a query or a fragment');
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** A URL, well-formed or not, without what stands before an `@`, to show it. */
export function withoutCredentials(text: string): string {
  return text.replace(/^(.*?\/\/)?.*@/s, '$1');
}

/** The URL of the mutations of a mutator. */
export function mutationsOf(base: string, id: string): string {
  // URLs take these for steps in a path, percent-encoded or not.
  if (id === '' || id === '.' || id === '..' || /\p{Cs}/u.test(id)) {
    throw new ClientError('bad-id', base, JSON.stringify(id));
  }
  return `${base}/mutator/${encodeURIComponent(id)}/mutation`;
}
