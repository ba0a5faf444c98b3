import { quote, slipsBetween, type Violation } from '../../diagnostics/index.js';
import type { Span } from '../../source/index.js';
import type { ExpressionRule, RuleInput } from '../analysis/context.js';
import { kindOfAttribute, type Mismatch, type Scope } from '../analysis/kinds.js';
import { FUNCTIONS } from '../functions/index.js';
import type { Attribute, Call, Comparison, Measure, Name } from '../tree/ast.js';
import { printName, printString } from '../tree/print.js';
import { attributesOf, callsIn, type Leaf } from '../tree/walk.js';

/** A comparison that the kinds of its sides forbid. */
export const typeMismatch: ExpressionRule = {
  id: 'expression/type-mismatch',
  severity: 'error',
  summary:
    'a comparison of values that cannot be compared, `name` or `probe` used as a number, or an order of numbers in quotes',
  why: 'Values of different kinds are never equal and have no order: the comparison is always false, `!=` included.',
  action:
    'Compare with a value of the same kind; booleans with `=` and `!=` only. Calculate with numbers only.',
  examples: {
    fails: 'MATCH (name = 3) AS f',
    passes: "MATCH (name = '3') AS f",
  },
  check({ text, tree, context }, report) {
    const { scope, claims } = context;
    for (const measure of tree.aggregate?.measures ?? []) {
      const call = overStrings(measure, scope);
      if (call !== undefined) report(describeStrings(text, measure, call));
    }
    for (const [node, claim] of claims) {
      if (claim.kind !== 'mismatch' || node.kind === 'located') continue;
      if (node.kind === 'measure' && overStrings(node, scope) !== undefined) continue;
      report({ span: node.span, ...describe(text, node, claim.mismatch) });
    }
    for (const leaf of [...context.inPatterns, ...context.inFilter]) {
      const isOrder = leaf.kind === 'comparison' && !/^!?=$/.test(leaf.comparator);
      const violation = isOrder ? numberInQuotes(text, leaf, scope) : undefined;
      if (violation !== undefined) report(violation);
    }
  },
};

/** `severity >= '3'`: an order of texts. */
function numberInQuotes(
  text: string,
  { left, right, span }: Comparison,
  scope: Scope,
): Violation | undefined {
  const [attribute, literal] = left.kind === 'string' ? [right, left] : [left, right];
  if (attribute.kind !== 'attribute' || literal.kind !== 'string') return undefined;
  if (kindOfAttribute(attribute, scope) === 'string') return undefined;
  if (!/^-?\d+(?:\.\d+)?(?:ns|us|ms|s|min|h)?$/.test(literal.value)) return undefined;
  const { start, end } = literal.span;
  const written = text.slice(span.start, start) + literal.value + text.slice(end, span.end);
  return {
    severity: 'warning',
    message: `${quote(text.slice(start, end))} is a string: strings are ordered letter by letter, '10' before '9'`,
    help: `write ${written}`,
    span: literal.span,
  };
}

function describe(
  text: string,
  node: Leaf | Measure,
  mismatch: Mismatch,
): Omit<Violation, 'span'> & { readonly span?: Span } {
  const written = ({ start, end }: Span) => quote(text.slice(start, end));
  if (mismatch.kind === 'summand') {
    const { span } = mismatch.summand;
    const message = `${written(span)} is a ${mismatch.is}, not a number`;
    return { message, help: 'add, subtract, multiply and divide numbers and times only', span };
  }
  const [a = '', b = ''] = sidesOf(node, mismatch).map(({ span }) => written(span));
  if (mismatch.kind === 'unordered') {
    return { message: `booleans have no order: ${a}, ${b}`, help: 'compare with "=" or "!="' };
  }
  return {
    message: `${a} is a ${mismatch.left}, but ${b} is a ${mismatch.right}`,
    help: 'compare values of one kind; a string has quotes, a number has none',
    ...(mismatch.kind === 'member' && { span: mismatch.member.span }),
  };
}

function sidesOf(node: Leaf | Measure, mismatch: Mismatch): readonly { readonly span: Span }[] {
  if (node.kind === 'in' || node.kind === 'glob') {
    return mismatch.kind === 'member' ? [node.operand, mismatch.member] : [node];
  }
  return node.kind === 'comparison' || node.kind === 'measure' ? [node.left, node.right] : [node];
}

