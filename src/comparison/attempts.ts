import {
  type DoneAttempt,
  firstAttempts,
  isJudged,
  keyOf,
  PLANNER_VERSION,
  type Plan,
  planToJson,
  type RunState,
  type Space,
  spaceDigest,
  strategies,
  toSet,
} from '../runner/index.js';
import { writeJson } from '../values/index.js';

/** A run to compare: its state, as read from the journal, and its space of mutation sets. */
export interface ComparedRun {
  readonly state: RunState;
  readonly space: Space;
}

/**
 * The basis for comparing two runs' outcomes: sets chosen by the same method (with any seeds),
 * equal sets, or attempts without mutations.
 */
export type Basis = 'same-choice' | 'same-sets' | 'baselines';

/** The comparable attempts of two runs. */
export interface ComparedAttempts {
  readonly basis: Basis;
  readonly a: RunAttempts;
  readonly b: RunAttempts;
  /** The sets that both runs tried, each with its judged attempts. */
  readonly sets: readonly SharedSet[];
}

/** The comparable attempts of one run. */
export interface RunAttempts {
  /** The attempts with a verdict. */
  readonly judged: readonly DoneAttempt[];
  /** The attempts without a verdict. */
  readonly unjudged: readonly DoneAttempt[];
  /** Number of attempts excluded because earlier measurements guided the choice of their sets. */
  readonly guided: number;
  /** Number of unguided attempts excluded because the other run has no counterpart. */
  readonly unmatched: number;
}

export interface SharedSet {
  readonly plan: Plan;
  readonly a: readonly DoneAttempt[];
  readonly b: readonly DoneAttempt[];
}

/** The first try of a set. */
interface Try {
  readonly attempt: DoneAttempt;
  /** The set's key, which is the same in both runs. */
  readonly key: string;
  /** True if earlier results guided the choice of the set. */
  readonly isGuided: boolean;
}

/**
 * Selects two runs' comparable attempts. If the systems do not differ, each outcome is equally
 * likely in both selections.
 *
 * Excludes attempts that depend on earlier outcomes: shrinking, repetitions, and guided sets that
 * only one run tried. If the runs chose sets by different methods, includes only the sets that both
 * runs tried. Otherwise, limits both runs to the shorter run's length, unless sets are uniform
 * draws, because the kind of set depends on its position.
 */
export function selectAttempts(a: ComparedRun, b: ComparedRun): ComparedAttempts {
  const [inA, inB] = [triesOf(a), triesOf(b)];
  const equal = equalTries(inA, inB);
  const isSame = isSameChoice(a, b);
  const chosen = isSame
    ? alikeTries(a, inA, inB, equal)
    : equal.flatMap((set) => [...set.a, ...set.b]);
  const compared = new Set(chosen);
  const judgedIn = (tries: readonly Try[]) =>
    tries
      .filter((one) => compared.has(one))
      .map(({ attempt }) => attempt)
      .filter(({ result }) => isJudged(result));
  const sets = equal.flatMap((set) => {
    const plan = set.a[0]?.attempt.plan ?? [];
    const judged = { a: judgedIn(set.a), b: judgedIn(set.b) };
    return judged.a.length > 0 && judged.b.length > 0 ? [{ plan, ...judged }] : [];
  });
  return {
    basis: isSame ? 'same-choice' : 'same-sets',
    a: attemptsOf(inA, compared),
    b: attemptsOf(inB, compared),
    sets,
  };
}

/**
 * Returns the comparable tries in runs that chose sets by the same method: unguided tries, and
 * tries of guided sets that occur in both runs.
 */
function alikeTries(
  run: ComparedRun,
  inA: readonly Try[],
  inB: readonly Try[],
  equal: ReturnType<typeof equalTries>,
): readonly Try[] {
  const most = mostAlike(run, inA, inB);
  const alike = new Set([...plainOf(inA).slice(0, most), ...plainOf(inB).slice(0, most)]);
  const guided = equal.flatMap(({ a, b }) =>
    a.flatMap((one, at) => {
      const other = b[at];
      return other === undefined || alike.has(one) || alike.has(other) ? [] : [one, other];
    }),
  );
  return [...alike, ...guided];
}

/** Selects the attempts without mutations. */
export function selectBaselines(a: ComparedRun, b: ComparedRun): ComparedAttempts {
  return { basis: 'baselines', a: baselinesOf(a), b: baselinesOf(b), sets: [] };
}

function baselinesOf({ state: { baselines } }: ComparedRun): RunAttempts {
  return {
    judged: baselines.filter(({ result }) => isJudged(result)),
    unjudged: baselines.filter(({ result }) => !isJudged(result)),
    ...{ guided: 0, unmatched: 0 },
  };
}

/**
 * Returns the maximum number of comparable unguided tries per run, if both chose sets by the same
 * method.
 */
function mostAlike({ state: { run } }: ComparedRun, a: readonly Try[], b: readonly Try[]): number {
  // Any number of independent draws is comparable.
  if (run?.strategy === 'uniform') return Number.POSITIVE_INFINITY;
  return Math.min(plainOf(a).length, plainOf(b).length);
}

