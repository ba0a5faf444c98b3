import type * as tree from '../../expression/index.js';
import {
  decimalOf,
  FUNCTIONS,
  hasDecimals,
  labelOfKey,
  printKey,
  printRequirement,
  printTerm,
  splitRequirements,
  type Units,
  unitsOf,
} from '../../expression/index.js';
import { extractComponent } from './component.js';
import { buildOperand, type LabelScope, labelsOf, makeConstant } from './operand.js';
import type {
  AggregateTerm,
  FilterParts,
  LabelAttribute,
  Query,
  QueryGroups,
  QueryKey,
  QueryMeasure,
  QueryRequirement,
  QueryTerm,
  ShareTerm,
} from './query.js';

const ALL_PERCENT = { n: 100n, d: 1n };

/**
 * Builds AGGREGATE's measures and groups.
 *
 * @param apart splits the condition of `share`
 * @param hasNone true if a label-free conjunct of FILTER is false
 */
export function buildAggregate(
  expression: tree.Expression,
  scope: LabelScope,
  apart: (condition: tree.Condition) => FilterParts,
  hasNone: boolean,
): Pick<Query, 'measures' | 'by'> {
  if (expression.aggregate === undefined) return {};
  const { measures, by } = expression.aggregate;
  const units = unitsOf(expression);
  return {
    measures: splitRequirements(measures).map(buildRequirement),
    ...(by !== undefined && {
      by: {
        ...buildGroups(by, scope),
        hasNone,
        ...(by.having && { having: buildRequirement(by.having) }),
      },
    }),
  };

  function buildRequirement(requirement: tree.Requirement): QueryRequirement {
    if (requirement.kind === 'measure')
      return buildMeasure(requirement, expression, scope, apart, units);
    return {
      kind: requirement.kind,
      operands: requirement.operands.map(buildRequirement),
      text: printRequirement(requirement),
    };
  }
}

function buildMeasure(
  measure: tree.Measure,
  expression: tree.Expression,
  scope: LabelScope,
  apart: TermScope['apart'],
  units: Units,
): QueryMeasure {
  const { left, comparator, right } = measure;
  const hasWrittenDecimals = hasDecimals(measure);
  const term = (of: tree.Term) =>
    buildTerm(of, { expression, scope, apart, isWritten: hasWrittenDecimals });
  const unit = units.of(left) ?? units.of(right);
  return {
    ...{ kind: 'measure', left: term(left), comparator, right: term(right) },
    text: printRequirement(measure),
    ...(unit !== undefined && { unit }),
  };
}

interface TermScope {
  readonly expression: tree.Expression;
  readonly scope: LabelScope;
  readonly apart: (condition: tree.Condition) => FilterParts;
  /** True if numbers are exact decimals as written, false if they are the nearest doubles. */
  readonly isWritten: boolean;
}

function buildTerm(term: tree.Term, termScope: TermScope): QueryTerm {
  switch (term.kind) {
    case 'sum':
    case 'product': {
      const rest = term.rest.map(({ sign, operand }) => ({
        sign,
        term: buildTerm(operand, termScope),
      }));
      return { kind: 'arithmetic', first: buildTerm(term.first, termScope), rest };
    }
    case 'share':
      return { kind: 'share', condition: termScope.apart(term.condition), text: printTerm(term) };
    case 'baseline':
      return { kind: 'baseline', term: buildTerm(term.term, termScope), text: printTerm(term) };
    case 'call':
      return buildFunction(term, termScope);
    case 'float':
      if (termScope.isWritten) return { kind: 'constant', value: decimalOf(term) };
      return makeConstant(term);
    case 'attribute': {
      const time = termScope.scope.attribute(term);
      if (time.kind === 'attribute') throw new RangeError('an attribute is outside a function');
      return time.kind === 'constant' ? time : { kind: 'nothing' };
    }
    default:
      return makeConstant(term);
  }
}

function buildFunction(term: tree.Call, { expression, scope }: TermScope): QueryTerm {
  const name = term.name.text;
  const definition = FUNCTIONS.get(name);
  if (definition === undefined) throw new RangeError(`unknown function ${name}`);
  if (term.label !== undefined) return buildCount(term, term.label, expression, scope);
  if (definition.argument === 'label') return { kind: 'count' };
  if (term.argument === undefined) throw new RangeError(`${name} needs an argument`);
  if (definition.percent && term.percent === undefined) {
    throw new RangeError(`${name} needs a percentage`);
  }
  const argument = buildOperand(term.argument, scope);
  return {
    kind: 'aggregate',
    function: definition,
    argument,
    labels: [...new Set(labelsOf(argument))].sort((a, b) => a - b),
    ...(term.percent !== undefined && { percent: decimalOf(term.percent) }),
    text: printTerm(term),
  };
}

