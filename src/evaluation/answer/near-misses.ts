import { isSwapped, nearest, slipsBetween } from '../../diagnostics/index.js';
import {
  type Call,
  type Expression,
  meaningOf,
  measuresIn,
  type Operand,
} from '../../expression/index.js';
import { marginOf, type TermValue, valueOfConstant } from '../exact/term-value.js';
import { constantOf } from '../query/operand.js';
import type { QueryMeasure } from '../query/query.js';
import { anyOf, excessOf, termLeaves } from './explain.js';
import type { AggregateOutcome } from './judge.js';
import { MeasuredTerms } from './measured-terms.js';
import { nearMissText } from './near-miss-text.js';
import { type Opened, open } from './open.js';
import type { EvaluateOptions } from './options.js';
import { bound, type RelaxablePart, type Relaxed, relaxableParts } from './relax.js';
import { type Evaluation, type Evidence, eachMeasure, type MeasureResult } from './result.js';
import type { CountedBindings, FoundEvidence, Narrowing } from './source.js';
import { attempt, type Steps, settled } from './steps.js';

/** Maximum number of parts to report, the nearest first. */
const MOST_SHOWN = 3;
/** Maximum number of parts, and of labels: each part takes about as long as the evaluation. */
const MOST_PARTS = 24;
const MOST_LABELS = 24;

/** The parts of a result that decide which near misses to search for. */
interface Result {
  readonly counted: CountedBindings | undefined;
  readonly outcome: AggregateOutcome;
  readonly verdict: Pick<Evaluation, 'status'>;
}

/**
 * Searches for bindings that fail one part of the expression and satisfy all others, the nearest first: if there
 * are too few bindings, or too many for want of events that should forbid them; after a pass, if nothing matched.
 *
 * @param found the evidence so far
 */
export function* nearMisses(
  opened: Opened,
  result: Result,
  options: Pick<EvaluateOptions, 'expects' | 'nearMisses'>,
  found: readonly FoundEvidence[],
): Steps<Evidence[]> {
  const near: Near[] = [];
  for (const question of questionsOf(opened, result, options, found)) {
    let tried = 0;
    for (const part of relaxableParts(question.expression, question)) {
      if (tried++ === MOST_PARTS) break;
      const nearest = yield* attempt(() => nearestOf(opened, part, question));
      // In a pass, every unwanted binding differs somehow: only a small difference is informative.
      if (nearest && !(question.isPass && nearest.distance === 1)) near.push(nearest);
    }
  }
  near.sort((a, b) => a.distance - b.distance);
  const reported = near.slice(0, MOST_SHOWN);
  const { source, expression, times } = opened;
  const bindings = reported.map(({ events }): FoundEvidence => ({ why: 'near', events }));
  const described = yield* settled(source.describe(expression, times, bindings));
  return described.map((evidence, at) => {
    const { relaxed, count, distance, value } = reported[at] as Near;
    const { text: part, span } = relaxed.part;
    const text = nearMissText(relaxed, evidence, count, value);
    return { ...evidence, near: { text, part, span, distance, count: String(count) } };
  });
}

/** The expression to relax, and the labels to relax it for. */
interface NearQuestion {
  readonly expression: Expression;
  readonly narrowing?: Narrowing;
  readonly given?: string;
  readonly only?: ReadonlySet<string>;
  readonly isPass: boolean;
}

function questionsOf(
  opened: Opened,
  { counted, outcome, verdict: { status } }: Result,
  { expects, nearMisses }: Pick<EvaluateOptions, 'expects' | 'nearMisses'>,
  found: readonly FoundEvidence[],
): NearQuestion[] {
  const { expression, query, matched } = opened;
  if (status === 'undecided' || expression.match.patterns.length > MOST_LABELS) return [];
  const holds = status === 'holds';
  if (status === (expects ?? 'holds')) {
    if (nearMisses !== 'always' || matched.groups !== undefined || counted === undefined) return [];
    if (!counted.isAny) return [{ expression, isPass: true }];
    return query.labels.length === 0 ? present(expression, found, true) : [];
  }
  const [group] = outcome.worst ?? [];
  const measures = outcome.groups?.worst[0]?.measures ?? outcome.measures;
  switch (lacking(expression, measures, holds)) {
    case 'bindings': {
      // The forbidden events already explain the failure.
      if (found.some(({ why }) => why === 'forbidden')) return [];
      if (group !== undefined && matched.groups !== undefined) {
        const given = query.labels[matched.groups.label] as string;
        return [{ expression, narrowing: { group }, given, isPass: false }];
      }
      const missing = found.find(({ why }) => why === 'missing');
      return [{ expression, ...(counted?.isAny && missing && given(missing)), isPass: false }];
    }
    case 'forbidden':
      return present(expression, found, false);
    default:
      return [];
  }
}

function given({ events }: FoundEvidence): Pick<NearQuestion, 'narrowing' | 'given'> {
  const [[label, event] = ['', 0]] = events;
  return { narrowing: { label, event }, given: label };
}

/** Returns each absence as the pattern that it forbids, beside an event of a binding that has it. */
function present(
  expression: Expression,
  found: readonly FoundEvidence[],
  isPass: boolean,
): NearQuestion[] {
  const { match } = expression;
  return meaningOf(expression).absences.map(({ labels, parts }) => {
    const shared = parts.flatMap((part) => part.labels).find((label) => !labels.includes(label));
    const event = found[0]?.events.get(shared ?? '');
    return {
      expression: { ...expression, match: { ...match, patterns: bound(match.patterns, labels) } },
      ...(shared !== undefined &&
        event !== undefined && { narrowing: { label: shared, event }, given: shared }),
      only: new Set(labels),
      isPass,
    };
  });
}

