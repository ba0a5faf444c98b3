import {
  type AttributeValue,
  fromJson,
  isJsonObject,
  type Json,
  numberText,
  parseJson,
} from '../../values/index.js';

/** The response to a poll's request. */
export interface PollResponse {
  /** True if the HTTP status is 200 to 299, the connection was opened, or the exit status is 0. */
  readonly ok: boolean;
  /** HTTP status, or a command's exit status. */
  readonly status?: number;
  /** The reason for a missing or incomplete response: `timeout`, `refused`, `reset`, or another word or code. */
  readonly error?: string;
  /** The response body, or the command's output. */
  readonly text?: string;
  /** True if the text was truncated. */
  readonly isTruncated?: boolean;
}

/** Maximum number of bytes to read from a response. */
export const MAX_RESPONSE_BYTES = 64 * 1024;
/** Maximum number of attributes from a JSON response. */
const MAX_ATTRIBUTES = 50;

/** Returns a response's attributes, except the latency. */
export function responseAttributes(answer: PollResponse): Map<string, AttributeValue> {
  const { ok, status, error, text = '', isTruncated = false } = answer;
  const attributes = new Map<string, AttributeValue>([['ok', { type: 'boolean', value: ok }]]);
  if (status !== undefined) {
    attributes.set('status', { type: 'integer', value: BigInt(status) });
  }
  if (error !== undefined) attributes.set('error', { type: 'string', value: error });
  const json =
    isTruncated || text.trim() === '' ? undefined : parseJson(text, { lastCounts: true });
  let isIncomplete = isTruncated;
  if (json !== undefined && 'value' in json) {
    const { value } = json;
    const isScalar = !Array.isArray(value) && !isJsonObject(value);
    const values = [...valuesIn(value, 'body')];
    isIncomplete = values.length > MAX_ATTRIBUTES;
    for (const [key, item] of values.slice(0, MAX_ATTRIBUTES)) {
      attributes.set(isScalar && numberText(value) !== undefined ? 'value' : key, item);
    }
  }
  if (isIncomplete) attributes.set('truncated', { type: 'boolean', value: true });
  return attributes;
}

/** Yields a JSON document's values with their dotted paths, in document order. */
function* valuesIn(json: Json, path: string): Generator<[string, AttributeValue]> {
  if (Array.isArray(json)) {
    for (const [index, item] of toSample(json).entries()) yield* valuesIn(item, `${path}.${index}`);
  } else if (isJsonObject(json)) {
    for (const [key, item] of Object.entries(json)) yield* valuesIn(item, `${path}.${key}`);
  } else {
    const value = fromJson(json);
    if (!('problem' in value)) yield [path, value];
  }
}

/**
 * Converts a Prometheus sample, an array of a number and a numeric string, to two numbers. Returns any other array
 * unchanged.
 */
function toSample(items: readonly Json[]): readonly Json[] {
  const [time, value] = items;
  if (items.length !== 2 || numberText(time as Json) === undefined) return items;
  const parsedValue = typeof value === 'string' ? parseJson(value) : undefined;
  const isNumber =
    parsedValue && 'value' in parsedValue && numberText(parsedValue.value) !== undefined;
  return isNumber ? [time as Json, parsedValue.value] : items;
}
