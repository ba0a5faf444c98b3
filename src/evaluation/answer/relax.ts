import {
  type Attribute,
  attributesIn,
  attributesOf,
  type Comparator,
  type Comparison,
  type Condition,
  conjunctsOf,
  dotted,
  type Expression,
  equalitiesOfNext,
  type Literal,
  labelsOfCondition,
  leavesOf,
  MIRRORED_COMPARATORS,
  meaningOf,
  type Name,
  type Operand,
  type Pattern,
  printCondition,
  printOperand,
  type RelationNode,
} from '../../expression/index.js';
import type { Span } from '../../source/index.js';
import { timeBetween } from './evidence.js';

/** A conjunct of a pattern or of FILTER, a WITHIN, an arrow, `||`, or a pattern under NOT. */
export interface ExpressionPart {
  /** The part, as printed. */
  readonly text: string;
  /** The position in the expression's text. */
  readonly span: Span;
}

/** A binding's failure to satisfy a part. */
export type UnmetPart =
  /** A condition with labelled attributes. `label` is present if the condition mentions no other label. */
  | { readonly kind: 'condition'; readonly condition: Condition; readonly label?: string }
  /** A text that differs from the text that the pattern requires. */
  | {
      readonly kind: 'text';
      readonly attribute: string;
      readonly wanted: string;
      readonly actual: string;
    }
  | { readonly kind: 'late'; readonly from: string; readonly to: string; readonly limit: Literal }
  /** A wrong order: reversed, missing, or present between events that must be unordered. */
  | {
      readonly kind: 'before' | 'unordered' | 'ordered';
      readonly from: string;
      readonly to: string;
    }
  | { readonly kind: 'present'; readonly label: string };

/** An expression whose bindings fail one part of another expression and satisfy all its other parts. */
export interface Relaxation {
  readonly part: ExpressionPart;
  readonly failure: UnmetPart;
  /** The relaxed expression, without AGGREGATE. */
  readonly expression: Expression;
  /** The operand whose smallest or largest value identifies the nearest binding. */
  readonly nearest?: NearestValue;
}

export interface NearestValue {
  readonly end: 'min' | 'max';
  readonly operand: Operand;
  /** The comparison that the value fails, if the other side is a literal. */
  readonly limit?: Limit;
}

interface Limit {
  readonly comparator: Comparator;
  readonly literal: Literal;
}

/** A relaxable part of an expression. */
export interface RelaxablePart {
  /** A text that the part requires. The most similar recorded text is tried before the alternatives. */
  readonly required?: {
    /** The attribute's name, without a label. */
    readonly attribute: string;
    readonly text: string;
    readonly with: (replacement: string) => Relaxation;
  };
  /** Ways to fail the part, nearest first. The first alternative with a binding is used. */
  readonly alternatives: readonly Relaxation[];
}

/** Options for choosing the parts to relax. */
export interface RelaxationOptions {
  /** The label with fixed events, which satisfy all conditions on this label alone. */
  readonly given?: string;
  /** Restricts the parts to those that mention one of these labels. */
  readonly only?: ReadonlySet<string>;
  /** True after a pass. Relations and key equalities are then not relaxed. */
  readonly isPass: boolean;
}

const span: Span = { start: 0, end: 0 };

/** An expression's clauses, with each arrow as a separate relation and each WITHIN as a condition on two times. */
interface Clauses {
  readonly patterns: readonly Pattern[];
  readonly relations: readonly RelationNode[];
  readonly conditions: readonly Conjunct[];
}

/** A conjunct of FILTER, or a WITHIN. */
interface Conjunct {
  readonly condition: Condition;
  readonly within?: { readonly from: string; readonly to: string; readonly limit: Literal };
}

/** Yields an expression's relaxable parts. Always keeps NEXT, and `!=` between labels. */
export function* relaxableParts(
  expression: Expression,
  about: RelaxationOptions,
): Generator<RelaxablePart> {
  const clauses = splitClauses(expression);
  const absent = new Set(patternLabels(clauses.patterns.filter((pattern) => pattern.absent)));
  const isOurs = (labels: readonly string[]) =>
    !labels.some((label) => absent.has(label)) &&
    labels.some((label) => label !== about.given && (about.only?.has(label) ?? true));
  const context: Context = { expression, clauses, about, isOurs };
  if (!about.isPass && about.only === undefined) yield* forbiddenParts(context);
  if (!about.isPass) yield* relationParts(context);
  for (const [at, pattern] of clauses.patterns.entries()) {
    if (isOurs([pattern.label.text])) yield* patternParts(context, pattern, at);
  }
  // Last, because a binding with a different key is usually unrelated.
  yield* conditionParts(context);
}

