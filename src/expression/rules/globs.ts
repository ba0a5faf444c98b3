import { quote, suggestedFix, type Violation } from '../../diagnostics/index.js';
import type { ExpressionRule, RuleInput } from '../analysis/context.js';
import { emptyRangeIn, globMatcher, hasOpenSet } from '../analysis/glob.js';
import type { Attribute, Glob } from '../tree/ast.js';
import { printString } from '../tree/print.js';
import { dotted, withoutLabel } from '../tree/walk.js';

/** Reports a GLOB pattern written in another notation. */
export const misleadingGlob: ExpressionRule = {
  id: 'expression/misleading-glob',
  severity: 'warning',
  fixable: 'suggested',
  summary:
    'a GLOB pattern is written as a regular expression, as a LIKE pattern or with shell braces',
  why: 'GLOB has only `*`, `?` and sets such as `[a-z]`; every other character stands for itself, so such a pattern matches nothing.',
  action: 'Write the pattern with `*`, `?` and sets, and join alternatives with OR or IN.',
  examples: {
    fails: "MATCH (name GLOB 'ERROR|FATAL') AS bad AGGREGATE count() = 0",
    passes: "MATCH (name IN ('ERROR', 'FATAL')) AS bad AGGREGATE count() = 0",
  },
  check(input, report) {
    const { inPatterns, inFilter } = input.context;
    for (const leaf of [...inPatterns, ...inFilter]) {
      if (leaf.kind !== 'glob' || /^[\w *-]*$/.test(leaf.pattern.value)) continue;
      // Another rule reports an unclosed set as an error.
      if (hasOpenSet(leaf.pattern.value)) continue;
      const violation = explain(input, leaf);
      if (violation !== undefined) report({ span: leaf.pattern.span, ...violation });
    }
  },
};

type Flaw = Omit<Violation, 'span'>;

