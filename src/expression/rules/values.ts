import {
  editDistance,
  type ProposedFix,
  quote,
  suggestedFix,
  type Violation,
} from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import type { ExpressionRule, RuleInput } from '../analysis/context.js';
import {
  isQuantity,
  kindOfAttribute,
  type Mismatch,
  type Scope,
  stringFix,
} from '../analysis/kinds.js';
import { FUNCTIONS } from '../functions/index.js';
import { isNonFinite } from '../lexer/literals.js';
import type { Attribute, Call, Comparison, Measure, Name, Operand } from '../tree/ast.js';
import { printName, printOperand, printString } from '../tree/print.js';
import { attributesOf, callsIn, dotted, isLiteral, type Leaf, measuresOf } from '../tree/walk.js';

/** Reports a comparison or calculation with values of incompatible kinds. */
export const typeMismatch: ExpressionRule = {
  id: 'expression/type-mismatch',
  severity: 'error',
  fixable: 'suggested',
  summary:
    'incomparable values are compared, `name` or `probe` is used as a number, or `time` as a string',
  why: 'Values of different types are never equal and have no order, so the comparison is always false, even with `!=`.',
  action:
    'Compare with a value of the same type. Compare booleans only with `=` and `!=`. Calculate only with numbers.',
  examples: {
    fails: 'MATCH (name = 3) AS f',
    passes: "MATCH (name = '3') AS f",
  },
  check({ text, tree, context }, report) {
    const { scope, claims } = context;
    for (const measure of measuresOf(tree)) {
      const call = overStrings(measure, scope);
      if (call !== undefined) report(describeStrings(text, measure, call));
    }
    for (const [node, claim] of claims) {
      if (claim.kind !== 'mismatch' || node.kind === 'located') continue;
      if (node.kind === 'measure' && overStrings(node, scope) !== undefined) continue;
      report({ span: node.span, ...describe(text, node, claim.mismatch) });
    }
  },
};

function describe(
  text: string,
  node: Leaf | Measure,
  mismatch: Mismatch,
): Omit<Violation, 'span'> & { readonly span?: Span } {
  const quoteSpan = ({ start, end }: Span) => quote(text.slice(start, end));
  if (mismatch.kind === 'summand') {
    const { span } = mismatch.summand;
    const message = `${quoteSpan(span)} is a ${mismatch.is}, not a ${mismatch.needed}`;
    const help =
      mismatch.needed === 'string'
        ? 'lower() expects a string'
        : 'add, subtract, multiply and divide only numbers and times';
    return { message, help, span };
  }
  const [a = '', b = ''] = sidesOf(node, mismatch).map(({ span }) => quoteSpan(span));
  if (mismatch.kind === 'unordered') {
    return { message: `booleans have no order: ${a}, ${b}`, help: 'compare with "=" or "!="' };
  }
  return {
    message: `${a} is a ${mismatch.left}, but ${b} is a ${mismatch.right}`,
    ...(otherKind(text, node, mismatch) ?? {
      help: 'compare values of the same type; a string has quotes, a number has none',
    }),
    ...(mismatch.kind === 'member' && { span: mismatch.member.span }),
  };
}

const DATE_HELP =
  'the language has no dates: compare event times in FILTER, as in b.time - a.time < 5s';

/** Suggests a value without its quotes, as for `b.time - a.time < '5s'`, or with quotes, as for `name = 3`. */
function otherKind(
  text: string,
  node: Leaf | Measure,
  { kind }: Mismatch,
): Pick<Violation, 'help' | 'fix'> | undefined {
  if (kind === 'member' || (node.kind !== 'comparison' && node.kind !== 'measure'))
    return undefined;
  const literal = [node.left, node.right].find(isLiteral);
  const otherOperand = literal === node.left ? node.right : node.left;
  if (literal === undefined || isLiteral(otherOperand)) return undefined;
  const { start, end } = literal.span;
  const isString = literal.kind === 'string';
  if (isString && /^\d{4}-\d\d-\d\d/.test(String(literal.value))) return { help: DATE_HELP };
  if (isString ? !isQuantity(String(literal.value)) : !/^!?=$/.test(node.comparator)) {
    return undefined;
  }
  if (!isString && literal.kind !== 'integer') return undefined;
  const corrected = isString ? String(literal.value) : printString(text.slice(start, end));
  const fix = suggestedFix(literal.span, corrected);
  return { help: fix.title, fix };
}

