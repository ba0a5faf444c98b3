import { editDistance, findNearestWord, isSwapped } from '../../diagnostics/index.js';
import {
  type Call,
  type Expression,
  meaningOf,
  measuresIn,
  type Operand,
} from '../../expression/index.js';
import { marginOf, type TermValue, valueOfConstant } from '../exact/term-value.js';
import { makeConstant } from '../query/operand.js';
import type { QueryMeasure } from '../query/query.js';
import { anyValueOf, excessSign, termLeaves } from './explain.js';
import type { AggregateOutcome } from './judge.js';
import { MeasuredTerms } from './measured-terms.js';
import { nearMissText } from './near-miss-text.js';
import { type OpenQuery, openQuery } from './open.js';
import type { EvaluateOptions } from './options.js';
import { bindAbsentLabels, type RelaxablePart, type Relaxation, relaxableParts } from './relax.js';
import { type Evaluation, type Evidence, listMeasures, type MeasureResult } from './result.js';
import type { CountedBindings, FoundEvidence, Narrowing } from './source.js';
import { attempt, type Steps, settle } from './steps.js';

/** Maximum number of near misses to report, nearest first. */
const MAX_SHOWN = 3;
/** Maximum numbers of relaxed parts and of labels. Each part takes about as long as the evaluation. */
const MAX_PARTS = 24;
const MAX_LABELS = 24;

/** The properties of a result that determine the near misses to search for. */
interface Result {
  readonly counted: CountedBindings | undefined;
  readonly outcome: AggregateOutcome;
  readonly verdict: Pick<Evaluation, 'status'>;
}

/**
 * Searches for near misses: bindings that fail one part of the expression and satisfy all others. Returns the nearest
 * first. Searches after an unexpected result with too few bindings, or with too many bindings because events that would
 * forbid them are missing. Also searches after a pass without bindings, if requested.
 *
 * @param evidence the evidence so far
 */
export function* nearMisses(
  openQuery: OpenQuery,
  result: Result,
  options: Pick<EvaluateOptions, 'expects' | 'nearMisses'>,
  evidence: readonly FoundEvidence[],
): Steps<Evidence[]> {
  const candidates: NearCandidate[] = [];
  for (const question of makeQuestions(openQuery, result, options, evidence)) {
    let triedCount = 0;
    for (const part of relaxableParts(question.expression, question)) {
      if (triedCount++ === MAX_PARTS) break;
      const nearestValues = yield* attempt(() => findNearest(openQuery, part, question));
      // After a pass, every unwanted binding differs in some way, so only a small difference is informative.
      if (nearestValues && !(question.isPass && nearestValues.distance === 1))
        candidates.push(nearestValues);
    }
  }
  candidates.sort((a, b) => a.distance - b.distance);
  const shownMisses = candidates.slice(0, MAX_SHOWN);
  const { source, expression, times } = openQuery;
  const bindings = shownMisses.map(({ events }): FoundEvidence => ({ why: 'near', events }));
  const descriptions = yield* settle(source.describe(expression, times, bindings));
  return descriptions.map((evidence, at) => {
    const { relaxation, count, distance, value } = shownMisses[at] as NearCandidate;
    const { text: part, span } = relaxation.part;
    const text = nearMissText(relaxation, evidence, count, value);
    return { ...evidence, near: { text, part, span, distance, count: String(count) } };
  });
}

/** An expression to relax, and the labels whose parts may be relaxed. */
interface NearQuestion {
  readonly expression: Expression;
  readonly narrowing?: Narrowing;
  readonly given?: string;
  readonly only?: ReadonlySet<string>;
  readonly isPass: boolean;
}