function explain(input: RuleInput, leaf: Glob): Flaw | undefined {
  const { value } = leaf.pattern;
  const range = emptyRangeIn(value);
  if (range !== undefined) {
    const swappedRange = `${range.at(-1)}-${range.charAt(0)}`;
    const corrected = printString(value.replace(range, () => swappedRange));
    const message = `nothing is in the range ${quote(range)}`;
    return { message, help: `write ${corrected}`, fix: suggestedFix(leaf.pattern.span, corrected) };
  }
  const dialect = dialectOf(value, operandName(input, leaf));
  if (dialect === undefined || isRecorded(input, leaf)) return undefined;
  const message = MESSAGES[dialect];
  const alternatives = alternativesIn(dialect, value);
  const [single, ...otherGlobs] = alternatives ?? [];
  if (alternatives === undefined || single === undefined) return { message, help: HELP };
  if (otherGlobs.length === 0) {
    const corrected = printString(single);
    return { message, help: `write ${corrected}`, fix: suggestedFix(leaf.pattern.span, corrected) };
  }
  const list = alternatives.map(printString);
  if (!alternatives.some((pattern) => /[*?[]/.test(pattern))) {
    const span = { start: leaf.signSpan.start, end: leaf.pattern.span.end };
    const fix = suggestedFix(span, `IN (${list.join(', ')})`);
    return { message, help: fix.title, fix };
  }
  const operand = input.text.slice(leaf.operand.span.start, leaf.operand.span.end);
  const joinedGlobs = list.map((pattern) => `${operand} GLOB ${pattern}`).join(' OR ');
  const isNegated = /\bNOT\s+$/i.test(input.text.slice(leaf.operand.span.end, leaf.signSpan.start));
  if (isNegated) return { message, help: `join the alternatives: NOT (${joinedGlobs})` };
  const isAlone =
    /\(\s*$/.test(input.text.slice(0, leaf.span.start).slice(-20)) &&
    /^\s*\)/.test(input.text.slice(leaf.span.end, leaf.span.end + 20));
  const fix = suggestedFix(leaf.span, isAlone ? joinedGlobs : `(${joinedGlobs})`);
  return { message, help: `write ${joinedGlobs}`, fix };
}

const HELP =
  'GLOB has "*" for any characters, "?" for one and [a-z] for one of a set; join alternatives with OR';

type Dialect = 'regex' | 'like' | 'braces' | 'bar';

const MESSAGES: Readonly<Record<Dialect, string>> = {
  regex: 'GLOB does not support regular expressions',
  like: '"%" is not a wildcard in GLOB',
  braces: 'braces are ordinary characters in GLOB',
  bar: '"|" is an ordinary character in GLOB',
};

/** Returns the name of the matched attribute, without its label. */
function operandName({ context }: RuleInput, { operand }: Glob): string {
  return operand.kind === 'attribute' ? attributeText(operand, context.bound) : '';
}

function attributeText({ path }: Attribute, bound: ReadonlySet<string>): string {
  return path.length > 1 ? withoutLabel(path, bound) : dotted(path);
}

/** True if a recorded string matches a pattern, which is then probably intended. */
function isRecorded(input: RuleInput, leaf: Glob): boolean {
  const { recorded } = input;
  if (recorded === undefined) return false;
  const name = operandName(input, leaf);
  const texts =
    name === 'name'
      ? recorded.names
      : name === 'probe'
        ? recorded.probes
        : recorded.texts.get(name);
  const isMatch = globMatcher(leaf.pattern.value);
  return texts != null && [...texts.keys()].some(isMatch);
}

/** Matches names of attributes whose values may contain slashes and backslashes. */
const PATHLIKE = /path|file|dir|folder|url|uri|route|target|endpoint|topic|command|cmd|sql|query/i;

/** Returns a pattern's notation; undefined for a pattern that is or may be GLOB. */
function dialectOf(value: string, attribute: string): Dialect | undefined {
  const isPlain = !/[*?[]/.test(value);
  if (/^[\w.-]*%[\w.%-]*$|^%[^*]*$|^[^*]*%$/.test(value) && !/^[^%]*\d%$/.test(value)) {
    return 'like';
  }
  const isPath = PATHLIKE.test(attribute) || /^[A-Za-z]:\\|^\\\\/.test(value);
  if (REGEX_SIGNS.test(value) || (!isPath && ESCAPES.test(value))) return 'regex';
  if (!isPath && /^\/[^/*?[\]]+\/[gimsuy]*$/.test(value)) return 'regex';
  if (/\{[^{}]*,[^{}]*\}|\{\w+\.\.\w+\}/.test(value)) return 'braces';
  if (isPlain && /\w[+$]$/.test(value) && !/\+\+$/.test(value)) return 'regex';
  return isListed(value) ? 'bar' : undefined;
}

/**
 * True for alternatives separated by bars, such as `ERR*|WARN*`. All alternatives must have stars
 * at the same ends, unlike `*a|b*`.
 */
function isListed(value: string): boolean {
  const parts = value.split('|').map((part) => part.trim());
  const isAlike = (star: RegExp) => new Set(parts.map((part) => star.test(part))).size === 1;
  return parts.length > 1 && parts.every((part) => part !== '') && isAlike(/^\*/) && isAlike(/\*$/);
}

/** Matches regular expression syntax that is unlikely in a GLOB pattern. */
const REGEX_SIGNS = new RegExp(
  [
    ...[String.raw`^\^`, String.raw`[\w\])*+.]\$$`, String.raw`^\.[*+]`, String.raw`\.[*+]\w`],
    ...[String.raw`\.\*\.\*`, String.raw`\.\+`, String.raw`^[A-Z][A-Z0-9_]*\.\*$`],
    ...[String.raw`\([^()]*\|[^()]*\)`, String.raw`\(\?[:i=!<]`, String.raw`[\])][+{]`],
    ...[String.raw`\)\?`, String.raw`^\(.*\)$`, String.raw`\[\[?:\w+:\]`],
    ...[String.raw`(?:[\w.)\]])\{\d+(?:,\d*)?\}`],
  ].join('|'),
);

/**
 * Matches escape sequences of regular expressions. Not used for paths, in which backslashes are
 * separators.
 */
const ESCAPES = /\\[dswDSWbB](?![A-Za-z])|\\[.*+?()[\]{}|^$/-]/;

/**
 * Returns GLOB patterns that are equivalent when joined by OR; undefined if there are none, or if
 * the equivalence is uncertain.
 */
function alternativesIn(dialect: Dialect, value: string): readonly string[] | undefined {
  switch (dialect) {
    case 'like':
      return [value.replaceAll('%', '*')];
    case 'bar':
      return value.split('|').map((text) => text.trim());
    case 'braces':
      return expandBraces(value);
    case 'regex':
      return globsOfRegex(value);
  }
}

/** Maximum number of alternatives in a suggestion. */
const MAX_ALTERNATIVES = 8;

/** Expands braces, as in `link-{1,2}`, to one string for each alternative. */
function expandBraces(value: string): readonly string[] | undefined {
  const [braces, bracesContent] = /\{([^{}]*,[^{}]*)\}/.exec(value) ?? [];
  if (braces === undefined || bracesContent === undefined)
    return /[{}]/.test(value) ? undefined : [value];
  const expansions = bracesContent.split(',').flatMap((alternative) => {
    return expandBraces(value.replace(braces, () => alternative.trim())) ?? ['{'];
  });
  return expansions.length <= MAX_ALTERNATIVES && !expansions.includes('{')
    ? expansions
    : undefined;
}

/**
 * Converts a regular expression with plain text, `.*`, `\d` and alternatives to GLOB patterns.
 * Returns undefined for other syntax.
 */
function globsOfRegex(value: string): readonly string[] | undefined {
  const slashed = /^\/([^/]+)\/$/.exec(value)?.[1] ?? value;
  // The expression has flags, such as case insensitivity.
  if (/^\/.*\/[a-z]+$/.test(slashed)) return undefined;
  const [, start = '', body = '', end = ''] = /^(\^?)(.*?)(\$?)$/s.exec(slashed) ?? [];
  const [, prefix = '', group, suffix = ''] =
    /^([^()]*)\((?:\?:)?([^()]*)\)([^()]*)$/.exec(body) ?? [];
  const regexes =
    group === undefined
      ? body.split('|')
      : group.split('|').map((alternative) => prefix + alternative + suffix);
  const globs = regexes.map((regex) => {
    const glob = globOfRegex(regex);
    if (glob === undefined) return undefined;
    // Without slashes and anchors, the expression is usually meant to match the whole string.
    const isWhole = slashed === value && start === '' && end === '';
    const prefixStar = isWhole || start !== '' ? '' : '*';
    const close = isWhole || end !== '' ? '' : '*';
    return (prefixStar + glob + close).replaceAll(/\*{2,}/g, '*');
  });
  const converted = globs.filter((glob) => glob !== undefined);
  return converted.length === globs.length && converted.length <= MAX_ALTERNATIVES
    ? converted
    : undefined;
}

/** Converts `.*` and `\d` in a regular expression without alternatives. Returns undefined for other syntax. */
function globOfRegex(regex: string): string | undefined {
  const glob = regex
    .replaceAll('.*', '*')
    .replaceAll('.+', '?*')
    .replaceAll(/\\d(?![*+?{])/g, '[0-9]')
    .replaceAll(/\\([./-])/g, '$1');
  const withoutSets = glob.replaceAll(/\[[^\]\\]*\](?![+?{])/g, '').replaceAll('?*', '*');
  return /[\\+?(){}|^$[\]]/.test(withoutSets) || withoutSets === '' ? undefined : glob;
}