/** Builds `count(label)`: the number of distinct events of a label in the bindings of its component. */
function buildCount(
  term: tree.Call,
  name: tree.Name,
  expression: tree.Expression,
  scope: LabelScope,
): AggregateTerm {
  const { label } = attributeIn(pathTo(name), scope);
  const component = extractComponent(expression, name.text, term);
  return {
    kind: 'aggregate',
    function: FUNCTIONS.get('distinct') as tree.AggregateFunction,
    argument: { kind: 'event', label },
    labels: [label],
    ...(component !== undefined && { component }),
    text: printTerm(term),
  };
}

function buildGroups(
  { keys, percent }: tree.By,
  scope: LabelScope,
): Omit<QueryGroups, 'hasNone' | 'having'> {
  const ofLabel = (key: tree.Key) => attributeIn(pathTo(labelOfKey(key)), scope);
  const [label, ...otherLabels] = new Set(keys.map((key) => ofLabel(key).label));
  if (label === undefined || otherLabels.length > 0) throw new RangeError('keys of several labels');
  return {
    label,
    keys: keys.map((key) => buildKey(key, scope)),
    percent: percent === undefined ? ALL_PERCENT : decimalOf(percent),
  };
}

function attributeIn(attribute: tree.Attribute, scope: LabelScope): LabelAttribute {
  const result = scope.attribute(attribute);
  if (result.kind !== 'attribute') throw new RangeError('a key of BY is of no label');
  return result;
}

/** Wraps a label in an attribute, which the scope resolves to the label's number. */
function pathTo(label: tree.Name): tree.Attribute {
  return { kind: 'attribute', span: label.span, path: [label] };
}

function buildKey(key: tree.Key, scope: LabelScope): QueryKey {
  const text = printKey(key);
  switch (key.kind) {
    case 'name':
      return { kind: 'event', text };
    case 'attribute':
      return { kind: 'value', attribute: attributeIn(key, scope), text };
    case 'window':
      return { kind: 'window', time: attributeIn(key.time, scope), size: key.size.value, text };
  }
}

/** Lists a requirement's measures. */
export function queryMeasures(requirement: QueryRequirement): readonly QueryMeasure[] {
  if (requirement.kind === 'measure') return [requirement];
  return requirement.operands.flatMap(queryMeasures);
}

/** Lists both sides of every measure, including the measures of HAVING. */
export function sidesOf({ measures = [], by }: Pick<Query, 'measures' | 'by'>): QueryTerm[] {
  const measureList = by?.having === undefined ? measures : [...measures, by.having];
  return measureList.flatMap(queryMeasures).flatMap(({ left, right }) => [left, right]);
}

/** Lists the operands of a term's arithmetic. Does not descend into the argument of `baseline`. */
export function partsOfTerm(term: QueryTerm): QueryTerm[] {
  if (term.kind !== 'arithmetic') return [term];
  return [term.first, ...term.rest.map((step) => step.term)].flatMap(partsOfTerm);
}

/** Lists the aggregates over the query's own bindings. Excludes the arguments of `baseline`. */
export function aggregatesOf(query: Pick<Query, 'measures' | 'by'>): (AggregateTerm | ShareTerm)[] {
  return sidesOf(query)
    .flatMap(partsOfTerm)
    .filter((term) => term.kind === 'aggregate' || term.kind === 'share')
    .filter((term) => term.kind === 'share' || term.component === undefined);
}

/** Lists the labels mentioned by a condition, ascending. */
export function labelsOfFilter({ filters, joins, others }: FilterParts): number[] {
  const labels = new Set<number>();
  filters.forEach((tests, label) => {
    if (tests.length > 0) labels.add(label);
  });
  for (const { u, v } of joins) labels.add(u).add(v);
  for (const otherConjunct of others) for (const label of otherConjunct.labels) labels.add(label);
  return [...labels].sort((a, b) => a - b);
}

/** Adds a condition on the bindings to a query. */
export function addCondition<Q extends FilterParts>(query: Q, additions: FilterParts): Q {
  return {
    ...query,
    neverHolds: query.neverHolds || additions.neverHolds,
    filters: query.filters.map((tests, label) => [...tests, ...(additions.filters[label] ?? [])]),
    joins: [...query.joins, ...additions.joins],
    others: [...query.others, ...additions.others],
  };
}

/** Returns a key that is the same for equal terms. */
export function keyOfTerm(term: QueryTerm): string {
  return JSON.stringify(term, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
}
