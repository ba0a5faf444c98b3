/** An element of a pattern: one code point, or a set of code points. */
type PatternElement = number | CodePoints;

/** The code points in some ranges or, if negated, outside all of them. */
interface CodePoints {
  readonly ranges: readonly (readonly [number, number])[];
  readonly isNegated: boolean;
}

const ANY: CodePoints = { ranges: [], isNegated: true };

/**
 * Compiles a GLOB pattern to a function that matches whole strings. `*` matches any characters, `?`
 * one code point, `[a-z]` a code point in the set, and `[!a-z]` or `[^a-z]` a code point outside
 * the set. A `]` at the start of a set stands for itself.
 *
 * Matching takes O(n) time for n code points if the pieces between stars contain neither `?` nor
 * sets, otherwise at most O(n * m / 32) for a longest piece of m elements.
 *
 * @throws {RangeError} for a set that is not closed
 */
export function globMatcher(pattern: string): (text: string) => boolean {
  const pieces = piecesOf([...pattern]);
  const [first = [], ...otherPieces] = pieces;
  const lastPiece = otherPieces.pop();
  const middlePieces = otherPieces
    .filter(({ length }) => length > 0)
    .map((piece) => {
      return isPlain(piece) ? new PlainSearch(piece) : new Search(piece);
    });
  const fits = (piece: readonly PatternElement[], text: Uint32Array, from: number) =>
    piece.every((element, at) => isAt(element, text[from + at] as number));
  return (whole) => {
    const text = Uint32Array.from(whole, codePointOf);
    if (lastPiece === undefined) return text.length === first.length && fits(first, text, 0);
    const end = text.length - lastPiece.length;
    if (end < first.length || !fits(first, text, 0) || !fits(lastPiece, text, end)) return false;
    let from = first.length;
    for (const piece of middlePieces) {
      from = piece.endIn(text, from, end);
      if (from < 0) return false;
    }
    return true;
  };
}

function isAt(element: PatternElement, codePoint: number): boolean {
  if (typeof element === 'number') return element === codePoint;
  const { ranges, isNegated } = element;
  return ranges.some(([low, high]) => low <= codePoint && codePoint <= high) !== isNegated;
}

/**
 * Converts a GLOB pattern to an RE2 regular expression, which also matches in linear time.
 *
 * @throws {RangeError} for a set that is not closed
 */
export function globExpression(pattern: string): string {
  const pieces = piecesOf([...pattern]).map((piece) => piece.map(elementExpression).join(''));
  return `(?s)^${pieces.join('.*')}\\z`;
}

function elementExpression(element: PatternElement): string {
  const escapeCodePoint = (codePoint: number) => `\\x{${codePoint.toString(16)}}`;
  if (typeof element === 'number') return escapeCodePoint(element);
  const { ranges, isNegated } = element;
  const nonEmpty = ranges.filter(([low, high]) => low <= high);
  if (nonEmpty.length === 0) return isNegated ? '.' : '[^\\x{0}-\\x{10ffff}]';
  const texts = nonEmpty.map(([low, high]) => `${escapeCodePoint(low)}-${escapeCodePoint(high)}`);
  return `[${isNegated ? '^' : ''}${texts.join('')}]`;
}

function isPlain(piece: readonly PatternElement[]): piece is readonly number[] {
  return piece.every((element) => typeof element === 'number');
}

function codePointOf(character: string): number {
  return character.codePointAt(0) as number;
}

function piecesOf(pattern: readonly string[]): PatternElement[][] {
  const pieces: PatternElement[][] = [[]];
  for (let at = 0; at < pattern.length; at++) {
    const sign = pattern[at] as string;
    const piece = pieces.at(-1) as PatternElement[];
    if (sign === '*') {
      pieces.push([]);
    } else if (sign === '?') {
      piece.push(ANY);
    } else if (sign === '[') {
      const end = endOfSet(pattern, at);
      if (end < 0) throw new RangeError('a set of GLOB is not closed');
      const isNegated = isNegation(pattern[at + 1]);
      piece.push(parseSet(pattern.slice(isNegated ? at + 2 : at + 1, end), isNegated));
      at = end;
    } else {
      piece.push(codePointOf(sign));
    }
  }
  return pieces;
}

function parseSet(members: readonly string[], isNegated: boolean): CodePoints {
  const ranges: [number, number][] = [];
  for (let at = 0; at < members.length; at++) {
    const low = members[at] as string;
    const isRange = members[at + 1] === '-' && at + 2 < members.length;
    ranges.push([codePointOf(low), codePointOf(isRange ? (members[at + 2] as string) : low)]);
    if (isRange) at += 2;
  }
  return { ranges, isNegated };
}

