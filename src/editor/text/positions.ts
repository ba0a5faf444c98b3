import type { Position, Range } from 'vscode-languageserver/node';
import type { SourceFile, Span } from '../../source/index.js';

/** How a client counts the characters of a line. */
export type Encoding = 'utf-8' | 'utf-16' | 'utf-32';

/** Turns offsets of a text into the positions of the protocol, and back. */
export interface Positions {
  toPosition(file: SourceFile, offset: number): Position;
  toRange(file: SourceFile, span: Span): Range;
  /** A position behind the end of its line is the end of the line, as the protocol has it. */
  toOffset(file: SourceFile, position: Position): number;
}

/** The positions of an encoding. Each conversion is linear in the length of its line. */
export function positionsOf(encoding: Encoding): Positions {
  const toPosition = (file: SourceFile, offset: number): Position => {
    const { line, column } = file.lines.position(offset);
    const before = file.text.slice(offset - (column - 1), offset);
    return { line: line - 1, character: countOf(before, encoding) };
  };
  return {
    toPosition,
    toRange: (file, { start, end }) => ({
      start: toPosition(file, start),
      end: toPosition(file, end),
    }),
    toOffset: (file, { line, character }) => {
      if (line >= file.lines.lineCount) return file.text.length;
      const start = file.lines.lineStart(line + 1);
      return start + unitsIn(file.lines.line(line + 1), character, encoding);
    },
  };
}

function countOf(text: string, encoding: Encoding): number {
  if (encoding === 'utf-16') return text.length;
  let count = 0;
  for (const character of text) count += encoding === 'utf-8' ? bytesOf(character) : 1;
  return count;
}

/** The UTF-16 units of the first `count` units of an encoding. */
function unitsIn(line: string, count: number, encoding: Encoding): number {
  if (encoding === 'utf-16') return Math.min(count, line.length);
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
