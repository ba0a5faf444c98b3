import type { IToken } from 'chevrotain';
import { printName, printString } from '../tree/print.js';
import { inListOf, isForeignWord } from './phrases.js';
import { sameAdvice, shapes, type Table } from './shapes.js';
import { tokensText } from './tokens.js';

/* Misplaced words and signs of the language, with their replacements. */

const EVERY_WORDS = 'all|each|every|any';
const ABSENCE = 'for absence, use NOT (condition) AS label';
const NEXT_HELP = 'NEXT follows an arrow: a -> NEXT b';
const NOT = 'NOT goes before a pattern in MATCH: NOT (condition) AS label';
const BOUND = 'WITHIN ends an order: a -> b WITHIN 5s';
const PAIR = 'WITHIN follows arrows; compare times in FILTER: abs($4.time - $2.time) <= $6';
const WINDOW = 'a window has a time and a duration: window(label.time, 1s)';
const ARROW_HELP = 'an arrow goes between labels: a -> b -> c, or a -> b AND b -> c';

const IN_PATTERNS = shapes('pattern', {
  '[~no|without|absent] (': ['NOT', ABSENCE],
  '~exists': ABSENCE,
});

const IN_CONDITIONS = shapes('match filter comparator', {
  [`${EVERY_WORDS} ~<identifier>`]:
    'to require it of every match, use share(condition) = 1 in AGGREGATE',
});

/** Converts a string to a name, where a name is expected. */
function nameOfText(tokens: readonly IToken[]): string {
  return printName({ text: String(tokens.at(-1)?.payload) });
}

const AS = shapes('pattern', {
  ') [~<identifier>] <name> <end>': [
    ([, word]) => (isForeignWord(word?.image ?? '') ? 'AS' : undefined),
    'a pattern ends with AS and a label',
  ],
});

const ONE_WORD = 'a label is one word, or is in backquotes:';

/** Mistakes in labels, tried after misspelt keywords. */
export const LABELS: readonly Table[] = [
  ...shapes('label causal', {
    '[~<string>]': {
      message: 'a label is a name, but "$1" is a string',
      ...{ write: nameOfText, help: 'write it without quotes: $0' },
    },
  }),
  ...shapes('match end', {
    'AS ^NOT ~<identifier>': 'NOT goes before the parenthesis: NOT (condition) AS $3',
    'AS [<identifier> ~^<identifier>] <end>': {
      message: 'unexpected "$3" after a label',
      ...{ write: '`$2 $3`', help: `${ONE_WORD} \`$2 $3\`` },
    },
    'AS [<identifier> ~^. <name>] <end>': {
      message: 'unexpected "." after a label',
      ...{ write: '`$2.$4`', help: `${ONE_WORD} \`$2.$4\`` },
    },
  }),
];

const PATTERN_IN_WHEN = 'an order names labels: move the pattern to MATCH, and put its label here';

const IN_WHEN = shapes('when', {
  '-> ~^(': PATTERN_IN_WHEN,
  '<begin> ^( <name> ~<comparator> <literal> ) AS': PATTERN_IN_WHEN,
  'NEXT [^NEXT] <name>': ['', 'write NEXT once'],
  '|| ^NEXT <name>': NEXT_HELP,
  '<comparator> ^NEXT <name>': NEXT_HELP,
  '[NEXT ->]': ['-> NEXT', NEXT_HELP],
  '<begin> [^NEXT <name> -> <name>] <end>': ['$3 -> NEXT $5'],
  '<begin> [<name> -> <name> ^NEXT] <end>': ['$2 -> NEXT $4'],
  '<name> [^NEXT] <name>': ['-> NEXT', NEXT_HELP],
  '~NEXT': NEXT_HELP,
  '[~immediately|directly|strictly before|then|->]': ['-> NEXT'],
  '[~immediately|directly|strictly followed BY]': ['-> NEXT'],
  '-> [^eventually|finally|sometime] ~<name>': ['', 'delete it: an arrow leads to any later event'],
  '<begin> [^WITHIN <duration> <rest>]': ['$4 $2 $3', BOUND],
  '<begin> [<name> ~^WITHIN <duration> -> <rest>]': ['$2 -> $6 $3 $4', BOUND],
  '-> [^WITHIN <duration> <name>] <end>': ['$4 $2 $3', BOUND],
  '<begin> [( <name> -> <name> ) ~^WITHIN <duration>] <end>': ['$3 -> $5 $7 $8', BOUND],
  '<begin> <name> || <name> ~^WITHIN <duration>': PAIR,
  '<begin> <name> <comparator> <name> ~^WITHIN <duration>': PAIR,
  '[WITHIN ~^<comparator> <duration>]': ['WITHIN $3'],
  '[~IN|FOR|inside|under] <duration>': ['WITHIN', BOUND],
  'WITHIN ~^<name> .':
    'WITHIN expects a duration such as 5s; compare a time with an attribute in FILTER',
  '-> ^WITHIN ~<duration>': BOUND,
  'NOT ~<name> -> <name>':
    'for $4 without $2 before it, use NOT (condition) AS $2 in MATCH; for $2 without $4 after it, NOT (condition) AS $4',
  'NOT ~<name|(>': NOT,
  '~WITHIN <duration>': BOUND,
  '[~^> >]': ['->', 'write "->"'],
});

