import type {
  Position,
  Range,
  TextDocumentContentChangeEvent,
  TextDocumentsConfiguration,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { SourceFile, type Span } from '../../source/index.js';

/** How a client counts the characters of a line. */
export type Encoding = 'utf-8' | 'utf-16' | 'utf-32';

/** Turns offsets of a text into the positions of the protocol, and back. */
export interface Positions {
  toPosition(file: SourceFile, offset: number): Position;
  toRange(file: SourceFile, span: Span): Range;
  /** A position behind the end of its line is the end of the line, as the protocol has it. */
  toOffset(file: SourceFile, position: Position): number;
  toSpan(file: SourceFile, range: Range): Span;
}

/**
 * The positions of an encoding. Each conversion is linear in the length of its line, and never
 * gives half a character: not the middle of a surrogate pair, nor that of a line end.
 */
export function positionsOf(encoding: Encoding): Positions {
  const toPosition = (file: SourceFile, offset: number): Position => {
    const { start, end, line } = lineAt(file, offset);
    const before = file.text.slice(start, Math.min(offset, end));
    return { line, character: countOf(before, encoding) };
  };
  const toOffset = (file: SourceFile, { line, character }: Position): number => {
    const found = lineNumber(file, line);
    if (found === undefined) return file.text.length;
    const text = file.text.slice(found.start, found.end);
    return found.start + unitsIn(text, character, encoding);
  };
  return {
    toPosition,
    toRange: (file, { start, end }) => ({
      start: toPosition(file, wholeBefore(file.text, start)),
      end: toPosition(
        file,
        start === end ? wholeBefore(file.text, end) : wholeAfter(file.text, end),
      ),
    }),
    toOffset,
    toSpan: (file, { start, end }) => ({ start: toOffset(file, start), end: toOffset(file, end) }),
  };
}

interface Line {
  /** From 0. */
  readonly line: number;
  readonly start: number;
  /** Before its line end. */
  readonly end: number;
}

/** Where the lines of a file begin; for the protocol, a CR alone ends a line too. */
const starts = new WeakMap<SourceFile, readonly number[]>();

function startsOf(file: SourceFile): readonly number[] {
  const known = starts.get(file);
  if (known !== undefined) return known;
  const found = [
    0,
    ...Array.from(file.text.matchAll(/\r\n|[\r\n]/g), ({ index, 0: end }) => index + end.length),
  ];
  starts.set(file, found);
  return found;
}

function lineNumber(file: SourceFile, line: number): Line | undefined {
  const all = startsOf(file);
  const start = all[line];
  if (start === undefined) return undefined;
  let end = all[line + 1] ?? file.text.length;
  if (end !== start && line + 1 < all.length) {
    end -= file.text.startsWith('\r\n', end - 2) ? 2 : 1;
  }
  return { line, start, end };
}

function lineAt(file: SourceFile, offset: number): Line {
  const all = startsOf(file);
  let low = 0;
  let high = all.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((all[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return lineNumber(file, low) as Line;
}

function wholeBefore(text: string, offset: number): number {
  return isWithinPair(text, offset) ? offset - 1 : offset;
}

function wholeAfter(text: string, offset: number): number {
  return isWithinPair(text, offset) ? offset + 1 : offset;
}

function isWithinPair(text: string, offset: number): boolean {
  return (text.codePointAt(offset - 1) ?? 0) > 0xffff;
}

function countOf(text: string, encoding: Encoding): number {
  if (encoding === 'utf-16') return text.length;
  let count = 0;
  for (const character of text) count += encoding === 'utf-8' ? bytesOf(character) : 1;
  return count;
}

/** The UTF-16 units of the characters that the first `count` units of an encoding hold whole. */
function unitsIn(line: string, count: number, encoding: Encoding): number {
  if (encoding === 'utf-16') return wholeBefore(line, Math.min(count, line.length));
  let units = 0;
  let left = count;
  for (const character of line) {
    left -= encoding === 'utf-8' ? bytesOf(character) : 1;
    if (left < 0) break;
    units += character.length;
  }
  return units;
}

/** The bytes of a character in UTF-8; a half of a surrogate pair is written as U+FFFD. */
function bytesOf(character: string): number {
  const point = character.codePointAt(0) as number;
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

/**
 * Open documents whose edits come in the positions of an encoding; a document of the library alone
 * counts in UTF-16.
 *
 * @param positions those that were agreed on, when an edit comes
 */
export function syncIn(positions: () => Positions): TextDocumentsConfiguration<TextDocument> {
  return {
    create: TextDocument.create,
    update(document, changes, version) {
      const text = changes.reduce(
        (text, change) => edit(text, change, positions()),
        document.getText(),
      );
      return TextDocument.create(document.uri, document.languageId, version, text);
    },
  };
}

function edit(text: string, change: TextDocumentContentChangeEvent, positions: Positions): string {
  if (!('range' in change) || change.range === undefined) return change.text;
  const { start, end } = positions.toSpan(new SourceFile('', text), change.range);
  return text.slice(0, start) + change.text + text.slice(Math.max(start, end));
}
