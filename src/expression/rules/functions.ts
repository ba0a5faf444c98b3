import {
  findNearestWord,
  listOf,
  quote,
  type ReportFn,
  suggestedFix,
  type Violation,
  writing,
} from '../../diagnostics/index.js';
import { acceptsCall } from '../analysis/claims.js';
import type { ExpressionRule, Role } from '../analysis/context.js';
import type { Scope } from '../analysis/kinds.js';
import { isOfSession, labelOfKey } from '../analysis/meaning.js';
import { FORMS, FUNCTIONS, functionUsage } from '../functions/index.js';
import type {
  By,
  Call,
  DurationLiteral,
  Measure,
  Name,
  NumberLiteral,
  Operand,
  Term,
} from '../tree/ast.js';
import { MIRRORED_COMPARATORS } from '../tree/ast.js';
import { printName, printOperand } from '../tree/print.js';
import {
  argumentKindOf,
  attributesIn,
  callsIn,
  isArithmetic,
  isOperandCall,
  measuresOf,
  partsOfArithmetic,
} from '../tree/walk.js';

const NAMES = [...FUNCTIONS.keys(), ...FORMS.keys()];

/** Reports an unknown function. */
export const unknownFunction: ExpressionRule = {
  id: 'expression/unknown-function',
  severity: 'error',
  fixable: 'suggested',
  summary: 'AGGREGATE calls a function that does not exist',
  why: 'The measure cannot be computed.',
  action: `Use one of ${NAMES.slice(0, -1).map(code).join(', ')} and ${code(NAMES.at(-1) ?? '')}.`,
  examples: {
    fails: "MATCH (name = 'fault') AS f AGGREGATE maximum(f.severity) > 3",
    passes: "MATCH (name = 'fault') AS f AGGREGATE max(f.severity) > 3",
  },
  check({ context }, report) {
    for (const call of context.calls)
      if (!FUNCTIONS.has(call.name.text)) report(explainUnknownFunction(call));
  },
};

function explainUnknownFunction(call: Call): Violation {
  const { text, span } = call.name;
  const word = text.toLowerCase();
  const percent = intendedPercent(call);
  const message = `unknown function ${quote(text)}`;
  if (percent !== undefined) {
    const argument = argumentKindOf(call) === 'attribute' ? call.argument : undefined;
    const argumentText = argument === undefined ? 'label.attribute' : printOperand(argument);
    const corrected = `percentile(${argumentText}, ${percent})`;
    const fix = argument && suggestedFix(call.span, corrected);
    return { message, help: fix?.title ?? `use ${corrected}`, span, ...(fix && { fix }) };
  }
  if (word === 'abs') {
    const help = 'put it inside another function, such as max(abs(label.attribute))';
    return { message: 'abs() is not a measure by itself', help, span };
  }
  if (UNSUPPORTED_RESULTS.has(word)) {
    const help = `expected one of ${listOf(NAMES)}`;
    return { message: `unknown function ${quote(text)}`, help, span };
  }
  const nearMatch = ALIASES.get(word) ?? findNearestWord(text, NAMES);
  if (nearMatch === 'share') {
    const help = 'share(condition) is the fraction of the matches that satisfy the condition';
    return { message, help, span };
  }
  if (nearMatch !== undefined && call.argument && FUNCTIONS.get(nearMatch)?.argument === 'label') {
    const fix = suggestedFix(call.span, `${nearMatch}()`);
    return { message, help: fix.title, span, fix };
  }
  return nearMatch === undefined
    ? { message, help: `expected one of ${listOf(NAMES)}`, span }
    : { message, help: `did you mean ${quote(nearMatch)}?`, span, instead: nearMatch };
}

/**
 * Returns the intended percentage of a call such as `p99(x)`, `p999(x)`, `median(x)` or
 * `quantile(x, 0.99)`.
 */
function intendedPercent({ name, percent }: Call): string | undefined {
  const word = name.text.toLowerCase();
  if (word === 'median') return '50';
  const [, whole, fraction] = /^p(\d\d?)(\d*)$/.exec(word) ?? [];
  if (whole !== undefined) return fraction ? `${whole}.${fraction}` : whole;
  if (!/^(?:quantile|percentile)(?:_cont|_disc|s)?$|^quantileexact$/.test(word)) return undefined;
  if (percent === undefined) return '95';
  const value = Number(percent.value);
  return String(
    value <= 1 && word.startsWith('quantile') ? Number((value * 100).toFixed(6)) : value,
  );
}

const ALIASES: ReadonlyMap<string, string> = new Map([
  ...[...FUNCTIONS.values()].flatMap(({ name, aliases }) =>
    aliases.map((alias): [string, string] => [alias, name]),
  ),
  ...['ratio', 'rate', 'fraction', 'proportion'].map((alias): [string, string] => [alias, 'share']),
]);