function plainOf(tries: readonly Try[]): readonly Try[] {
  return tries.filter(({ isGuided }) => !isGuided);
}

function attemptsOf(tries: readonly Try[], compared: ReadonlySet<Try>): RunAttempts {
  const own = tries.filter((one) => compared.has(one)).map(({ attempt }) => attempt);
  const others = tries.filter((one) => !compared.has(one));
  const guided = others.filter(({ isGuided }) => isGuided).length;
  return {
    judged: own.filter(({ result }) => isJudged(result)),
    unjudged: own.filter(({ result }) => !isJudged(result)),
    ...{ guided, unmatched: others.length - guided },
  };
}

function triesOf(run: ComparedRun): readonly Try[] {
  const attempts = firstAttempts(run.state);
  const isGuided = guidedIn(run, attempts.length);
  return attempts.map((attempt) => ({
    attempt,
    key: keyIn(run, attempt.plan),
    isGuided: isGuided(attempt.plan),
  }));
}

/**
 * Returns a predicate that is true for plans guided by margins. All other plans follow from the
 * seed. If the seed's plans are unknown, all plans count as guided.
 */
function guidedIn({ state: { run }, space }: ComparedRun, count: number): (plan: Plan) => boolean {
  if (run?.strategy !== 'guided' || run.replay !== undefined) return () => false;
  if (run.planner !== PLANNER_VERSION || space.mutators.length === 0) return () => true;
  const setOf = strategies.mixed(space, run.seed);
  const randomSets = new Set(Array.from({ length: count }, (_, n) => keyOf(setOf(n))));
  return (plan) => !randomSets.has(keyOf(toSet(space, plan) ?? []));
}

/**
 * Returns a key for a plan's mutations. Identifies servers by position, because their addresses may
 * differ between benches.
 */
function keyIn({ state: { run } }: ComparedRun, plan: Plan): string {
  const mutations = planToJson(plan).map(({ server, id: _, ...one }) =>
    writeJson({ ...one, server: run?.servers.indexOf(server) ?? 0 }),
  );
  return mutations.sort().join();
}

/**
 * Returns the sets that both runs tried, with equally many tries from both runs, because otherwise
 * the choice of sets could cause a difference. If the runs share only one set, as two replays may,
 * returns all tries.
 */
function equalTries(one: readonly Try[], other: readonly Try[]) {
  const inB = byKey(other);
  const common = [...byKey(one)].flatMap(([key, a]) => {
    const b = inB.get(key);
    return b === undefined ? [] : [{ a, b }];
  });
  if (common.length === 1) return common;
  return common.map(({ a, b }) => {
    const count = Math.min(a.length, b.length);
    return { a: a.slice(0, count), b: b.slice(0, count) };
  });
}

function byKey(tries: readonly Try[]): ReadonlyMap<string, readonly Try[]> {
  const groups = new Map<string, Try[]>();
  for (const one of tries) {
    const group = groups.get(one.key);
    if (group === undefined) groups.set(one.key, [one]);
    else group.push(one);
  }
  return groups;
}

/** True if both runs drew sets by the same method, from the same mutators and values. */
function isSameChoice(a: ComparedRun, b: ComparedRun): boolean {
  const [one, other] = [a.state.run, b.state.run];
  if (one === undefined || other === undefined) return false;
  if (one.replay !== undefined || other.replay !== undefined) return false;
  return (
    one.planner === other.planner &&
    methodOf(one.strategy) === methodOf(other.strategy) &&
    a.space.mutators.length > 0 &&
    placedDigest(a) === placedDigest(b)
  );
}

/**
 * Returns the method by which a strategy draws unguided sets. The strategy `guided` draws unguided
 * sets like `mixed`.
 */
function methodOf(strategy: keyof typeof strategies): string {
  return strategy === 'guided' ? 'mixed' : strategy;
}

/** Returns a digest of a space, independent of mutator ids and server addresses. */
function placedDigest({ state: { run }, space }: ComparedRun): string {
  const mutators = space.mutators.map((one) => ({
    ...one,
    server: String(run?.servers.indexOf(one.server)),
    id: '',
  }));
  return spaceDigest({ ...space, mutators });
}

/** Run B's attempts, keyed by run A's attempt with the same set. */
export type Counterparts = ReadonlyMap<DoneAttempt, DoneAttempt>;

/** Pairs the runs' attempts with the same set. Skips sets with several judged attempts in a run. */
export function pairAttempts(sets: readonly SharedSet[]): Counterparts {
  return new Map(
    sets.flatMap(({ a: [one, ...more], b: [other, ...others] }) =>
      one === undefined || other === undefined || more.length + others.length > 0
        ? []
        : [[one, other] as const],
    ),
  );
}

/** Minimum share of paired values for a paired test. */
const PAIRED_SHARE = 3 / 4;

/** True if enough of both runs' values are paired for a paired test. */
export function hasEnoughPairs(pairs: number, a: number, b: number): boolean {
  return pairs >= PAIRED_SHARE * Math.max(a, b);
}