const ORDERS: readonly Table[] = [
  ...shapes('when causal chain end', { '~NOT <name|(>': NOT }),
  ...shapes('when end', {
    ') ~^->': { message: 'unexpected "->" after a parenthesis', help: ARROW_HELP },
  }),
  ...shapes('when', {
    '<duration> ~^->': {
      message: 'unexpected "->" after WITHIN',
      help: 'WITHIN ends an order; join another order with AND',
    },
    '~<.|comparator>': 'WHEN orders labels, as in a -> b; conditions belong in FILTER',
    '~<sign>': 'WHEN orders labels, as in a -> b',
  }),
  ...shapes('', {
    '~||': {
      message: 'unexpected "||" in an order',
      help: '"||" goes between two labels only: a -> b AND b || c',
    },
  }),
  ...shapes('match filter aggregate', {
    '~->': { message: '"->" orders events', help: 'an arrow belongs in WHEN, between labels' },
  }),
];

const GROUPS = shapes('aggregate end', {
  '~every|each|per|over|window|for <duration>': 'to group by time, use BY window(label.time, $2)',
  [`[~${EVERY_WORDS}|groupby] <name>`]: ['BY'],
  [`[~FOR ${EVERY_WORDS}] <name>`]: ['BY'],
  '[~FOR <number> % BY <rest>]': ['BY $5 FOR $2%'],
  '[~FOR] <name>': ['BY'],
});

/**
 * Returns the correct syntax for `FOR 95` or `FOR 0.95 percent`; undefined for a number above 100.
 */
function percentageOf(tokens: readonly IToken[]): string | undefined {
  const number = tokens[1]?.image ?? '';
  // A number above 100 is probably a time in seconds.
  if (Number(number) > 100) return undefined;
  // Rounded, because 0.29 * 100 is 28.999999999999996.
  return `FOR ${Number(number) <= 1 ? Number((Number(number) * 100).toPrecision(12)) : number}%`;
}

const BY_TIME =
  'FOR expects a percentage of the groups; to group by time, use BY window(label.time, 5min)';

const PERCENTAGES = shapes('aggregate', {
  ...sameAdvice(['[FOR ^<number> percent]', '[FOR ^<number>] <end>'], {
    message: 'expected "%" after "$2"',
    write: percentageOf,
  }),
  'FOR ^<number> <end>': { message: 'expected "%" after "$2"', help: BY_TIME },
  [`[<name> FOR ~^${EVERY_WORDS} <rest>]`]: [
    '$1',
    'delete it: every group must satisfy each measure unless FOR allows exceptions',
  ],
  '[FOR ~^at least|most <number> %]': ['FOR $4%'],
  '[FOR ~^<identifier|comparator> <number> %]': ['FOR $3%'],
  '[FOR <number> % ~^HAVING <rest>]': ['HAVING $5 FOR $2%', 'FOR ends AGGREGATE'],
  '[% ~^of <rest>]': ['%', 'delete it: FOR applies to the groups that BY makes'],
});

const KEYS: readonly Table[] = [
  ...[
    ...['BY [<name> ~^WINDOWS <duration>]', ', [<name> ~^WINDOWS <duration>]'],
    ...['BY [<path> ~^WINDOWS <duration>]', ', [<path> ~^WINDOWS <duration>]'],
    ...['BY [<name> , ~^<duration>]', ', [<name> , ~^<duration>]'],
    ...['BY [<path> , ~^<duration>]', ', [<path> , ~^<duration>]'],
  ].flatMap((pattern) => {
    const text = pattern.includes('name') ? 'window($2.time, $4)' : 'window($2, $4)';
    const words = pattern.replace('WINDOWS', 'window|every|each|per|over|interval|in');
    return shapes('aggregate', {
      [words]: [text, `to group by time, use ${text}`],
    });
  }),
  ...shapes('aggregate', {
    [`BY [^${EVERY_WORDS}] ~<name>`]: ['', 'delete it: BY makes a group for each value'],
    'BY [~( <keys> )]': ['$3', 'keys are written without parentheses'],
    '[^, FOR] ~<number>': [' FOR', 'FOR follows the keys without a comma'],
    'WINDOW ( [~<duration> , <path>] )': ['$5, $3', WINDOW],
    ...sameAdvice(
      ['BY WINDOW ~^<any>', 'BY WINDOW ( ~^<any>', ', WINDOW ~^<any>', ', WINDOW ( ~^<any>'],
      WINDOW,
    ),
  }),
];

