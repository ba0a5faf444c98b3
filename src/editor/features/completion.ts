import { type CompletionItem, MarkupKind } from 'vscode-languageserver/node';
import { COMMON_WORDS, metadataIn } from '../../objective/index.js';
import { isTable, scan, tomlValueAt } from '../../toml/index.js';
import { expressionAt } from '../expressions.js';
import { elementAt, formatAt, formatOf } from '../toml-element.js';
import { forPosition, rangeOf, type View } from '../view.js';
import { completeExpression } from './complete-expression.js';
import {
  type CompletionPosition,
  headersIn,
  keysIn,
  plainSuggestion,
  type Suggestion,
  type Suggestions,
  valuesAt,
} from './suggestions.js';

/*
 * The text at the cursor is not TOML yet, so completion relies on the last header above the cursor, the open brackets,
 * and the line up to the cursor.
 */

const PART = String.raw`(?:[\w-]+|"[^"\n]*"|'[^'\n]*')`;
const PATH = String.raw`${PART}(?:[ \t]*\.[ \t]*${PART})*`;
const HEADER = /^[ \t]*(\[\[?)([\w.-]*)$/;
const WHOLE_HEADER = new RegExp(String.raw`^[ \t]*\[\[?[ \t]*(${PATH})[ \t]*\]`, 'gm');
const METADATA = /^[ \t]*#[ \t]*@([\w-]*)$/;
/** Matches a key that may be incomplete, with the dotted prefix before it. */
const KEY = /^\s*((?:[\w-]+\.)*)(["']?[\w/-]*)$/;
const VALUE = new RegExp(String.raw`^\s*(${PATH})[ \t]*=[ \t]*(.*)$`);
/** Matches a key and its `=` at the end of a text. The text ends before an open bracket. */
const OPENED_VALUE = new RegExp(String.raw`(${PATH})[ \t]*=\s*$`);

/** Returns the suggestions at an offset in the TOML around expressions: headers, keys and values. */
function completeToml(view: View, offset: number): Suggestions | undefined {
  const { kind, file } = view.snapshot;
  if (kind === 'objective') {
    const words = metadataWordsAt(view, offset);
    if (words !== undefined) return words;
  }
  const lineStart = file.text.lastIndexOf('\n', offset - 1) + 1;
  const line = file.text.slice(lineStart, offset);
  const { path, opening, typed, quote } = statementAt(file.text, offset);
  const cursor: CompletionPosition = {
    view,
    offset,
    format: formatOf(kind, file.text, offset),
    quote,
  };
  const placeholders = placeholderAt(cursor, line);
  if (placeholders !== undefined) return placeholders;
  const [, brackets, headerStart = ''] = HEADER.exec(line) ?? [];
  if (brackets !== undefined) {
    const all = headersIn(cursor.format, '', brackets === '[[');
    return { replaces: { start: offset - headerStart.length, end: offset }, all };
  }
  if (opening === '[') return completeValue(cursor, path, typed);
  return completeStatement(cursor, path, line, opening === '{' ? typed : undefined);
}

/** Returns suggestions for a metadata comment's key: the common metadata keys, and the keys used in the file. */
function metadataWordsAt({ snapshot }: View, offset: number): Suggestions | undefined {
  const { document, file } = snapshot;
  const lineStart = file.text.lastIndexOf('\n', offset - 1) + 1;
  const typed = METADATA.exec(file.text.slice(lineStart, offset))?.[1];
  if (typed === undefined) return undefined;
  const usedWords = document === undefined ? [] : metadataIn(document).map(({ word }) => word);
  const restOfLine = /^[^\r\n]*/.exec(file.text.slice(offset))?.[0] ?? '';
  const all = [...Object.values(COMMON_WORDS), ...usedWords].map((label) => ({
    ...plainSuggestion(label),
    text: restOfLine.includes('=') ? label : `${label} = ""`,
  }));
  return { replaces: { start: offset - typed.length, end: offset }, all };
}

/**
 * Returns the table or the array at an offset, the innermost open bracket and string, and the text since that
 * bracket.
 */
function statementAt(text: string, offset: number) {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const headerAbove = [...text.slice(0, lineStart).matchAll(WHOLE_HEADER)].at(-1);
  const tableStart = headerAbove === undefined ? 0 : headerAbove.index + headerAbove[0].length;
  const openBrackets = scan(text.slice(tableStart, offset)).open.map((at) => tableStart + at);
  const path = headerAbove === undefined ? [] : [...partsOf(headerAbove[1] as string)];
  let start = tableStart;
  let opening: string | undefined;
  for (const at of openBrackets) {
    if (!'[{'.includes(text.charAt(at))) break;
    path.push(...partsOf(OPENED_VALUE.exec(text.slice(start, at))?.[1] ?? ''));
    opening = text.charAt(at);
    start = at + 1;
  }
  const lastOpen = openBrackets.at(-1) ?? -1;
  const quote = lastOpen >= lineStart && /["']/.test(text.charAt(lastOpen)) ? lastOpen : undefined;
  return { path, opening, typed: text.slice(start, offset), quote };
}

/**
 * Returns the suggestions at the end of `key`, or of `key = value`, in the table at a path.
 *
 * @param braces the inline table's text up to the cursor; undefined outside an inline table
 */
function completeStatement(
  cursor: CompletionPosition,
  path: readonly string[],
  line: string,
  braces: string | undefined,
): Suggestions | undefined {
  const { offset, format } = cursor;
  const statement = braces === undefined ? line : braces.slice(braces.lastIndexOf(',') + 1);
  const [, dotted = '', key] = KEY.exec(statement) ?? [];
  if (key !== undefined) {
    const tablePath = [...path, ...partsOf(dotted)];
    const table = formatAt(format, tablePath);
    const start = offset - key.length;
    return table && toCompletion(cursor, start, keysIn(cursor, table, tablePath, braces));
  }
  const [, name = '', typed] = VALUE.exec(statement) ?? [];
  return typed === undefined
    ? undefined
    : completeValue(cursor, [...path, ...partsOf(name)], typed);
}

/** Returns the suggestions at the end of a value or an array element. */
function completeValue(
  cursor: CompletionPosition,
  path: readonly string[],
  typed: string,
): Suggestions {
  const { offset, quote = offset - (/[^"',[\]\s=]*$/.exec(typed)?.[0] ?? '').length } = cursor;
  return toCompletion(cursor, quote, valuesAt(cursor, path));
}

/** Returns suggestions for the parameter name in a placeholder, within an actuator's string. */
function placeholderAt(
  { view, offset }: CompletionPosition,
  line: string,
): Suggestions | undefined {
  const { document, file, kind } = view.snapshot;
  const typed = /\{([\w-]*)$/.exec(line)?.[1];
  if (typed === undefined || kind !== 'manifest' || document === undefined) return undefined;
  const element = elementAt(document, offset);
  const [array, index, key] = element?.path ?? [];
  const isString = /^["']/.test(file.text.charAt(element?.span.start ?? file.text.length));
  if (!isString || key !== 'actuator' || typeof index !== 'number') return undefined;
  const parameters = tomlValueAt(document.root, [array as string, index, 'param']);
  const names = (Array.isArray(parameters) ? parameters : []).flatMap((parameter) => {
    const name = isTable(parameter) ? parameter['name'] : undefined;
    return typeof name === 'string' ? [name] : [];
  });
  const close = file.text[offset] === '}' ? '' : '}';
  const all = names.map((label) => ({ ...plainSuggestion(label), text: `${label}${close}` }));
  return { replaces: { start: offset - typed.length, end: offset }, all };
}

/** Returns suggestions that replace the text from an offset to the cursor, or to the closing quote after the cursor. */
function toCompletion(
  { view, offset }: CompletionPosition,
  start: number,
  all: readonly Suggestion[],
): Suggestions {
  const { text } = view.snapshot.file;
  const quote = /^["']/.exec(text.slice(start, offset))?.[0];
  if (quote === undefined) return { replaces: { start, end: offset }, all };
  const restOfLine = /^[^"',\]}\r\n]*/.exec(text.slice(offset))?.[0] ?? '';
  const end = offset + restOfLine.length;
  return { replaces: { start, end: text[end] === quote ? end + 1 : offset }, all };
}

function partsOf(key: string): readonly string[] {
  return Array.from(key.matchAll(new RegExp(PART, 'g')), ([part]) =>
    part.replace(/^["']|["']$/g, ''),
  );
}

/** Returns the completions at an offset, in an expression or in the TOML around it. */
export const completion = forPosition((view: View, offset): CompletionItem[] => {
  const site = expressionAt(view.snapshot, offset);
  const candidates =
    site === undefined ? completeToml(view, offset) : completeExpression(view, site, offset);
  if (candidates === undefined) return [];
  const range = rangeOf(view, candidates.replaces);
  const seenKeys = new Set<string>();
  return candidates.all
    .filter(({ label }) => !seenKeys.has(label) && seenKeys.add(label))
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
