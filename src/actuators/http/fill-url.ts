import { quote } from '../../diagnostics/index.js';
import { ActuatorError } from '../actuator-error.js';
import { fillText, type ValueOf } from '../template.js';

/**
 * Expands a URL template with percent-encoded values. Throws an ActuatorError if a value would change the template's
 * structure. A value is part of a path segment or of the query, and must not turn a segment into `..` or an empty
 * segment.
 */
export function fillUrl(template: string, valueFor: ValueOf): URL {
  const plainUrl = new URL(fillText(template, valueFor, () => 'x'));
  const createError = (detail: string) =>
    new ActuatorError('bad-url', quote(plainUrl.origin + plainUrl.pathname), detail);
  let text: string;
  try {
    text = fillText(template, valueFor, encodeURIComponent);
  } catch (error) {
    if (error instanceof URIError) throw createError('a value contains an unpaired surrogate');
    throw error;
  }
  const url = new URL(text);
  if (pathShape(url) !== pathShape(plainUrl)) throw createError('a value would change the path');
  return url;
}

/** Returns a URL's path with each segment replaced by `x`, to compare path structures. */
function pathShape({ pathname }: URL): string {
  return pathname.replace(/[^/]+/g, 'x');
}