/** Names of unsupported functions, for which no similar name is suggested. */
const UNSUPPORTED_RESULTS: ReadonlySet<string> = new Set([
  'mode',
  'variance',
  'var',
  'first',
  'last',
]);

function code(name: string): string {
  return `\`${name}\``;
}

/** Reports an invalid function argument, BY key, percentage or WITHIN. */
export const wrongArguments: ExpressionRule = {
  id: 'expression/wrong-arguments',
  severity: 'error',
  fixable: 'suggested',
  summary: 'an invalid function argument, BY key, percentage or WITHIN',
  why: 'The measure cannot be computed.',
  action:
    'Write `count()` without an argument, `percentile` with a percentage, and every other function with one `label.attribute`. A percentage must be above 0 and at most 100, and a time above 0.',
  examples: {
    fails: "MATCH (name = 'fault') AS f AGGREGATE count(f.severity) > 3",
    passes: "MATCH (name = 'fault') AS f AGGREGATE count() > 3",
  },
  check({ tree, role, context }, report) {
    for (const relation of tree.when?.relations ?? []) {
      if (relation.kind === 'chain' && relation.within)
        checkTime(relation.within, 'WITHIN', report);
    }
    for (const call of context.calls) {
      const violation = explainCall(call);
      if (violation !== undefined) report(violation);
    }
    for (const measure of measuresOf(tree)) {
      const { left, right } = measure;
      const shareViolation = explainShare(measure);
      if (shareViolation !== undefined) report(shareViolation);
      for (const side of [left, right]) {
        checkTerm(
          side,
          { bound: context.bound, role, isDivisor: false, inBaseline: false },
          report,
        );
        checkRoots(side, report);
      }
    }
    if (tree.aggregate?.by !== undefined) checkBy(tree.aggregate.by, context.scope, report);
  },
};

function explainCall(call: Call): Violation | undefined {
  const { name, argument, percent, span } = call;
  const definition = FUNCTIONS.get(name.text);
  if (definition === undefined) return undefined;
  const write = `use ${functionUsage(definition)}`;
  if (!acceptsCall(definition, call)) return explainArgument(call, write);
  if (definition.percent && percent === undefined) {
    const corrected = argument && `${name.text}(${printOperand(argument)}, 95)`;
    const advice = corrected === undefined ? { help: write } : writing(corrected);
    return { message: `${functionText(name)} needs a percentage`, ...advice, span };
  }
  if (percent !== undefined && !definition.percent) {
    return {
      message: `${functionText(name)} accepts no percentage`,
      help: write,
      span: percent.span,
    };
  }
  const percentViolation = percent && explainPercentage(percent);
  if (percentViolation !== undefined) return percentViolation;
  if (argument === undefined || definition.carries.kind !== 'moments' || !hasQuotient(argument)) {
    return undefined;
  }
  return {
    message: `${functionText(name)} does not accept division by an attribute`,
    help: 'divide only by a value, or take its max, min or percentile',
    span: argument.span,
  };
}

function explainArgument({ name, argument, span }: Call, help: string): Violation {
  if (FUNCTIONS.get(name.text)?.argument === 'label') {
    const help = 'write "count()"; to count only some events, select them in FILTER';
    return {
      message: `${functionText(name)} accepts no attribute`,
      help,
      span,
      instead: 'count()',
    };
  }
  const mistake =
    argument === undefined ? 'needs an attribute' : 'expects an attribute, not a value';
  return { message: `${functionText(name)} ${mistake}`, help, span };
}

function functionText({ text }: Name): string {
  return quote(`${text}()`);
}

/**
 * Reports a share compared with a percentage, as in `share(a.ok = true) <= 5`. Another rule reports
 * impossible shares.
 */
function explainShare({ left, comparator, right }: Measure): Violation | undefined {
  const [bound, sign] =
    left.kind === 'share' ? [right, comparator] : [left, MIRRORED_COMPARATORS[comparator]];
  const isShare = left.kind === 'share' || right.kind === 'share';
  if (!isShare || !sign.startsWith('<')) return undefined;
  if ((bound.kind !== 'integer' && bound.kind !== 'float') || bound.value <= 1) return undefined;
  const { value, span } = bound;
  const message = `a share is at most 1, but is compared with ${value}`;
  if (value > 100) return { severity: 'warning', message, help: 'use a value such as 0.05', span };
  const fix = suggestedFix(span, String(Number((Number(value) / 100).toPrecision(12))));
  return { severity: 'warning', message, help: fix.title, span, fix };
}

