import { type Expression, namesAsked } from '../../expression/index.js';
import { marginOf, showTerm, type TermValue, termsHold, UNDEFINED } from '../exact/term-value.js';
import type { QueryBy, QueryMeasure } from '../query/query.js';
import type { GroupResult, GroupsResult, MeasureResult } from './result.js';
import type { MatchedGroups } from './source.js';
import { attempt, type Steps, settled } from './steps.js';

/** A measure with the values of its sides, one for each group, as far as they are known. */
export interface MeasuredSides {
  readonly measure: QueryMeasure;
  readonly left: readonly TermValue[] | undefined;
  readonly right: readonly TermValue[] | undefined;
}

/** The result of AGGREGATE. */
export interface AggregateOutcome {
  readonly measures: readonly MeasureResult[];
  /** Undefined if it is not known. */
  readonly holds: boolean | undefined;
  readonly groups?: GroupsResult;
  readonly margin?: number | undefined;
  /** Groups, the worst first. */
  readonly worst?: readonly number[];
}

/** Without groups: whether every measure is true. */
export function judgeAll(measured: readonly MeasuredSides[]): AggregateOutcome {
  const measures = measured.map((one) => resultIn(one, 0));
  return { measures, holds: allHold(measures), margin: leastMargin(measures) };
}

/** The result of a measure in a group, as far as its sides are known. */
function resultIn(sides: MeasuredSides, group: number): MeasureResult {
  const { text, unit } = sides.measure;
  const [left, right] = [sides.left?.[group], sides.right?.[group]].map((value) =>
    value === undefined ? 'undecided' : showTerm(value),
  ) as [string, string];
  return { text, left, right, ...verdictIn(sides, group), ...(unit !== undefined && { unit }) };
}

/** The part of a result that is needed for every group. */
type Verdict = Pick<MeasureResult, 'holds' | 'margin'>;

function verdictIn(
  { measure: { comparator }, left, right }: MeasuredSides,
  group: number,
): Verdict {
  const [a, b] = [left?.[group], right?.[group]];
  if (a === undefined || b === undefined) return {};
  const margin = marginOf(a, comparator, b);
  return { holds: termsHold(a, comparator, b), ...(margin !== undefined && { margin }) };
}

/** False as soon as one measure is; undefined only if it depends on one that is not known. */
export function allHold(measures: readonly Verdict[]): boolean | undefined {
  if (measures.some(({ holds }) => holds === false)) return false;
  return measures.every(({ holds }) => holds === true) ? true : undefined;
}

/** The margin of a conjunction: the least; undefined where none has one. */
export function leastMargin(measures: readonly Verdict[]): number | undefined {
  let least: number | undefined;
  for (const { margin } of measures) {
    if (margin !== undefined) least = Math.min(least ?? margin, margin);
  }
  return least;
}

/** How many groups are reported, the worst ones. */
const MOST_WORST = 5;

interface RankedGroups {
  /** The number of groups that satisfy every measure, and of those of which it is not known. */
  readonly hold: number;
  readonly unknown: number;
  /** A few groups, the worst first. */
  readonly worst: readonly number[];
}

/** Not a generator: these loops run for every group, and V8 optimizes them better here. */
function rankGroups(
  { size, weight }: MatchedGroups,
  measured: readonly MeasuredSides[],
): RankedGroups {
  let [hold, unknown] = [0, 0];
  const ranks: number[] = [];
  for (let group = 0; group < size; group++) {
    const verdicts = measured.map((one) => verdictIn(one, group));
    const holds = allHold(verdicts);
    if (holds === true) hold += weight(group);
    if (holds === undefined) unknown += weight(group);
    ranks.push(rankOf(holds, verdicts));
  }
  return { hold, unknown, worst: worstOf(ranks, MOST_WORST) };
}

/** Whether a large enough percentage of the groups satisfies every measure; true if there are no groups. */
export function* judgeGroups(
  { percent }: QueryBy,
  groups: MatchedGroups,
  measured: readonly MeasuredSides[],
): Steps<AggregateOutcome> {
  const { all } = groups;
  const { hold, unknown, worst } = rankGroups(groups, measured);
  const { n, d } = percent;
  const isEnough = (some: number) => BigInt(some) * 100n * d >= n * BigInt(all);
  const holds = isEnough(hold) ? true : isEnough(hold + unknown) ? undefined : false;
  const [first] = worst;
  const isAll = n === 100n * d;
  const results: GroupResult[] = [];
  for (const group of worst) {
    const keys = (yield* attempt(() => settled(groups.keys(group)))) ?? [];
    const measures = measured.map((one) => resultIn(one, group));
    const holds = allHold(measures);
    results.push({ keys, measures, ...(holds !== undefined && { holds }) });
  }
  const percentage = Number((BigInt(hold) * 1_000_000n) / BigInt(Math.max(all, 1))) / 1e4;
  const bound = Number(n) / Number(d);
  return {
    holds,
    measures: measured.map((one) => {
      const none = { ...one, left: [UNDEFINED], right: [UNDEFINED] };
      const { text, left, right } = resultIn(first === undefined ? none : one, first ?? 0);
      return { text, left, right, ...(holds !== undefined && { holds }) };
    }),
    groups: {
      all,
      ...(unknown === 0 && { hold }),
      ...(groups.cutOff !== undefined && { cutOff: groups.cutOff }),
      worst: results,
    },
    margin: isAll
      ? leastMargin(results[0]?.measures ?? [])
      : unknown === 0
        ? (percentage - bound) / 100
        : undefined,
    worst,
  };
}

/** Lower for a worse group: what fails comes first, then what is not known. */
function rankOf(holds: boolean | undefined, measures: readonly Verdict[]): number {
  const margin = Math.max(-1, Math.min(1, (leastMargin(measures) ?? -1) / 2));
  return holds === false ? margin - 4 : holds === undefined ? -2 : margin;
}

/** The places of the lowest ranks, at most `most`, lowest first. */
function worstOf(ranks: readonly number[], most: number): number[] {
  const worst: number[] = [];
  const isBefore = (a: number, b: number) => (ranks[a] as number) < (ranks[b] as number);
  ranks.forEach((_, place) => {
    if (worst.length === most && !isBefore(place, worst.at(-1) as number)) return;
    const after = worst.findIndex((other) => isBefore(place, other));
    worst.splice(after < 0 ? worst.length : after, 0, place);
    if (worst.length > most) worst.pop();
  });
  return worst;
}

/** Whether a pattern matches no event, apart from patterns of names that a good session may lack. */
export function isUnmatched(
  { match }: Expression,
  labels: readonly { readonly matched: number }[],
  expected: readonly string[] = [],
): boolean {
  return match.patterns.some(({ condition }, at) => {
    if (labels[at]?.matched !== 0) return false;
    const names = namesAsked(condition);
    return names.length === 0 || !names.every((name) => expected.includes(name));
  });
}