function sidesOf(node: Leaf | Measure, mismatch: Mismatch): readonly { readonly span: Span }[] {
  if (node.kind === 'in' || node.kind === 'glob') {
    return mismatch.kind === 'member' ? [node.operand, mismatch.member] : [node];
  }
  return node.kind === 'comparison' || node.kind === 'measure' ? [node.left, node.right] : [node];
}

/** Returns a measure's function that expects numbers, but whose argument is always a string. */
function overStrings({ left, right }: Measure, scope: Scope): Call | undefined {
  return callsIn(left, right).find(({ name, argument }) => {
    const definition = FUNCTIONS.get(name.text);
    if (definition?.argument !== 'attribute' || definition.carries.kind === 'distinct')
      return false;
    return argument?.kind === 'attribute' && kindOfAttribute(argument, scope) === 'string';
  });
}

function describeStrings(text: string, { span }: Measure, { name, argument }: Call): Violation {
  const { start, end } = argument?.span ?? span;
  const message = `${quote(text.slice(start, end))} is a string, but ${name.text}() expects numbers`;
  return { message, help: 'aggregate an attribute that is a number', span };
}

/** Reports an attribute compared with a name that is probably a string without its quotes. */
export const unquotedString: ExpressionRule = {
  id: 'expression/unquoted-string',
  severity: 'warning',
  fixable: 'suggested',
  summary: 'an attribute is compared with a bare name',
  why: "A bare name is an attribute. If you forgot a string's quotes, the pattern matches nothing.",
  action: 'Put quotes around a string, or backquotes around an intended attribute.',
  examples: {
    fails: 'MATCH (name = HEARTBEAT) AS h',
    passes: "MATCH (name = 'HEARTBEAT') AS h",
  },
  check({ text, context, tokens }, report) {
    for (const leaf of context.inPatterns) {
      const bareViolation = leaf.kind === 'comparison' && bareName(text, leaf, tokens);
      if (!bareViolation) continue;
      const finding =
        bareViolation.probe === undefined ? violation(bareViolation) : atProbe(bareViolation);
      report({ ...finding, ...nullAdvice(leaf) });
    }
  },
};

/** Words for null in other languages, which are never intended as strings. */
const NULLS: ReadonlySet<string> = new Set(['null', 'nil', 'none', 'undefined']);

/** Words for booleans in other languages, with their equivalents. */
const BOOLEANS: ReadonlyMap<string, string> = new Map([
  ['yes', 'TRUE'],
  ['on', 'TRUE'],
  ['no', 'FALSE'],
  ['off', 'FALSE'],
]);

/** Suggests a replacement for `x = null`. */
export function nullAdvice(comparison: Comparison): Pick<Violation, 'help' | 'fix'> | undefined {
  const { left, comparator, right, span } = comparison;
  const isNull = (side: Operand) =>
    side.kind === 'attribute' &&
    side.path.length === 1 &&
    NULLS.has(side.path[0]?.text.toLowerCase() ?? '');
  const otherOperand = isNull(right) ? left : isNull(left) ? right : undefined;
  if (otherOperand?.kind !== 'attribute' || !/^!?=$/.test(comparator)) return undefined;
  const absent = `${comparator === '=' ? 'NOT ' : ''}exists(${printOperand(otherOperand)})`;
  const fix = suggestedFix(span, absent);
  return { help: fix.title, fix };
}

function violation({ path, span }: Attribute): Violation {
  const name = path[0]?.text ?? '';
  const word = name.toLowerCase();
  const message = `${quote(name)} is an attribute here, because it has no quotes`;
  const suggest = (text: string): ProposedFix => suggestedFix(span, text);
  const string = stringFix(span, name);
  const attribute = suggest(`\`${name}\``);
  const boolean = BOOLEANS.get(word);
  if (boolean !== undefined) {
    const help = `${suggest(boolean).title}, ${printString(name)} for a string, or \`${name}\` for the attribute`;
    const fix = { ...suggest(boolean), alternatives: [string, attribute] };
    return { message, help, span, fix };
  }
  const help = isNonFinite(word)
    ? `numbers are always finite, so ${string.title} for a string, or \`${name}\` for the attribute`
    : `${string.title}, or \`${name}\` for the attribute`;
  return { message, help, span, fix: { ...string, alternatives: [attribute] } };
}

