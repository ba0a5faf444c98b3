import { ErrorCodes, type Position, type Range, ResponseError } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { cover, type SourceFile, type Span } from '../../source/index.js';
import type { TomlOutline } from '../../toml/index.js';

/*
 * Protocol positions, in UTF-16 code units, which every client supports. A lone CR also ends a line. A position past
 * the end of a line refers to the end of the line.
 */

const documents = new WeakMap<SourceFile, TextDocument>();

function documentOf(file: SourceFile): TextDocument {
  const document = documents.get(file) ?? TextDocument.create('', '', 0, file.text);
  documents.set(file, document);
  return document;
}

/**
 * Converts a position to an offset. Throws a ResponseError for an invalid position, because the search for it would not
 * end.
 */
export function toOffset(file: SourceFile, position: Position): number {
  if (!Number.isInteger(position.line) || !Number.isInteger(position.character)) {
    throw new ResponseError(ErrorCodes.InvalidParams, 'a position needs a line and a character');
  }
  return documentOf(file).offsetAt(position);
}

/** Converts a range to a span. */
export function toSpan(file: SourceFile, { start, end }: Range): Span {
  return { start: toOffset(file, start), end: toOffset(file, end) };
}

/** Converts a span to a range. The range never starts or ends within a character. */
export function toRange(file: SourceFile, { start, end }: Span): Range {
  const document = documentOf(file);
  const first = isWithinPair(file.text, start) ? start - 1 : start;
  const last = isWithinPair(file.text, end) ? end + 1 : end;
  return {
    start: document.positionAt(first),
    end: document.positionAt(start === end ? first : last),
  };
}

function isWithinPair(text: string, offset: number): boolean {
  return (text.codePointAt(offset - 1) ?? 0) > 0xffff;
}

/** Returns a TOML node's children: keys with their values, tables, and array items. */
function partsOf({ entries, items = [] }: TomlOutline): readonly TomlOutline[] {
  return [...(entries?.values() ?? []), ...items];
}

/**
 * Returns all descendants of a TOML node, each with its span up to the end of its contents. Takes linear time, and uses
 * no recursion, because tables can be nested without limit.
 */
export function extentsBelow(root: TomlOutline | undefined): ReadonlyMap<TomlOutline, Span> {
  const parts = root === undefined ? [] : [...partsOf(root)];
  for (const part of parts) for (const inner of partsOf(part)) parts.push(inner);
  const extents = new Map(parts.map((part) => [part, cover(part.key, part.value)]));
  for (const part of parts.reverse()) {
    const spans = [part, ...partsOf(part)].map((part) => extents.get(part) as Span);
    extents.set(part, spans.reduce(cover));
  }
  return extents;
}

export function covers({ start, end }: Span, offset: number): boolean {
  return start <= offset && offset <= end;
}
