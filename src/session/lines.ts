const NEWLINE = 0x0a;
const BOM = [0xef, 0xbb, 0xbf];

/** A longer line is not read, so that a file without lines takes no memory. */
const LONGEST = 64 << 20;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** A line as text, or what is wrong with it. */
export type TextLine = { readonly text: string } | { readonly problem: string };

/** Parts bytes that come piece by piece into lines; between pieces it holds one unfinished line. */
export class Lines {
  private readonly take: (line: TextLine, number: number) => void;
  private line = 0;
  private buffer = new Uint8Array(1 << 16);
  private filled = 0;
  /** Whether the rest of a line that is too long is to be passed over. */
  private skipping = false;

  /** @param take is called with each line, without its end, and its number from 1 */
  constructor(take: (line: TextLine, number: number) => void) {
    this.take = take;
  }

  /** Reads the next bytes; they are not kept. */
  push(bytes: Uint8Array): void {
    const room = this.filled + bytes.length;
    if (room > this.buffer.length) {
      const grown = new Uint8Array(Math.max(room, this.buffer.length * 2));
      grown.set(this.buffer.subarray(0, this.filled));
      this.buffer = grown;
    }
    this.buffer.set(bytes, this.filled);
    const seen = this.filled;
    this.filled = room;
    let start = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
      this.end(start, seen + at);
      start = seen + at + 1;
    }
    this.buffer.copyWithin(0, start, this.filled);
    this.filled -= start;
    if (this.filled > LONGEST) {
      const problem = 'the line is longer than 64 MiB';
      if (!this.skipping) this.take({ problem }, this.line + 1);
      this.skipping = true;
      this.filled = 0;
    }
  }

  /** Takes the last line, if it has no end. */
  finish(): void {
    if (this.filled > 0 || this.skipping) this.end(0, this.filled);
    this.buffer = new Uint8Array(0);
  }

  private end(start: number, end: number): void {
    this.line++;
    if (this.skipping) {
      this.skipping = false;
      return;
    }
    const { buffer } = this;
    const from = this.line === 1 && BOM.every((byte, at) => buffer[start + at] === byte) ? 3 : 0;
    this.take(decoded(buffer.subarray(start + from, end)), this.line);
  }
}

function decoded(bytes: Uint8Array): TextLine {
  try {
    return { text: decoder.decode(bytes) };
  } catch {
    return { problem: 'the line is not UTF-8' };
  }
}
