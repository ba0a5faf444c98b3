import { ErrorCodes, type Position, type Range, ResponseError } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { SourceFile, Span } from '../../source/index.js';
import type { TomlOutline } from '../../toml/index.js';

/*
 * Places in a file as the protocol counts them: in UTF-16, which every client has. A CR alone ends a
 * line too, and a position past the end of its line is the end of the line.
 */

const documents = new WeakMap<SourceFile, TextDocument>();

function documentOf(file: SourceFile): TextDocument {
  const document = documents.get(file) ?? TextDocument.create('', '', 0, file.text);
  documents.set(file, document);
  return document;
}

/** The offset of a position. @throws ResponseError where a client sent what is none, which would not end */
export function toOffset(file: SourceFile, position: Position): number {
  if (!Number.isInteger(position.line) || !Number.isInteger(position.character)) {
    throw new ResponseError(ErrorCodes.InvalidParams, 'a position needs a line and a character');
  }
  return documentOf(file).offsetAt(position);
}

/** The span of a range. */
export function toSpan(file: SourceFile, { start, end }: Range): Span {
  return { start: toOffset(file, start), end: toOffset(file, end) };
}

/** The range of a span, which never begins or ends within a character. */
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

/** What is below a part of a TOML document: its keys with their values, its tables, the items of arrays. */
export function partsBelow(node: TomlOutline): readonly TomlOutline[] {
  const parts = [...(node.entries?.values() ?? []), ...(node.items ?? [])];
  return parts.flatMap((part) => [part, ...partsBelow(part)]);
}

/** A key with its value. */
export function statementSpan({ key, value }: TomlOutline): Span {
  return { start: Math.min(key.start, value.start), end: Math.max(key.end, value.end) };
}

export function covers({ start, end }: Span, offset: number): boolean {
  return start <= offset && offset <= end;
}
