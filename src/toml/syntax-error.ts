import { TomlError } from 'smol-toml';
import type { Finding } from '../diagnostics/index.js';
import type { SourceFile } from '../source/index.js';

/** What smol-toml refused, in our words and at the exact place. */
export function explainSyntaxError(file: SourceFile, error: unknown): Finding {
  if (!(error instanceof TomlError)) {
    return { message: `this can't be read as TOML: ${String(error)}`, span: { start: 0, end: 0 } };
  }
  const at = Math.min(file.lines.lineStart(error.line) + error.column - 1, file.text.length);
  const message = error.message.slice('Invalid TOML document: '.length).split('\n')[0] as string;
  return { message, span: { start: at, end: Math.min(at + 1, file.text.length) } };
}
