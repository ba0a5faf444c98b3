import type * as tree from '../../expression/index.js';
import { globMatcher, toLowerCaseLetters } from '../../expression/index.js';
import {
  addExact,
  divideExact,
  type ExactNumber,
  exactInteger,
  isInfinite,
  keyOfExact,
  multiplyExact,
  negateExact,
} from '../exact/number.js';
import { termsHold, valueOfConstant } from '../exact/term-value.js';
import type {
  Constant,
  LabelAttribute,
  LeafTest,
  Membership,
  NoValue,
  Product,
  QueryComparison,
  QueryOperand,
  Sum,
  Summand,
  Test,
} from './query.js';

/** A resolver of attributes to the pattern's event, a label's event or the session. */
export interface LabelScope {
  /**
   * Resolves an attribute.
   *
   * @throws {RangeError} for an unknown label
   */
  attribute(attribute: tree.Attribute): LabelAttribute | Constant | NoValue;
}

/** Converts an operand of the syntax tree to the engine's form. */
export function buildOperand(operand: tree.Operand, scope: LabelScope): QueryOperand {
  switch (operand.kind) {
    case 'attribute':
      return scope.attribute(operand);
    case 'abs':
      return makeAbsolute(toSum(buildOperand(operand.operand, scope)));
    case 'lower':
      return makeLower(buildOperand(operand.operand, scope));
    case 'sum':
    case 'product': {
      const parts = [
        { sign: operand.kind === 'sum' ? ('+' as const) : ('*' as const), operand: operand.first },
        ...operand.rest,
      ].map(({ sign, operand: part }) => ({ sign, of: toSum(buildOperand(part, scope)) }));
      const missing = parts.filter(({ of }) => of.kind === 'nothing');
      if (missing.length > 0) return makeNothing(parts.map(({ of }) => of));
      const summands = parts as { sign: tree.StepNode<unknown>['sign']; of: Sum }[];
      return operand.kind === 'sum' ? addAll(summands) : multiplyAll(summands);
    }
    default:
      return makeConstant(operand);
  }
}

function makeNothing(operands: readonly QueryOperand[]): NoValue {
  return { kind: 'nothing', labels: operands.flatMap(labelsOf) };
}

function addAll(parts: readonly { readonly sign: string; readonly of: Sum }[]): Sum {
  const signedSums = parts.map(({ sign, of }) => (sign === '-' ? negate(of) : of));
  return {
    kind: 'sum',
    constant: signedSums.reduce<ExactNumber>((sum, { constant }) => addExact(sum, constant), 0),
    terms: mergeTerms(signedSums.flatMap(({ terms }) => terms)),
  };
}

/** Merges terms of the same attribute into one term. */
function mergeTerms(terms: readonly Summand[]): Summand[] {
  const summandsByAttribute = new Map<unknown, Summand>();
  for (const term of terms) {
    const { times, of, isAlone } = term;
    const isPlain = of.kind === 'attribute' && !isAlone;
    const key = isPlain ? JSON.stringify([of.label, of.name, of.at]) : term;
    const mergedTerm = summandsByAttribute.get(key);
    const sum = mergedTerm === undefined ? times : addExact(mergedTerm.times, times);
    summandsByAttribute.set(key, { ...term, times: sum });
  }
  return [...summandsByAttribute.values()];
}

/**
 * Combines the constant factors and multiplies the other factors. Returns a plain sum unless a divisor or several
 * factors have terms.
 */
function multiplyAll(parts: readonly { readonly sign: string; readonly of: Sum }[]): QueryOperand {
  let times: ExactNumber = 1;
  const factors: Product['factors'][number][] = [];
  for (const { sign, of } of parts) {
    if (of.terms.length > 0) {
      factors.push({ sign: sign === '/' ? '/' : '*', of });
      continue;
    }
    const product: ExactNumber | undefined =
      sign === '/' ? divideExact(times, of.constant) : multiplyExact(times, of.constant);
    if (product === undefined) return makeNothing(parts.map((part) => part.of));
    times = product;
  }
  const [first, second] = factors;
  if (first === undefined) return { kind: 'sum', constant: times, terms: [] };
  if (second === undefined && first.sign === '*') return scale(first.of, times);
  return { kind: 'sum', constant: 0, terms: [{ times, of: { kind: 'product', factors } }] };
}

