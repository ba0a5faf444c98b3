import { decodeSource } from '../../src/source/index.js';

/*
 * Inputs are texts, also those of targets that read bytes. There the lone
 * surrogates U+DC80 to U+DCFF stand for one byte each, so that invalid UTF-8
 * can be written, changed and shrunk like everything else.
 */

const FIRST = 0xdc80;
const LAST = 0xdcff;

/** The bytes that a text stands for. */
export function toBytes(text: string): Buffer {
  if (!/\p{Cs}/u.test(text)) return Buffer.from(text);
  return Buffer.concat(text.split(/(\p{Cs})/u).map(pieceToBytes));
}

function pieceToBytes(piece: string): Buffer {
  const unit = piece.charCodeAt(0);
  if (piece.length !== 1 || unit < 0xd800 || unit > 0xdfff) return Buffer.from(piece);
  if (unit >= FIRST && unit <= LAST) return Buffer.from([unit - 0xdc00]);
  return Buffer.from([0xed, 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)]);
}

/** The text that stands for bytes. */
export function fromBytes(bytes: Uint8Array): string {
  const { source, invalid } = decodeSource('', bytes);
  let text = source.bom ? '\ufeff' : '';
  let at = 0;
  for (const { span, bytes } of invalid) {
    text += source.text.slice(at, span.start);
    text += String.fromCharCode(...[...bytes].map((byte) => 0xdc00 + byte));
    at = span.end;
  }
  return text + source.text.slice(at);
}
