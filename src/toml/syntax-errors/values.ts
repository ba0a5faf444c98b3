import {
  type Advice,
  isPlain,
  quote,
  suggestedFix,
  type Violation,
  writing,
} from '../../diagnostics/index.js';
import { intendedBounds } from '../format/format.js';
import { tablesWithKey } from '../format/unknown-keys.js';
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

/** Explains a missing or invalid value. */
export const invalidValue: SyntaxErrorExplainer = (site) => {
  const { text, at } = site;
  const openBracket = innermostOpener(site);
  if (at >= text.length && openBracket !== undefined)
    return unclosedBracketViolation(site, openBracket);
  if (endsLine(text, at) || text[at] === '#') return missingValue(site);
  if (isControl(text, at)) return controlCharacterViolation(site, 'remove it');
  if (',]}='.includes(text[at] as string)) {
    const advice = text[at] === '=' ? { help: 'write one "="', instead: '' } : {};
    const message = `expected a value, found ${describeAt(text, at)}`;
    return { message, ...advice, span: characterAt(text, at) };
  }
  const span = wordAt(site, at);
  const lookalikeViolation = findLookalike(text, span);
  if (lookalikeViolation !== undefined) return lookalikeViolation;
  const word = text.slice(span.start, span.end);
  return { message: `invalid value ${quote(word)}`, ...adviceAt(site, word), span };
};

/** Returns an explainer for a malformed date, time or number. */
export const malformedValue =
  (what: string): SyntaxErrorExplainer =>
  (site) => {
    const { text } = site;
    const span = wordAt(site, startOfWord(site));
    const { end } = span;
    const lookalikeViolation = findLookalike(text, span);
    if (lookalikeViolation !== undefined) return lookalikeViolation;
    // The value may be valid, and the text after it invalid.
    if (isControl(text, end)) return controlCharacterViolation({ ...site, at: end }, 'remove it');
    const openBracket = innermostOpener(site);
    if (openBracket !== undefined && text[end] === (text[openBracket] === '[' ? '}' : ']')) {
      return missingSeparator({ ...site, at: end });
    }
    const word = text.slice(span.start, end);
    return { message: `invalid ${what} ${quote(word)}`, ...adviceOn(word), span };
  };

/** Explains text after a value or a header on the same line. */
export const textAfterValue: SyntaxErrorExplainer = (site) => {
  const { text, at } = site;
  if (isControl(text, at)) return controlCharacterViolation(site, 'remove it');
  const lookalikeViolation = findLookalike(text, characterAt(text, at));
  if (lookalikeViolation !== undefined) return lookalikeViolation;
  const message = `expected the end of the line, found ${describeAt(text, at)}`;
  return { message, ...adviceAfterValue(text, at), span: tokenAt(text, at) };
};