/** Finds the first occurrence of a piece in a text by the Knuth-Morris-Pratt algorithm. */
class PlainSearch {
  readonly #piece: readonly number[];
  /**
   * For each prefix of the piece, the length of its longest border (a shorter prefix that is also a
   * suffix).
   */
  readonly #border: Int32Array;

  constructor(piece: readonly number[]) {
    this.#piece = piece;
    this.#border = new Int32Array(piece.length + 1);
    this.#border[0] = -1;
    for (let at = 0, length = -1; at < piece.length; ) {
      while (length >= 0 && piece[at] !== piece[length]) length = this.#border[length] as number;
      this.#border[++at] = ++length;
    }
  }

  /** Returns the end of the first occurrence between `from` and `end`, or -1. */
  endIn(text: Uint32Array, from: number, end: number): number {
    let length = 0;
    for (let at = from; at < end; at++) {
      while (length >= 0 && this.#piece[length] !== text[at])
        length = this.#border[length] as number;
      if (++length === this.#piece.length) return at + 1;
    }
    return -1;
  }
}

/**
 * Finds the first occurrence of a piece in a text by the Shift-And algorithm, which tracks all
 * partial matches in parallel, in one bit each.
 */
class Search {
  readonly #piece: readonly PatternElement[];
  readonly #words: number;
  /** For each code point, a bit mask of the piece's matching elements. */
  readonly #fitting = new Map<number, Int32Array>();

  constructor(piece: readonly PatternElement[]) {
    this.#piece = piece;
    this.#words = Math.ceil(piece.length / 32);
  }

  /** Returns the end of the first occurrence between `from` and `end`, or -1. */
  endIn(text: Uint32Array, from: number, end: number): number {
    const activeBits = new Int32Array(this.#words);
    const lastWord = this.#piece.length - 1;
    for (let at = from; at < end; at++) {
      const matchingBits = this.#fittingFor(text[at] as number);
      let carry = 1;
      for (let word = 0; word < activeBits.length; word++) {
        const bits = activeBits[word] as number;
        activeBits[word] = ((bits << 1) | carry) & (matchingBits[word] as number);
        carry = bits >>> 31;
      }
      if (((activeBits[lastWord >> 5] as number) >>> (lastWord & 31)) & 1) return at + 1;
    }
    return -1;
  }

  #fittingFor(codePoint: number): Int32Array {
    const bits = this.#fitting.get(codePoint);
    if (bits !== undefined) return bits;
    const matchingBits = new Int32Array(this.#words);
    this.#piece.forEach((element, at) => {
      if (isAt(element, codePoint))
        matchingBits[at >> 5] = (matchingBits[at >> 5] as number) | (1 << (at & 31));
    });
    this.#fitting.set(codePoint, matchingBits);
    return matchingBits;
  }
}

/** Returns the index of the `]` that closes the set opened at `open` in a GLOB pattern, or -1. */
function endOfSet(pattern: string | readonly string[], open: number): number {
  // A `]` at the start of a set belongs to the set.
  return pattern.indexOf(']', open + (isNegation(pattern[open + 1]) ? 3 : 2));
}

function isNegation(sign: string | undefined): boolean {
  return sign === '!' || sign === '^';
}

/** True if a pattern has a set that is not closed. */
export function hasOpenSet(pattern: string): boolean {
  let at = pattern.indexOf('[');
  while (at >= 0) {
    const end = endOfSet(pattern, at);
    if (end < 0) return true;
    at = pattern.indexOf('[', end);
  }
  return false;
}

/** Returns a pattern's first empty range, such as `z-a`. */
export function emptyRangeIn(pattern: string): string | undefined {
  const characters = [...pattern];
  for (let at = 0; at < characters.length; at += 1) {
    if (characters[at] !== '[') continue;
    const end = endOfSet(characters, at);
    if (end < 0) return undefined;
    const from = isNegation(characters[at + 1]) ? at + 2 : at + 1;
    const { ranges } = parseSet(characters.slice(from, end), false);
    const emptyRange = ranges.find(([low, high]) => low > high);
    if (emptyRange !== undefined)
      return emptyRange.map((codePoint) => String.fromCodePoint(codePoint)).join('-');
    at = end;
  }
  return undefined;
}

/** Returns a pattern's literal prefix: the part before its first wildcard. */
export function globPrefix(pattern: string): string {
  return /^[^*?[]*/.exec(pattern)?.[0] ?? '';
}
