import { quote } from '../../diagnostics/index.js';
import { ActuatorError } from '../actuator-error.js';
import { fillText, type ValueOf } from '../template.js';

/**
 * The URL with the values in it, percent-encoded. Throws an ActuatorError when
 * they would lead elsewhere than the template says: a value is part of a segment
 * of the path, or of the query, and a segment never becomes `..` or empty.
 */
export function fillUrl(template: string, given: ValueOf): URL {
  const plain = new URL(fillText(template, given, () => 'x'));
  const refuse = (detail: string) =>
    new ActuatorError('bad-url', quote(plain.origin + plain.pathname), detail);
  let text: string;
  try {
    text = fillText(template, given, encodeURIComponent);
  } catch (error) {
    if (error instanceof URIError) throw refuse('a value holds half a surrogate pair');
    throw error;
  }
  const url = new URL(text);
  if (shapeOf(url) !== shapeOf(plain)) throw refuse('a value would change the path');
  return url;
}

/** The path with a letter for each segment: how many there are, and which are empty. */
function shapeOf({ pathname }: URL): string {
  return pathname.replace(/[^/]+/g, 'x');
}
