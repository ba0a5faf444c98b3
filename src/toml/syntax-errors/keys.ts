import {
  isPlain,
  type ProposedFix,
  quote,
  suggestedFix,
  type Violation,
} from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import { headerIn } from '../format/unknown-keys.js';
import type { TomlNode } from '../positions/node.js';
import { type KeyPart, readKey } from '../positions/string.js';
import {
  characterAt,
  controlCharacterViolation,
  describeAt,
  endsLine,
  findLookalike,
  innermostOpener,
  isControl,
  lineEnd,
  type Site,
  type SyntaxErrorExplainer,
  tokenAt,
  unclosedBracketViolation,
} from './site.js';

/** Explains a character that is invalid in a key, or where a key is expected. */
export const invalidKey: SyntaxErrorExplainer = (site) => {
  const { text, at } = site;
  if (isControl(text, at)) return controlCharacterViolation(site, 'remove it');
  const otherSyntax = otherFormatViolation(text, at);
  if (otherSyntax !== undefined) return otherSyntax;
  const lookalikeViolation = findLookalike(text, characterAt(text, at));
  if (lookalikeViolation !== undefined) return lookalikeViolation;
  const start = site.scanned.key ?? at;
  if (inHeader(site)) return endsLine(text, at) ? headerNotClosed(site) : badHeader(site, start);
  if (start === at && !isLetter(text, at)) return noKey(site);
  if (endsLine(text, at) || text[at] === ',' || text[at] === '}') return noValue(site, start);
  const span = tokenAt(text, at);
  const message = `expected "=" after the key, found ${describeAt(text, at)}`;
  if (text[at] === ':') return { message, help: 'write "=" instead of ":"', instead: '=', span };
  const blank = text[at - 1] === ' ' || text[at - 1] === '\t';
  if (blank && (text[at] === '"' || text[at] === "'")) {
    const fix = suggestedFix({ start: at, end: at }, '= ', 'write "="');
    const help = 'write "=" between a key and its value';
    return { message, help, fix, span: characterAt(text, at) };
  }
  return blank
    ? { message, ...keyOfWords(site, start, '='), span }
    : badCharacter(site, start, '=');
};

/** Explains a text that ends within a key. */
export const incompleteKey: SyntaxErrorExplainer = (site) => {
  const openBracket = innermostOpener(site);
  const { text, at } = site;
  const nul = text.slice(at, lineEnd(text, at)).indexOf('\0');
  if (nul !== -1) return controlCharacterViolation({ ...site, at: at + nul }, 'remove it');
  if (inHeader(site)) return headerNotClosed(site);
  if (at >= text.length && openBracket !== undefined)
    return unclosedBracketViolation(site, openBracket);
  return noValue({ ...site, at: text.length }, at);
};

/** Explains a `=`, a `.` or a bracket where a key is expected. */
export const emptyKey: SyntaxErrorExplainer = ({ text, at }) => ({
  message: `expected a key before "${text[at]}"`,
  span: characterAt(text, at),
});

/** Explains `"""` where a key is expected. */
export const multiLineKey: SyntaxErrorExplainer = ({ at }) => ({
  message: 'a key cannot be a multi-line string',
  help: 'put it between single or double quotes',
  span: { start: at, end: at + 3 },
});

export const unclosedElementHeader: SyntaxErrorExplainer = ({ text, at }) => {
  const start = text.indexOf('[[', text.lastIndexOf('\n', at - 1) + 1);
  return notClosed(']]', { start, end: at });
};

