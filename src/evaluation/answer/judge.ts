import { type Expression, requiredNames } from '../../expression/index.js';
import { marginOf, showTerm, type TermValue, termsHold, UNDEFINED } from '../exact/term-value.js';
import type { QueryBy, QueryMeasure } from '../query/query.js';
import type { GroupResult, GroupsResult, MeasureResult } from './result.js';
import type { MatchedGroups } from './source.js';
import { attempt, type Steps, settled } from './steps.js';

/** A measure with the known values of its sides, one for each group. */
interface MeasuredSides {
  readonly kind: 'measure';
  readonly measure: QueryMeasure;
  readonly left: readonly TermValue[] | undefined;
  readonly right: readonly TermValue[] | undefined;
}

/** A measure, or several with AND or OR between them, with the values of all sides. */
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
  /** Undefined if undecided. */
  readonly holds: boolean | undefined;
  readonly groups?: GroupsResult;
  readonly margin?: number | undefined;
  /** Groups, the worst first. */
  readonly worst?: readonly number[];
}

/** Judges without groups: true if every measure is true. */
export function judgeAll(measured: readonly MeasuredRequirement[]): AggregateOutcome {
  const measures = measured.map((requirement) => resultIn(requirement, 0));
  const { holds, margin } = verdictOf('all', measures);
  return { measures, holds, margin };
}

/** Compares the sides in a group, as far as they are known. */
function resultIn(measured: MeasuredRequirement, group: number): MeasureResult {
  if (measured.kind !== 'measure') {
    const { kind, text, operands } = measured;
    const results = operands.map((operand) => resultIn(operand, group));
    const verdict = verdictOf(kind, results);
    const { left, right, unit } = decisiveOf(results, verdict);
    return { text, left, right, [kind]: results, ...verdict, ...(unit !== undefined && { unit }) };
  }
  const { text, unit } = measured.measure;
  const [left, right] = [measured.left?.[group], measured.right?.[group]].map((value) =>
    value === undefined ? 'undecided' : showTerm(value),
  ) as [string, string];
  return { text, left, right, ...verdictIn(measured, group), ...(unit !== undefined && { unit }) };
}

/** The part of a result that every group needs. */
type Verdict = Pick<MeasureResult, 'holds' | 'margin'>;

function verdictIn(measured: MeasuredRequirement, group: number): Verdict {
  if (measured.kind !== 'measure') {
    return verdictOf(
      measured.kind,
      measured.operands.map((operand) => verdictIn(operand, group)),
    );
  }
  const [a, b] = [measured.left?.[group], measured.right?.[group]];
  if (a === undefined || b === undefined) return {};
  const { comparator } = measured.measure;
  const margin = marginOf(a, comparator, b);
  return { holds: termsHold(a, comparator, b), ...(margin !== undefined && { margin }) };
}

/**
 * Combines measures by AND or OR; undefined if an unknown measure decides it. The margin of AND is the least, that
 * of OR the greatest, of the measures with the combined verdict.
 */
function verdictOf(kind: 'all' | 'any', measures: readonly Verdict[]): Verdict {
  const decides = kind === 'any';
  let holds: boolean | undefined = !decides;
  for (const measure of measures) {
    if (measure.holds === decides) {
      holds = decides;
      break;
    }
    if (measure.holds === undefined) holds = undefined;
  }
  let margin: number | undefined;
  for (const measure of measures) {
    if (measure.margin === undefined || (holds !== undefined && measure.holds !== holds)) continue;
    if (margin === undefined || measure.margin > margin === decides) margin = measure.margin;
  }
  return { ...(holds !== undefined && { holds }), ...(margin !== undefined && { margin }) };
}

/** Returns the measure that decides a combined verdict, or else the first with the same verdict. */
function decisiveOf(results: readonly MeasureResult[], verdict: Verdict): MeasureResult {
  const same = results.filter(({ holds }) => holds === verdict.holds);
  return (same.find(({ margin }) => margin === verdict.margin) ??
    same[0] ??
    results[0]) as MeasureResult;
}

/** Maximum number of groups to report, the worst first. */
const MOST_WORST = 5;

interface RankedGroups {
  /** The number of judged groups that satisfy every measure, and of undecided ones. */
  readonly hold: number;
  readonly unknown: number;
  readonly leftOut: number;
  /** Numbers of groups where HAVING is undecided, by whether they satisfy the measures. */
  readonly perhaps: { hold: number; fail: number; unknown: number };
  /** A few judged groups, the worst first. */
  readonly worst: readonly number[];
}

