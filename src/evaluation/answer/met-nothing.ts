import {
  type Attribute,
  type Condition,
  conjunctsOf,
  type Demand,
  demandsOfCall,
  demandsOfKey,
  demandsOfLeaf,
  dotted,
  type Expression,
  isOfSession,
  type Literal,
  leavesOfTerm,
  literalAs,
  type Measure,
  printOperand,
  type Requirement,
  visit,
} from '../../expression/index.js';
import type { AttributeOf } from '../query/query.js';
import type { ComparedKind, ValueCounts } from '../select/value-counts.js';
import type { MetNothing } from './result.js';
import type { Matched } from './source.js';
import { type Steps, settled } from './steps.js';

/**
 * Returns the operands that met nothing: no event that the label's pattern matches has the attribute with a kind
 * that could make the comparison true. Reports only those that leave a conjunct of FILTER, a `share` condition, a
 * measure or a key of BY nothing to compare.
 *
 * @param expected attributes that good sessions may lack
 */
export function* operandsThatMetNothing(
  expression: Expression,
  matched: Matched,
  expected: readonly string[] = [],
): Steps<readonly MetNothing[]> {
  const operands = operandsIn(expression, expected);
  const values = new Map<string, ValueCounts>();
  for (const [at, { label }] of matched.labels.entries()) {
    const ofLabel = [...operands.values()].filter((operand) => operand.label === label);
    if (ofLabel.length === 0) continue;
    const attributes = ofLabel.map(
      ({ name, attribute: { probe } }): AttributeOf => ({
        ...{ kind: 'attribute', label: 0, name },
        ...(probe && { at: probe.text }),
      }),
    );
    const counts = yield* settled(matched.valueCounts(at, attributes));
    for (const [position, { text }] of ofLabel.entries())
      values.set(text, counts[position] as ValueCounts);
  }
  const bound = new Set(expression.match.patterns.map(({ label }) => label.text));
  return judge(expression, {
    isOfSession: (attribute) => isOfSession(attribute, bound),
    find(attribute) {
      const operand = operands.get(printOperand(attribute));
      const counts = operand && values.get(operand.text);
      return operand && counts && counts.events > 0 ? { ...operand, values: counts } : undefined;
    },
  });
}

function judge({ filter, aggregate }: Expression, lookup: Lookup): MetNothing[] {
  const unmet = [
    ...(filter ? conjunctsOf(filter.condition) : []).flatMap((one) => inCondition(one, lookup)),
    ...(aggregate?.measures ?? []).flatMap((measure) => inRequirement(measure, lookup)),
    ...(aggregate?.by?.having ? inRequirement(aggregate.by.having, lookup) : []),
    ...(aggregate?.by?.keys ?? []).flatMap((key) => forAll(demandsOfKey(key), lookup)),
  ];
  return [
    ...new Map(unmet.map((operand) => [`${operand.operand} ${operand.help}`, operand])).values(),
  ];
}

/** An attribute of a label's event in FILTER or AGGREGATE. */
interface LabelledOperand {
  readonly attribute: Attribute;
  /** As printed. */
  readonly text: string;
  readonly label: string;
  /** Without the label. */
  readonly name: string;
}

type Operands = ReadonlyMap<string, LabelledOperand>;

/** Lists the operands that can meet nothing, by text, without those of `exists` and expected attributes. */
function operandsIn(expression: Expression, expected: readonly string[]): Operands {
  const { match, filter, aggregate } = expression;
  const bound = new Set(match.patterns.map(({ label }) => label.text));
  const exempt = new Set<string>();
  for (const { label, condition } of match.patterns) {
    visit(condition, {
      exists: ({ attribute }) => exempt.add(dotted([label, ...attribute.path])),
    });
  }
  const all = new Map<string, LabelledOperand>();
  const visitor = {
    exists({ attribute }: { readonly attribute: Attribute }) {
      exempt.add(dotted(attribute.path));
      return false;
    },
    attribute(attribute: Attribute) {
      const [label, ...name] = attribute.path;
      if (label === undefined || name.length === 0 || isOfSession(attribute, bound)) return;
      const text = printOperand(attribute);
      all.set(text, { attribute, text, label: label.text, name: dotted(name) });
    },
  };
  for (const clause of [filter, aggregate]) if (clause) visit(clause, visitor);
  for (const [text, { attribute, name }] of all) {
    if (exempt.has(dotted(attribute.path)) || expected.includes(name)) all.delete(text);
  }
  return all;
}