function makeQuestions(
  openQuery: OpenQuery,
  { counted, outcome, verdict: { status } }: Result,
  { expects, nearMisses }: Pick<EvaluateOptions, 'expects' | 'nearMisses'>,
  evidence: readonly FoundEvidence[],
): NearQuestion[] {
  const { expression, query, matches } = openQuery;
  if (status === 'undecided' || expression.match.patterns.length > MAX_LABELS) return [];
  const holds = status === 'holds';
  if (status === (expects ?? 'holds')) {
    if (nearMisses !== 'always' || matches.groups !== undefined || counted === undefined) return [];
    if (!counted.isAny) return [{ expression, isPass: true }];
    return query.labels.length === 0 ? presentQuestions(expression, evidence, true) : [];
  }
  const [group] = outcome.worst ?? [];
  const measures = outcome.groups?.worst[0]?.measures ?? outcome.measures;
  switch (absenceQuestions(expression, measures, holds)) {
    case 'bindings': {
      // The forbidden events already explain the failure.
      if (evidence.some(({ why }) => why === 'forbidden')) return [];
      if (group !== undefined && matches.groups !== undefined) {
        const given = query.labels[matches.groups.label] as string;
        return [{ expression, narrowing: { group }, given, isPass: false }];
      }
      const missingEvidence = evidence.find(({ why }) => why === 'missing');
      return [
        {
          expression,
          ...(counted?.isAny && missingEvidence && narrowToBinding(missingEvidence)),
          isPass: false,
        },
      ];
    }
    case 'forbidden':
      return presentQuestions(expression, evidence, false);
    default:
      return [];
  }
}

function narrowToBinding({ events }: FoundEvidence): Pick<NearQuestion, 'narrowing' | 'given'> {
  const [[label, event] = ['', 0]] = events;
  return { narrowing: { label, event }, given: label };
}

/**
 * Returns a question for each absence, with its labels bound. Fixes the event of a label that the absence refers to, if
 * the evidence's first binding contains such an event.
 */
function presentQuestions(
  expression: Expression,
  evidence: readonly FoundEvidence[],
  isPass: boolean,
): NearQuestion[] {
  const { match } = expression;
  return meaningOf(expression).absences.map(({ labels, parts }) => {
    const sharedLabel = parts
      .flatMap((part) => part.labels)
      .find((label) => !labels.includes(label));
    const event = evidence[0]?.events.get(sharedLabel ?? '');
    return {
      expression: {
        ...expression,
        match: { ...match, patterns: bindAbsentLabels(match.patterns, labels) },
      },
      ...(sharedLabel !== undefined &&
        event !== undefined && { narrowing: { label: sharedLabel, event }, given: sharedLabel }),
      only: new Set(labels),
      isPass,
    };
  });
}

/**
 * Returns the kind of near misses to search for: missing bindings, or missing events that would forbid bindings.
 * Returns undefined if neither would help.
 */
function absenceQuestions(
  { aggregate, match }: Expression,
  results: readonly MeasureResult[],
  holds: boolean,
): 'bindings' | 'forbidden' | undefined {
  const forbiddenWhy = match.patterns.some(({ absent }) => absent) ? 'forbidden' : undefined;
  if (aggregate === undefined) return holds ? forbiddenWhy : 'bindings';
  const measureResults = listMeasures(results);
  for (const [at, measure] of measuresIn(aggregate.measures).entries()) {
    const result = measureResults[at];
    if (result?.holds !== holds) continue;
    if (result.left === 'undefined' || result.right === 'undefined') return 'bindings';
    const excess = excessSign(measure, result) || (measure.comparator === '>=' ? 1 : -1);
    const counts = [
      ...termLeaves(measure.left, excess),
      ...termLeaves(measure.right, -excess),
    ].filter(({ leaf }) => leaf.kind === 'call' && /^(?:count|distinct)$/.test(leaf.name.text));
    const [firstCount] = counts;
    if (firstCount !== undefined) return firstCount.excess < 0 ? 'bindings' : forbiddenWhy;
  }
  return undefined;
}

/** A binding that fails one part. */
interface NearCandidate {
  readonly relaxation: Relaxation;
  readonly events: FoundEvidence['events'];
  readonly count: bigint;
  readonly distance: number;
  /** The value of the relaxation's nearest operand. */
  readonly value: TermValue | undefined;
}