/** Returns what is lacking: bindings, or events that forbid them; undefined if neither would help. */
function lacking(
  { aggregate, match }: Expression,
  results: readonly MeasureResult[],
  holds: boolean,
): 'bindings' | 'forbidden' | undefined {
  const forbidden = match.patterns.some(({ absent }) => absent) ? 'forbidden' : undefined;
  if (aggregate === undefined) return holds ? forbidden : 'bindings';
  const each = eachMeasure(results);
  for (const [at, measure] of measuresIn(aggregate.measures).entries()) {
    const result = each[at];
    if (result?.holds !== holds) continue;
    if (result.left === 'undefined' || result.right === 'undefined') return 'bindings';
    const excess = excessOf(measure, result) || (measure.comparator === '>=' ? 1 : -1);
    const counts = [
      ...termLeaves(measure.left, excess),
      ...termLeaves(measure.right, -excess),
    ].filter(({ leaf }) => leaf.kind === 'call' && /^(?:count|distinct)$/.test(leaf.name.text));
    const [first] = counts;
    if (first !== undefined) return first.excess < 0 ? 'bindings' : forbidden;
  }
  return undefined;
}

/** A binding that fails one part. */
interface Near {
  readonly relaxed: Relaxed;
  readonly events: FoundEvidence['events'];
  readonly count: bigint;
  readonly distance: number;
  /** The value of the nearest operand. */
  readonly value: TermValue | undefined;
}

/** Returns the binding that is nearest to satisfying a part; undefined if there is none. */
function* nearestOf(
  opened: Opened,
  { required, alternatives }: RelaxablePart,
  question: NearQuestion,
): Steps<Near | undefined> {
  if (required !== undefined) {
    const { text, attribute } = required;
    const texts = yield* settled(opened.source.textsOf(attribute));
    const similar = similarText(text, texts);
    const found =
      similar === undefined ? undefined : yield* search(opened, required.with(similar), question);
    if (found !== undefined) return found;
  }
  for (const alternative of alternatives) {
    const found = yield* search(opened, alternative, question);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns a recorded text that is nearly identical to the given one. Undefined if the given text was recorded too:
 * a different text then means something else.
 */
function similarText(text: string, recorded: readonly string[]): string | undefined {
  const isSame = (candidate: string) =>
    candidate.toLowerCase() === text.toLowerCase() || isSwapped(candidate, text);
  const others = recorded.filter((candidate) => candidate !== text).toSorted();
  return nearest(text, recorded.includes(text) ? others.filter(isSame) : others);
}

function* search(
  { source, expression }: Opened,
  relaxed: Relaxed,
  { narrowing }: NearQuestion,
): Steps<Near | undefined> {
  const { nearest } = relaxed;
  const by = narrowing !== undefined && 'group' in narrowing && expression.aggregate?.by;
  const { span } = relaxed.expression;
  const calls = [callOf('count'), ...(nearest ? [callOf(nearest.end, nearest.operand)] : [])];
  const measured: Expression = {
    ...relaxed.expression,
    aggregate: {
      ...{ kind: 'aggregate', span, measures: calls.map(anyOf) },
      ...(by && { by: { kind: 'by', span: by.span, keys: by.keys } }),
    },
  };
  const { matched, query } = yield* open(source, measured, {}, true);
  const bindings = narrowing === undefined ? matched : yield* settled(matched.narrowed(narrowing));
  const terms = new MeasuredTerms(source, bindings);
  const values: (TermValue | undefined)[] = [];
  for (const { left } of (query.measures ?? []) as readonly QueryMeasure[]) {
    values.push((yield* terms.of(left))[0]);
  }
  const [count, value] = values;
  if (count?.is !== 'number' || count.value.n === 0n) return undefined;
  const [events] = yield* settled(bindings.evidence(1, terms.extremes[0]?.events));
  if (events === undefined) return undefined;
  return { relaxed, events, count: count.value.n, distance: distanceOf(relaxed, value), value };
}

function callOf(name: string, argument?: Operand): Call {
  const span = { start: 0, end: 0 };
  return {
    ...{ kind: 'call', span, name: { kind: 'name', span, text: name } },
    ...(argument && { argument }),
  };
}

/** Measures how far a binding is from satisfying a part: 1 for parts without degrees. */
function distanceOf({ failing, nearest }: Relaxed, value: TermValue | undefined): number {
  if (failing.kind === 'present') return 0;
  if (failing.kind === 'text') return slipShare(failing);
  const limit = nearest?.limit;
  if (value === undefined || limit === undefined) return 1;
  const margin = marginOf(
    value,
    limit.comparator,
    valueOfConstant(constantOf(limit.literal).value),
  );
  return margin === undefined ? 1 : Math.min(1, Math.abs(margin));
}

/** The edit distance of two texts, over the length of the longer one. */
function slipShare({ wanted, actual }: Extract<Relaxed['failing'], { kind: 'text' }>): number {
  const slips = slipsBetween(wanted.toLowerCase(), actual.toLowerCase());
  return slips / Math.max(wanted.length, actual.length);
}