const AFTER_MEASURES = shapes('aggregate', {
  '<name> ~^( <duration> )': 'to group by time, use BY window(label.time, $3)',
  '~FOR <number>': 'FOR follows the keys of BY: BY label FOR 95%',
  'BY ~<identifier>': 'the measures come before BY: count() > 0 BY label',
  '% ~^<,|name|AND>': 'FOR ends AGGREGATE: measures come before BY, keys before FOR',
});

const OTHER_CLAUSE_WORDS = [
  ...shapes('match filter aggregate', {
    '~WITHIN': 'WITHIN belongs in WHEN, after labels: a -> b WITHIN 5s',
  }),
  ...shapes('match when filter', {
    '~BY <name>': 'BY ends AGGREGATE: AGGREGATE count() > 0 BY label',
    '~FOR <number>': 'FOR follows the keys of BY: AGGREGATE count() > 0 BY label FOR 95%',
  }),
];

const NEGATIONS = [
  ...shapes('match filter comparator', {
    '[exists ~<path>]': ['exists($2)'],
    '^exists ~<name|literal>': 'put the attribute in parentheses: exists(attribute)',
    '[NOT ~=]': ['!='],
    '[NOT ~<literal>]': ['!= $2'],
    'NOT [^NOT] ~<name|literal|(>': ['', 'write NOT once'],
    '<name> ^NOT ~<name|literal|comparator>':
      'NOT goes before the whole condition: NOT (condition)',
  }),
  ...shapes('aggregate call', {
    'NOT ~<name|literal|(>': 'AGGREGATE has no NOT: use the opposite operator, as in count() <= 1',
  }),
];

/** Returns `NOT IN (1, 2)` for `x != (1, 2)`. */
function otherThan(tokens: readonly IToken[]): string | undefined {
  const list = inListOf(tokens);
  return list && `NOT ${list}`;
}

const LISTS: readonly Table[] = [
  ...shapes('', {
    '<path> [= ^( <values> )]': { message: 'unexpected "(" after "="', write: inListOf },
    '<path> [!= ^( <values> )]': { message: 'unexpected "(" after "!="', write: otherThan },
  }),
  ...shapes('operand', {
    '<comparator> ^( <literal> ~<OR|,>': {
      message: 'unexpected "(" after "$1"',
      help: 'values come after IN, as in IN (1, 2)',
    },
  }),
  ...shapes('list', {
    '[^,] ~)': { message: 'unexpected "," before ")"', write: '' },
    '[<literal> ~^<literal>]': { message: 'expected "," before "$2"', write: '$1, $2' },
    ...sameAdvice(
      ['( ~^<name>', ', ~^<name>'],
      'IN expects values; use "=" to compare two attributes',
    ),
    '[IN ( <literal> ~^OR <values> )]': [inListOf, 'separate values with ","'],
    '~OR': 'separate values with ","',
  }),
];

const AFTER_COMPARISON = 'unexpected "@" after a comparison with';
const BY_ITSELF = 'an event at a probe is a condition by itself:';

const AT = shapes('', {
  '<(|AND|OR> [name = <string> ~^@ <name|string>]': {
    ...{ message: `${AFTER_COMPARISON} "$4"`, help: `${BY_ITSELF} $4 @ $6`, write: '$4 @ $6' },
  },
  '[<path> <comparator> <literal> ~^@ <name|string>]': {
    ...{ message: `${AFTER_COMPARISON} "$3"`, write: '$1 @ $5 $2 $3' },
  },
  '<comparator> <string> ~^@ <name|string>': {
    ...{ message: `${AFTER_COMPARISON} "$2"`, help: `${BY_ITSELF} $2 @ $4` },
  },
  '<comparator> <string> ~^@': {
    ...{ message: `${AFTER_COMPARISON} "$2"`, help: `${BY_ITSELF} $2 @ probe` },
  },
});

const AFTER_NUMBER = 'after a number';
const MISSING_ATTRIBUTE = {
  message: '"$1" is a string, not an attribute',
  help: 'an attribute is written without quotes, or in backquotes',
};

const QUOTED_SHAPES = shapes('', {
  '<number|duration> ~^<.|@>': { message: `unexpected "$2" ${AFTER_NUMBER}` },
  '<number|duration> @ <name|string> ~^<comparator>': {
    message: `unexpected "$4" ${AFTER_NUMBER}`,
  },
  ...sameAdvice(['<string> ~^<.|@>', '<string> @ <name|string> ~^<comparator>'], MISSING_ATTRIBUTE),
});

const EXISTS = 'exists() accepts only an attribute';

