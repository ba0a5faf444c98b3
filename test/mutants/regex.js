/**
 * Regular expressions that differ from one in one place: without an anchor, a
 * quantifier or a flag, or with a class turned round.
 *
 * @param {string} literal as it stands in the code, with slashes and flags
 * @returns {string[]}
 */
export function regexEdits(literal) {
  const last = literal.lastIndexOf('/');
  const source = literal.slice(1, last);
  const flags = literal.slice(last + 1);
  const sources = [...places(source)].map(
    ({ start, end, text }) => source.slice(0, start) + text + source.slice(end),
  );
  const candidates = [
    ...sources.map((text) => [text, flags]),
    ...[...flags].map((flag) => [source, flags.replace(flag, '')]),
  ];
  return candidates
    .filter(([text = '', kept = '']) => text !== '' && isValid(text, kept))
    .map(([text, kept]) => `/${text}/${kept}`);
}

/**
 * @param {string} source
 * @returns {Generator<{ start: number, end: number, text: string }>}
 */
function* places(source) {
  let inClass = false;
  for (let at = 0; at < source.length; at += 1) {
    const character = source.charAt(at);
    const next = source.charAt(at + 1);
    if (character === '\\') {
      if (/[dDsSwWbBpP]/.test(next)) {
        const other = next === next.toLowerCase() ? next.toUpperCase() : next.toLowerCase();
        yield { start: at + 1, end: at + 2, text: other };
      }
      at += 1;
    } else if (character === '[' && !inClass) {
      inClass = true;
      const negated = next === '^';
      yield { start: at + 1, end: at + (negated ? 2 : 1), text: negated ? '' : '^' };
      if (negated) at += 1;
    } else if (character === ']') inClass = false;
    else if (inClass) continue;
    else if (character === '(' && next === '?') {
      if (/[=!]/.test(source.charAt(at + 2))) {
        const text = source.charAt(at + 2) === '=' ? '!' : '=';
        yield { start: at + 2, end: at + 3, text };
      }
      at += 1;
    } else if (/[\^$*+?]/.test(character)) yield { start: at, end: at + 1, text: '' };
  }
}

/** @param {string} source @param {string} flags */
function isValid(source, flags) {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}