/** Explains a missing comma or closing bracket after an element. */
export const missingSeparator: SyntaxErrorExplainer = (site) => {
  const { text, at } = site;
  const openBracket = innermostOpener(site) ?? at;
  if (at >= text.length) return unclosedBracketViolation(site, openBracket);
  const lookalikeViolation = findLookalike(text, characterAt(text, at));
  if (lookalikeViolation !== undefined) return lookalikeViolation;
  const leftOpenString = findUnclosed(text, at);
  if (leftOpenString !== undefined) return leftOpenString;
  const array = text[openBracket] === '[';
  const close = array ? ']' : '}';
  const bracketText = `the ${array ? 'array' : 'inline table'} begins here`;
  const nextKey = /^[\w."' -]+=/.test(text.slice(at, lineEnd(text, at))) && array;
  // True if a value follows another value on the same line.
  const isNextValue = array && /^[ \t][\d"'+-]/.test(text.slice(at - 1, at + 1));
  const comma = 'put "," between the values';
  return {
    message: `expected "," or "${close}", found ${describeAt(text, at)}`,
    ...(nextKey && { help: `close the array with "${close}" before the next key` }),
    ...(isNextValue && {
      help: comma,
      fix: suggestedFix({ start: at - 1, end: at - 1 }, ',', comma),
    }),
    span: tokenAt(text, at),
    related: [{ message: bracketText, span: { start: openBracket, end: openBracket + 1 } }],
  };
};

/** Explains an unclosed string, such as `"a, "b"`, that ends at the opening quote of the next string. */
function findUnclosed(text: string, at: number): Violation | undefined {
  const mark = text[at - 1] as string;
  if (!/["']/.test(mark) || !/[\w[{]/.test(text.charAt(at))) return undefined;
  const start = text.lastIndexOf(mark, at - 2);
  const content = text.slice(start + 1, at - 1);
  const end = content.search(/\s*[,\]}]/);
  if (start < 0 || end < 0 || /[\r\n]/.test(content) || !/[,=[]\s*$/.test(content))
    return undefined;
  const close = start + 1 + end;
  return {
    message: 'this string is not closed',
    help: `add a closing ${mark}`,
    span: { start, end: close },
    fix: suggestedFix({ start: close, end: close }, mark, `add a closing ${mark}`),
  };
}

/** Explains an array or an inline table that reaches the end of the file. */
export const unclosedBracket: SyntaxErrorExplainer = (site) =>
  unclosedBracketViolation(site, site.at);

/** Explains brackets nested beyond smol-toml's limit. */
export const excessiveNesting: SyntaxErrorExplainer = ({ at }) => ({
  message: 'arrays and inline tables are nested too deeply',
  help: 'expected at most 1000 levels',
  span: { start: at, end: at + 1 },
});

function missingValue({ text, at }: Site): Violation {
  const equals = text.slice(0, at).trimEnd().length;
  return {
    message: 'expected a value after "="',
    help: 'put the value on the same line as its key',
    span: { start: equals - 1, end: equals },
  };
}

/** Returns the text intended as one value, up to the end of the line or of the element. */
function wordAt(site: Site, start: number) {
  const { text } = site;
  const stop = innermostOpener(site) === undefined ? /\s#|$/ : /[,\]}#]|$/;
  const remaining = text.slice(start, lineEnd(text, start));
  const word = remaining.slice(0, remaining.search(stop)).trimEnd();
  return word === '' ? characterAt(text, start) : { start, end: start + word.length };
}

function startOfWord({ text, at }: Site): number {
  let start = at;
  while (start > 0 && /[\w.+:-]/.test(text[start - 1] as string)) start -= 1;
  return start;
}

const INTENDED_WORDS = new Map([
  ...['true', 'yes', 'on'].map((word) => [word, 'true'] as const),
  ...['false', 'no', 'off'].map((word) => [word, 'false'] as const),
  ...['inf', 'infinity'].map((word) => [word, 'inf'] as const),
  ['nan', 'nan'],
]);
const NULL_WORDS = new Set(['null', 'nil', 'none', 'undefined']);

/** Matches a number with a comma before each group of three digits. */
const THOUSANDS = /^[+-]?\d{1,3}(,\d{3})+$/;

/** Suggests the value intended by a word. Does not suggest quotes if the key accepts no string. */
function adviceAt({ text, at, format }: Site, word: string): Advice {
  const advice = adviceOn(word);
  if (!advice.help?.startsWith('put it in quotes') || format === undefined) return advice;
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  const key = /^\s*([\w-]+)\s*=\s*$/.exec(line)?.[1] ?? '';
  const types = new Set(tablesWithKey(format, key).map(([, entry]) => entry.format.type));
  const [type] = types;
  if (type === undefined || types.size > 1 || !(type in TYPE_TEXTS)) return advice;
  return { help: `expected ${TYPE_TEXTS[type as keyof typeof TYPE_TEXTS]}` };
}

const TYPE_TEXTS = { integer: 'an integer', number: 'a number', boolean: 'true or false' } as const;

/** Suggests a value for `0..25`, `("a", "b")` and the like. */
function adviceOn(word: string): Advice {
  const bounds = /^\(|\.\./.test(word) ? intendedBounds(word) : undefined;
  return bounds === undefined ? adviceOnWord(word) : writing(bounds);
}

function adviceOnWord(word: string): Advice {
  const lowerCase = word.toLowerCase();
  const intendedWord = INTENDED_WORDS.get(lowerCase);
  if (intendedWord !== undefined) return writing(intendedWord);
  if (NULL_WORDS.has(lowerCase)) return { help: 'remove the key: TOML has no null value' };
  if (/^[+-]?\.\d+$/.test(word)) return writing(word.replace('.', '0.'));
  if (/^[+-]?\d+\.$/.test(word)) return writing(`${word}0`);
  if (/^[+-]?0\d+$/.test(word)) {
    const digits = word.replace(/0+(?=\d)/, '');
    return writing(digits, `${digits}, or "${word}" for a string`);
  }
  if (/^[+-]?[\d_.]*_[\d_.]*$/.test(word)) return { help: 'an underscore goes between digits' };
  if (/^[+-]?0[xob]/.test(word)) {
    return {
      help: '0x is followed by hexadecimal digits, 0o by octal and 0b by binary digits, all without a sign',
    };
  }
  if (/^\d+-\d+-\d/.test(word)) {
    return { help: 'a date is written 1979-05-27, a time 07:32:00' };
  }
  if (/^\d+:\d/.test(word)) return { help: 'a time is written 07:32:00' };
  if (THOUSANDS.test(word)) {
    const digits = word.replaceAll(',', '');
    return writing(digits, `${digits} or ${word.replaceAll(',', '_')}`);
  }
  if (!isPlain(word)) return { help: 'if this is a string, put it in quotes' };
  if (/^[+-]?\d[^,;]*[,;]$/.test(word)) {
    return { help: `remove the "${word.at(-1)}"`, instead: word.slice(0, -1) };
  }
  if (/^[^"'\\]+["']$/.test(word)) {
    const instead = `${word.at(-1)}${word}`;
    return { help: `add the opening quote: ${instead}`, instead };
  }
  if (/["\\]/.test(word)) return { help: 'if this is a string, put it in quotes' };
  return { help: `put it in quotes: "${word}"`, instead: `"${word}"` };
}

function adviceAfterValue(text: string, at: number): Pick<Violation, 'help' | 'fix'> {
  const remaining = text.slice(at, lineEnd(text, at));
  if (remaining.startsWith(',') || remaining.startsWith(';')) {
    const help = `remove the "${remaining[0]}"`;
    return { help, fix: suggestedFix({ start: at, end: at + 1 }, '', help) };
  }
  if (/^(?:\/[/*]|--|;)/.test(remaining)) return { help: 'a comment begins with "#"' };
  if (/^[\w."'-]+\s*=/.test(remaining)) {
    const help = 'write each key on a line of its own';
    const start = text.slice(0, at).trimEnd().length;
    return { help, fix: suggestedFix({ start, end: at }, '\n', help) };
  }
  if (text[at - 1] === '"') return { help: 'a quote inside the string is written \\"' };
  if (text[at - 1] === "'") return { help: 'use double quotes for a string with "\'" in it' };
  return {};
}

/** Explains a string that ends with its line, or a control character in a string. */
export const controlInString: SyntaxErrorExplainer = (site) => {
  const { text, at } = site;
  const openBracket = innermostOpener(site) ?? at;
  if (endsLine(text, at)) return notClosed(text, openBracket);
  const literal = text[openBracket] === "'";
  return controlCharacterViolation(
    site,
    literal ? 'use double quotes and \\uXXXX' : 'write \\uXXXX',
  );
};

/** Explains a string that reaches the end of the file. */
export const unclosedString: SyntaxErrorExplainer = ({ text, at }) => {
  const triple = (text[at] as string).repeat(3);
  if (!text.startsWith(triple, at)) return notClosed(text, at);
  return {
    message: 'this multi-line string is never closed',
    help: `add the closing ${triple}`,
    span: { start: at, end: at + 3 },
  };
};

function notClosed(text: string, open: number) {
  const mark = text[open] as string;
  return {
    message: 'this string is not closed on its line',
    help: `add a closing ${mark}, or use ${mark.repeat(3)} for several lines`,
    span: { start: open, end: lineEnd(text, open) },
  };
}

const BACKSLASH = 'write \\\\ for a backslash, or use a string in single quotes';

/** Explains an unknown escape sequence, such as `\d`. */
export const unknownEscape: SyntaxErrorExplainer = ({ text, at }) => {
  const { end } = characterAt(text, at);
  return {
    message: `unknown escape sequence ${escapeQuoted(text.slice(at, end))}`,
    help: BACKSLASH,
    instead: `\\${text.slice(at - 1, end)}`,
    span: { start: at - 1, end },
  };
};

/** Explains `\x`, `\u` or `\U` with too few digits. */
export const tooFewEscapeDigits: SyntaxErrorExplainer = ({ text, at }) => {
  const start = text.lastIndexOf('\\', at - 1);
  const digits = { x: 2, u: 4, U: 8 }[text[start + 1] as 'x' | 'u' | 'U'];
  return {
    message: `escape sequence ${escapeQuoted(text.slice(start + 1, at))} needs ${digits} hexadecimal digits`,
    help: BACKSLASH,
    instead: `\\${text.slice(start, at)}`,
    span: { start, end: at },
  };
};

/** Explains `\u` with a surrogate, or `\U` with a value beyond U+10FFFF. */
export const invalidEscapeValue: SyntaxErrorExplainer = ({ text, at }) => {
  const end = at + (text[at + 1] === 'U' ? 10 : 6);
  return {
    message: `escape sequence ${escapeQuoted(text.slice(at + 1, end))} is not a Unicode character`,
    span: { start: at, end },
  };
};

/** Explains a backslash followed by white space and then other text on the same line. */
export const spaceAfterBackslash: SyntaxErrorExplainer = ({ at }) => ({
  message: 'only white space may follow this backslash on its line',
  help: 'write \\\\ for a backslash',
  instead: '\\\\',
  span: { start: at, end: at + 1 },
});

/** Quotes an escape sequence for a message without doubling its backslash. */
function escapeQuoted(letters: string): string {
  return `"\\${quote(letters).slice(1)}`;
}
