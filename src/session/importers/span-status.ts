import type { Json } from '../../values/index.js';
import { wordOfJson } from './mapping.js';

const HTTP = ['http.response.status_code', 'http.status_code'];
const SERVER_ERROR = 500;
/** Values of `error` that mean no error. */
const FALSE_TEXTS = ['false', '0'];

/**
 * Returns a span's status: an explicit `ok` or `error`; otherwise `error` if the span has an attribute `error`, or an
 * HTTP status of at least 500.
 *
 * @param attribute returns an attribute of the span
 * @param explicitStatus the span's status, if the format has one
 */
export function spanStatus(
  attribute: (name: string) => Json | undefined,
  explicitStatus = wordOfJson(attribute('otel.status_code'))?.toLowerCase(),
): string | undefined {
  if (explicitStatus === 'ok' || explicitStatus === 'error') return explicitStatus;
  const error = wordOfJson(attribute('error'));
  const hasError = error !== undefined && !FALSE_TEXTS.includes(error.toLowerCase());
  const isServerError = HTTP.some((name) => Number(wordOfJson(attribute(name))) >= SERVER_ERROR);
  return hasError || isServerError ? 'error' : explicitStatus;
}
