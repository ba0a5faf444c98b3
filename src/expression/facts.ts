import type { Span } from '../source/index.js';
import type { Attribute, Comparator, Literal, Measure, Operand, Term } from './ast.js';
import type { Nature, Stated } from './domain.js';
import { FUNCTIONS } from './functions.js';
import { type Mismatch, mismatchOf } from './mismatch.js';
import { fullPath, type Scope } from './scope.js';
import { compareValues, flip, holds, kindOfLiteral, type Ordered } from './values.js';
import type { Leaf } from './walk.js';

/** Something that is compared: an attribute of an event, or a function of a measure. */
export interface Subject {
  /** Equal for the same subject. */
  readonly key: string;
  readonly nature: Nature;
}

/** A comparison of a subject with a value, and where it is written. */
export interface Fact {
  readonly subject: Subject;
  readonly stated: Stated;
  readonly span: Span;
}

/** What a comparison says. */
export type Saying =
  | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
  | { readonly kind: 'constant'; readonly holds: boolean; readonly self: boolean }
  /** Its kinds forbid it. */
  | { readonly kind: 'mismatch'; readonly mismatch: Mismatch };

/** What each comparison, event and measure of an expression says. */
export type Sayings = ReadonlyMap<Leaf | Measure, Saying>;

/** What a comparison or an event of a condition says. */
export function sayingOf(leaf: Leaf, scope: Scope): Saying {
  if (leaf.kind === 'located') {
    if (scope.kind !== 'pattern') return facts([]);
    const { event, probe, span } = leaf;
    return facts([
      pinned(scope.label, 'name', event.text, span),
      pinned(scope.label, 'probe', probe.text, span),
    ]);
  }
  const { left, comparator, right, span } = leaf;
  const mismatch = mismatchOf(leaf, scope);
  if (mismatch !== undefined) return { kind: 'mismatch', mismatch };
  const pins = [...probePin(left, scope, span), ...probePin(right, scope, span)];
  if (left.kind === 'attribute' && right.kind === 'attribute') {
    const self = !holds(0, comparator) && isSame(left, right, scope);
    return self ? { kind: 'constant', holds: false, self } : facts(pins);
  }
  return compared(
    subjectOf(left, scope),
    left,
    comparator,
    right,
    subjectOf(right, scope),
    span,
    pins,
  );
}

/** What a measure says. */
export function sayingOfMeasure(measure: Measure, scope: Scope): Saying {
  const { left, comparator, right, span } = measure;
  const mismatch = mismatchOf(measure, scope);
  if (mismatch !== undefined) return { kind: 'mismatch', mismatch };
  const [a, b] = [termSubject(left), termSubject(right)];
  if (left.kind === 'call' && right.kind === 'call') {
    if (a === undefined || a.key !== b?.key) return facts([]);
    if (!holds(0, comparator)) return { kind: 'constant', holds: false, self: true };
    const total = FUNCTIONS.get(left.name.text)?.total === true;
    return total ? { kind: 'constant', holds: true, self: true } : facts([]);
  }
  return compared(a, left, comparator, right, b, span, []);
}

function facts(all: readonly Fact[]): Saying {
  return { kind: 'facts', facts: all };
}

function compared(
  a: Subject | undefined,
  left: Operand | Term,
  comparator: Comparator,
  right: Operand | Term,
  b: Subject | undefined,
  span: Span,
  pins: readonly Fact[],
): Saying {
  if (isLiteral(left) && isLiteral(right)) {
    const order = compareValues(statedValue(left), statedValue(right));
    return { kind: 'constant', holds: holds(order, comparator), self: false };
  }
  const subject = a ?? b;
  const literal = isLiteral(right) ? right : isLiteral(left) ? left : undefined;
  if (subject === undefined || literal === undefined) return facts(pins);
  const stated = {
    kind: kindOfLiteral(literal),
    comparator: literal === right ? comparator : flip(comparator),
    value: statedValue(literal),
  };
  return facts([{ subject, stated, span }, ...pins]);
}

function isLiteral(side: Operand | Term): side is Literal {
  return side.kind !== 'attribute' && side.kind !== 'call';
}

function statedValue(literal: Literal): Ordered {
  return literal.kind === 'boolean' ? (literal.value ? 1n : 0n) : literal.value;
}

/** A name holds no backquote, and is not empty. */
function keyOf(path: readonly string[]): string {
  return path.join('`');
}

function subjectOf(operand: Operand, scope: Scope): Subject | undefined {
  const path = operand.kind === 'attribute' ? fullPath(operand, scope) : undefined;
  return path && { key: keyOf(path), nature: ANY };
}

function termSubject(term: Term): Subject | undefined {
  if (term.kind !== 'call') return undefined;
  const { name, argument } = term;
  const known = FUNCTIONS.get(name.text);
  const given = argument === undefined ? 'none' : argument.kind;
  if (known === undefined || known.argument !== given) return undefined;
  const { least, integer = false } = known;
  const nature = least === undefined ? { integer } : { least, integer };
  if (argument?.kind !== 'attribute') return { key: name.text, nature };
  const path = argument.path.map(({ text }) => text);
  return { key: `${name.text}(${keyOf(path)}\`\`${argument.probe?.text ?? ''}`, nature };
}

/** Nothing is known of attributes. */
const ANY: Nature = {};

function pinned(label: string, attribute: string, value: string, span: Span): Fact {
  const subject = { key: keyOf([label, attribute]), nature: ANY };
  return { subject, stated: { kind: 'string', comparator: '=', value }, span };
}

/** `x @ p` holds only for events whose probe is `p`. */
function probePin(side: Operand, scope: Scope, span: Span): Fact[] {
  if (side.kind !== 'attribute' || side.probe === undefined) return [];
  const label = fullPath(side, scope)?.[0];
  return label === undefined ? [] : [pinned(label, 'probe', side.probe.text, span)];
}

function isSame(left: Attribute, right: Attribute, scope: Scope): boolean {
  const a = subjectOf(left, scope)?.key;
  return a !== undefined && a === subjectOf(right, scope)?.key;
}