/** Reports `name = LAND @ GAZEBO`. Offers no fix, because the probe may belong to the other side. */
function atProbe({ path, probe, span }: Attribute): Violation {
  const name = path[0]?.text ?? '';
  const event = `${printString(name)} @ ${printName({ text: probe?.text ?? '' })}`;
  return {
    message: `${quote(name)} is an attribute here, because it has no quotes`,
    help: `for the event at that probe, use ${event} without a comparison; \`${name}\` for the attribute`,
    span: path[0]?.span ?? span,
  };
}

/**
 * Returns the side that looks like an unquoted string: a name compared with `name` or `probe`, or a
 * constant that occurs only once. A name compared with a dotted attribute is an attribute. Ordering
 * two attributes is plausible, unless the right side is an infinity or NaN.
 */
function bareName(
  text: string,
  { left, comparator, right }: Comparison,
  tokens: RuleInput['tokens'],
): Attribute | undefined {
  if (left.kind !== 'attribute' || right.kind !== 'attribute') return undefined;
  const isOrder = comparator !== '=' && comparator !== '!=';
  if (isOrder) return isNonFinite(dotted(right.path)) && isBare(text, right) ? right : undefined;
  if (left.path.length > 1 || right.path.length > 1) return undefined;
  if (left.path[0]?.text === right.path[0]?.text) return undefined;
  if (isNameOrProbe(right)) return isBare(text, left) ? left : undefined;
  if (!isBare(text, right)) return undefined;
  return isNameOrProbe(left) || isConstant(text, right, tokens) ? right : undefined;
}

/** True if a name looks like a constant of the system, or is a constant in other languages, such as `null`. */
function isConstant(text: string, { path }: Attribute, tokens: RuleInput['tokens']): boolean {
  const name = path[0]?.text ?? '';
  const word = name.toLowerCase();
  if (NULLS.has(word) || isNonFinite(word) || BOOLEANS.has(word)) return true;
  if (!/^[A-Z][A-Z0-9_]+$/.test(name)) return false;
  return tokens().filter(({ start, end }) => text.slice(start, end) === name).length === 1;
}

/** True if a name has no backquotes, and is neither `name` nor `probe`. */
function isBare(text: string, attribute: Attribute): boolean {
  return text[attribute.span.start] !== '`' && !isNameOrProbe(attribute);
}

function isNameOrProbe({ path }: Attribute): boolean {
  return path[0]?.text === 'name' || path[0]?.text === 'probe';
}

/** Reports a misspelling of `name` or `probe`, and a difference without spaces. */
export const misspeltAttribute: ExpressionRule = {
  id: 'expression/misspelt-attribute',
  severity: 'warning',
  fixable: 'suggested',
  summary:
    'an attribute one typo away from `name` or `probe` is compared with a string, or a subtraction is written without spaces',
  why: 'No event has the misspelt attribute, so the pattern never matches, and a check such as `count() = 0` can never fail. `b.time-a.time` is one attribute, because names may contain hyphens.',
  action:
    'Correct the attribute, put spaces around a minus sign, or use backquotes if the name is correct.',
  examples: {
    fails: "MATCH (nmae = 'GO') AS g, (name = 'CRASH') AS c WHEN g -> c FILTER c.time-g.time < 5s",
    passes:
      "MATCH (name = 'GO') AS g, (name = 'CRASH') AS c WHEN g -> c FILTER c.time - g.time < 5s",
  },
  check(input, report) {
    for (const { text, span } of comparedWithStrings(input)) {
      if (NAMES.includes(text)) continue;
      const intendedName = NAMES.find((name) => isSlipOf(name, text));
      if (intendedName === undefined || input.text[span.start] === '`') continue;
      if (input.recorded?.attributes.has(text)) continue;
      const help = `did you mean ${quote(intendedName)}?`;
      report({
        instead: intendedName,
        message: `${quote(text)} is neither "name" nor "probe", which every event has`,
        help,
        span,
      });
    }
    const { inFilter, measuredAttributes: measured } = input.context;
    for (const attribute of [...inFilter.flatMap(attributesOf), ...measured]) {
      const violation = difference(input, attribute);
      if (violation !== undefined) report(violation);
    }
  },
};

