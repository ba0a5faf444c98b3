import type { Span } from './source-file.js';
import { SourceFile } from './source-file.js';

/** A run of invalid UTF-8 bytes. The span covers its U+FFFD replacements in the text. */
export interface InvalidBytes {
  readonly span: Span;
  readonly bytes: Uint8Array;
}

/** A file's text, and its invalid UTF-8 bytes. */
export interface DecodedSource {
  readonly source: SourceFile;
  /** The runs of invalid bytes; empty for valid UTF-8. */
  readonly invalid: readonly InvalidBytes[];
  /** The encoding, set only for a UTF-16 file. The text is decoded as UTF-16, and `invalid` covers the whole file. */
  readonly utf16?: 'UTF-16LE' | 'UTF-16BE';
}

const BOM = [0xef, 0xbb, 0xbf] as const;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Decodes a file's bytes. Strips and records a BOM. Replaces invalid UTF-8 with U+FFFD, one for each maximal subpart as
 * in the Encoding Standard, and reports the invalid bytes. Decodes a UTF-16 file as UTF-16, and reports the encoding.
 */
export function decodeSource(path: string, bytes: Uint8Array): DecodedSource {
  const utf16 = bytes.length % 2 === 0 ? utf16Of(bytes) : undefined;
  if (utf16 !== undefined) {
    const source = new SourceFile(path, new TextDecoder(utf16).decode(bytes));
    const span = { start: 0, end: source.text.length };
    return { source, invalid: [{ span, bytes }], utf16 };
  }
  const bom = bytes[0] === BOM[0] && bytes[1] === BOM[1] && bytes[2] === BOM[2];
  const body = bom ? bytes.subarray(BOM.length) : bytes;
  const text = decoder.decode(body);
  const source = new SourceFile(path, text, bom);
  // Text without U+FFFD had no invalid bytes.
  return { source, invalid: text.includes('\ufffd') ? findInvalid(text, body) : [] };
}

/** Detects UTF-16 by its BOM, or by NULs alternating with other bytes at the start. UTF-8 text begins with neither. */
function utf16Of([a, b, c, d]: Uint8Array): DecodedSource['utf16'] {
  // A BOM followed by two NULs is UTF-32.
  if (a === 0xff && b === 0xfe && !(c === 0 && d === 0)) return 'UTF-16LE';
  if (a === 0xfe && b === 0xff) return 'UTF-16BE';
  if (a && b === 0 && c && d === 0) return 'UTF-16LE';
  return a === 0 && b && c === 0 && d ? 'UTF-16BE' : undefined;
}

function findInvalid(text: string, bytes: Uint8Array): InvalidBytes[] {
  const runs: InvalidBytes[] = [];
  let at = 0;
  for (let unit = 0; unit < text.length; ) {
    const point = text.codePointAt(unit) as number;
    if (point !== 0xfffd || isReplacementCharacter(bytes, at)) {
      at += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      unit += point < 0x10000 ? 1 : 2;
      continue;
    }
    const start = { unit, at };
    while (text[unit] === '\ufffd' && !isReplacementCharacter(bytes, at)) {
      at += subpartLength(bytes, at);
      unit += 1;
    }
    runs.push({
      span: { start: start.unit, end: unit },
      bytes: bytes.subarray(start.at, at),
    });
  }
  return runs;
}

function isReplacementCharacter(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd;
}

/** Returns the length of the maximal subpart at an invalid byte. The subpart becomes one U+FFFD. */
function subpartLength(bytes: Uint8Array, at: number): number {
  const runs = [3, 2, 1].map((length) => bytes.subarray(at, at + length));
  return runs.find((run) => decoder.decode(run) === '\ufffd')?.length ?? 1;
}
