import { type CompletionItem, MarkupKind } from 'vscode-languageserver/node';
import { isTable, tomlValueAt } from '../../toml/index.js';
import { expressionAt } from '../expressions.js';
import { formatAt, formatOf, placeAt } from '../toml-place.js';
import { forPosition, rangeOf, type View } from '../view.js';
import { completeExpression } from './complete-expression.js';
import {
  headersIn,
  keysIn,
  plain,
  type Suggestion,
  type Suggestions,
  valuesAt,
  type Written,
} from './suggestions.js';

/*
 * What is being completed is not TOML yet, so this works by lines: the last header above the cursor,
 * and the line up to the cursor.
 */

const PART = String.raw`(?:[\w-]+|"[^"\n]*"|'[^'\n]*')`;
const PATH = String.raw`${PART}(?:[ \t]*\.[ \t]*${PART})*`;
const HEADER = /^[ \t]*(\[\[?)([\w.-]*)$/;
const WHOLE_HEADER = new RegExp(String.raw`^[ \t]*\[\[?[ \t]*(${PATH})[ \t]*\]`, 'gm');
const KEY = /^[ \t]*(["']?[\w./-]*)$/;
const VALUE = new RegExp(String.raw`^[ \t]*(${PATH})[ \t]*=[ \t]*(.*)$`);
/** A table within braces, from its last key on. */
const INLINE = /^\{(?:[^{}]*,)?([^{},]*)$/;

/** What fits at an offset of the TOML around expressions: headers, keys and values. */
function completeToml(view: View, offset: number): Suggestions | undefined {
  const { kind, file } = view.snapshot;
  const lineStart = file.text.lastIndexOf('\n', offset - 1) + 1;
  const line = file.text.slice(lineStart, offset);
  const written: Written = { view, offset, format: formatOf(kind, file.text, offset) };
  const header = HEADER.exec(line);
  const inString = placeholderAt(written, line) ?? elementAt(written);
  if (inString !== undefined) return inString;
  if (header !== null) {
    const [, brackets = '', typed = ''] = header;
    const all = headersIn(written.format, '', brackets === '[[');
    return { replaces: { start: offset - typed.length, end: offset }, all };
  }
  const above = [...file.text.slice(0, lineStart).matchAll(WHOLE_HEADER)].at(-1)?.[1];
  return completeStatement(written, above === undefined ? [] : partsOf(above), line);
}

/** What fits at the end of `key`, or of `key = value`, in the table at a path. */
function completeStatement(
  written: Written,
  path: readonly string[],
  statement: string,
): Suggestions | undefined {
  const { offset, format } = written;
  const table = formatAt(format, path);
  if (table === undefined) return undefined;
  const key = KEY.exec(statement)?.[1];
  if (key !== undefined) {
    const start = offset - key.length;
    return replacing(written, start, keysIn(written, table, path, start));
  }
  const [, name = '', typed] = VALUE.exec(statement) ?? [];
  if (typed === undefined) return undefined;
  const within = [...path, ...partsOf(name)];
  const inline = INLINE.exec(typed)?.[1];
  if (inline !== undefined) return completeStatement(written, within, inline);
  const word = /["']?[^"',[\]\s=]*$/.exec(typed)?.[0] ?? '';
  return replacing(written, offset - word.length, valuesAt(written, within));
}

/** The parameters that a placeholder in a string of an actuator can name. */
function placeholderAt({ view, offset }: Written, line: string): Suggestions | undefined {
  const { document, file, kind } = view.snapshot;
  const typed = /\{([\w-]*)$/.exec(line)?.[1];
  if (typed === undefined || kind !== 'manifest' || document === undefined) return undefined;
  const place = placeAt(document, offset);
  const [array, index, key] = place?.path ?? [];
  const isString = /^["']/.test(file.text.charAt(place?.span.start ?? file.text.length));
  if (!isString || key !== 'actuator' || typeof index !== 'number') return undefined;
  const parameters = tomlValueAt(document.root, [array as string, index, 'param']);
  const names = (Array.isArray(parameters) ? parameters : []).flatMap((one) => {
    const name = isTable(one) ? one['name'] : undefined;
    return typeof name === 'string' ? [name] : [];
  });
  const close = file.text[offset] === '}' ? '' : '}';
  const all = names.map((label) => ({ ...plain(label), text: `${label}${close}` }));
  return { replaces: { start: offset - typed.length, end: offset }, all };
}

/** What fits in place of the string of an array that the cursor is in. */
function elementAt(written: Written): Suggestions | undefined {
  const { document, file } = written.view.snapshot;
  const place = document && placeAt(document, written.offset);
  if (place?.part !== 'value' || typeof place.path.at(-1) !== 'number') return undefined;
  const { start, end } = place.span;
  const isString = /^["']/.test(file.text.slice(start, end)) && start < written.offset;
  if (!isString || file.text.slice(start, end).includes('\n')) return undefined;
  const path = place.path.filter((step) => typeof step === 'string');
  return { replaces: place.span, all: valuesAt(written, path) };
}

/** From an offset to the cursor, or to the quote after it if that closes what is replaced. */
function replacing(
  { view, offset }: Written,
  start: number,
  all: readonly Suggestion[],
): Suggestions {
  const { text } = view.snapshot.file;
  const quote = /^["']/.exec(text.slice(start, offset))?.[0];
  if (quote === undefined) return { replaces: { start, end: offset }, all };
  const rest = /^[^"',\]}\r\n]*/.exec(text.slice(offset))?.[0] ?? '';
  const end = offset + rest.length;
  return { replaces: { start, end: text[end] === quote ? end + 1 : offset }, all };
}

function partsOf(key: string): readonly string[] {
  return Array.from(key.matchAll(new RegExp(PART, 'g')), ([part]) =>
    part.replace(/^["']|["']$/g, ''),
  );
}

/** What can be written at an offset, in an expression or in the TOML around it. */
export const completion = forPosition((view: View, offset): CompletionItem[] => {
  const site = expressionAt(view.snapshot, offset);
  const candidates =
    site === undefined ? completeToml(view, offset) : completeExpression(view, site, offset);
  if (candidates === undefined) return [];
  const range = rangeOf(view, candidates.replaces);
  const seen = new Set<string>();
  return candidates.all
    .filter(({ label }) => !seen.has(label) && seen.add(label))
    .map(({ label, kind, description, detail, text }, index) => ({
      label,
      kind,
      ...(detail !== undefined && { detail, sortText: String(index).padStart(6, '0') }),
      ...(description !== undefined && {
        documentation: { kind: MarkupKind.Markdown, value: description },
      }),
      textEdit: { range, newText: text ?? label },
    }));
});
