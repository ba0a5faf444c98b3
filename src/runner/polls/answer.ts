import {
  type AttributeValue,
  fromJson,
  isJsonObject,
  type Json,
  numberText,
  parseJson,
} from '../../values/index.js';

/** The answer to a poll's question. */
export interface Answer {
  /** True for a status of 200 to 299, an open connection, or exit status 0. */
  readonly ok: boolean;
  /** HTTP status, or a command's exit status. */
  readonly status?: number;
  /** The reason if there is no answer: `timeout`, `refused`, `reset`, or another word or code. */
  readonly error?: string;
  /** The response body, or the command's output. */
  readonly text?: string;
  /** True if the text was truncated. */
  readonly isTruncated?: boolean;
}

/** Maximum number of bytes of an answer to read. */
export const MAX_ANSWER_BYTES = 64 * 1024;
/** Maximum number of values of a JSON answer that become attributes. */
const MAX_ATTRIBUTES = 50;

/** Returns the attributes of an answer, without its latency. */
export function answerAttributes(answer: Answer): Map<string, AttributeValue> {
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

/** Yields the values in a JSON document, by their dotted paths, in document order. */
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

/** Returns a Prometheus sample, an array of a number and a numeric string, as two numbers. */
function toSample(items: readonly Json[]): readonly Json[] {
  const [time, value] = items;
  if (items.length !== 2 || numberText(time as Json) === undefined) return items;
  const parsedValue = typeof value === 'string' ? parseJson(value) : undefined;
  const isNumber =
    parsedValue && 'value' in parsedValue && numberText(parsedValue.value) !== undefined;
  return isNumber ? [time as Json, parsedValue.value] : items;
}
