import { type Expression, requiredNames } from '../../expression/index.js';
import { marginOf, showTerm, type TermValue, termsHold, UNDEFINED } from '../exact/term-value.js';
import type { QueryGroups, QueryMeasure } from '../query/query.js';
import type { GroupResult, GroupsResult, MeasureResult } from './result.js';
import type { MatchedGroups } from './source.js';
import { attempt, type Steps, settle } from './steps.js';

/** A measure with each side's values by group; undefined for an undecided side. */
interface MeasuredSides {
  readonly kind: 'measure';
  readonly measure: QueryMeasure;
  readonly left: readonly TermValue[] | undefined;
  readonly right: readonly TermValue[] | undefined;
}

/** A measure, or an AND or OR of measures, with the values of all sides. */
export type MeasuredRequirement =
  | MeasuredSides
  | {
      readonly kind: 'all' | 'any';
      readonly operands: readonly MeasuredRequirement[];
      readonly text: string;
    };

/** The result of AGGREGATE. */
export interface AggregateOutcome {
  readonly measures: readonly MeasureResult[];
  /** The verdict; undefined if undecided. */
  readonly holds: boolean | undefined;
  readonly groups?: GroupsResult;
  readonly margin?: number | undefined;
  /** Group numbers, worst first. */
  readonly worst?: readonly number[];
}

/** Judges measures without groups. The outcome holds if every measure holds. */
export function judgeAll(measuredRequirement: readonly MeasuredRequirement[]): AggregateOutcome {
  const measures = measuredRequirement.map((requirement) => groupResult(requirement, 0));
  const { holds, margin } = combineVerdicts('all', measures);
  return { measures, holds, margin };
}

/** Compares the sides of a requirement in one group. An unknown side is `undecided`. */
function groupResult(measuredRequirement: MeasuredRequirement, group: number): MeasureResult {
  if (measuredRequirement.kind !== 'measure') {
    const { kind, text, operands } = measuredRequirement;
    const results = operands.map((operand) => groupResult(operand, group));
    const verdict = combineVerdicts(kind, results);
    const { left, right, unit } = decisiveResult(results, verdict);
    return { text, left, right, [kind]: results, ...verdict, ...(unit !== undefined && { unit }) };
  }
  const { text, unit } = measuredRequirement.measure;
  const [left, right] = [measuredRequirement.left?.[group], measuredRequirement.right?.[group]].map(
    (value) => (value === undefined ? 'undecided' : showTerm(value)),
  ) as [string, string];
  return {
    text,
    left,
    right,
    ...groupVerdict(measuredRequirement, group),
    ...(unit !== undefined && { unit }),
  };
}

/** The part of a result that is computed for every group. */
type Verdict = Pick<MeasureResult, 'holds' | 'margin'>;

function groupVerdict(measuredRequirement: MeasuredRequirement, group: number): Verdict {
  if (measuredRequirement.kind !== 'measure') {
    return combineVerdicts(
      measuredRequirement.kind,
      measuredRequirement.operands.map((operand) => groupVerdict(operand, group)),
    );
  }
  const [a, b] = [measuredRequirement.left?.[group], measuredRequirement.right?.[group]];
  if (a === undefined || b === undefined) return {};
  const { comparator } = measuredRequirement.measure;
  const margin = marginOf(a, comparator, b);
  return { holds: termsHold(a, comparator, b), ...(margin !== undefined && { margin }) };
}

/**
 * Combines verdicts by AND or OR. The combined verdict is undefined if it depends on an undecided measure. Its margin
 * is the smallest (AND) or largest (OR) margin of the measures with the combined verdict.
 */
function combineVerdicts(kind: 'all' | 'any', measures: readonly Verdict[]): Verdict {
  const decisive = kind === 'any';
  let holds: boolean | undefined = !decisive;
  for (const measure of measures) {
    if (measure.holds === decisive) {
      holds = decisive;
      break;
    }
    if (measure.holds === undefined) holds = undefined;
  }
  let margin: number | undefined;
  for (const measure of measures) {
    if (measure.margin === undefined || (holds !== undefined && measure.holds !== holds)) continue;
    if (margin === undefined || measure.margin > margin === decisive) margin = measure.margin;
  }
  return { ...(holds !== undefined && { holds }), ...(margin !== undefined && { margin }) };
}

/** Returns the measure with the combined verdict and margin, or else the first measure with the combined verdict. */
function decisiveResult(results: readonly MeasureResult[], verdict: Verdict): MeasureResult {
  const candidates = results.filter(({ holds }) => holds === verdict.holds);
  return (candidates.find(({ margin }) => margin === verdict.margin) ??
    candidates[0] ??
    results[0]) as MeasureResult;
}

/** Maximum number of groups to report, worst first. */
const MAX_WORST = 5;

interface RankedGroups {
  /** The number of judged groups that satisfy every measure. */
  readonly hold: number;
  readonly unknownCount: number;
  readonly excludedCount: number;
  /** Numbers of groups for which HAVING is undecided, by their measures' verdict. */
  readonly uncertain: { hold: number; fail: number; unknown: number };
  /** A few judged groups, worst first. */
  readonly worst: readonly number[];
}

