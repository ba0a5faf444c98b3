import { type Json, parseJson } from '../../values/index.js';
import type { Problems } from '../problem.js';
import type { Session } from '../session.js';
import { importJaeger } from './jaeger.js';
import { importOtlp } from './otlp.js';
import { executionOf, hasClocks, importShiviz, type ShivizOptions } from './shiviz.js';
import { importZipkin } from './zipkin.js';

/** The formats that sessions are read from. */
export const FORMATS = ['session', 'otlp', 'shiviz', 'jaeger', 'zipkin'] as const;

export type SessionFormat = (typeof FORMATS)[number];

/** Keys of the outermost object by which a format is recognized, the first format first. */
const KEYS: readonly (readonly [SessionFormat, readonly string[]])[] = [
  ['otlp', ['resourceSpans', 'resourceLogs', 'resourceMetrics']],
  ['session', ['session', 'probe', 'from', 'to']],
  ['jaeger', ['data', 'spans', 'traceID']],
  ['zipkin', ['traceId', 'localEndpoint']],
];

/** The format of a file, recognized by how it begins; anything else is taken for a session. */
export function recognizeFormat(head: string): SessionFormat {
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

type ImportedFormat = Exclude<SessionFormat, 'session'>;

const IMPORTERS = { otlp: importOtlp, jaeger: importJaeger, zipkin: importZipkin } as const;

/**
 * The session of a text in a format that is not the neutral one. What is wrong is added to
 * `problems` and left out.
 *
 * @throws {SyntaxError} for a `pattern` or a `delimiter` that is no regular expression
 */
export function importText(
  text: string,
  format: ImportedFormat,
  problems: Problems,
  options: ShivizOptions,
): Session {
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (format === 'shiviz') {
    return importShiviz(executionOf(content, options, problems), problems, options);
  }
  return IMPORTERS[format](readDocuments(content, problems), problems);
}

/** The JSON of a text: one document, or one a line. */
function readDocuments(text: string, problems: Problems): readonly Json[] {
  const whole = parseJson(text);
  if (!('problem' in whole)) return [whole.value];
  const lines = text.split('\n');
  const first = lines.find((line) => line.trim() !== '');
  if (first === undefined || 'problem' in parseJson(first)) {
    problems.add('record', { message: whole.problem });
    return [];
  }
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const json = parseJson(line);
    if (!('problem' in json)) return [json.value];
    problems.add('record', { line: index + 1, message: json.problem });
    return [];
  });
}