interface Context {
  readonly expression: Expression;
  readonly clauses: Clauses;
  readonly about: RelaxationOptions;
  readonly isOurs: (labels: readonly string[]) => boolean;
}

function splitClauses({ match, when, filter }: Expression): Clauses {
  const relations: RelationNode[] = [];
  const conditions: Conjunct[] = (filter ? conjunctsOf(filter.condition) : []).map((condition) => ({
    condition,
  }));
  for (const relation of when?.relations ?? []) {
    if (relation.kind !== 'chain') {
      relations.push(relation);
      continue;
    }
    const { labels, arrows, within } = relation;
    for (const [at, arrow] of arrows.entries()) {
      const ends = labels.slice(at, at + 2);
      relations.push({ kind: 'chain', span: arrow.span, labels: ends, arrows: [arrow] });
    }
    const [from, to] = [labels[0] as Name, labels.at(-1) as Name];
    if (within === undefined || from.text === to.text) continue;
    conditions.push({
      condition: makeComparison(timeBetween(from, to), '<=', within),
      within: { from: from.text, to: to.text, limit: within },
    });
  }
  return { patterns: match.patterns, relations, conditions };
}

function joinClauses({ patterns, relations, conditions }: Clauses): Expression {
  const operands = conditions.map((condition) => condition.condition);
  const condition: Condition = { kind: 'and', span, operands };
  return {
    ...{ kind: 'expression', span, match: { kind: 'match', span, patterns } },
    ...(relations.length > 0 && { when: { kind: 'when', span, relations } }),
    ...(conditions.length > 0 && { filter: { kind: 'filter', span, condition } }),
  };
}

/** Yields a part for each absence, with its labels bound to the forbidden events. */
function* forbiddenParts({ expression, clauses }: Context): Generator<RelaxablePart> {
  for (const { labels } of meaningOf(expression).absences) {
    const first = clauses.patterns.find(({ label }) => labels.includes(label.text));
    const { label, condition, span } = first as Pattern;
    const relaxation: Relaxation = {
      part: { text: `NOT (${printCondition(condition)}) AS ${label.text}`, span },
      failure: { kind: 'present', label: label.text },
      expression: joinClauses({ ...clauses, patterns: bindAbsentLabels(clauses.patterns, labels) }),
    };
    yield { alternatives: [relaxation] };
  }
}

/** Removes NOT from the patterns of the given labels. */
export function bindAbsentLabels(
  patterns: readonly Pattern[],
  labels: readonly string[],
): Pattern[] {
  return patterns.map(({ absent, ...pattern }) => ({
    ...pattern,
    ...(absent && !labels.includes(pattern.label.text) && { absent }),
  }));
}

function* patternParts(context: Context, pattern: Pattern, at: number): Generator<RelaxablePart> {
  const { clauses } = context;
  const conjuncts = conjunctsOf(pattern.condition).flatMap(apartConditions);
  const label = pattern.label.text;
  const relations = [...clauses.relations, ...unlikeOtherLabels(context, label)];
  for (const [position, conjunct] of conjuncts.entries()) {
    const part = { text: printCondition(conjunct), span: conjunct.span };
    const replaceConjunct = (replacement: Condition): Expression => {
      const condition: Condition = {
        kind: 'and',
        span,
        operands: conjuncts.with(position, replacement),
      };
      const patterns = clauses.patterns.with(at, { ...pattern, condition });
      return joinClauses({ ...clauses, patterns, relations });
    };
    const condition = withLabel(conjunct, pattern.label);
    const failure: UnmetPart = { kind: 'condition', label, condition };
    const nearestValue = nearestExtreme(condition);
    const relaxation = {
      part,
      failure,
      expression: replaceConjunct(not(conjunct)),
      ...(nearestValue && { nearest: nearestValue }),
    };
    const alternatives = isOfName(conjunct) && !isKeyed(context, label) ? [] : [relaxation];
    const required = requiredText(conjunct);
    if (required === undefined) {
      yield { alternatives };
      continue;
    }
    const { attribute, literal, comparison } = required;
    const wanted = literal.value;
    const asksFor = (actual: string): Relaxation => ({
      part,
      failure: { kind: 'text', attribute, wanted, actual },
      expression: replaceConjunct({ ...comparison, right: { ...literal, value: actual } }),
    });
    yield { required: { attribute, text: wanted, with: asksFor }, alternatives };
  }
}

