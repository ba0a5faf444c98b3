const RANGES: readonly (readonly [number, number])[] = [
  [0x00, 0x09],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0x061c, 0x061c],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2066, 0x2069],
  [0xd800, 0xdfff],
];

/**
 * The characters of a text that act on a terminal or on the order of a line
 * instead of showing, a line feed excepted; written without the code under test.
 */
export function acting(text: string): string[] {
  return [...text].filter((character) => {
    const point = character.codePointAt(0) as number;
    return RANGES.some(([from, to]) => from <= point && point <= to);
  });
}
