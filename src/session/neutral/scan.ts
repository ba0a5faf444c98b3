import { itemAt } from '../../source/index.js';
import { HASH_START, hashEnd, hashStep } from '../columns/texts.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;
const DOT = 0x2e;

/** Powers of ten that doubles hold exactly. */
const POWERS = Float64Array.from({ length: 23 }, (_, power) => 10 ** power);
/** So many digits fit into a double whatever they are. */
const SAFE_DIGITS = 15;
/** Larger integers may need more than 64 bits. */
const MOST_INTEGER = 2n ** 63n;

/**
 * Looks over the bytes of JSON without making values of them. Only what is common is understood:
 * each method returns false for anything else, right or wrong, which then goes another way.
 */
export class LineScan {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;
  end = 0;
  /** The latest string: where its bytes begin and end, and their hash. */
  textStart = 0;
  textEnd = 0;
  hash = 0;
  /** The latest number, whether it is an integer, and which one where the number may be rounded. */
  number = 0;
  integer: bigint | undefined;
  isInteger = false;

  /** The next byte that is no white space, or -1 at the end; it is not passed. */
  peek(): number {
    const { bytes, end } = this;
    let index = this.at;
    let byte = itemAt(bytes, index);
    while (index < end && (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)) {
      byte = itemAt(bytes, ++index);
    }
    this.at = index;
    return index < end ? byte : -1;
  }

  /** Passes a byte, with white space before it. */
  pass(byte: number): boolean {
    if (this.peek() !== byte) return false;
    this.at++;
    return true;
  }

  /** Passes a string without escapes. */
  string(): boolean {
    if (this.peek() !== QUOTE) return false;
    const { bytes, end } = this;
    let index = this.at + 1;
    this.textStart = index;
    let hash = HASH_START;
    for (; index < end; index++) {
      const byte = itemAt(bytes, index);
      if (byte === QUOTE) {
        this.textEnd = index;
        this.at = index + 1;
        this.hash = hashEnd(hash);
        return true;
      }
      if (byte === BACKSLASH || byte < 0x20) return false;
      hash = hashStep(hash, byte);
    }
    return false;
  }

  /** Passes a number: an integer of 64 bits, or a finite float. */
  numeral(): boolean {
    const { bytes, end } = this;
    const start = this.at;
    let index = start;
    const negative = bytes[index] === MINUS;
    if (negative) index++;
    const first = index;
    let digits = 0;
    for (; index < end; index++) {
      const byte = itemAt(bytes, index);
      if (byte < ZERO || byte > NINE) break;
      digits = digits * 10 + (byte - ZERO);
    }
    const count = index - first;
    if (count === 0 || (count > 1 && bytes[first] === ZERO)) return false;
    const next = index < end ? itemAt(bytes, index) : 0;
    if (next === DOT || (next | 0x20) === 0x65) return this.float(start, index);
    this.isInteger = true;
    this.integer = undefined;
    this.at = index;
    if (count <= SAFE_DIGITS) {
      this.number = negative && digits !== 0 ? -digits : digits;
      return true;
    }
    return this.long(first, index, negative);
  }

  /** An integer that doubles may round: in two halves, which they hold. */
  private long(first: number, end: number, negative: boolean): boolean {
    if (end - first > 19) return false;
    const high = BigInt(digitsOf(this.bytes, first, end - 9));
    const digits = high * 1_000_000_000n + BigInt(digitsOf(this.bytes, end - 9, end));
    if (digits >= MOST_INTEGER) return false;
    this.integer = negative ? -digits : digits;
    this.number = Number(this.integer);
    return true;
  }

  private float(start: number, from: number): boolean {
    const { bytes, end } = this;
    let index = from;
    let digits = digitsOf(bytes, bytes[start] === MINUS ? start + 1 : start, from);
    let count = from - start;
    let decimals = 0;
    if (bytes[index] === DOT) {
      for (index++; index < end; index++) {
        const byte = itemAt(bytes, index);
        if (byte < ZERO || byte > NINE) break;
        digits = digits * 10 + (byte - ZERO);
        decimals++;
      }
      if (decimals === 0) return false;
      count += decimals;
    }
    const exponent = index < end && (itemAt(bytes, index) | 0x20) === 0x65;
    if (exponent) {
      index++;
      if (bytes[index] === MINUS || bytes[index] === 0x2b) index++;
      const digitsFrom = index;
      while (index < end && itemAt(bytes, index) >= ZERO && itemAt(bytes, index) <= NINE) index++;
      if (index === digitsFrom) return false;
    }
    this.isInteger = false;
    this.integer = undefined;
    this.at = index;
    if (!exponent && count <= SAFE_DIGITS) {
      const value = digits / itemAt(POWERS, decimals);
      this.number = bytes[start] === MINUS ? -value : value;
      return true;
    }
    if (index - start > 400) return false;
    const written = bytes.subarray(start, index) as unknown as number[];
    this.number = Number(String.fromCharCode.apply(null, written));
    return Number.isFinite(this.number);
  }
}

function digitsOf(bytes: Uint8Array, start: number, end: number): number {
  let digits = 0;
  for (let index = start; index < end; index++)
    digits = digits * 10 + (itemAt(bytes, index) - ZERO);
  return digits;
}
