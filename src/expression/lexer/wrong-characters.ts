import { codePointOf } from '../../basics/index.js';
import {
  type Advice,
  curlyQuotationAt,
  type Edit,
  invisibleCharacterViolation,
  isCurlyQuote,
  quote,
  straightenQuotes,
  suggestedFix,
  type Violation,
  writing,
} from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import { printString } from '../tree/print.js';
import { FINITE_ADVICE, isNonFinite } from './literals.js';

/** The exact equivalents of other languages' operators. */
const EQUIVALENTS: Readonly<Record<string, string>> = {
  '!==': '!=',
  '===': '=',
  '==': '=',
  '<>': '!=',
  '=<': '<=',
  '&&': 'AND',
  '||': 'OR',
  '≠': '!=',
  '≤': '<=',
  '≥': '>=',
  '→': '->',
  '≺': '->',
  '∥': '||',
  '∧': 'AND',
  '∨': 'OR',
  '¬': 'NOT',
  '∈': 'IN',
  '∉': 'NOT IN',
  '–>': '->',
  '—>': '->',
};

const ARROW = writing('->', '"->"');
const NOT_EQUAL = writing('!=', '"!="');
const MINUS = writing('-', '"-"');

/** Help for operators and words of regular expression matching. */
const NO_TEXT_PATTERNS =
  'regular expressions are not supported: GLOB has "*" for any characters and "?" for one';

/** Advice on operators that are ambiguous, or have no equivalent. */
const ADVICE: Readonly<Record<string, Advice>> = {
  '~=': { help: `use "!=" for inequality; ${NO_TEXT_PATTERNS}` },
  ':=': writing('=', '"="'),
  '=!': NOT_EQUAL,
  '=>': { help: 'use ">=" to compare, or "->" to order events' },
  '==>': { help: 'use "->" in WHEN, to order events' },
  '<-': { help: 'swap the labels, and put "->" between them' },
  '&': writing('AND', '"AND"'),
  '|': writing('OR', '"OR"'),
  '!': { help: 'use NOT before a condition in parentheses, or "!=" to compare' },
  '!->': {
    help: 'put NOT before the pattern of the event that must not happen, and "->" before its label',
  },
  '!~': { help: NO_TEXT_PATTERNS },
  '⇒': ARROW,
  '–': MINUS,
  '—': MINUS,
  '−': MINUS,
  '=~': { help: NO_TEXT_PATTERNS },
};

/** Maximum number of spaces between the parts of an operator. */
const MAX_BLANKS = 8;

/** Operators of other languages, longest first. */
const WRONG_OPERATORS = [...Object.keys(EQUIVALENTS), ...Object.keys(ADVICE)].sort(
  (a, b) => b.length - a.length,
);

