import { quote } from '../../diagnostics/index.js';
import { ServeError } from './serve-error.js';

/**
 * Reads a base path: `/`, or segments that mean the same in any URL. Gives it
 * without a slash at its end, so that paths can be put after it.
 */
export function parseBasePath(text: string): string {
  const path = text.replace(/\/+$/, '');
  const segments = path.split('/').slice(1);
  const fits = segments.every((one) => /^[\w.~-]+$/.test(one) && !/^\.{1,2}$/.test(one));
  if (path !== '' && (!path.startsWith('/') || !fits)) {
    throw new ServeError(
      'bad-base-path',
      `${quote(text)} is not a valid base path`,
      'Write it like /your/route, with letters, digits, "_", "-", "." and "~".',
    );
  }
  return path;
}