const EXISTENCE = [
  ...shapes('comparator', { '[<path> ~^exists]': ['exists($1)'] }),
  ...shapes('attribute', {
    'exists ( [~^<string>]': [nameOfText, 'leave out the quotes: exists($0)'],
  }),
  ...['match aggregate', 'filter'].flatMap((clauses) =>
    shapes(clauses, {
      'exists ( <path> ~^<comparator|sign|factor_sign|IN|GLOB>': {
        message: 'unexpected "$4" in exists()',
        help: clauses === 'filter' ? `${EXISTS}; ${ABSENCE} in MATCH` : EXISTS,
      },
    }),
  ),
];

const ARGUMENTS = shapes('aggregate', {
  '[<identifier> ( ^distinct <path> )]': ['distinct($4)'],
  '[<identifier> ( ^distinct ( <path> ) )]': ['distinct($5)'],
  '<identifier> ( ^distinct ~<any>': 'the function is distinct(label.attribute)',
  '[percentile|quantile|quantiles|percentile_cont|histogram_quantile ( ^<number> , <path> )]': [
    ([, , number, , ...path]) => {
      const part = Number(number?.image);
      const percent = part <= 1 ? Number((part * 100).toPrecision(12)) : number?.image;
      return `percentile(${tokensText(path.slice(0, -1))}, ${percent})`;
    },
  ],
});

/** Comparators with a space between their signs, each with the intended comparator. */
const SPLIT_COMPARATORS = ['> = >=', '< = <=', '= > >=', '= < <=', '= = =', '< > !=']
  .map((signs) => signs.split(' '))
  .flatMap(([first, second, write]) =>
    shapes('', {
      [`[${first} ~${second}]`]: {
        message: `the operator "${first} ${second}" contains a space`,
        ...{ write, help: `write "${write}"` },
      },
    }),
  );

/** Formats a path as the name of an event or a probe. */
function nameOfPath(tokens: readonly IToken[]): string {
  const path = tokensText(tokens);
  return tokens.length > 1 ? printString(path) : path;
}

/** Quotes the dotted names in `a.b.EVENT @ c.d`. */
function quotedNames(tokens: readonly IToken[]): string {
  const at = tokens.findIndex(({ image }) => image === '@');
  return `${nameOfPath(tokens.slice(0, at))} @ ${nameOfPath(tokens.slice(at + 1))}`;
}

/** Shapes for events with any name (`*@probe`) or at any probe (`event@*`). */
const ANYWHERE = shapes('', {
  '[~^* @ <name|string>]': {
    ...{
      message: 'unexpected "*" before "@"',
      write: (tokens) => `probe = ${textOfName(tokens.at(-1))}`,
    },
  },
  '[<name|string> @ ~^*]': {
    ...{
      message: 'unexpected "*" after "@"',
      write: (tokens) => `name = ${textOfName(tokens[0])}`,
    },
  },
});

/** Formats a name or a string as a string, for a comparison with an attribute. */
function textOfName(token: IToken | undefined): string {
  return printString(typeof token?.payload === 'string' ? token.payload : (token?.image ?? ''));
}

const OPERANDS: readonly Table[] = [
  ...ANYWHERE,
  ...shapes('operand', { '[~- <number|duration>]': ['-$2'], '[~+ <number|duration>]': ['$2'] }),
  ...shapes('glob', { '~(': 'GLOB accepts one text: join two conditions with OR' }),
  ...shapes('call', {
    '^<identifier> ~(': {
      message: 'the function "$1" is inside a function',
      help: 'a function accepts one label.attribute',
    },
  }),
  ...shapes('', {
    '[<identifier> ( ~^* )]': { message: 'unexpected "*" after "$1("', write: '$1()' },
    '[<path> @ <name> ~^. <path>]': {
      message: 'unexpected "." in a probe name',
      ...{ write: quotedNames, help: 'a name with dots is in quotes: $0' },
    },
    '@ <name|string> ~^.': {
      message: 'unexpected "." in a probe name',
      help: 'a probe name is one word, or is in quotes',
    },
  }),
];

/** Unambiguous mistakes, tried before most other explanations. */
export const MISPLACED_PARTS: readonly Table[] = [
  ...AS,
  ...IN_WHEN,
  ...KEYS,
  ...PERCENTAGES,
  ...GROUPS,
];

/** Mistakes tried after words of other languages. */
export const OTHER_MISTAKES: readonly Table[] = [
  ...[...IN_PATTERNS, ...IN_CONDITIONS, ...NEGATIONS, ...OTHER_CLAUSE_WORDS],
  ...[...AFTER_MEASURES, ...SPLIT_COMPARATORS, ...OPERANDS, ...LISTS, ...EXISTENCE, ...ARGUMENTS],
];

/** Mistakes tried after the more specific explanations. */
export const MISUSED_SIGNS: readonly Table[] = [...ORDERS, ...AT, ...QUOTED_SHAPES];