/** Returns the binding nearest to satisfying a part; undefined if no binding fails this part alone. */
function* findNearest(
  openQuery: OpenQuery,
  { required: requiredPart, alternatives }: RelaxablePart,
  question: NearQuestion,
): Steps<NearCandidate | undefined> {
  if (requiredPart !== undefined) {
    const { text, attribute } = requiredPart;
    const texts = yield* settle(openQuery.source.textsOf(attribute));
    const similar = findSimilar(text, texts);
    const outcome =
      similar === undefined
        ? undefined
        : yield* search(openQuery, requiredPart.with(similar), question);
    if (outcome !== undefined) return outcome;
  }
  for (const alternative of alternatives) {
    const outcome = yield* search(openQuery, alternative, question);
    if (outcome !== undefined) return outcome;
  }
  return undefined;
}

/**
 * Returns a recorded text that is nearly identical to the given text. If the given text was recorded too, accepts only
 * a difference in letter case or two swapped neighbouring letters, because any other text then means something else.
 */
function findSimilar(text: string, recordedTexts: readonly string[]): string | undefined {
  const isSameText = (candidate: string) =>
    candidate.toLowerCase() === text.toLowerCase() || isSwapped(candidate, text);
  const otherTexts = recordedTexts.filter((candidate) => candidate !== text).toSorted();
  return findNearestWord(
    text,
    recordedTexts.includes(text) ? otherTexts.filter(isSameText) : otherTexts,
  );
}

function* search(
  { source, expression }: OpenQuery,
  relaxation: Relaxation,
  { narrowing }: NearQuestion,
): Steps<NearCandidate | undefined> {
  const { nearest } = relaxation;
  const grouping = narrowing !== undefined && 'group' in narrowing && expression.aggregate?.by;
  const { span } = relaxation.expression;
  const calls = [makeCall('count'), ...(nearest ? [makeCall(nearest.end, nearest.operand)] : [])];
  const measureExpression: Expression = {
    ...relaxation.expression,
    aggregate: {
      ...{ kind: 'aggregate', span, measures: calls.map(anyValueOf) },
      ...(grouping && { by: { kind: 'by', span: grouping.span, keys: grouping.keys } }),
    },
  };
  const { matches, query } = yield* openQuery(source, measureExpression, {}, true);
  const bindings = narrowing === undefined ? matches : yield* settle(matches.narrowed(narrowing));
  const terms = new MeasuredTerms(source, bindings);
  const values: (TermValue | undefined)[] = [];
  for (const { left } of (query.measures ?? []) as readonly QueryMeasure[]) {
    values.push((yield* terms.of(left))[0]);
  }
  const [count, value] = values;
  if (count?.is !== 'number' || count.value.n === 0n) return undefined;
  const [events] = yield* settle(bindings.evidence(1, terms.extremes[0]?.events));
  if (events === undefined) return undefined;
  return {
    relaxation,
    events,
    count: count.value.n,
    distance: distanceTo(relaxation, value),
    value,
  };
}

function makeCall(name: string, argument?: Operand): Call {
  const span = { start: 0, end: 0 };
  return {
    ...{ kind: 'call', span, name: { kind: 'name', span, text: name } },
    ...(argument && { argument }),
  };
}

/** Returns a binding's distance from satisfying a part, from 0 to 1; 1 for a part without degrees. */
function distanceTo({ failure, nearest }: Relaxation, value: TermValue | undefined): number {
  if (failure.kind === 'present') return 0;
  if (failure.kind === 'text') return slipShare(failure);
  const limit = nearest?.limit;
  if (value === undefined || limit === undefined) return 1;
  const margin = marginOf(
    value,
    limit.comparator,
    valueOfConstant(makeConstant(limit.literal).value),
  );
  return margin === undefined ? 1 : Math.min(1, Math.abs(margin));
}

/** Returns the edit distance of two texts, relative to the longer text's length. */
function slipShare({ wanted, actual }: Extract<Relaxation['failure'], { kind: 'text' }>): number {
  const slips = editDistance(wanted.toLowerCase(), actual.toLowerCase());
  return slips / Math.max(wanted.length, actual.length);
}
