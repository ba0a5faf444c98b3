import { type Json, parseJson } from '../../values/index.js';
import type { Problems } from '../problem.js';
import type { Session } from '../session.js';
import { executionOf } from './executions.js';
import { importJaeger } from './jaeger.js';
import { importOtlp } from './otlp.js';
import type { Format } from './recognize-format.js';
import { importShiviz, type ShivizOptions } from './shiviz.js';
import { importZipkin } from './zipkin.js';

type ImportedFormat = Exclude<Format, 'session'>;

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