/** The function of a measure that needs numbers and is given what is always a string. */
function overStrings({ left, right }: Measure, scope: Scope): Call | undefined {
  return [...callsIn(left), ...callsIn(right)].find((call) => isOverStrings(call, scope));
}

function isOverStrings({ name, argument }: Call, scope: Scope): boolean {
  const known = FUNCTIONS.get(name.text);
  if (known?.argument !== 'attribute' || known.carries.kind === 'distinct') return false;
  return argument?.kind === 'attribute' && kindOfAttribute(argument, scope) === 'string';
}

function describeStrings(text: string, { span }: Measure, { name, argument }: Call): Violation {
  const { start, end } = argument?.span ?? span;
  const message = `${quote(text.slice(start, end))} is a string, but ${name.text}() takes numbers`;
  return { message, help: 'aggregate an attribute that is a number', span };
}

/** An attribute compared with a name that is nearly always a string without its quotes. */
export const unquotedString: ExpressionRule = {
  id: 'expression/unquoted-string',
  severity: 'warning',
  fixable: true,
  summary: 'an attribute is compared with a bare name',
  why: 'A bare name is an attribute. Where quotes were forgotten, the pattern matches nothing.',
  action: 'Write a string in quotes, or an attribute in backquotes to say that it is meant.',
  examples: {
    fails: 'MATCH (name = HEARTBEAT) AS h',
    passes: "MATCH (name = 'HEARTBEAT') AS h",
  },
  check({ text, context }, report) {
    for (const leaf of context.inPatterns) {
      const bare = leaf.kind === 'comparison' ? bareName(text, leaf) : undefined;
      if (bare !== undefined) report(bare.probe === undefined ? violation(bare) : atProbe(bare));
    }
  },
};

/** Words for nothing in other languages: nobody means a string by them. */
const NULLS: ReadonlySet<string> = new Set(['null', 'nil', 'none', 'undefined']);

/** Words for numbers in other languages. */
const NUMBERS: ReadonlySet<string> = new Set(['inf', 'infinity', 'nan']);

function violation({ path, span }: Attribute): Violation {
  const name = path[0]?.text ?? '';
  const message = `${quote(name)} is an attribute here, because it has no quotes`;
  if (NULLS.has(name.toLowerCase())) {
    return { message, help: 'there is no null: comparing a missing attribute is false', span };
  }
  if (NUMBERS.has(name.toLowerCase())) {
    const help = `numbers are finite: write ${printString(name)} for a string, or \`${name}\` for the attribute`;
    return { message, help, span };
  }
  const string = printString(name);
  return {
    message,
    help: `write ${string}, or \`${name}\` if the attribute is meant`,
    span,
    // In a TOML string that single quotes delimit, double ones mean the same.
    fix: { title: `write ${string}`, edits: [{ span, text: string, otherwise: `"${name}"` }] },
  };
}

/** `name = LAND @ GAZEBO`: no fix, for the probe may be of the other side. */
function atProbe({ path, probe, span }: Attribute): Violation {
  const name = path[0]?.text ?? '';
  const event = `${printString(name)} @ ${printName({ text: probe?.text ?? '' })}`;
  return {
    message: `${quote(name)} is an attribute here, because it has no quotes`,
    help: `for the event at that probe, write ${event} without a comparison; \`${name}\` if the attribute is meant`,
    span: path[0]?.span ?? span,
  };
}

/**
 * The side that looks like a string: the right one, or the left one when the
 * right one is `name` or `probe`. What faces a dotted attribute is an attribute
 * too. An order of two attributes is plausible, only an equality is suspected.
 */
function bareName(text: string, { left, comparator, right }: Comparison): Attribute | undefined {
  if (comparator !== '=' && comparator !== '!=') return undefined;
  if (left.kind !== 'attribute' || right.kind !== 'attribute') return undefined;
  if (left.path.length > 1 || right.path.length > 1) return undefined;
  if (isBare(text, right)) return isSame(left, right) ? undefined : right;
  return isNameOrProbe(right) && isBare(text, left) ? left : undefined;
}