function isOfName(condition: Condition): boolean {
  return leavesOf(condition)
    .flatMap(attributesOf)
    .every(({ path }) => dotted(path) === 'name');
}

/** True if a key in FILTER identifies the label's event. Otherwise an event of any name would count as near. */
function isKeyed({ clauses, about }: Context, label: string): boolean {
  const isKeyOf = ({ condition }: Conjunct) => isKey(condition) && keyLabels(condition).has(label);
  return !about.isPass && clauses.conditions.some(isKeyOf);
}

/** True for an equality between labels, such as `a.id = b.id`. */
function isKey(condition: Condition): condition is Comparison {
  return (
    condition.kind === 'comparison' && condition.comparator === '=' && keyLabels(condition).size > 1
  );
}

function keyLabels({ left, right }: Comparison): Set<string> {
  return new Set([left, right].flatMap(attributesIn).map(({ path }) => (path[0] as Name).text));
}

/**
 * Returns the relations that keep a relaxed pattern from matching another label's event. Adds a relation for each label
 * that shares a FILTER condition, but no relation, with the pattern's label.
 */
function unlikeOtherLabels({ clauses }: Context, label: string): RelationNode[] {
  const { patterns, conditions, relations } = clauses;
  const names = patterns.filter((pattern) => !pattern.absent).map((pattern) => pattern.label);
  const labelSet = new Set(names.map(({ text }) => text));
  const ownName = names.find(({ text }) => text === label) as Name;
  const isKeyOf = (labels: readonly string[], otherLabel: string) =>
    labels.includes(label) && labels.includes(otherLabel);
  return names.flatMap((otherLabel): RelationNode[] => {
    if (otherLabel.text === label) return [];
    if (relations.some((relation) => isKeyOf(labelTexts(relation), otherLabel.text))) return [];
    const isOfBoth = conditions.some(({ condition }) =>
      isKeyOf(labelsOfCondition(condition, labelSet), otherLabel.text),
    );
    return isOfBoth
      ? [{ kind: 'distinct', span, signSpan: span, labels: [ownName, otherLabel] }]
      : [];
  });
}

function* relationParts({ clauses, isOurs }: Context): Generator<RelaxablePart> {
  for (const [at, relation] of clauses.relations.entries()) {
    const [from, to] = relation.labels as [Name, Name];
    const [a, b] = labelTexts(relation) as [string, string];
    if (relation.kind === 'distinct' || a === b || !isOurs([a, b])) continue;
    const replaceRelation = (replacement: RelationNode, conditions: readonly Condition[] = []) =>
      joinClauses({
        ...clauses,
        relations: clauses.relations.with(at, replacement),
        conditions: [...clauses.conditions, ...conditions.map((condition) => ({ condition }))],
      });
    const arrow = (labels: readonly Name[]): RelationNode => {
      return { kind: 'chain', span, labels, arrows: [{ kind: 'arrow', span }] };
    };
    if (relation.kind !== 'chain') {
      const part = { text: `${a} || ${b}`, span: relation.signSpan };
      const alternatives = [
        [from, to],
        [to, from],
      ].map((labels): Relaxation => {
        const [earlier, laterLabel] = labels.map(({ text }) => text) as [string, string];
        const failure = { kind: 'ordered', from: earlier, to: laterLabel } as const;
        return { part, failure, expression: replaceRelation(arrow(labels)) };
      });
      yield { alternatives };
      continue;
    }
    const nextWord = relation.arrows[0]?.next ? 'NEXT ' : '';
    const part = { text: `${a} -> ${nextWord}${b}`, span: relation.span };
    const labels = [from, to];
    const unordered: RelationNode = { kind: 'concurrent', span, signSpan: span, labels };
    const within = clauses.conditions.find(
      (condition) => condition.within?.from === a && condition.within.to === b,
    )?.within;
    const [delay, lead] = [timeBetween(from, to), timeBetween(to, from)];
    const zero: Literal = { kind: 'duration', span, value: 0n };
    const delayCondition = makeComparison(delay, '>=', zero);
    const limitConditions = within === undefined ? [] : [makeComparison(lead, '<=', within.limit)];
    const failureOf = (kind: 'before' | 'unordered') => ({ kind, from: a, to: b });
    yield {
      alternatives: [
        // Finding the pair with the smallest delay would take much longer.
        {
          part,
          failure: failureOf('unordered'),
          expression: replaceRelation(unordered, [delayCondition]),
        },
        {
          ...{
            part,
            failure: failureOf('before'),
            expression: replaceRelation(arrow([to, from]), limitConditions),
          },
          nearest: { end: 'min', operand: lead },
        },
        // If both events have times, an unordered pair whose times are in the wrong order is not near.
        ...(within ? [] : attributesIn(delay)).map((time) => {
          return {
            part,
            failure: failureOf('unordered'),
            expression: replaceRelation(unordered, [missingCondition(time)]),
          };
        }),
      ],
    };
  }
}

