/** A place in a text. `offset` counts UTF-16 units from 0; `line` and `column` start at 1. */
export interface Position {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** Answers where the lines of a text are. Lines end with LF or CRLF. */
export interface LineIndex {
  readonly lineCount: number;
  /** The position of an offset from 0 to the text's length, both included. */
  position(offset: number): Position;
  /** The text of a line (from 1), without its line end. */
  line(line: number): string;
  /** The offset at which a line (from 1) begins. */
  lineStart(line: number): number;
}

/** Indexes the lines of a text: linear once, then logarithmic for each position. */
export function indexLines(text: string): LineIndex {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    starts.push(at + 1);
  }
  const lineStart = (line: number): number => {
    const start = starts[line - 1];
    if (start === undefined) throw new RangeError(`no line ${line} in ${starts.length}`);
    return start;
  };
  return {
    lineCount: starts.length,
    lineStart,
    position(offset) {
      if (offset < 0 || offset > text.length) {
        throw new RangeError(`no offset ${offset} in a text of ${text.length}`);
      }
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((starts[middle] as number) <= offset) low = middle;
        else high = middle - 1;
      }
      return { offset, line: low + 1, column: offset - (starts[low] as number) + 1 };
    },
    line(line) {
      const start = lineStart(line);
      const end = line < starts.length ? lineStart(line + 1) - 1 : text.length;
      return text.slice(start, text[end - 1] === '\r' ? end - 1 : end);
    },
  };
}