/** Multiplies a sum by a number. */
export function scale({ constant, terms }: Sum, times: ExactNumber): Sum {
  return {
    kind: 'sum',
    constant: multiplyExact(constant, times),
    terms: terms.map((term) => ({ ...term, times: multiplyExact(term.times, times) })),
  };
}

function makeAbsolute(of: Sum | NoValue): QueryOperand {
  if (of.kind === 'nothing') return of;
  if (of.terms.length > 0) {
    return { kind: 'sum', constant: 0, terms: [{ times: 1, of: { kind: 'absolute', of } }] };
  }
  const { constant } = of;
  const isNegative = typeof constant === 'object' ? constant.n < 0n : constant < 0;
  return isNegative ? negate(of) : of;
}

/** Converts an operand to lower case. Returns `Nothing` for an operand that cannot be a string. */
function makeLower(operand: QueryOperand): QueryOperand {
  if (operand.kind === 'attribute') return { ...operand, isLower: true };
  return operand.kind === 'constant' && typeof operand.value === 'string'
    ? { kind: 'constant', value: toLowerCaseLetters(operand.value) }
    : makeNothing([operand]);
}

/** Converts a literal, with an integer in canonical form. */
export function makeConstant(literal: tree.Literal): Constant {
  const { value } = literal;
  return { kind: 'constant', value: typeof value === 'bigint' ? exactInteger(value) : value };
}

/** Builds a comparison. If one side is a sum, both sides become sums. */
export function makeComparison(
  left: QueryOperand,
  comparator: tree.Comparator,
  right: QueryOperand,
): QueryComparison {
  const [a, b] = [dropTerms(left), dropTerms(right)];
  if (a.kind !== 'sum' && b.kind !== 'sum') {
    return { kind: 'comparison', left: a, comparator, right: b };
  }
  return { kind: 'comparison', left: toSum(a, true), comparator, right: toSum(b, true) };
}

/** Converts a sum without terms to a constant. Returns any other operand unchanged. */
function dropTerms(operand: QueryOperand): QueryOperand {
  if (operand.kind !== 'sum' || operand.terms.length > 0) return operand;
  return { kind: 'constant', value: operand.constant };
}

/**
 * Converts an operand to a sum, or to `Nothing` if it cannot be a number.
 *
 * @param isAlone true for a whole side of a comparison, which may be infinite
 */
function toSum(operand: QueryOperand, isAlone = false): Sum | NoValue {
  switch (operand.kind) {
    case 'sum':
    case 'nothing':
      return operand;
    case 'attribute':
      if (operand.isLower) return makeNothing([operand]);
      return {
        ...{ kind: 'sum', constant: 0 },
        terms: [{ times: 1, of: operand, ...(isAlone && { isAlone }) }],
      };
    case 'constant':
      return isExact(operand.value) && (isAlone || !isInfinite(operand.value))
        ? { kind: 'sum', constant: operand.value, terms: [] }
        : { kind: 'nothing', labels: [] };
    case 'event':
      return { kind: 'nothing', labels: [operand.label] };
  }
}

/** Subtracts two operands. */
export function subtract(left: QueryOperand, right: QueryOperand): Sum | NoValue {
  const [a, b] = [toSum(left, true), toSum(right, true)];
  if (a.kind !== 'sum' || b.kind !== 'sum') return makeNothing([a, b]);
  return addAll([
    { sign: '+', of: a },
    { sign: '-', of: b },
  ]);
}

/** Returns a sum's terms that mention only one label, without the constant. */
export function partOfLabel(sum: Sum, label: number): Sum {
  const terms = sum.terms.filter((term) => labelsOf(term.of).every((other) => other === label));
  return { kind: 'sum', constant: 0, terms };
}

/** True if no term of a sum mentions several labels, so the sum can be split by label. */
export function isSeparable({ terms }: Sum): boolean {
  return terms.every(({ of }) => new Set(labelsOf(of)).size <= 1);
}