function* conditionParts({
  expression,
  clauses,
  about,
  isOurs,
}: Context): Generator<RelaxablePart> {
  const labelSet = new Set(patternLabels(clauses.patterns));
  const nextConditions = nextEqualities(expression);
  for (const [at, { condition, within }] of clauses.conditions.entries()) {
    const labels = labelsOfCondition(condition, labelSet);
    const isKept = nextConditions.has(condition) || (about.isPass && isKey(condition));
    if (isKept || labels.length === 0 || !isOurs(labels)) continue;
    const replaceCondition = (replacement: Condition) =>
      joinClauses({
        ...clauses,
        conditions: clauses.conditions.with(at, { condition: replacement }),
      });
    const [label, otherLabel] = labels;
    const failure: UnmetPart = {
      ...{ kind: 'condition', condition },
      ...(otherLabel === undefined && label !== undefined && { label }),
    };
    const part =
      within === undefined
        ? { text: printCondition(condition), span: condition.span }
        : { text: `WITHIN ${printOperand(within.limit)}`, span: within.limit.span };
    const nearestValue = nearestExtreme(condition);
    const makeRelaxation = (replacement: Condition): Relaxation => ({
      ...{ part, failure, ...(nearestValue && { nearest: nearestValue }) },
      expression: replaceCondition(replacement),
    });
    if (condition.kind !== 'comparison' || otherLabel === undefined) {
      yield { alternatives: [makeRelaxation(not(condition))] };
      continue;
    }
    // Relaxes to the opposite comparison, because engines would have to enumerate the bindings of NOT.
    const { left, comparator, right } = condition;
    const oppositeRelaxation = makeRelaxation(makeComparison(left, OPPOSITE[comparator], right));
    const missingAttributes = [left, right]
      .flatMap(attributesIn)
      .map((attribute) => makeRelaxation(missingCondition(attribute)));
    const lateRelaxation: Relaxation = within
      ? { ...oppositeRelaxation, failure: { kind: 'late', ...within } }
      : oppositeRelaxation;
    yield { alternatives: [lateRelaxation, ...missingAttributes] };
  }
}

const OPPOSITE: Readonly<Record<Comparator, Comparator>> = {
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
  '=': '!=',
  '!=': '=',
};

/** Returns the equalities that NEXT depends on. Removing an equality would change the meaning of NEXT. */
function nextEqualities(expression: Expression): ReadonlySet<Condition> {
  const requiredLabels = new Set(
    (expression.when?.relations ?? []).flatMap((relation) =>
      relation.kind !== 'chain'
        ? []
        : relation.arrows.flatMap(({ next }, at) => {
            const [from = '', to = ''] = relation.labels.slice(at, at + 2).map(({ text }) => text);
            return next
              ? equalitiesOfNext(expression, from, to).flatMap((equality) => [
                  equality.of,
                  equality.with,
                ])
              : [];
          }),
    ),
  );
  const conditions = expression.filter ? conjunctsOf(expression.filter.condition) : [];
  return new Set(
    conditions.filter(
      (condition) =>
        condition.kind === 'comparison' && requiredLabels.has(condition.left as Attribute),
    ),
  );
}

function patternLabels(patterns: readonly Pattern[]): string[] {
  return patterns.map(({ label }) => label.text);
}

