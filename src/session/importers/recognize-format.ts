import { hasClocks } from './shiviz.js';

/** The formats that sessions are read from. */
export const FORMATS = ['session', 'otlp', 'shiviz', 'jaeger', 'zipkin'] as const;

export type Format = (typeof FORMATS)[number];

/** Keys of the outermost object by which a format is recognized, the first format first. */
const KEYS: readonly (readonly [Format, readonly string[]])[] = [
  ['otlp', ['resourceSpans', 'resourceLogs', 'resourceMetrics']],
  ['session', ['session', 'probe', 'from', 'to']],
  ['jaeger', ['data', 'spans', 'traceID']],
  ['zipkin', ['traceId', 'localEndpoint']],
];

/** The format of a file, recognized by how it begins; anything else is taken for a session. */
export function recognizeFormat(head: string): Format {
  const text = head.replace(/^\uFEFF?\s*/, '');
  if (text.startsWith('[')) return 'zipkin';
  if (!text.startsWith('{')) return hasClocks(text) ? 'shiviz' : 'session';
  const keys = keysOf(text);
  return KEYS.find(([, known]) => known.some((key) => keys.includes(key)))?.[0] ?? 'session';
}

/** The keys of an object on one line, or the first key of one on several. */
function keysOf(text: string): readonly string[] {
  try {
    return Object.keys(JSON.parse(text.split('\n', 1)[0] as string));
  } catch {
    return /^\{\s*"([^"\\]*)"/.exec(text)?.slice(1) ?? [];
  }
}