/** Ranks the groups. Not a generator, because V8 optimizes these loops over all groups better in a plain function. */
function rankGroups(
  { size, weight }: MatchedGroups,
  measuredRequirement: readonly MeasuredRequirement[],
  having: MeasuredRequirement | undefined,
): RankedGroups {
  let [hold, unknownCount, excludedCount] = [0, 0, 0];
  const uncertain = { hold: 0, fail: 0, unknown: 0 };
  const ranks: number[] = [];
  for (let group = 0; group < size; group++) {
    const isJudged = having === undefined || groupVerdict(having, group).holds;
    if (isJudged === false) {
      excludedCount += weight(group);
      ranks.push(LEFT_OUT);
      continue;
    }
    const verdicts = measuredRequirement.map((requirement) => groupVerdict(requirement, group));
    const verdict = combineVerdicts('all', verdicts);
    const { holds } = verdict;
    if (isJudged === undefined) {
      uncertain[holds === undefined ? 'unknown' : holds ? 'hold' : 'fail'] += weight(group);
    } else if (holds === true) hold += weight(group);
    else if (holds === undefined) unknownCount += weight(group);
    ranks.push(verdictRank(verdict));
  }
  return { hold, unknownCount, excludedCount, uncertain, worst: worstRanks(ranks, MAX_WORST) };
}

/** The rank of a group that HAVING excludes. */
const LEFT_OUT = Number.POSITIVE_INFINITY;

/**
 * Judges measures by groups. The outcome holds if enough of the judged groups satisfy every measure, or if no group is
 * judged.
 */
export function* judgeGroups(
  { percent }: QueryGroups,
  groups: MatchedGroups,
  measuredRequirement: readonly MeasuredRequirement[],
  having?: MeasuredRequirement,
): Steps<AggregateOutcome> {
  const ranking = rankGroups(groups, measuredRequirement, having);
  const { hold, excludedCount, uncertain, worst } = ranking;
  const judgedCount = groups.all - excludedCount;
  const unknownCount = ranking.unknownCount + uncertain.hold + uncertain.fail + uncertain.unknown;
  const { n, d } = percent;
  const isEnough = (part: number, total: number) => BigInt(part) * 100n * d >= n * BigInt(total);
  // At worst, HAVING excludes the uncertain groups that satisfy the measures. At best, it excludes the uncertain groups
  // that fail the measures.
  const isSure = isEnough(hold, judgedCount - uncertain.hold);
  const isPossible = isEnough(hold + unknownCount - uncertain.fail, judgedCount - uncertain.fail);
  const holds = isSure ? true : isPossible ? undefined : false;
  const [worstGroup] = worst;
  const isAll = n === 100n * d;
  const results: GroupResult[] = [];
  for (const group of worst) {
    const keys = (yield* attempt(() => settle(groups.keys(group)))) ?? [];
    const measures = measuredRequirement.map((requirement) => groupResult(requirement, group));
    const { holds } = combineVerdicts('all', measures);
    results.push({ keys, measures, ...(holds !== undefined && { holds }) });
  }
  const percentage = Number((BigInt(hold) * 1_000_000n) / BigInt(Math.max(judgedCount, 1))) / 1e4;
  const bound = Number(n) / Number(d);
  return {
    holds,
    measures: measuredRequirement.map((requirement) => {
      const {
        margin: _,
        unit: __,
        ...shown
      } = groupResult(
        worstGroup === undefined ? omitValues(requirement) : requirement,
        worstGroup ?? 0,
      );
      return { ...shown, ...(holds !== undefined && { holds }) };
    }),
    groups: {
      all: judgedCount,
      ...(unknownCount === 0 && { hold }),
      ...(having !== undefined && { leftOut: excludedCount }),
      ...(groups.cutOff !== undefined && { cutOff: groups.cutOff }),
      worst: results,
    },
    margin: isAll
      ? combineVerdicts('all', results[0]?.measures ?? []).margin
      : unknownCount === 0
        ? (percentage - bound) / 100
        : undefined,
    worst,
  };
}

/** Returns a requirement with undefined values, for a result without groups. */
function omitValues(measuredRequirement: MeasuredRequirement): MeasuredRequirement {
  return measuredRequirement.kind === 'measure'
    ? { ...measuredRequirement, left: [UNDEFINED], right: [UNDEFINED] }
    : { ...measuredRequirement, operands: measuredRequirement.operands.map(omitValues) };
}

/** Returns a group's rank. Worse groups rank lower: failed groups first, then undecided groups. */
function verdictRank({ holds, margin: least }: Verdict): number {
  const margin = Math.max(-1, Math.min(1, (least ?? -1) / 2));
  return holds === false ? margin - 4 : holds === undefined ? -2 : margin;
}

/** Returns the positions of the lowest ranks, lowest first, up to `limit`. */
function worstRanks(ranks: readonly number[], limit: number): number[] {
  const worstGroups: number[] = [];
  const isBefore = (a: number, b: number) => (ranks[a] as number) < (ranks[b] as number);
  ranks.forEach((rank, position) => {
    if (rank === LEFT_OUT) return;
    if (worstGroups.length === limit && !isBefore(position, worstGroups.at(-1) as number)) return;
    const insertAt = worstGroups.findIndex((otherGroup) => isBefore(position, otherGroup));
    worstGroups.splice(insertAt < 0 ? worstGroups.length : insertAt, 0, position);
    if (worstGroups.length > limit) worstGroups.pop();
  });
  return worstGroups;
}

/** True if a pattern without matching events requires an unexpected name, or no name. */
export function isUnmatched(
  { match }: Expression,
  labels: readonly { readonly matched: number }[],
  expected: readonly string[] = [],
): boolean {
  return match.patterns.some(({ condition }, at) => {
    if (labels[at]?.matched !== 0) return false;
    const names = requiredNames(condition);
    return names.length === 0 || !names.every((name) => expected.includes(name));
  });
}
