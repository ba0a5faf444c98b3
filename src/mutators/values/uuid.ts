const HYPHENATED = '([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})';
const SIMPLE = HYPHENATED.replaceAll('-(', '(');

/** The forms that RFC 9562 and the libraries of other languages write. */
const FORMS = [HYPHENATED, `urn:uuid:${HYPHENATED}`, `\\{${HYPHENATED}\\}`, SIMPLE].map(
  (form) => new RegExp(`^${form}$`, 'i'),
);

/**
 * The UUID with hyphens and in lower case, of any version, or undefined when the
 * text is none. It may also be written without hyphens, in braces or as a URN.
 */
export function parseUuid(text: string): string | undefined {
  for (const form of FORMS) {
    const match = form.exec(text);
    if (match !== null) return match.slice(1).join('-').toLowerCase();
  }
  return undefined;
}