/** Without backquotes, and none that every event has. */
function isBare(text: string, attribute: Attribute): boolean {
  return text[attribute.span.start] !== '`' && !isNameOrProbe(attribute);
}

function isNameOrProbe({ path }: Attribute): boolean {
  return path[0]?.text === 'name' || path[0]?.text === 'probe';
}

function isSame(left: Attribute, right: Attribute): boolean {
  return left.path[0]?.text === right.path[0]?.text;
}

/** An attribute that is nearly `name` or `probe`, which every event has. */
export const misspeltAttribute: ExpressionRule = {
  id: 'expression/misspelt-attribute',
  severity: 'warning',
  fixable: true,
  summary:
    'an attribute one slip away from `name` or `probe` is compared with a string, or a difference is written without blanks',
  why: 'No event has the misspelt attribute, so the pattern never matches, and a check such as `count() = 0` can never fail. `b.time-a.time` is one attribute, for names may hold hyphens.',
  action:
    'Correct the attribute, write blanks around a minus sign, or write backquotes if that is the name.',
  examples: {
    fails: "MATCH (nmae = 'GO') AS g, (name = 'CRASH') AS c WHEN g -> c FILTER c.time-g.time < 5s",
    passes:
      "MATCH (name = 'GO') AS g, (name = 'CRASH') AS c WHEN g -> c FILTER c.time - g.time < 5s",
  },
  check(input, report) {
    for (const { text, span } of comparedWithStrings(input)) {
      if (NAMES.includes(text)) continue;
      const meant = NAMES.find((one) => isSlipOf(one, text));
      if (meant === undefined || input.text[span.start] === '`') continue;
      const help = `did you mean ${quote(meant)}?`;
      report({
        message: `${quote(text)} is neither "name" nor "probe", which every event has`,
        help,
        span,
      });
    }
    const { inFilter, measured } = input.context;
    for (const attribute of [...inFilter.flatMap(attributesOf), ...measured]) {
      const violation = difference(input, attribute);
      if (violation !== undefined) report(violation);
    }
  },
};

/** `b.time-a.time`: names hold hyphens, so that this is one attribute. */
function difference(
  { text, context }: RuleInput,
  { path, span }: Attribute,
): Violation | undefined {
  const inner = path.slice(1, -1).find((name) => {
    const [, label = ''] = /-([^-]+)$/.exec(name.text) ?? [];
    return context.bound.has(label) && text[name.span.start] !== '`';
  });
  if (inner === undefined) return undefined;
  const sign = inner.span.start + inner.text.lastIndexOf('-');
  const written = `${text.slice(span.start, sign)} - ${text.slice(sign + 1, span.end)}`;
  return {
    message: `${quote(text.slice(span.start, span.end))} is one attribute: names may hold hyphens`,
    help: `write ${written}`,
    span,
    fix: {
      title: `write ${written}`,
      edits: [{ span: { start: sign, end: sign + 1 }, text: ' - ' }],
    },
  };
}

const NAMES = ['name', 'probe'];

/** The last names of attributes that are compared with a string, where `name` could stand. */
function comparedWithStrings({ context }: RuleInput): Name[] {
  const { inPatterns, inFilter, bound } = context;
  const found: Name[] = [];
  const add = ({ left, right }: Comparison, isWhole: (path: readonly Name[]) => boolean): void => {
    const [attribute, other] = left.kind === 'attribute' ? [left, right] : [right, left];
    if (attribute.kind !== 'attribute' || other.kind !== 'string') return;
    if (isWhole(attribute.path)) found.push(attribute.path.at(-1) as Name);
  };
  const isAlone = ({ length }: readonly Name[]) => length === 1;
  for (const leaf of inPatterns) if (leaf.kind === 'comparison') add(leaf, isAlone);
  const isOfLabel = (path: readonly Name[]) =>
    path.length === 2 && bound.has((path[0] as Name).text);
  for (const leaf of inFilter) if (leaf.kind === 'comparison') add(leaf, isOfLabel);
  return found;
}

/** In other letter cases too, which is another attribute. */
function isSlipOf(word: string, written: string): boolean {
  if (Math.abs(written.length - word.length) > 1) return false;
  return slipsBetween(written.toLowerCase(), word) <= 1;
}