export function negate({ constant, terms }: Sum): Sum {
  return {
    kind: 'sum',
    constant: negateExact(constant),
    terms: terms.map((term) => ({ ...term, times: negateExact(term.times) })),
  };
}

/** Lists an operand's attributes. */
export function attributesOfOperand(
  operand: QueryOperand | Summand['of'],
): readonly LabelAttribute[] {
  switch (operand.kind) {
    case 'attribute':
      return [operand];
    case 'sum':
      return operand.terms.flatMap(({ of }) => attributesOfOperand(of));
    case 'product':
      return operand.factors.flatMap(({ of }) => attributesOfOperand(of));
    case 'absolute':
      return attributesOfOperand(operand.of);
    default:
      return [];
  }
}

/** Lists the labels mentioned by an operand. May contain duplicates. */
export function labelsOf(operand: QueryOperand | Summand['of']): readonly number[] {
  if (operand.kind === 'nothing') return operand.labels;
  if (operand.kind === 'event') return [operand.label];
  return attributesOfOperand(operand).map(({ label }) => label);
}

/** Lists a condition's leaves. */
export function leavesOfTest(test: Test): LeafTest[] {
  if (test.kind === 'not') return leavesOfTest(test.operand);
  if (test.kind === 'and' || test.kind === 'or') return test.operands.flatMap(leavesOfTest);
  return [test];
}

/** Returns a leaf's operands. */
export function operandsOfLeaf(leaf: LeafTest): readonly QueryOperand[] {
  return leaf.kind === 'comparison' ? [leaf.left, leaf.right] : [leaf.operand];
}

/** Lists the distinct labels mentioned by a condition, ascending. */
export function labelsOfTest(test: Test): number[] {
  const labelList = leavesOfTest(test).flatMap(operandsOfLeaf).flatMap(labelsOf);
  return [...new Set(labelList)].sort((a, b) => a - b);
}

/** True if a condition holds, given its leaves' truth values. */
export function isTestTrue(test: Test, isTrue: (leaf: LeafTest) => boolean): boolean {
  switch (test.kind) {
    case 'not':
      return !isTestTrue(test.operand, isTrue);
    case 'and':
      return test.operands.every((operand) => isTestTrue(operand, isTrue));
    case 'or':
      return test.operands.some((operand) => isTestTrue(operand, isTrue));
    default:
      return isTrue(test);
  }
}

function isExact(value: Constant['value']): value is ExactNumber {
  return typeof value !== 'string' && typeof value !== 'boolean';
}

/** True if a condition without labels holds. */
export function isConstantTestTrue(test: Test): boolean {
  return isTestTrue(test, constantLeaf);
}

function constantLeaf(leaf: LeafTest): boolean {
  if (leaf.kind === 'comparison') return compareConstants(leaf);
  const value = constantValue(leaf.operand);
  if (value === undefined) return false;
  switch (leaf.kind) {
    case 'exists':
      return true;
    case 'in':
      return keysOfMembers(leaf).has(keyOfValue(value));
    case 'glob':
      return typeof value === 'string' && globMatcher(leaf.pattern)(value);
  }
}

const members = new WeakMap<Membership, ReadonlySet<unknown>>();

/** Returns the keys of the values in IN, as returned by `keyOfValue`. */
export function keysOfMembers(membership: Membership): ReadonlySet<unknown> {
  const memberSet = members.get(membership) ?? new Set(membership.values.map(keyOfValue));
  members.set(membership, memberSet);
  return memberSet;
}

/** Returns a key that is the same only for equal values. */
export function keyOfValue(value: Constant['value']): unknown {
  if (typeof value === 'string') return `'${value}`;
  return typeof value === 'boolean' ? value : keyOfExact(value);
}

function compareConstants({ left, comparator, right }: QueryComparison): boolean {
  const [a, b] = [constantValue(left), constantValue(right)];
  if (a === undefined || b === undefined) return false;
  return termsHold(valueOfConstant(a), comparator, valueOfConstant(b));
}

/** Returns the value of an operand without labels, or undefined if it has no value. */
export function constantValue(operand: QueryOperand): Constant['value'] | undefined {
  if (operand.kind === 'constant') return operand.value;
  return operand.kind === 'sum' ? operand.constant : undefined;
}