function labelTexts({ labels }: RelationNode): string[] {
  return labels.map(({ text }) => text);
}

function not(operand: Condition): Condition {
  return { kind: 'not', span, signSpan: span, operand };
}

function missingCondition(attribute: Attribute): Condition {
  return not({ kind: 'exists', span, attribute });
}

function makeComparison(left: Operand, comparator: Comparator, right: Operand): Comparison {
  return { kind: 'comparison', span, left, comparator, right };
}

/** Expands `event @ probe`. */
function apartConditions(condition: Condition): Condition[] {
  if (condition.kind !== 'located') return [condition];
  return (['event', 'probe'] as const).map((which) => {
    const { text, span } = condition[which];
    const path: Name[] = [{ kind: 'name', span, text: which === 'event' ? 'name' : 'probe' }];
    const right: Literal = { kind: 'string', span, value: text };
    return { ...makeComparison({ kind: 'attribute', span, path }, '=', right), span };
  });
}

/** Returns the parts of a condition `attribute = 'text'`; undefined for any other condition. */
function requiredText(condition: Condition) {
  if (condition.kind !== 'comparison' || condition.comparator !== '=') return undefined;
  const { left, right } = condition;
  if (left.kind !== 'attribute' || left.probe !== undefined || right.kind !== 'string') {
    return undefined;
  }
  const attribute = dotted(left.path);
  return { attribute, literal: right, comparison: condition };
}

/**
 * Returns the operand whose smallest or largest value is nearest to satisfying a failed comparison. Returns undefined
 * if the comparison is not an inequality of numbers.
 */
function nearestExtreme(condition: Condition): NearestValue | undefined {
  if (condition.kind !== 'comparison') return undefined;
  const { left, comparator, right } = condition;
  const literal = [left, right].find(isLiteral);
  if (literal === undefined) return extremeOfDifference(condition);
  const operand = literal === right ? left : right;
  const limit = {
    comparator: literal === right ? comparator : MIRRORED_COMPARATORS[comparator],
    literal,
  };
  if (literal.kind === 'string' || literal.kind === 'boolean') return undefined;
  switch (limit.comparator) {
    case '<':
    case '<=':
      return { end: 'min', operand, limit };
    case '>':
    case '>=':
      return { end: 'max', operand, limit };
    default:
      return undefined;
  }
}

function extremeOfDifference({ left, comparator, right }: Comparison): NearestValue | undefined {
  if (comparator === '=' || comparator === '!=') return undefined;
  const steps = [{ sign: '-' as const, signSpan: span, operand: right }];
  const end = comparator === '<' || comparator === '<=' ? 'min' : 'max';
  return { end, operand: { kind: 'sum', span, first: left, rest: steps } };
}

function isLiteral(operand: Operand): operand is Literal {
  return ['string', 'integer', 'float', 'boolean', 'duration'].includes(operand.kind);
}

/** Rewrites a pattern's condition as a FILTER condition. */
function withLabel(condition: Condition, label: Name): Condition {
  const attribute = (attribute: Attribute): Attribute => ({
    ...attribute,
    path: [label, ...attribute.path],
  });
  const inOperand = (operand: Operand): Operand => {
    switch (operand.kind) {
      case 'attribute':
        return attribute(operand);
      case 'abs':
      case 'lower':
        return { ...operand, operand: inOperand(operand.operand) };
      case 'sum':
      case 'product': {
        const steps = operand.rest.map((step) => ({ ...step, operand: inOperand(step.operand) }));
        return { ...operand, first: inOperand(operand.first), rest: steps };
      }
      default:
        return operand;
    }
  };
  const inCondition = (condition: Condition): Condition => {
    switch (condition.kind) {
      case 'and':
      case 'or':
        return { ...condition, operands: condition.operands.map(inCondition) };
      case 'not':
        return { ...condition, operand: inCondition(condition.operand) };
      case 'comparison':
        return { ...condition, left: inOperand(condition.left), right: inOperand(condition.right) };
      case 'in':
      case 'glob':
        return { ...condition, operand: inOperand(condition.operand) };
      case 'exists':
        return { ...condition, attribute: attribute(condition.attribute) };
      case 'located':
        return { kind: 'and', span, operands: apartConditions(condition).map(inCondition) };
    }
  };
  return inCondition(condition);
}
