import type * as ast from '../tree/ast.js';
import { isArithmetic, isLiteral, visit } from '../tree/walk.js';
import { isOfSession } from './meaning.js';

/** What a number is: a length of time or a point in time, both in nanoseconds. */
export type Unit = 'duration' | 'time';

/** What the numbers of an expression are. */
export interface Units {
  /** The attributes, without labels, that the expression compares with a length of time. */
  readonly durations: readonly string[];
  /** What an operand or a term comes to; undefined for any other number. */
  of(part: ast.Operand | ast.Term): Unit | undefined;
}

/** What the spans of traces have for their length. */
const SPAN_DURATION = 'span.duration';

/** Tells lengths of time from other numbers: `b.time - a.time`, and what is compared with `100ms`. */
export function unitsOf(expression: Pick<ast.Expression, 'kind' | 'span' | 'match'>): Units {
  const labels = new Set(expression.match.patterns.map(({ label }) => label.text));
  const durations = new Set<string>();
  /** What is compared with a length of time, beside attributes: `b.received - a.sent < 100ms`. */
  const lengths = new Set<ast.Operand | ast.Term>();

  const nameOf = ({ path }: ast.Attribute): string => {
    const names = path.map(({ text }) => text);
    const isLabelled = names.length > 1 && labels.has(names[0] as string);
    return (isLabelled ? names.slice(1) : names).join('.');
  };
  const ofAttribute = (attribute: ast.Attribute): Unit | undefined => {
    const name = nameOf(attribute);
    if (name === 'time' || isOfSession(attribute, labels)) return 'time';
    return name === SPAN_DURATION || durations.has(name) ? 'duration' : undefined;
  };
  const of = (part: ast.Operand | ast.Term): Unit | undefined => {
    if (lengths.has(part)) return 'duration';
    if (isArithmetic<ast.Operand | ast.Term>(part)) {
      return part.rest.reduce((unit, { sign, operand }) => {
        return combined(unit, sign, of(operand), isLiteral(operand));
      }, of(part.first));
    }
    switch (part.kind) {
      case 'duration':
        return 'duration';
      case 'attribute':
        return ofAttribute(part);
      case 'abs':
        return of(part.operand);
      case 'baseline':
        return of(part.term);
      case 'call':
        return part.argument && part.name.text !== 'distinct' ? of(part.argument) : undefined;
      default:
        return undefined;
    }
  };

  const compared = (one: ast.Operand | ast.Term, other: ast.Operand | ast.Term) => {
    let plain = one.kind === 'call' ? one.argument : one;
    while (plain?.kind === 'abs') plain = plain.operand;
    if (plain === undefined || of(other) !== 'duration') return;
    if (plain.kind === 'attribute') durations.add(nameOf(plain));
    else if (isArithmetic<ast.Operand | ast.Term>(plain) && of(plain) === undefined)
      lengths.add(plain);
  };
  const eachSide = ({ left, right }: ast.Comparison | ast.Measure) => {
    compared(left, right);
    compared(right, left);
  };
  visit(expression as ast.Expression, {
    comparison: eachSide,
    measure: eachSide,
    attribute(one) {
      if (nameOf(one) === SPAN_DURATION) durations.add(SPAN_DURATION);
    },
  });
  durations.delete('time');
  return { durations: [...durations], of };
}

/** @param isWritten whether the second part is a literal */
function combined(
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
