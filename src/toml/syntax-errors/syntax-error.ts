import { TomlError } from 'smol-toml';
import type { Violation } from '../../diagnostics/index.js';
import type { SourceFile } from '../../source/index.js';
import * as keys from './keys.js';
import { redefinition } from './keys.js';
import { characterAt, controlCharacter, type Explain, siteAt } from './site.js';
import * as strings from './values.js';
import * as values from './values.js';

/** By what smol-toml says, how we say it. */
const EXPLANATIONS = new Map<string, Explain>([
  ['invalid value', values.invalidValue],
  ['illegal leading zero', values.malformed('number')],
  ['illegal underscore', values.malformed('number')],
  ['illegal character in numeric literal', values.malformed('number')],
  ['unfinished numeric value', values.malformed('number')],
  ['invalid date-time: date part is malformed', values.malformed('date or time')],
  ['invalid date-time: time part is malformed', values.malformed('date or time')],
  ['invalid date', values.malformed('date or time')],
  ['each key-value declaration must be followed by an end-of-line', values.afterValue],
  ['expected comma or end of structure', values.afterElement],
  ['unfinished array', values.unfinished],
  ['unfinished table', values.unfinished],
  ['document contains excessively nested structures. aborting.', values.tooDeep],
  ['control characters are not allowed in strings', strings.control],
  ['unfinished string', strings.unfinishedString],
  ['unrecognised escape sequence', strings.unknownEscape],
  ['invalid non-hex character in unicode escape', strings.escapeDigits],
  ['invalid unicode escape', strings.escapeValue],
  ['invalid escape: only line-ending whitespace may be escaped', strings.escapedSpace],
  ['illegal character in key', keys.illegal],
  ['incomplete key-value: cannot find end of key', keys.incomplete],
  ['unexpected end of key', keys.empty],
  ['illegal empty bare key', keys.empty],
  ['illegal quoted key: multiline strings are not allowed', keys.multiLine],
  ['expected end of table array declaration', keys.elementHeader],
  ['trying to redefine an already defined table or value', redefinition],
  ['trying to redefine an already defined value', redefinition],
  ['control characters are not allowed in comments', (site) => controlCharacter(site, 'remove it')],
]);

/** What smol-toml refused, in our words and at the exact place. */
export function explainSyntaxError(file: SourceFile, error: unknown): Violation {
  if (!(error instanceof TomlError)) {
    return { message: 'this file is too large or too deep to be read', span: { start: 0, end: 0 } };
  }
  const at = Math.min(file.lines.lineStart(error.line) + error.column - 1, file.text.length);
  const reason = /: (.*)/.exec(error.message)?.[1] ?? '';
  const explain = EXPLANATIONS.get(reason);
  if (explain === undefined) return { message: reason, span: characterAt(file.text, at) };
  return explain(siteAt(file.text, at));
}
