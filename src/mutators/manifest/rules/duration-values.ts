import type { ReportFn } from '../../../diagnostics/index.js';
import type { TomlDocument, TomlPath } from '../../../toml/index.js';
import { parseDuration } from '../../../values/index.js';

/** Checks that the text at a path, if there is one, is a duration. */
export function checkDuration(
  document: TomlDocument,
  path: TomlPath,
  text: string | undefined,
  report: ReportFn,
): void {
  const parsed = text === undefined ? undefined : parseDuration(text);
  if (parsed === undefined || !('problem' in parsed)) return;
  const { problem, help, span } = parsed;
  report({
    message: problem,
    ...(help !== undefined && { help }),
    span: text === '' ? document.valueSpan(path) : document.embed(path).toFile(span),
  });
}
