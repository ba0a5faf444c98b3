import type { IToken } from 'chevrotain';
import { toLowerCaseLetters } from '../functions/lowercase.js';
import { is } from '../lexer/lexer.js';
import { isDuration, unitAdvice } from '../lexer/literals.js';
import { printString } from '../tree/print.js';
import { sameAdvice, shapes, type Table } from './shapes.js';

/* Words of other query languages and of English, with replacements in this language. */

/** Words of other query languages that are unlikely to be misspelt keywords or labels. */
const FOREIGN_WORDS = new Set(
  [
    'is equals like ilike contains startswith endswith starts begins ends limit offset return matches',
    'regexp rlike similar between where at having select before then followed after near around until',
    'unless group order per xor concurrent',
  ].flatMap((line) => line.split(' ')),
);

/** True if a word belongs to another query language. */
export function isForeignWord(word: string): boolean {
  return FOREIGN_WORDS.has(word.toLowerCase());
}

const ABSENT = 'null|none|nil|undefined|missing|empty';
const PRESENT_WORDS = 'present|set|defined|there';

const EXISTENCE = shapes('', {
  [`[<path> ~^is not ${ABSENT}]`]: ['exists($1)'],
  [`[<path> ~^is ${ABSENT}]`]: ['NOT exists($1)'],
  [`~is not ${ABSENT}`]: 'to require the attribute, use exists(attribute)',
  [`~is ${ABSENT}`]: 'to require a missing attribute, use NOT exists(attribute)',
  [`[<path> ~^is not ${PRESENT_WORDS}]`]: ['NOT exists($1)'],
  [`[<path> ~^is ${PRESENT_WORDS}]`]: ['exists($1)'],
  '[<path> ~^does not exist]': ['NOT exists($1)'],
});

const LISTS = shapes('match filter', {
  '[~is in|glob]': ['$2', 'delete it'],
  '[~is not in|glob]': ['$2 $3', 'delete it'],
  '[= ^any|some] ~(': ['IN'],
  '[~is one|any of] (': ['IN'],
  '[~one|any of] (': ['IN'],
  '[~is one|any of <values>]': [inListOf],
  '[~one|any of <values>]': [inListOf],
});

/** Returns the IN list for the values in a phrase such as `one of 1, 2`. */
export function inListOf(tokens: readonly IToken[]): string | undefined {
  const values = tokens.filter((token) => is(token, 'literal'));
  return values.length < 2 ? undefined : `IN (${values.map(({ image }) => image).join(', ')})`;
}

/** The phrases for each comparator. IS may precede a phrase. */
const IN_WORDS: Readonly<Record<string, readonly string[]>> = {
  '>=': ['at least', 'ge|gte', 'not|no less than', 'greater|more than or equal to'],
  '<=': ['at most', 'le|lte', 'not|no more|greater than', 'less than or equal to', 'up to'],
  '>': ['greater|more|larger|bigger than', 'gt', 'above'],
  '<': ['less|smaller|lower than', 'lt', 'below'],
  '!=': ['ne|neq', 'not equal to', 'different|distinct from', 'differs from'],
  '=': ['equal to', 'the same as', 'exactly', 'eq', 'equals'],
};

const COMPARATORS = Object.entries(IN_WORDS).flatMap(([sign, phrases]) =>
  shapes(
    'comparator',
    sameAdvice(
      phrases.flatMap((phrase) => [`[~is ${phrase}]`, `[~${phrase}]`]),
      [sign, `write "${sign}"`],
    ),
  ),
);

/** Substring tests in other languages and in English, with the wildcards that GLOB needs. */
const WILDCARDS = [
  ['contains|includes', '*', '*'],
  ['startswith', '', '*'],
  ['starts|begins|starting|beginning with', '', '*'],
  ['endswith', '*', ''],
  ['ends|ending with', '*', ''],
  ['does not contain|include|have', '*', '*', 'NOT '],
] as const;

const GLOBS = WILDCARDS.flatMap(([phrase, prefix, suffix, not = '']) => {
  const globOf = (text: string) => `${not}GLOB ${printString(prefix + escapedGlob(text) + suffix)}`;
  return shapes('', {
    [`[~${phrase} <string>]`]: [(tokens) => globOf(textOf(tokens))],
    [`~${phrase}`]: `GLOB expects a text such as ${globOf('text')}`,
  });
});

/** Functions equivalent to `WILDCARDS`, such as `startsWith(x, 'a')`. */
const FUNCTION_WILDCARDS = [
  ['startswith|starts_with|hasprefix|has_prefix', '', '*'],
  ['endswith|ends_with|hassuffix|has_suffix', '*', ''],
  ['contains|includes', '*', '*'],
] as const;

const IN_CONDITION = 'the function "$1" is in a condition';