/** Ranks the groups. Not a generator: these loops run for every group, and V8 optimizes them better here. */
function rankGroups(
  { size, weight }: MatchedGroups,
  measured: readonly MeasuredRequirement[],
  having: MeasuredRequirement | undefined,
): RankedGroups {
  let [hold, unknown, excluded] = [0, 0, 0];
  const perhaps = { hold: 0, fail: 0, unknown: 0 };
  const ranks: number[] = [];
  for (let group = 0; group < size; group++) {
    const isJudged = having === undefined || verdictIn(having, group).holds;
    if (isJudged === false) {
      excluded += weight(group);
      ranks.push(LEFT_OUT);
      continue;
    }
    const verdicts = measured.map((requirement) => verdictIn(requirement, group));
    const verdict = verdictOf('all', verdicts);
    const { holds } = verdict;
    if (isJudged === undefined) {
      perhaps[holds === undefined ? 'unknown' : holds ? 'hold' : 'fail'] += weight(group);
    } else if (holds === true) hold += weight(group);
    else if (holds === undefined) unknown += weight(group);
    ranks.push(rankOf(verdict));
  }
  return { hold, unknown, leftOut: excluded, perhaps, worst: worstOf(ranks, MOST_WORST) };
}

/** The rank of a group that HAVING excludes. */
const LEFT_OUT = Number.POSITIVE_INFINITY;

/** Returns true if enough of the judged groups satisfy every measure, or no group is judged. */
export function* judgeGroups(
  { percent }: QueryBy,
  groups: MatchedGroups,
  measured: readonly MeasuredRequirement[],
  having?: MeasuredRequirement,
): Steps<AggregateOutcome> {
  const ranked = rankGroups(groups, measured, having);
  const { hold, leftOut: excluded, perhaps, worst } = ranked;
  const all = groups.all - excluded;
  const unknown = ranked.unknown + perhaps.hold + perhaps.fail + perhaps.unknown;
  const { n, d } = percent;
  const isEnough = (some: number, of: number) => BigInt(some) * 100n * d >= n * BigInt(of);
  // At worst, HAVING leaves out those that satisfy the measures; at best, those that do not.
  const isSure = isEnough(hold, all - perhaps.hold);
  const isPossible = isEnough(hold + unknown - perhaps.fail, all - perhaps.fail);
  const holds = isSure ? true : isPossible ? undefined : false;
  const [first] = worst;
  const isAll = n === 100n * d;
  const results: GroupResult[] = [];
  for (const group of worst) {
    const keys = (yield* attempt(() => settled(groups.keys(group)))) ?? [];
    const measures = measured.map((requirement) => resultIn(requirement, group));
    const { holds } = verdictOf('all', measures);
    results.push({ keys, measures, ...(holds !== undefined && { holds }) });
  }
  const percentage = Number((BigInt(hold) * 1_000_000n) / BigInt(Math.max(all, 1))) / 1e4;
  const bound = Number(n) / Number(d);
  return {
    holds,
    measures: measured.map((requirement) => {
      const {
        margin: _,
        unit: __,
        ...shown
      } = resultIn(first === undefined ? withoutValues(requirement) : requirement, first ?? 0);
      return { ...shown, ...(holds !== undefined && { holds }) };
    }),
    groups: {
      all,
      ...(unknown === 0 && { hold }),
      ...(having !== undefined && { leftOut: excluded }),
      ...(groups.cutOff !== undefined && { cutOff: groups.cutOff }),
      worst: results,
    },
    margin: isAll
      ? verdictOf('all', results[0]?.measures ?? []).margin
      : unknown === 0
        ? (percentage - bound) / 100
        : undefined,
    worst,
  };
}

/** Returns the measures for the case without groups. */
function withoutValues(measured: MeasuredRequirement): MeasuredRequirement {
  return measured.kind === 'measure'
    ? { ...measured, left: [UNDEFINED], right: [UNDEFINED] }
    : { ...measured, operands: measured.operands.map(withoutValues) };
}

/** Returns a group's rank, lower for a worse group: failed first, then undecided. */
function rankOf({ holds, margin: least }: Verdict): number {
  const margin = Math.max(-1, Math.min(1, (least ?? -1) / 2));
  return holds === false ? margin - 4 : holds === undefined ? -2 : margin;
}

/** Returns the positions of the lowest ranks, at most `most`, lowest first. */
function worstOf(ranks: readonly number[], most: number): number[] {
  const worst: number[] = [];
  const isBefore = (a: number, b: number) => (ranks[a] as number) < (ranks[b] as number);
  ranks.forEach((rank, position) => {
    if (rank === LEFT_OUT) return;
    if (worst.length === most && !isBefore(position, worst.at(-1) as number)) return;
    const after = worst.findIndex((other) => isBefore(position, other));
    worst.splice(after < 0 ? worst.length : after, 0, position);
    if (worst.length > most) worst.pop();
  });
  return worst;
}

/** True if a pattern matches no event, apart from patterns of names that a good session may lack. */
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