/** An operand, and the values that its label's events have. */
type Met = LabelledOperand & { readonly values: ValueCounts };

interface Lookup {
  /** Undefined where the label has no event, or the attribute is optional. */
  readonly find: (attribute: Attribute) => Met | undefined;
  readonly isOfSession: (attribute: Attribute) => boolean;
}

const NONE: readonly MetNothing[] = [];
const NUMBER: ReadonlySet<ComparedKind> = new Set(['number']);

/** Returns the operands that leave a condition nothing to compare: any of an AND, all of an OR. */
function inCondition(condition: Condition, lookup: Lookup): readonly MetNothing[] {
  switch (condition.kind) {
    case 'not':
      return inCondition(condition.operand, lookup);
    case 'and':
      return condition.operands.flatMap((operand) => inCondition(operand, lookup));
    case 'or':
      return ifAll(condition.operands.map((operand) => inCondition(operand, lookup)));
    case 'in': {
      const each = condition.values.map((value) =>
        forAll(demandsOfLeaf({ ...condition, values: [value] }), lookup),
      );
      return ifAll(each).slice(0, each[0]?.length);
    }
    case 'comparison': {
      const isOrder = /[<>]/.test(condition.comparator);
      return demandsOfLeaf(condition).flatMap((demand) => forDemand(demand, lookup, isOrder));
    }
    default:
      return forAll(demandsOfLeaf(condition), lookup);
  }
}

function ifAll(each: readonly (readonly MetNothing[])[]): readonly MetNothing[] {
  return each.every((one) => one.length > 0) ? each.flat() : NONE;
}

function inRequirement(requirement: Requirement, lookup: Lookup): readonly MetNothing[] {
  if (requirement.kind === 'measure') return inMeasure(requirement, lookup);
  const each = requirement.operands.map((operand) => inRequirement(operand, lookup));
  return requirement.kind === 'all' ? each.flat() : ifAll(each);
}

function inMeasure({ left, right }: Measure, lookup: Lookup): readonly MetNothing[] {
  return [left, right].flatMap(leavesOfTerm).flatMap((term) => {
    if (term.kind === 'call') return forAll(demandsOfCall(term), lookup);
    return term.kind === 'share' ? inCondition(term.condition, lookup) : NONE;
  });
}

function forAll(demands: readonly Demand[], lookup: Lookup): readonly MetNothing[] {
  return demands.flatMap((demand) => forDemand(demand, lookup));
}

/** @param isOrder true if the comparison needs an order, which not every kind has */
function forDemand(
  { attribute, kinds, literal, other }: Demand,
  lookup: Lookup,
  isOrder = false,
): readonly MetNothing[] {
  const met = lookup.find(attribute);
  if (met === undefined) return NONE;
  const metKinds = kindsOf(met);
  if (metKinds.length === 0) return [metNothing(met)];
  const needed = other && lookup.isOfSession(other) ? NUMBER : kinds;
  if (needed !== undefined) {
    if (metKinds.some((kind) => needed.has(kind))) return NONE;
    return [metNothing(met, literal && adviceOn(metKinds, literal))];
  }
  const opposite = other && lookup.find(other);
  if (opposite === undefined) return NONE;
  const theirs = kindsOf(opposite);
  const isMet = (kind: ComparedKind) =>
    theirs.includes(kind) && (!isOrder || kind === 'number' || kind === 'string');
  if (theirs.length === 0 || metKinds.some(isMet)) return NONE;
  return [metNothing(met, `${opposite.text} is ${kindsText(theirs)}`)];
}

function kindsOf({ values }: Met): ComparedKind[] {
  return Object.keys(values.kinds) as ComparedKind[];
}

function metNothing({ label, text, values }: Met, help?: string): MetNothing {
  return { label, operand: text, ...values, ...(help !== undefined && { help }) };
}

/** Suggests a literal for values of a kind. */
function adviceOn(kinds: readonly ComparedKind[], literal: Literal): string | undefined {
  for (const kind of kinds) {
    const text = kind === 'other' ? undefined : literalAs(literal, kind);
    if (text !== undefined) return `compare with ${text}`;
  }
  return undefined;
}

const KIND_TEXTS: Readonly<Record<ComparedKind, string>> = {
  number: 'a number',
  string: 'text',
  boolean: 'a boolean',
  other: 'of a kind without order',
};

/** Names kinds for people, such as `text or a number`. */
export function kindsText(kinds: readonly ComparedKind[]): string {
  return kinds.map((kind) => KIND_TEXTS[kind]).join(' or ');
}
