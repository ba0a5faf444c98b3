import type {
  Attribute,
  Comparator,
  Condition,
  Expression,
  Key,
  Operand,
  Requirement,
  Term,
} from '../../src/expression/index.js';
import { isNum, type Scalar, scalarOf } from './values.js';

/* Whether an operand of an expression met nothing, by the values that the events of its label have. */

/** The events of a label, each as a function from the name of an attribute to its value. */
export type ValuesOf = (attribute: string, probe: string | undefined) => readonly Scalar[];

export interface LabelValues {
  readonly label: string;
  /** Whether its pattern matches any event. */
  readonly isMatched: boolean;
  readonly valuesOf: ValuesOf;
}

/** Whether a part of FILTER or AGGREGATE has an operand that met nothing. */
export function hasMetNothing(expression: Expression, labels: readonly LabelValues[]): boolean {
  const { match, filter, aggregate } = expression;
  const asked = new Set(
    match.patterns.flatMap(({ label, condition }) =>
      existing(condition).map((name) => `${label.text}.${name}`),
    ),
  );
  const having = aggregate?.by?.having;
  const required = [...(aggregate?.measures ?? []), ...(having ? [having] : [])];
  const terms = required.flatMap(termsOf);
  const conditions = [...(filter ? [filter.condition] : []), ...terms.flatMap(sharesOf)];
  for (const name of conditions.flatMap(existing)) asked.add(name);
  const lookup = (attribute: Attribute): readonly Scalar[] | undefined => {
    const path = attribute.path.map(({ text }) => text);
    const of = labels.find(({ label }) => label === path[0]);
    if (path.length < 2 || !of?.isMatched || asked.has(path.join('.'))) return undefined;
    return of.valuesOf(path.slice(1).join('.'), attribute.probe?.text);
  };
  return (
    (filter ? [filter.condition] : []).some((one) => conditionMet(one, lookup)) ||
    required.some((one) => requirementMet(one, lookup)) ||
    (aggregate?.by?.keys ?? []).some((key) => keyMet(key, lookup))
  );
}

/** The values of an attribute; undefined where nothing follows from them. */
type Lookup = (attribute: Attribute) => readonly Scalar[] | undefined;

function existing(condition: Condition): string[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.operands.flatMap(existing);
    case 'not':
      return existing(condition.operand);
    case 'exists':
      return [condition.attribute.path.map(({ text }) => text).join('.')];
    default:
      return [];
  }
}

function termsOf(requirement: Requirement): Term[] {
  if (requirement.kind !== 'measure') return requirement.operands.flatMap(termsOf);
  return [requirement.left, requirement.right];
}

function requirementMet(requirement: Requirement, lookup: Lookup): boolean {
  switch (requirement.kind) {
    case 'measure':
      return termsOf(requirement).some((term) => termMet(term, lookup));
    case 'all':
      return requirement.operands.some((one) => requirementMet(one, lookup));
    case 'any':
      return requirement.operands.every((one) => requirementMet(one, lookup));
  }
}

function sharesOf(term: Term): Condition[] {
  if (term.kind === 'share') return [term.condition];
  if (term.kind === 'baseline') return sharesOf(term.term);
  if (term.kind !== 'sum' && term.kind !== 'product') return [];
  return [term.first, ...term.rest.map((step) => step.operand)].flatMap(sharesOf);
}

function conditionMet(condition: Condition, lookup: Lookup): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.operands.some((one) => conditionMet(one, lookup));
    case 'or':
      return condition.operands.every((one) => conditionMet(one, lookup));
    case 'not':
      return conditionMet(condition.operand, lookup);
    case 'comparison':
      return comparisonMet(condition, lookup);
    case 'in':
      return condition.values.every((value) =>
        comparisonMet({ left: condition.operand, comparator: '=', right: value }, lookup),
      );
    case 'glob':
      return comparisonMet(
        { left: condition.operand, comparator: '=', right: condition.pattern },
        lookup,
      );
    default:
      return false;
  }
}

function comparisonMet(
  { left, comparator, right }: { left: Operand; comparator: Comparator; right: Operand },
  lookup: Lookup,
): boolean {
  const [a, b] = [left, right].map((side) => kindsOn(side, lookup));
  if (a === 'nothing' || b === 'nothing') return true;
  if (a === undefined || b === undefined) return false;
  const common = [...a].filter((kind) => b.has(kind));
  const isOfLiterals = left.kind !== 'attribute' && right.kind !== 'attribute';
  const isOrder = comparator !== '=' && comparator !== '!=';
  const isPair = left.kind === 'attribute' && right.kind === 'attribute';
  const fits = (kind: string) => !isPair || !isOrder || kind === 'number' || kind === 'string';
  return !isOfLiterals && !common.some(fits);
}

/** The kinds that a side can have; undefined where nothing follows, `nothing` where it never has a value. */
function kindsOn(side: Operand, lookup: Lookup): ReadonlySet<string> | 'nothing' | undefined {
  if (side.kind === 'attribute') {
    const values = lookup(side);
    if (values === undefined) return isSession(side) ? new Set(['number']) : undefined;
    return values.length === 0 ? 'nothing' : new Set(values.map(kindOf));
  }
  if (calculationMet(side, lookup)) return 'nothing';
  if (side.kind === 'lower') return new Set(['string']);
  if ('value' in side) return new Set([kindOf(scalarOf(side.value) as Scalar)]);
  return new Set(['number']);
}

function isSession({ path }: Attribute): boolean {
  return path[0]?.text === 'session';
}

function kindOf(value: Scalar): string {
  if (isNum(value)) return 'number';
  return typeof value === 'object' ? 'other' : typeof value;
}

/** Whether an attribute of a calculation is never a number, or one in `lower` never a text. */
function calculationMet(operand: Operand, lookup: Lookup, isText = false): boolean {
  switch (operand.kind) {
    case 'attribute':
      return (
        lookup(operand)?.every((value) => (isText ? typeof value !== 'string' : !isNum(value))) ??
        false
      );
    case 'abs':
      return calculationMet(operand.operand, lookup, isText);
    case 'lower':
      return calculationMet(operand.operand, lookup, true);
    case 'sum':
    case 'product':
      return [operand.first, ...operand.rest.map((step) => step.operand)].some((one) =>
        calculationMet(one, lookup, isText),
      );
    default:
      return false;
  }
}

function termMet(term: Term, lookup: Lookup): boolean {
  switch (term.kind) {
    case 'share':
      return conditionMet(term.condition, lookup);
    case 'sum':
    case 'product':
      return [term.first, ...term.rest.map((step) => step.operand)].some((one) =>
        termMet(one, lookup),
      );
    case 'call': {
      const { argument } = term;
      if (argument === undefined) return false;
      if (term.name.text === 'distinct' && argument.kind === 'attribute') {
        return lookup(argument)?.length === 0;
      }
      return calculationMet(argument, lookup);
    }
    default:
      return false;
  }
}

function keyMet(key: Key, lookup: Lookup): boolean {
  if (key.kind === 'attribute') return lookup(key)?.length === 0;
  return key.kind === 'window' && (lookup(key.time)?.every((value) => !isNum(value)) ?? false);
}
