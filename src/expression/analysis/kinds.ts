import { isPlain, type ProposedFix, suggestedFix } from '../../diagnostics/index.js';
import { compareCodePoints, type Span } from '../../source/index.js';
import { FUNCTIONS } from '../functions/index.js';
import type * as ast from '../tree/ast.js';
import { printString } from '../tree/print.js';
import {
  isArithmetic,
  isLiteral,
  isOperandCall,
  type Leaf,
  partsOfArithmetic,
  visit,
  withoutLabel,
} from '../tree/walk.js';
import { isOfSession } from './meaning.js';

/** A kind mismatch in a comparison. */
export type Mismatch =
  | { readonly kind: 'differ'; readonly left: Kind; readonly right: Kind }
  | { readonly kind: 'unordered' }
  /** An IN value or a GLOB pattern whose kind differs from the operand's kind. */
  | {
      readonly kind: 'member';
      readonly member: ast.Literal;
      readonly left: Kind;
      readonly right: Kind;
    }
  /** An arithmetic operand that is not a number, or an operand of `lower` that is not a string. */
  | {
      readonly kind: 'summand';
      readonly summand: ast.Operand | ast.Term;
      readonly is: Kind;
      readonly needed: Kind;
    };

/**
 * Returns the kind mismatch in a leaf or a measure; undefined if there is none, or if the kinds are
 * unknown.
 */
export function mismatchOf(node: Leaf | ast.Measure, scope: Scope): Mismatch | undefined {
  if (node.kind === 'located' || node.kind === 'exists') return undefined;
  if (node.kind === 'in' || node.kind === 'glob') {
    return arithmeticMismatch(node.operand, scope) ?? mismatchOfMember(node, scope);
  }
  return (
    arithmeticMismatch(node.left, scope) ??
    arithmeticMismatch(node.right, scope) ??
    clash(kindOf(node.left, scope), node.comparator, kindOf(node.right, scope))
  );
}

/**
 * Returns the mismatch for the first IN value whose kind differs from the operand's kind, or for a
 * GLOB operand that is not a string.
 */
function mismatchOfMember(node: ast.In | ast.Glob, scope: Scope): Mismatch | undefined {
  const operandKind = kindOf(node.operand, scope);
  if (operandKind === undefined) return undefined;
  const values = node.kind === 'in' ? node.values : [node.pattern];
  const member = values.find((value) => kindOfLiteral(value) !== operandKind);
  return member && { kind: 'member', member, left: operandKind, right: kindOfLiteral(member) };
}

/**
 * Returns the mismatch for an arithmetic operand that is not a number, or a `lower` operand that is
 * not a string. Checks function arguments too.
 */
function arithmeticMismatch(side: ast.Operand | ast.Term, scope: Scope): Mismatch | undefined {
  if (side.kind === 'call') return side.argument && arithmeticMismatch(side.argument, scope);
  if (side.kind === 'baseline') return arithmeticMismatch(side.term, scope);
  const neededKind = side.kind === 'lower' ? 'string' : 'number';
  for (const summand of arithmeticOperands(side)) {
    const is = kindOf(summand, scope);
    if (is !== undefined && is !== neededKind)
      return { kind: 'summand', summand, is, needed: neededKind };
    const innerMismatch = arithmeticMismatch(summand, scope);
    if (innerMismatch !== undefined) return innerMismatch;
  }
  return undefined;
}

/** Returns the operands of arithmetic, `abs` or `lower`. */
function arithmeticOperands(side: ast.Operand | ast.Term): readonly (ast.Operand | ast.Term)[] {
  if (isOperandCall(side)) return [side.operand];
  return isArithmetic(side) ? partsOfArithmetic<ast.Operand | ast.Term>(side) : [];
}

function kindOf(operand: ast.Operand | ast.Term, scope: Scope): Kind | undefined {
  if (operand.kind === 'attribute') return kindOfAttribute(operand, scope);
  if (isLiteral(operand)) return kindOfLiteral(operand);
  if (operand.kind === 'lower') return 'string';
  if (operand.kind !== 'call') return 'number';
  return FUNCTIONS.has(operand.name.text) ? 'number' : undefined;
}

function clash(
  left: Kind | undefined,
  comparator: ast.Comparator,
  right: Kind | undefined,
): Mismatch | undefined {
  if (left !== undefined && right !== undefined && left !== right) {
    return { kind: 'differ', left, right };
  }
  const equality = comparator === '=' || comparator === '!=';
  return !equality && (left === 'boolean' || right === 'boolean')
    ? { kind: 'unordered' }
    : undefined;
}

/**
 * The scope of attributes in a part of an expression. In a pattern, attributes have no label.
 * Elsewhere, they begin with a label.
 */
export type Scope =
  | { readonly kind: 'pattern'; readonly label: string }
  | { readonly kind: 'labels'; readonly isLabel: (name: string) => boolean };

/**
 * Returns the scope for FILTER and AGGREGATE. If MATCH could not be parsed completely, any name may
 * be a label.
 */
export function labelScope({ labelsComplete }: ast.Tree, bound: ReadonlySet<string>): Scope {
  return { kind: 'labels', isLabel: (name) => !labelsComplete || bound.has(name) };
}

/**
 * Returns the fixed kind of a reserved attribute, or of `session.start` and `session.end`.
 * Undefined for other attributes.
 */
export function kindOfAttribute({ path }: ast.Attribute, scope: Scope): Kind | undefined {
  const pattern = scope.kind === 'pattern';
  if (path.length !== (pattern ? 1 : 2)) return undefined;
  const name = (path[path.length - 1] as ast.Name).text;
  if (pattern) return RESERVED_KINDS.get(name);
  const label = (path[0] as ast.Name).text;
  if (scope.isLabel(label)) return RESERVED_KINDS.get(name);
  return label === 'session' && (name === 'start' || name === 'end') ? 'number' : undefined;
}

