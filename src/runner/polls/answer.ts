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
  /** The status of HTTP, or of a command. */
  readonly status?: number;
  /** The reason if there is no answer: `timeout`, `refused`, `reset`, or another word or code. */
  readonly error?: string;
  /** The body, or a command's output. */
  readonly text?: string;
  /** True if the text was truncated. */
  readonly isCut?: boolean;
}

/** Maximum number of bytes of an answer to read. */
export const MOST_ANSWER_BYTES = 64 * 1024;
/** Maximum number of values of a JSON answer that become attributes. */
const MOST_KEYS = 50;

/** Returns the attributes of an answer, without its latency. */
export function answerAttributes(answer: Answer): Map<string, AttributeValue> {
  const { ok, status, error, text = '', isCut = false } = answer;
  const attributes = new Map<string, AttributeValue>([['ok', { type: 'boolean', value: ok }]]);
  if (status !== undefined) {
    attributes.set('status', { type: 'integer', value: BigInt(status) });
  }
  if (error !== undefined) attributes.set('error', { type: 'string', value: error });
  const json = isCut || text.trim() === '' ? undefined : parseJson(text, { lastCounts: true });
  let isTruncated = isCut;
  if (json !== undefined && 'value' in json) {
    const { value } = json;
    const isScalar = !Array.isArray(value) && !isJsonObject(value);
    const values = [...valuesIn(value, 'body')];
    isTruncated = values.length > MOST_KEYS;
    for (const [key, one] of values.slice(0, MOST_KEYS)) {
      attributes.set(isScalar && numberText(value) !== undefined ? 'value' : key, one);
    }
  }
  if (isTruncated) attributes.set('truncated', { type: 'boolean', value: true });
  return attributes;
}

/** Yields the values in a JSON document, by their dotted paths, in document order. */
function* valuesIn(json: Json, path: string): Generator<[string, AttributeValue]> {
  if (Array.isArray(json)) {
    for (const [at, item] of asSample(json).entries()) yield* valuesIn(item, `${path}.${at}`);
  } else if (isJsonObject(json)) {
    for (const [key, item] of Object.entries(json)) yield* valuesIn(item, `${path}.${key}`);
  } else {
    const value = fromJson(json);
    if (!('problem' in value)) yield [path, value];
  }
}

/** Returns a Prometheus sample, an array of a number and a numeric text, as two numbers. */
function asSample(items: readonly Json[]): readonly Json[] {
  const [time, value] = items;
  if (items.length !== 2 || numberText(time as Json) === undefined) return items;
  const read = typeof value === 'string' ? parseJson(value) : undefined;
  const isNumber = read && 'value' in read && numberText(read.value) !== undefined;
  return isNumber ? [time as Json, read.value] : items;
}