/** Reports a text in typographic quotes, or a single typographic quote. */
export function smartQuoteViolation(text: string, start: number): Violation | undefined {
  if (!isCurlyQuote(text.charAt(start))) return undefined;
  const curlyText = curlyQuotationAt(text, start);
  if (curlyText === undefined) {
    return {
      message: `unexpected typographic quote ${quote(text.charAt(start))}`,
      help: 'use straight quotes around a string',
      span: { start, end: start + 1 },
    };
  }
  const { end, content, paired } = curlyText;
  const span = { start, end };
  const message = `typographic quotes around ${quote(content)}`;
  const innerText = straightenQuotes(content);
  const replacement = printString(innerText);
  const help = `write the string in straight quotes${content.length <= 40 ? `: ${replacement}` : ''}`;
  const kind = paired && !/['"\\]/.test(innerText) ? 'safe' : 'suggested';
  const edit = {
    span,
    text: replacement,
    ...(!/["\\]/.test(innerText) && { otherwise: `"${innerText}"` }),
  };
  return { message, help, span, fix: { title: `write ${replacement}`, kind, edits: [edit] } };
}

/**
 * Reports an operator of another language. Ignores `<-` before a digit, which is a comparison with
 * a negative number.
 */
export function operatorViolation(text: string, offset: number): Violation | undefined {
  for (const operator of WRONG_OPERATORS) {
    if (!text.startsWith(operator, offset)) continue;
    if (operator === '<-' && /\d/.test(text.charAt(offset + 2))) continue;
    const span = { start: offset, end: offset + operator.length };
    if (operator === '!' && /^! +=/.test(text.slice(offset, offset + MAX_BLANKS))) {
      const end = text.indexOf('=', offset) + 1;
      const message = 'the operator "! =" contains a space';
      return { message, ...NOT_EQUAL, span: { start: offset, end } };
    }
    const message = `unknown operator ${quote(operator)}`;
    const right = EQUIVALENTS[operator];
    const advice = right === undefined ? ADVICE[operator] : writing(right, `"${right}"`);
    const { help, instead } = advice ?? {};
    const fix = instead !== undefined && {
      title: `write ${instead}`,
      kind: right === undefined ? ('suggested' as const) : ('safe' as const),
      edits: [separateEdit(text, span, instead)],
    };
    return { message, help, span, ...(fix && { fix }) };
  }
  return undefined;
}

/** Replaces an operator with a word, with spaces where the word would touch its neighbours. */
function separateEdit(text: string, span: Span, right: string): Edit {
  if (!/^[A-Z]/.test(right)) return { span, text: right };
  const { start, end } = span;
  const [leading, trailing] = [start - 1, end].map((at) =>
    /[\w-]/.test(text.charAt(at)) ? ' ' : '',
  );
  return { span, text: `${leading}${right}${trailing}` };
}

/** Reports hyphens that are neither part of `->` nor a minus sign, and longer arrows such as `-->`. */
export function dashViolation(text: string, offset: number): Violation | undefined {
  let end = offset;
  while (text.charAt(end) === '-') end += 1;
  const dashes = end - offset;
  const arrow = text.charAt(end) === '>';
  const isSeparate = dashes === 1 && /[ \t]/.test(text.charAt(offset - 1));
  const parted = isSeparate ? /^[ \t]+>(?!=)/.exec(text.slice(end, end + MAX_BLANKS)) : null;
  if (parted !== null) {
    const span = { start: offset, end: end + parted[0].length };
    return { message: 'an arrow is written without a space', ...ARROW, span };
  }
  if (dashes === 0 || (dashes === 1 && (arrow || /\d/.test(text.charAt(end))))) return undefined;
  if (arrow) end += 1;
  const span = { start: offset, end };
  const image = quote(text.slice(offset, end));
  if (arrow) return { message: `unknown operator ${image}`, ...ARROW, span };
  const help =
    dashes > 1
      ? 'a comment begins with "#"; a name that ends in a hyphen needs backquotes'
      : TIGHT['-'];
  return { message: `unexpected ${image}`, help, span };
}

/** Matches text after which a condition may begin. */
const BEFORE_CONDITION = /(?:^|[,(]|\b(?:MATCH|WHEN|FILTER|NOT|AND|OR))\s*$/i;

/** Reports brackets or braces around a condition: `[name = 'A']`, `{name = 'A'}`. */
export function bracketedConditionViolation(text: string, start: number): Violation | undefined {
  const followingText = text.slice(start, start + LONGEST_BRACKETS);
  const image = /^(?:\[[^[\]\r\n]*\]|\{[^{}\r\n]*\})/.exec(followingText)?.[0];
  if (image === undefined || !BEFORE_CONDITION.test(text.slice(Math.max(0, start - 20), start))) {
    return undefined;
  }
  const innerText = image.slice(1, -1).trim();
  if (!/[=<>@]/.test(innerText.replace(/'[^']*'|"[^"]*"/g, ''))) return undefined;
  const span = { start, end: start + image.length };
  const fix = suggestedFix(span, `(${innerText})`);
  const help = `use parentheses: (${innerText})`;
  return { message: `unexpected ${quote(image)}`, help, span, fix };
}

/** Reports brackets around a key or a list: `payload['mode']`, `['A', 'B']`. */
export function bracketedTextViolation(text: string, start: number): Violation | undefined {
  const image = /^\[[^[\]\r\n]*\]/.exec(text.slice(start, start + LONGEST_BRACKETS))?.[0];
  if (image === undefined) return undefined;
  const span = { start, end: start + image.length };
  const message = `unexpected ${quote(image)}`;
  const key = /^\[(['"])([A-Za-z_][\w-]*)\1\]$/.exec(image)?.[2];
  const path = /[\w.-]*$/.exec(text.slice(Math.max(0, start - LONGEST_BRACKETS), start))?.[0];
  if (key !== undefined && path) {
    const fix = suggestedFix(span, `.${key}`, `write ${path}.${key}`);
    return { message, help: fix.title, span, fix };
  }
  if (/\d(?:ns|us|ms|s|m|min|h|d)\]$/.test(image)) {
    return { message, help: 'to group by time, use BY window(label.time, 5min)', span };
  }
  const sign = /(=|\bIN)[ \t]*$/i.exec(text.slice(Math.max(0, start - 20), start));
  if (sign === null) {
    return { message, help: 'a list is written with IN and parentheses, as in x IN (1, 2)', span };
  }
  const list = `IN (${image.slice(1, -1)})`;
  const fix = suggestedFix({ start: start - sign[0].length, end: span.end }, list);
  return { message, help: fix.title, span, fix };
}

const LONGEST_BRACKETS = 200;

/** Matches text after which an operand may begin. */
const BEFORE_OPERAND = /(?:^|[(,=<>+*/]|[ \t]-|\b(?:AND|OR|NOT|FILTER|AGGREGATE))[ \t\r\n]*$/i;

/** Reports bars for an absolute value, as in `|a.x - 3|`. */
export function absoluteBarsViolation(text: string, start: number): Violation | undefined {
  const nearbyText = text.slice(Math.max(0, start - 20), start);
  const innerText = /^\|([^|'"`#()\r\n]+)\|(?!\|)/.exec(
    text.slice(start, start + LONGEST_BRACKETS),
  )?.[1];
  if (innerText === undefined || !BEFORE_OPERAND.test(nearbyText)) return undefined;
  const span = { start, end: start + innerText.length + 2 };
  const fix = suggestedFix(span, `abs(${innerText.trim()})`);
  return { message: 'an absolute value is not written with bars', help: fix.title, span, fix };
}

const FOR_ALL =
  /(?:\b(?:FILTER|AGGREGATE)\s+)?\bFOR\s*(?:ALL|EACH|EVERY|ANY)\s+([A-Za-z_]\w*)\s*$/i;

/** Reports a quantifier with a colon, as in `FOR ALL a: a.x > 3`. */
export function quantifierViolation(text: string, colon: number): Violation | undefined {
  if (text.charAt(colon) !== ':') return undefined;
  const precedingText = text.slice(Math.max(0, colon - LONGEST_BRACKETS), colon);
  const [quantifier, label] = FOR_ALL.exec(precedingText) ?? [];
  if (quantifier === undefined) return undefined;
  const span = { start: colon - quantifier.length, end: colon + 1 };
  const message = `unexpected ${quote(text.slice(span.start, span.end))}`;
  const followingText = text.slice(colon + 1);
  const isMeasure = /^\s*\w+\(/.test(followingText);
  const isWhole =
    followingText.length <= LONGEST_COMMENT &&
    /^[^#:]*[=<>][^#:]*$/.test(followingText) &&
    !/->|\b(?:MATCH|WHEN|FILTER|AGGREGATE|BY|AS)\b/i.test(followingText);
  const help =
    'to require a condition of every match, use AGGREGATE share(condition) = 1; for a measure of every event, use AGGREGATE count() > 0 BY label';
  if (!isWhole || !/\bMATCH\b/i.test(precedingText)) return { message, help, span };
  const measure = isMeasure
    ? `${followingText.trim()} BY ${label}`
    : `share(${followingText.trim()}) = 1`;
  const fix = suggestedFix({ start: span.start, end: text.length }, `AGGREGATE ${measure}`);
  return { message, help, span, fix };
}

const TIGHT: Readonly<Record<string, string>> = {
  '+': 'a plus sign needs white space on both sides; a positive number has no sign',
  '-': 'a minus sign needs white space on both sides; a name that ends in one needs backquotes',
};

/**
 * Reports a sign without white space on both sides, or a sign of an operand: `a+b`, `a- 3`,
 * `x = +3`, `x = -y`.
 */
export function signSpacingViolation(text: string, start: number): Violation | undefined {
  const sign = text.charAt(start);
  const help = TIGHT[sign];
  const nextText = text.slice(start + 1, start + 1 + MAX_BLANKS);
  if (help === undefined || text.charAt(start - 1) === sign || !/^[ \t]*[\w('"`]/.test(nextText)) {
    return undefined;
  }
  const precedingText = text.slice(Math.max(0, start - 20), start);
  const span = { start, end: start + 1 };
  const violation = { message: `unexpected ${quote(sign)}`, help, span };
  if (!BEFORE_OPERAND.test(precedingText)) {
    const spanWithBlanks = {
      start: start - blanks(precedingText, /[ \t]*$/),
      end: span.end + blanks(nextText, /^[ \t]*/),
    };
    return { ...violation, fix: suggestedFix(spanWithBlanks, ` ${sign} `, 'add the spaces') };
  }
  if (sign === '+') return { ...violation, fix: suggestedFix(span, '') };
  const word = /^[ \t]*(\w+)/.exec(text.slice(start + 1, start + 1 + LONGEST_WORD))?.[1] ?? '';
  if (isNonFinite(word)) {
    const end = start + 1 + text.slice(start + 1).indexOf(word) + word.length;
    return {
      ...violation,
      message: `unexpected ${quote(text.slice(start, end))}`,
      help: FINITE_ADVICE,
      span: { start, end },
    };
  }
  if (/[*/+-][ \t]*$/.test(precedingText)) return violation;
  const minusHelp = 'a minus sign has an operand on both sides, as in 0 - x';
  return { ...violation, help: minusHelp, fix: suggestedFix(span, '0 - ') };
}

const LONGEST_WORD = 20;

/** Returns the length of a pattern's first match, or 0. */
function blanks(text: string, pattern: RegExp): number {
  return pattern.exec(text)?.[0].length ?? 0;
}

const COMMENT = 'a comment begins with "#" and ends with its line';

/** Reports a block comment of another language, up to its end. */
export function blockCommentViolation(text: string, start: number): Violation | undefined {
  if (!text.startsWith('/*', start)) return undefined;
  const close = text.slice(start, start + LONGEST_COMMENT).indexOf('*/', 2);
  if (close < 0) return undefined;
  return { message: 'unexpected "/*"', help: COMMENT, span: { start, end: start + close + 2 } };
}

const LONGEST_COMMENT = 1_000;

/** Reports characters that begin no token, as one violation. */
export function unknownCharacterViolation(text: string, start: number, end: number): Violation {
  const span = { start, end };
  const image = text.slice(start, end);
  const character = String.fromCodePoint(text.codePointAt(start) as number);
  if (/^[\p{L}\p{M}\p{N}_-]+$/u.test(image)) {
    const help = 'a name with letters outside A to Z needs backquotes, and a string needs quotes';
    return { message: `unexpected ${quote(image)}`, help, span };
  }
  const invisible = invisibleCharacterViolation(character);
  if (invisible !== undefined) return { ...invisible, span };
  if (/\p{Cc}/u.test(character)) {
    return {
      message: `unexpected control character U+${codePointOf(character)}`,
      help: 'delete it',
      span,
    };
  }
  const help = /^(\/\/|\/\*|\*\/)/.test(image) ? COMMENT : helpFor(character);
  return { message: `unexpected ${quote(image)}`, help, span };
}

function helpFor(character: string): string | undefined {
  if (character === '+') return TIGHT['+'];
  if (character === '~') return NO_TEXT_PATTERNS;
  if (character === '^') return 'the only arithmetic is "+", "-", "*" and "/"';
  if ('[]{}'.includes(character)) return 'use parentheses';
  if (character === ';') return 'delete it, or put "," between patterns and measures';
  if (character === ':') return 'use "." in an attribute, "@" before a probe, "=" to compare';
  if (character === '$' || character === '?') return 'expressions have no variables';
  return undefined;
}