const CALLS = shapes('match filter comparator', {
  '[^isnull|is_null ~( <path> )]': { message: IN_CONDITION, write: 'NOT exists($3)' },
  '[^isnotnull|is_not_null|defined|has ~( <path> )]': {
    ...{ message: IN_CONDITION, write: 'exists($3)' },
  },
  ...Object.fromEntries(
    FUNCTION_WILDCARDS.map(([names, prefix, suffix]) => {
      const write = (tokens: readonly IToken[]) => {
        const path = tokens.slice(2, -3).map(({ image }) => image);
        return `${path.join('')} GLOB ${printString(prefix + escapedGlob(textOf(tokens)) + suffix)}`;
      };
      return [`[^${names} ~( <path> , <string> )]`, { message: IN_CONDITION, write }];
    }),
  ),
});

/** Returns the value of the last string in a list of tokens. */
function textOf(tokens: readonly IToken[]): string {
  return String(tokens.findLast((token) => is(token, 'string'))?.payload);
}

/** Escapes a text's GLOB wildcards. */
function escapedGlob(text: string): string {
  return text.replace(/[*?[]/g, '[$&]');
}

/**
 * Converts a LIKE pattern to GLOB. In LIKE, a star is an ordinary character, and a backslash is the
 * escape character.
 */
function likeOf(tokens: readonly IToken[]): string {
  const glob = textOf(tokens).replace(/\\([%_\\])|[%_]|[*?[]/g, (sign, escaped?: string) => {
    if (escaped !== undefined) return escaped;
    return sign === '%' ? '*' : sign === '_' ? '?' : `[${sign}]`;
  });
  return `GLOB ${printString(glob)}`;
}

/** Converts LIKE to GLOB without changing the pattern, if stars show that GLOB was intended. */
function wildcardLike(tokens: readonly IToken[]): string | undefined {
  const text = textOf(tokens);
  return /\*/.test(text) && !/[%_]/.test(text) ? `GLOB ${printString(text)}` : undefined;
}

/** Converts ILIKE to GLOB on the attribute in lower case. */
function caseInsensitiveLike(tokens: readonly IToken[]): string {
  const path = tokens.slice(0, -2).map(({ image }) => image);
  return `lower(${path.join('')}) ${toLowerCaseLetters(likeOf(tokens)).replace(/^\S+/, 'GLOB')}`;
}

/** Converts an ILIKE pattern to GLOB, with a set of both cases for each letter. */
function anyCaseOf(tokens: readonly IToken[]): string {
  const glob = String(likeOf(tokens)).replace(/\p{L}/gu, (letter) => {
    const forms = new Set([letter.toUpperCase(), letter.toLowerCase()]);
    return [...forms].every(({ length }) => length === 1) && forms.size === 2
      ? `[${[...forms].join('')}]`
      : letter;
  });
  return glob.replace(/^\S+/, 'GLOB');
}

/** Converts `INTERVAL '5 seconds'` or `INTERVAL 5 MINUTE` to a duration. */
function durationOf([, ...parts]: readonly IToken[]): string | undefined {
  const texts = parts.map(({ payload, image }) => (typeof payload === 'string' ? payload : image));
  const text = texts.join(' ');
  return isDuration(text) ? text : unitAdvice(text)?.instead;
}

const STARRED = shapes('', {
  '[~like <string>]': [
    wildcardLike,
    'if "*" is a wildcard, like "%" in LIKE, write $0; the character "*" is written [*]',
  ],
});

const VALUES = shapes('', {
  '[~is]': ['=', 'write "="'],
  '[~has <string>]': [(tokens) => `GLOB ${printString(`*${escapedGlob(textOf(tokens))}*`)}`],
  '[~like <string>]': [likeOf],
  '[<path> ~^ilike <string>]': [caseInsensitiveLike],
  '[~ilike <string>]': [anyCaseOf, 'GLOB is case-sensitive: write $0'],
  '~ilike': "to ignore case, write lower(attribute) GLOB 'a*'",
  '~like': "GLOB expects a text such as 'a*'",
  '[interval ~<number> <identifier>]': [durationOf],
  '[interval ~<string|duration>]': [durationOf],
  '<string> [~at]': ['@'],
  '( <name> [~at|on] <name> )': ['@'],
  '~matches|regexp|rlike|similar':
    'regular expressions are not supported: GLOB has "*" for any characters and "?" for one',
  '~xor': 'there is no XOR: write (a AND NOT (b)) OR (b AND NOT (a))',
});

const NOTHING_BETWEEN =
  'use NOT (condition) AS x in MATCH for the event that must not come between, and order it in WHEN: a -> x -> b';

const IN_WHEN = shapes('when', {
  '[~before] <duration>': ['WITHIN', 'WITHIN ends an order: a -> b WITHIN 5s'],
  '~after <duration>': 'compare times in FILTER: b.time - a.time >= $2',
  '<begin> [<name> ~^after|since|follows <name>]': ['$4 -> $2'],
  '<begin> [<name> ~^is|comes|happens|happened after <name>]': ['$5 -> $2'],
  '~after': 'swap the labels, and put "->" between them',
  ...sameAdvice(
    [
      '[~precedes|causes|implies|leads_to|happens-before|happened-before]',
      ...['[~is|comes|happens|happened before]', '[~is followed by]', '[~leads to]'],
      ...['[~followed by]', '[~before|then|followed]'],
    ],
    ['->', 'write "->"'],
  ),
  ...sameAdvice(
    ['[~is concurrent with|to]', '[~concurrent|parallel with|to]', '[~concurrent]'],
    ['||', 'write "||"'],
  ),
  '[~is not]': ['!=', 'write "!="'],
  '[~differs from]': ['!=', 'write "!="'],
  '<name> ~^near|around <name> within <duration>':
    'compare times in FILTER: abs($3.time - $1.time) <= $5',
  '<name> ~^near|around <name>': 'compare times in FILTER: abs($3.time - $1.time) <= 1s',
  '~unless': NOTHING_BETWEEN,
});

const SPLIT = 'make it two comparisons, with AND between them';

const IN_CONDITIONS = shapes('match filter', {
  // As in SQL, an event without the attribute does not satisfy NOT BETWEEN.
  '[<operand> NOT ~^between <operand> AND <operand>]': ['($1 < $4 OR $1 > $6)'],
  'NOT ~^between': 'make it two comparisons: (x < 1 OR x > 5)',
  '~unless': 'there is no UNLESS: use AND NOT (condition)',
  '~implies': 'there is no implication: use NOT (a) OR b',
  '[~but not]': ['AND NOT'],
  '[~but]': ['AND'],
});

const CLAUSES = shapes('', {
  '<operand> [~between <operand> AND <operand>]': ['>= $3 AND $1 <= $5', SPLIT],
  '~between': SPLIT,
  '[~where] <name> ->': ['WHEN'],
  '[~where]': ['FILTER'],
  '[~having] <name> .': ['FILTER'],
  '[~having]': ['AGGREGATE'],
  '[~select]': ['AGGREGATE', 'measures belong in AGGREGATE'],
  '~limit': 'delete it: every match counts, and "AGGREGATE count() >= 1" requires one',
  '~offset': 'delete it: every match counts',
  '~return': "delete it: the result lists every label's events",
  '~order by': 'matches have no order; WHEN orders the events within a match',
  '~group by': 'BY comes after the measures: AGGREGATE count() > 0 BY label',
  '[~per]': ['BY', 'write BY, at the end of AGGREGATE'],
  '~until': NOTHING_BETWEEN,
  '<path> ~^near|around <path> within <duration>': 'compare times: abs($3 - $1) <= $5',
  '<path> ~^near|around <path>': 'compare times: abs($3 - $1) <= 1s',
  '~before|then|followed|after': 'order events in WHEN, with "->" between their labels',
});

const AFTER_PATTERNS = shapes('match when end', {
  '[~such that]': ['FILTER'],
  '[~only if]': ['FILTER'],
  '[~if|on|with] <name> .': ['FILTER'],
  '[~join] (': [',', 'write ","'],
  '[~inner|left|right|full|cross|outer join] (': [',', 'write ","'],
  '[~optional|union match]': [',', 'write ","'],
});

const SPLIT_MEASURE = 'make it two measures, with "," between them';

const IN_AGGREGATE = shapes('aggregate', {
  '<operand> [~between <operand> AND <operand>]': ['>= $3, $1 <= $5', SPLIT_MEASURE],
  '~between': SPLIT_MEASURE,
  '[~group by]': ['BY', 'write BY alone, at the end of AGGREGATE'],
  '~per second': 'to group by time, use BY window(label.time, 1s)',
  '~per minute': 'to group by time, use BY window(label.time, 1min)',
  '~having <name|literal|(>': 'HAVING follows the keys of BY: BY label.x HAVING count() >= 20',
});

/** Phrases of other languages, by precedence. */
export const PHRASES: readonly Table[] = [
  ...[...CALLS, ...IN_WHEN, ...IN_AGGREGATE, ...AFTER_PATTERNS, ...IN_CONDITIONS],
  ...[...EXISTENCE, ...LISTS, ...COMPARATORS],
  ...shapes('', {
    '[~is not]': ['!=', 'write "!="'],
  }),
  ...[...GLOBS, ...STARRED, ...VALUES, ...CLAUSES],
];