/**
 * Reports a difference without spaces, such as `b.time-a.time`. Such text is one attribute, because
 * names may contain hyphens.
 */
function difference(
  { text, context }: RuleInput,
  { path, span }: Attribute,
): Violation | undefined {
  const innerName = path.slice(1, -1).find((name) => {
    const [, label = ''] = /-([^-]+)$/.exec(name.text) ?? [];
    return context.bound.has(label) && text[name.span.start] !== '`';
  });
  if (innerName === undefined) return undefined;
  const sign = innerName.span.start + innerName.text.lastIndexOf('-');
  const parts = [text.slice(span.start, sign), text.slice(sign + 1, span.end)];
  const dateText = parts.map((part) => part.replaceAll(/\s+/g, '')).join(' - ');
  return {
    message: `${quote(text.slice(span.start, span.end))} is one attribute: names may contain hyphens`,
    help: `write ${dateText}`,
    span,
    fix: suggestedFix({ start: sign, end: sign + 1 }, ' - ', `write ${dateText}`),
  };
}

const NAMES = ['name', 'probe'];
const WELL_KNOWN: ReadonlySet<string> = new Set([...NAMES, 'severity', 'payload', 'time']);

/** Reports an event pattern named like a common attribute. */
export const bareAttribute: ExpressionRule = {
  id: 'expression/bare-attribute',
  severity: 'warning',
  summary: 'a pattern whose event is named `name`, `probe`, `severity`, `payload` or `time`',
  why: '`severity @ GPS` matches events named "severity". Hardly any system has such events, so a check such as `count() = 0` can never fail.',
  action: 'Compare the attribute, or put quotes around the event name.',
  examples: {
    fails: 'MATCH (severity @ GPS) AS a AGGREGATE count() = 0',
    passes: 'MATCH (severity @ GPS > 5) AS a AGGREGATE count() = 0',
  },
  check({ text, context }, report) {
    for (const leaf of context.inPatterns) {
      if (leaf.kind !== 'located') continue;
      const { event, span } = leaf;
      if (!WELL_KNOWN.has(event.text) || /["'`]/.test(text.charAt(event.span.start))) continue;
      const nodeText = text.slice(span.start, span.end);
      const comparisonText = event.text === 'name' || event.text === 'probe' ? "= '...'" : '> 5';
      const located = text.slice(event.span.end, span.end);
      report({
        message: `${quote(nodeText)} is an event named ${quote(event.text)}, not an attribute`,
        help: `compare the attribute, as in ${nodeText} ${comparisonText}, or use ${printString(event.text)}${located} for the event`,
        span: event.span,
      });
    }
  },
};

/** Returns the names of attributes that are compared with a string. Excludes dotted names. */
function comparedWithStrings({ context }: RuleInput): Name[] {
  const { inPatterns, inFilter, bound } = context;
  const findNames = (leaves: readonly Leaf[], isWhole: (path: readonly Name[]) => boolean) =>
    leaves.flatMap((leaf) => {
      if (leaf.kind !== 'comparison') return [];
      const { left, right } = leaf;
      const [attribute, otherOperand] = left.kind === 'attribute' ? [left, right] : [right, left];
      if (attribute.kind !== 'attribute' || otherOperand.kind !== 'string') return [];
      return isWhole(attribute.path) ? [attribute.path.at(-1) as Name] : [];
    });
  return [
    ...findNames(inPatterns, ({ length }) => length === 1),
    ...findNames(inFilter, ({ length, 0: label }) => length === 2 && bound.has(label?.text ?? '')),
  ];
}

/**
 * True if a word is probably a misspelling, such as a word with different capitalization. A word
 * with a different or extra letter at either end is not a misspelling, because `game`, `names` and
 * `cname` are attributes in some systems.
 */
function isSlipOf(word: string, written: string): boolean {
  if (Math.abs(written.length - word.length) > 1) return false;
  const lowerCase = written.toLowerCase();
  if (editDistance(lowerCase, word) > 1) return false;
  if ([...lowerCase].sort().join() === [...word].sort().join()) return true;
  return (
    lowerCase[0] === word[0] && (lowerCase.length < word.length || lowerCase.at(-1) === word.at(-1))
  );
}
