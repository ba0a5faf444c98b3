import { parse, TomlError } from 'smol-toml';
import { quote, type Violation } from '../diagnostics/index.js';
import type { SourceFile } from '../source/index.js';
import type { Format } from './format/format.js';
import { TomlDocument } from './positions/document.js';
import { isTable, type TomlPath, type TomlTable, type TomlValue } from './positions/node.js';
import * as keys from './syntax-errors/keys.js';
import {
  characterAt,
  controlCharacterViolation,
  type SyntaxErrorExplainer,
  siteAt,
} from './syntax-errors/site.js';
import * as values from './syntax-errors/values.js';

/** A TOML violation. The kind `encoding` marks an integer outside the 64-bit range. */
export interface TomlViolation extends Violation {
  readonly kind: 'syntax' | 'encoding';
}

/** The document if the text is valid TOML, otherwise at least one violation. */
type ParsedToml =
  | { readonly document: TomlDocument; readonly violations: readonly TomlViolation[] }
  | { readonly document?: undefined; readonly violations: readonly TomlViolation[] };

/** Matches the end of a string in which smol-toml drops a quote: a line-ending backslash, then four or five quotes. */
const DROPS_QUOTES = /\\[ \t]*\r?\n[ \t\r\n]*"{4,5}/;

/**
 * Matches every integer outside the 64-bit range, because all of them have at least this many digits in decimal or,
 * after the `x`, in hexadecimal.
 */
const LONG_INTEGER = /[\dx][\da-fA-F_]{15}/;
const MIN_INTEGER = -(2n ** 63n);
const LARGEST = 2n ** 63n - 1n;

/**
 * Parses a TOML 1.1 file. Never throws, even for invalid text.
 *
 * @param format the file's expected format, which improves the suggestions
 */
export function parseToml(file: SourceFile, format?: Format): ParsedToml {
  let root: TomlTable;
  try {
    // The file's BOM is already removed. smol-toml would skip a second BOM, which is a mistake.
    const text = file.text.replace(/^\ufeff/, '\u00a0');
    root = parse(text, { integersAsBigInt: true }) as TomlTable;
  } catch (error) {
    return { violations: [{ kind: 'syntax', ...explainSyntaxError(file, error, format) }] };
  }
  const document = new TomlDocument(file, root);
  if (DROPS_QUOTES.test(file.text)) restoreQuotes(document);
  if (!LONG_INTEGER.test(file.text)) return { document, violations: [] };
  const violations = findTooLarge(root).map((path) => explainTooLarge(document, path));
  return { document, violations: violations.sort((a, b) => a.span.start - b.span.start) };
}

/** A value to visit, linked to its parent because paths are rarely needed. */
interface Visit {
  readonly value: TomlValue;
  readonly step?: string | number;
  readonly parent?: Visit;
}

/** Yields every value. The stack is explicit because headers can nest without limit. */
function* walk(root: TomlTable): Generator<Visit> {
  const stack: Visit[] = [{ value: root }];
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    yield visit;
    const { value } = visit;
    const members = Array.isArray(value)
      ? value.entries()
      : isTable(value)
        ? Object.entries(value)
        : [];
    for (const [step, member] of members) stack.push({ value: member, step, parent: visit });
  }
}

/** Restores the quotes that smol-toml drops from strings. */
function restoreQuotes(document: TomlDocument): void {
  for (const visit of walk(document.root)) {
    if (typeof visit.value !== 'string') continue;
    const holder = visit.parent?.value as TomlTable;
    holder[visit.step as string] = document.embed(pathTo(visit)).text;
  }
}

/** Returns the paths of integers outside the 64-bit range. */
function findTooLarge(root: TomlTable): TomlPath[] {
  const isTooLarge = ({ value }: Visit) =>
    typeof value === 'bigint' && (value < MIN_INTEGER || value > LARGEST);
  return [...walk(root)].filter(isTooLarge).map(pathTo);
}

function pathTo(visit: Visit): TomlPath {
  const path: (string | number)[] = [];
  for (let at: Visit | undefined = visit; at?.step !== undefined; at = at.parent)
    path.push(at.step);
  return path.reverse();
}

function explainTooLarge(document: TomlDocument, path: TomlPath): TomlViolation {
  const span = document.valueSpan(path);
  const integerText = document.file.text.slice(span.start, span.end);
  return {
    kind: 'encoding',
    message: `integer ${quote(integerText)} does not fit in 64 bits`,
    help: `expected an integer from ${MIN_INTEGER} to ${LARGEST}`,
    span,
  };
}

/** Explanations, by smol-toml's messages. */
const EXPLANATIONS = new Map<string, SyntaxErrorExplainer>([
  ['invalid value', values.invalidValue],
  ['illegal leading zero', values.malformedValue('number')],
  ['illegal underscore', values.malformedValue('number')],
  ['illegal character in numeric literal', values.malformedValue('number')],
  ['unfinished numeric value', values.malformedValue('number')],
  ['invalid date-time: date part is malformed', values.malformedValue('date or time')],
  ['invalid date-time: time part is malformed', values.malformedValue('date or time')],
  ['invalid date', values.malformedValue('date or time')],
  ['each key-value declaration must be followed by an end-of-line', values.textAfterValue],
  ['expected comma or end of structure', values.missingSeparator],
  ['unfinished array', values.unclosedBracket],
  ['unfinished table', values.unclosedBracket],
  ['document contains excessively nested structures. aborting.', values.excessiveNesting],
  ['control characters are not allowed in strings', values.controlInString],
  ['unfinished string', values.unclosedString],
  ['unrecognised escape sequence', values.unknownEscape],
  ['invalid non-hex character in unicode escape', values.tooFewEscapeDigits],
  ['invalid unicode escape', values.invalidEscapeValue],
  ['invalid escape: only line-ending whitespace may be escaped', values.spaceAfterBackslash],
  ['illegal character in key', keys.invalidKey],
  ['incomplete key-value: cannot find end of key', keys.incompleteKey],
  ['unexpected end of key', keys.emptyKey],
  ['illegal empty bare key', keys.emptyKey],
  ['illegal quoted key: multiline strings are not allowed', keys.multiLineKey],
  ['expected end of table array declaration', keys.unclosedElementHeader],
  ['trying to redefine an already defined table or value', keys.redefinition],
  ['trying to redefine an already defined value', keys.redefinition],
  [
    'control characters are not allowed in comments',
    (site) => controlCharacterViolation(site, 'remove it'),
  ],
]);

/** Converts smol-toml's error to a violation with an explanation at the exact position. */
function explainSyntaxError(file: SourceFile, error: unknown, format?: Format): Violation {
  if (!(error instanceof TomlError)) {
    return { message: 'this file is too large or nested too deeply', span: { start: 0, end: 0 } };
  }
  const at = Math.min(file.lines.lineStart(error.line) + error.column - 1, file.text.length);
  const reason = /: (.*)/.exec(error.message)?.[1] ?? '';
  const explain = EXPLANATIONS.get(reason);
  if (explain === undefined) return { message: reason, span: characterAt(file.text, at) };
  return explain(siteAt(file.text, at, format));
}