/**
 * Reports a percentage that is zero, negative or above 100. Also reports a percentage below 1,
 * which is probably intended as a fraction.
 */
function explainPercentage({ value, span }: NumberLiteral): Violation | undefined {
  if (value >= 1 && value <= 100) return undefined;
  if (value > 0 && value < 1) {
    const fix = suggestedFix(span, String(Number((Number(value) * 100).toFixed(6))));
    const message = `${value} is less than one percent here`;
    return { severity: 'warning', message, help: fix.title, span, fix };
  }
  const help = value > 100 ? 'use at most 100, such as 99.9' : 'use a percentage such as 95';
  return { message: 'a percentage must be above 0 and at most 100', help, span };
}

/** True if an operand contains a division by an attribute. */
function hasQuotient(operand: Operand): boolean {
  if (isOperandCall(operand)) return hasQuotient(operand.operand);
  if (!isArithmetic(operand)) return false;
  const divides = operand.rest.some(
    ({ sign, operand: by }) => sign === '/' && attributesIn(by).length > 0,
  );
  return divides || partsOfArithmetic<Operand>(operand).some(hasQuotient);
}

function checkTime({ value, span }: DurationLiteral, subject: string, report: ReportFn): void {
  if (value > 0n) return;
  report({ message: `${subject} needs a time above zero`, help: 'use a time such as 100ms', span });
}

interface TermContext {
  readonly bound: ReadonlySet<string>;
  readonly role: Role;
  readonly isDivisor: boolean;
  readonly inBaseline: boolean;
}

/** Reports the parts of a term that are not allowed at their position. */
function checkTerm(term: Term, termContext: TermContext, report: ReportFn): void {
  if (isArithmetic(term)) {
    checkTerm(term.first, termContext, report);
    for (const { sign, operand } of term.rest) {
      checkTerm(
        operand,
        { ...termContext, isDivisor: termContext.isDivisor || sign === '/' },
        report,
      );
    }
    return;
  }
  if (term.kind === 'attribute' && !isOfSession(term, termContext.bound)) {
    const advice = writing(`max(${printOperand(term)})`);
    report({ message: '"session" is a label here', ...advice, span: term.span });
  }
  if (term.kind === 'call' && isRoot(term) && termContext.isDivisor) {
    const help = 'multiply both sides of the comparison by the function';
    report({ message: `${functionText(term.name)} cannot be a divisor`, help, span: term.span });
  }
  if (term.kind !== 'baseline') return;
  if (termContext.role === 'precondition') {
    const help = 'compare with a value: a precondition has no baseline sessions';
    report({ message: '"baseline()" in a precondition', help, span: term.span });
  } else if (termContext.inBaseline) {
    const help = 'put the measure into one baseline()';
    report({ message: '"baseline()" inside another', help, span: term.span });
  }
  checkTerm(term.term, { ...termContext, inBaseline: true }, report);
}

/** Reports a side with more than one square root, because such a side cannot be compared exactly. */
function checkRoots(side: Term, report: ReportFn): void {
  const [, second] = callsIn(side).filter(isRoot);
  if (second === undefined) return;
  const help = 'use at most one such function on each side of the comparison';
  report({ message: `a second ${functionText(second.name)} on one side`, help, span: second.span });
}

function isRoot({ name }: Call): boolean {
  const carries = FUNCTIONS.get(name.text)?.carries;
  return carries?.kind === 'moments' && carries.isRoot;
}

function checkBy({ keys, percent }: By, scope: Scope, report: ReportFn): void {
  const percentViolation = percent && explainPercentage(percent);
  if (percentViolation !== undefined) report(percentViolation);
  for (const key of keys) {
    if (key.kind !== 'window') continue;
    checkTime(key.size, '"window()"', report);
    const { path, probe, span } = key.time;
    if (path.length === 2 && path[1]?.text === 'time' && probe === undefined) continue;
    const label = path.length > 1 ? printName(path[0] as Name) : 'label';
    const advice = path.length > 1 ? writing(`${label}.time`) : { help: `use ${label}.time` };
    report({ message: '"window()" expects a time', ...advice, span });
  }
  const [first, ...moreLabels] = keys.map(labelOfKey);
  const isLabel = ({ text }: Name) => scope.kind === 'labels' && scope.isLabel(text);
  const other = moreLabels.find((label) => label.text !== first?.text);
  if (first === undefined || other === undefined || !isLabel(first) || !isLabel(other)) return;
  report({
    message: `the keys of BY have two labels, ${quote(first.text)} and ${quote(other.text)}`,
    help: 'use keys of one label only',
    span: other.span,
    related: [{ message: 'the first label', span: first.span }],
  });
}