/** Reports a git conflict marker, or JSON. */
function otherFormatViolation(text: string, at: number): Violation | undefined {
  const line = text.slice(at, lineEnd(text, at));
  if (/^<{7}( |$)/.test(line)) {
    return {
      message: 'a git merge conflict is not resolved',
      help: 'keep one of the two sides, and delete the lines with "<<<<<<<", "=======" and ">>>>>>>"',
      span: { start: at, end: at + line.length },
    };
  }
  const isFirst = ['', '['].includes(text.slice(0, at).trim());
  if (!isFirst || !/^\{\s*(?:"|$)/.test(line)) return undefined;
  const help = 'write a key as name = "..." on its own line; a table begins with [[measurement]]';
  return { message: 'this is JSON, not TOML', help, span: characterAt(text, at) };
}

function inHeader(site: Site): boolean {
  // An array cannot directly contain a key, so an open bracket before a key opens a header.
  const openBracket = innermostOpener(site);
  return openBracket !== undefined && site.text[openBracket] === '[';
}

function headerNotClosed(site: Site) {
  const start = innermostOpener(site) as number;
  const end = start + site.text.slice(start, lineEnd(site.text, start)).trimEnd().length;
  return notClosed(site.text.startsWith('[[', start) ? ']]' : ']', { start, end });
}

function notClosed(brackets: string, span: Span) {
  return { message: 'this header is not closed', help: `add a closing "${brackets}"`, span };
}

function badHeader(site: Site, start: number) {
  const { text, at } = site;
  if (start === at && !isLetter(text, at)) return noKey(site);
  const blank = text[at - 1] === ' ' || text[at - 1] === '\t';
  if (start === at || !blank) return badCharacter(site, start, ']');
  const message = `expected "]" after the key, found ${describeAt(text, at)}`;
  return { message, ...keyOfWords(site, start, ']'), span: tokenAt(text, at) };
}

function badCharacter({ text, at }: Site, start: number, close: string) {
  const span = characterAt(text, at);
  const message = `an unquoted key cannot contain ${quote(text.slice(span.start, span.end))}`;
  return { message, ...quoteKey(text, start, close), span };
}

/**
 * Explains a key of several words, such as `stopping conditions.attempts`. Suggests underscores if the format has that
 * key, otherwise quotes.
 */
function keyOfWords({ text, format }: Site, start: number, close: string): Partial<Violation> {
  const key = keyBefore(close, text, start);
  const joined = key.replaceAll(/[ \t]+/g, '_');
  const [first = ''] = /^[\w.-]+$/.test(joined) ? joined.split('.') : [];
  if (!format || !Object.hasOwn(format.keys, first)) return quoteKey(text, start, close);
  const fix = suggestedFix({ start, end: start + key.length }, joined);
  return { help: fix.title, fix };
}

/** Returns the key between an offset and `close` on the same line; empty without `close`. */
function keyBefore(close: string, text: string, start: number): string {
  const line = text.slice(start, lineEnd(text, start));
  return line.slice(0, Math.max(line.indexOf(close), 0)).trimEnd();
}

/** Suggests quotes around the key between `start` and `close`. */
function quoteKey(text: string, start: number, close: string): Pick<Violation, 'help' | 'fix'> {
  const key = keyBefore(close, text, start);
  if (key === '' || !isPlain(key) || /["'\\]/.test(key)) return {};
  const help = `put the key in quotes: "${key}"`;
  return { help, fix: suggestedFix({ start, end: start + key.length }, `"${key}"`, help) };
}

function isLetter(text: string, at: number): boolean {
  return /^\p{L}/u.test(text.slice(at, at + 2));
}

function noKey({ text, at }: Site) {
  const message = `expected a key, found ${describeAt(text, at)}`;
  const help = /^\/[/*]/.test(text.slice(at)) ? 'a comment begins with "#"' : undefined;
  return { message, help, span: tokenAt(text, at) };
}

function noValue({ text, at }: Site, start: number) {
  const key = text.slice(start, at).trimEnd();
  const span = { start, end: start + key.length };
  if (key.endsWith('.')) return { message: 'expected a key after "."', span };
  const quotedKey = key.startsWith('"') && isPlain(key) ? key : quote(key);
  return { message: `expected "=" and a value after ${quotedKey}`, span };
}

/** Explains a key or a header that redefines a key or a table. */
export const redefinition: SyntaxErrorExplainer = (site) => {
  const { text, at, scanned: before } = site;
  const { parts } = readKey(text, at);
  const { node: first, part, whole } = lastDefined(before.scope, parts);
  if (part === undefined) {
    return { message: 'this is already defined', span: characterAt(text, at) };
  }
  const written = text.slice(parts[0]?.span.start, parts.at(-1)?.span.end);
  const name = quote(part.name);
  const explained = !whole
    ? { message: `${name} is already defined, and cannot be extended here` }
    : inHeader(site)
      ? duplicateHeader(site, parts, written, first)
      : { message: `duplicate key ${name}` };
  const relatedSpans = [{ message: 'first defined here', span: first.key }];
  return { ...explained, span: part.span, related: relatedSpans };
};

/** Returns a key's deepest part that is already defined, and its definition. */
function lastDefined(scope: TomlNode, parts: readonly KeyPart[]) {
  let node = scope;
  let part: KeyPart | undefined;
  for (const next of parts) {
    const child: TomlNode | undefined = (node.items?.at(-1) ?? node).entries?.get(next.name);
    if (child === undefined) return { node, part, whole: false };
    node = child;
    part = next;
  }
  return { node, part, whole: true };
}

function duplicateHeader(
  site: Site,
  parts: readonly KeyPart[],
  written: string,
  first: TomlNode,
): Omit<Violation, 'span'> {
  const { text, at, format } = site;
  const path = parts.map(({ name: part }) => part);
  const header = { start: parts[0]?.span.start ?? at, end: parts.at(-1)?.span.end ?? at };
  const name = quote(path.at(-1) as string);
  const double = text.startsWith('[[', innermostOpener(site));
  const title = `write [[${written}]]`;
  if (first.items !== undefined) {
    const message = `${name} is already an array`;
    if (double) return { message };
    return { message, help: `${title} to add a table to it`, fix: doubled(text, [header], title) };
  }
  if (first.entries === undefined) return { message: `${name} is already defined as a value` };
  const byHeader = first.value !== first.key;
  if (double && !byHeader) {
    const message = `a table within ${name} comes before [[${written}]]`;
    return { message, help: `put [[${written}]] first, and its tables after it` };
  }
  const message = `duplicate table ${name}`;
  if (!byHeader) return { message };
  const formatHeader =
    format && Object.hasOwn(format.keys, path[0] as string) ? headerIn(format, path) : undefined;
  const fix = doubled(text, [headerAround(text, first.key), header], `${title} at each`);
  if (formatHeader?.startsWith('[[')) return { message, help: `${title} at each`, fix };
  if (formatHeader !== undefined) return { message, help: 'merge the two' };
  return { message, help: `merge the two, or ${title} at each for an array of tables`, fix };
}

/** Returns the span between the brackets of a header, given its last part. */
function headerAround(text: string, { start, end }: Span): Span {
  const open = text.lastIndexOf('[', start);
  return /^[\w.-]*$/.test(text.slice(open + 1, start)) ? { start: open + 1, end } : { start, end };
}

/**
 * Returns the fix that turns table headers, given the spans between their brackets, into
 * array-of-tables headers.
 */
function doubled(text: string, keys: readonly Span[], title: string): ProposedFix | undefined {
  const isHeader = ({ start, end }: Span) => text[start - 1] === '[' && text[end] === ']';
  if (!keys.every(isHeader)) return undefined;
  const edits = keys.flatMap(({ start, end }) => [
    { span: { start, end: start }, text: '[' },
    { span: { start: end, end }, text: ']' },
  ]);
  return { title, kind: 'suggested', edits };
}
