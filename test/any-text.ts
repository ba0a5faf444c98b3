import fc from 'fast-check';

/** Any code point but a surrogate; often one of ASCII, or of those that take one unit of UTF-16. */
const character = fc
  .oneof(fc.nat(0x7f), fc.nat(0xffff), fc.nat(0x10ffff))
  .map((code) => String.fromCodePoint(code >= 0xd800 && code <= 0xdfff ? code - 0x800 : code));

/**
 * Texts of any characters. fast-check's `unit: 'binary'` gives them too, and takes seconds of the
 * processor for a table of all characters as soon as it is named.
 *
 * @param length in characters
 */
export function anyText(length: fc.ArrayConstraints = {}): fc.Arbitrary<string> {
  return fc.array(character, length).map((all) => all.join(''));
}