const RESERVED_KINDS: ReadonlyMap<string, Kind> = new Map([
  ['name', 'string'],
  ['probe', 'string'],
  ['time', 'number'],
  ['seq', 'number'],
]);

/** True if a string looks like a number or a duration. */
export function isQuantity(text: string): boolean {
  return /^-?\d+(?:\.\d+)?(?:ns|us|ms|s|min|h)?$/.test(text);
}

/** The kinds of mutually comparable values. Integers and floats are both numbers. */
export type Kind = 'number' | 'string' | 'boolean';

/** Returns a literal's kind. Durations are numbers. */
export function kindOfLiteral(literal: ast.Literal): Kind {
  return literal.kind === 'string' || literal.kind === 'boolean' ? literal.kind : 'number';
}

/** Suggests a string. Uses double quotes if the surrounding TOML string has single quotes. */
export function stringFix(span: Span, value: string): ProposedFix {
  const text = printString(value);
  const edit = {
    span,
    text,
    ...(isPlain(value) && !/["\\]/.test(value) && { otherwise: `"${value}"` }),
  };
  return { ...suggestedFix(span, text), edits: [edit] };
}

/** A value with an order. JavaScript compares a bigint with a number exactly. */
export type OrderedValue = bigint | number | string;

/** Compares two numbers or two strings. Returns a negative number, zero or a positive number. */
export function compareValues(a: OrderedValue, b: OrderedValue): number {
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The unit of a number: a duration or a point in time, both in nanoseconds. */
export type Unit = 'duration' | 'time';

/** The units of an expression's numbers. */
export interface Units {
  /** The attributes, without labels, that the expression compares with a duration. */
  readonly durations: readonly string[];
  /** Returns the unit of an operand or a term; undefined for a number without a unit. */
  of(part: ast.Operand | ast.Term): Unit | undefined;
}

/** The duration attribute of trace spans. */
const SPAN_DURATION = 'span.duration';

/**
 * Determines the units of an expression's numbers. Durations are differences of times, such as
 * `b.time - a.time`, and operands compared with a duration, such as `100ms`.
 */
export function unitsOf(expression: Pick<ast.Expression, 'kind' | 'span' | 'match'>): Units {
  const labels = new Set(expression.match.patterns.map(({ label }) => label.text));
  const durations = new Set<string>();
  /** Arithmetic operands that are compared with a duration, as in `b.received - a.sent < 100ms`. */
  const lengths = new Set<ast.Operand | ast.Term>();

  const nameOf = ({ path }: ast.Attribute): string => withoutLabel(path, labels);
  const attributeUnit = (attribute: ast.Attribute): Unit | undefined => {
    const name = nameOf(attribute);
    if (name === 'time' || isOfSession(attribute, labels)) return 'time';
    return name === SPAN_DURATION || durations.has(name) ? 'duration' : undefined;
  };
  const unitOf = (part: ast.Operand | ast.Term): Unit | undefined => {
    if (lengths.has(part)) return 'duration';
    if (isArithmetic<ast.Operand | ast.Term>(part)) {
      return part.rest.reduce((unit, { sign, operand }) => {
        return combineUnits(unit, sign, unitOf(operand), isLiteral(operand));
      }, unitOf(part.first));
    }
    switch (part.kind) {
      case 'duration':
        return 'duration';
      case 'attribute':
        return attributeUnit(part);
      case 'abs':
        return unitOf(part.operand);
      case 'baseline':
        return unitOf(part.term);
      case 'call':
        return part.argument && part.name.text !== 'distinct' ? unitOf(part.argument) : undefined;
      default:
        return undefined;
    }
  };

  const checkCompared = (part: ast.Operand | ast.Term, other: ast.Operand | ast.Term) => {
    let plainPart = part.kind === 'call' ? part.argument : part;
    while (plainPart?.kind === 'abs') plainPart = plainPart.operand;
    if (plainPart === undefined || unitOf(other) !== 'duration') return;
    if (plainPart.kind === 'attribute') durations.add(nameOf(plainPart));
    else if (isArithmetic<ast.Operand | ast.Term>(plainPart) && unitOf(plainPart) === undefined)
      lengths.add(plainPart);
  };
  const eachSide = ({ left, right }: ast.Comparison | ast.Measure) => {
    checkCompared(left, right);
    checkCompared(right, left);
  };
  visit(expression as ast.Expression, {
    comparison: eachSide,
    measure: eachSide,
    attribute(node) {
      if (nameOf(node) === SPAN_DURATION) durations.add(SPAN_DURATION);
    },
  });
  durations.delete('time');
  return { durations: [...durations], of: unitOf };
}

/** @param isWritten true if the second part is a literal */
function combineUnits(
  unit: Unit | undefined,
  sign: ast.StepNode<unknown>['sign'],
  other: Unit | undefined,
  isWritten: boolean,
): Unit | undefined {
  switch (sign) {
    case '+':
      if (isWritten && other === undefined) return unit;
      return unit === other ? (unit === 'time' ? undefined : unit) : unit && other && 'time';
    case '-':
      if (isWritten && other === undefined) return unit;
      if (unit === other) return unit && 'duration';
      return unit === 'time' && other === 'duration' ? 'time' : undefined;
    case '*':
      return unit === undefined ? other : other === undefined ? unit : undefined;
    case '/':
      return other === undefined ? unit : undefined;
  }
}
