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
import type { LabelAttribute } from '../query/query.js';
import type { ComparedKind, ValueCounts } from '../select/value-counts.js';
import type { UnmetOperand } from './result.js';
import type { MatchedBindings } from './source.js';
import { type Steps, settle } from './steps.js';

/**
 * Returns the unmet operands. An operand is unmet if no event that matches its label's pattern has the attribute with a
 * value whose kind could make the comparison true. Reports an operand only if it leaves a FILTER conjunct, a `share`
 * condition, a measure or a BY key without values to compare.
 *
 * @param expected attributes that passing sessions may lack
 */
export function* findUnmetOperands(
  expression: Expression,
  matches: MatchedBindings,
  expected: readonly string[] = [],
): Steps<readonly UnmetOperand[]> {
  const operands = findOperands(expression, expected);
  const values = new Map<string, ValueCounts>();
  for (const [at, { label }] of matches.labels.entries()) {
    const labelOperands = [...operands.values()].filter((operand) => operand.label === label);
    if (labelOperands.length === 0) continue;
    const attributes = labelOperands.map(
      ({ name, attribute: { probe } }): LabelAttribute => ({
        ...{ kind: 'attribute', label: 0, name },
        ...(probe && { at: probe.text }),
      }),
    );
    const counts = yield* settle(matches.valueCounts(at, attributes));
    for (const [position, { text }] of labelOperands.entries())
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

function judge({ filter, aggregate }: Expression, lookup: Lookup): UnmetOperand[] {
  const unmetOperands = [
    ...(filter ? conjunctsOf(filter.condition) : []).flatMap((conjunct) =>
      unmetInCondition(conjunct, lookup),
    ),
    ...(aggregate?.measures ?? []).flatMap((measure) => unmetInRequirement(measure, lookup)),
    ...(aggregate?.by?.having ? unmetInRequirement(aggregate.by.having, lookup) : []),
    ...(aggregate?.by?.keys ?? []).flatMap((key) => unmetDemands(demandsOfKey(key), lookup)),
  ];
  return [
    ...new Map(
      unmetOperands.map((operand) => [`${operand.operand} ${operand.help}`, operand]),
    ).values(),
  ];
}

/** An attribute of a label's event in FILTER or AGGREGATE. */
interface LabelledOperand {
  readonly attribute: Attribute;
  /** The operand, as printed. */
  readonly text: string;
  readonly label: string;
  /** The attribute's name, without the label. */
  readonly name: string;
}

type Operands = ReadonlyMap<string, LabelledOperand>;

/** Lists the operands that may be unmet, by text. Excludes expected attributes, and attributes tested by `exists`. */
function findOperands(expression: Expression, expected: readonly string[]): Operands {
  const { match, filter, aggregate } = expression;
  const bound = new Set(match.patterns.map(({ label }) => label.text));
  const exemptLabels = new Set<string>();
  for (const { label, condition } of match.patterns) {
    visit(condition, {
      exists: ({ attribute }) => exemptLabels.add(dotted([label, ...attribute.path])),
    });
  }
  const labelledOperands = new Map<string, LabelledOperand>();
  const visitor = {
    exists({ attribute }: { readonly attribute: Attribute }) {
      exemptLabels.add(dotted(attribute.path));
      return false;
    },
    attribute(attribute: Attribute) {
      const [label, ...name] = attribute.path;
      if (label === undefined || name.length === 0 || isOfSession(attribute, bound)) return;
      const text = printOperand(attribute);
      labelledOperands.set(text, { attribute, text, label: label.text, name: dotted(name) });
    },
  };
  for (const clause of [filter, aggregate]) if (clause) visit(clause, visitor);
  for (const [text, { attribute, name }] of labelledOperands) {
    if (exemptLabels.has(dotted(attribute.path)) || expected.includes(name))
      labelledOperands.delete(text);
  }
  return labelledOperands;
}

/** An operand with the value counts of its label's events. */
type MetOperand = LabelledOperand & { readonly values: ValueCounts };

interface Lookup {
  /** Finds an operand; undefined if the label has no event, or if the attribute may be missing. */
  readonly find: (attribute: Attribute) => MetOperand | undefined;
  readonly isOfSession: (attribute: Attribute) => boolean;
}

const NO_OPERANDS: readonly UnmetOperand[] = [];
const NUMBER: ReadonlySet<ComparedKind> = new Set(['number']);

/** Returns a condition's unmet operands. An OR has unmet operands only if every alternative has some. */
function unmetInCondition(condition: Condition, lookup: Lookup): readonly UnmetOperand[] {
  switch (condition.kind) {
    case 'not':
      return unmetInCondition(condition.operand, lookup);
    case 'and':
      return condition.operands.flatMap((operand) => unmetInCondition(operand, lookup));
    case 'or':
      return unmetIfAll(condition.operands.map((operand) => unmetInCondition(operand, lookup)));
    case 'in': {
      const alternatives = condition.values.map((value) =>
        unmetDemands(demandsOfLeaf({ ...condition, values: [value] }), lookup),
      );
      return unmetIfAll(alternatives).slice(0, alternatives[0]?.length);
    }
    case 'comparison': {
      const isOrder = /[<>]/.test(condition.comparator);
      return demandsOfLeaf(condition).flatMap((demand) => unmetDemand(demand, lookup, isOrder));
    }
    default:
      return unmetDemands(demandsOfLeaf(condition), lookup);
  }
}

function unmetIfAll(alternatives: readonly (readonly UnmetOperand[])[]): readonly UnmetOperand[] {
  return alternatives.every((list) => list.length > 0) ? alternatives.flat() : NO_OPERANDS;
}

function unmetInRequirement(requirement: Requirement, lookup: Lookup): readonly UnmetOperand[] {
  if (requirement.kind === 'measure') return unmetInMeasure(requirement, lookup);
  const alternatives = requirement.operands.map((operand) => unmetInRequirement(operand, lookup));
  return requirement.kind === 'all' ? alternatives.flat() : unmetIfAll(alternatives);
}

function unmetInMeasure({ left, right }: Measure, lookup: Lookup): readonly UnmetOperand[] {
  return [left, right].flatMap(leavesOfTerm).flatMap((term) => {
    if (term.kind === 'call') return unmetDemands(demandsOfCall(term), lookup);
    return term.kind === 'share' ? unmetInCondition(term.condition, lookup) : NO_OPERANDS;
  });
}

function unmetDemands(demands: readonly Demand[], lookup: Lookup): readonly UnmetOperand[] {
  return demands.flatMap((demand) => unmetDemand(demand, lookup));
}

/** @param isOrder true if the comparison requires ordered values: numbers or strings */
function unmetDemand(
  { attribute, kinds, literal, other: otherAttribute }: Demand,
  lookup: Lookup,
  isOrder = false,
): readonly UnmetOperand[] {
  const metOperand = lookup.find(attribute);
  if (metOperand === undefined) return NO_OPERANDS;
  const metKinds = presentKinds(metOperand);
  if (metKinds.length === 0) return [unmetOperand(metOperand)];
  const neededKinds = otherAttribute && lookup.isOfSession(otherAttribute) ? NUMBER : kinds;
  if (neededKinds !== undefined) {
    if (metKinds.some((kind) => neededKinds.has(kind))) return NO_OPERANDS;
    return [unmetOperand(metOperand, literal && literalAdvice(metKinds, literal))];
  }
  const otherOperand = otherAttribute && lookup.find(otherAttribute);
  if (otherOperand === undefined) return NO_OPERANDS;
  const theirs = presentKinds(otherOperand);
  const isMet = (kind: ComparedKind) =>
    theirs.includes(kind) && (!isOrder || kind === 'number' || kind === 'string');
  if (theirs.length === 0 || metKinds.some(isMet)) return NO_OPERANDS;
  return [unmetOperand(metOperand, `${otherOperand.text} is ${kindsText(theirs)}`)];
}

function presentKinds({ values }: MetOperand): ComparedKind[] {
  return Object.keys(values.kinds) as ComparedKind[];
}

function unmetOperand({ label, text, values }: MetOperand, help?: string): UnmetOperand {
  return { label, operand: text, ...values, ...(help !== undefined && { help }) };
}

/** Suggests comparing with the literal converted to another kind. Tries the given kinds in order. */
function literalAdvice(kinds: readonly ComparedKind[], literal: Literal): string | undefined {
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
  other: 'of an unordered type',
};

/** Formats kinds as a phrase, such as `text or a number`. */
export function kindsText(kinds: readonly ComparedKind[]): string {
  return kinds.map((kind) => KIND_TEXTS[kind]).join(' or ');
}
