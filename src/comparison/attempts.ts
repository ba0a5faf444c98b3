import {
  type DoneAttempt,
  firstTries,
  isJudged,
  keyOf,
  PLANNER,
  type Plan,
  planToJson,
  type RunState,
  type Space,
  spaceDigest,
  strategies,
  toSet,
} from '../runner/index.js';
import { writeJson } from '../values/index.js';

/** A run to compare: its journal, and the space that its sets were chosen from. */
export interface ComparedRun {
  readonly state: RunState;
  readonly space: Space;
}

/**
 * The basis for comparing outcomes of two runs: their sets were chosen in the same way, though perhaps with
 * another seed; or the sets are equal, one by one; or there are none, without mutations.
 */
export type Basis = 'same-choice' | 'same-sets' | 'baselines';

/** The attempts of two runs that are compared with each other. */
export interface ComparedAttempts {
  readonly basis: Basis;
  readonly a: AttemptsOfRun;
  readonly b: AttemptsOfRun;
  /** The sets that both made, with the attempts of each that came to a verdict. */
  readonly sets: readonly SetInBoth[];
}

/** The attempts of one of the runs. */
export interface AttemptsOfRun {
  /** Those that came to a verdict. */
  readonly judged: readonly DoneAttempt[];
  /** Those that did not. */
  readonly unjudged: readonly DoneAttempt[];
  /** Number left out because their sets were chosen by previous measurements. */
  readonly guided: number;
  /** Number of others left out because the other run has no counterpart. */
  readonly unmatched: number;
}

export interface SetInBoth {
  readonly plan: Plan;
  readonly a: readonly DoneAttempt[];
  readonly b: readonly DoneAttempt[];
}

/** The first try of a set. */
interface Try {
  readonly attempt: DoneAttempt;
  /** A key that equal sets of both runs share. */
  readonly key: string;
  /** True if earlier results guided the choice of the set. */
  readonly isGuided: boolean;
}

/**
 * Chooses the comparable attempts of two runs: if the systems do not differ, each outcome is equally likely in
 * both. Shrinking, repetitions and sets guided by margins are excluded, because they depend on earlier outcomes.
 * Attempts beyond the length of the shorter run are excluded too, because later sets are of other kinds. If the
 * runs chose sets differently, only equal sets count.
 */
export function comparedAttempts(a: ComparedRun, b: ComparedRun): ComparedAttempts {
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

/** Of runs that choose sets in the same way: the sets of the same kinds, and guided ones that both made. */
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

/** Chooses the attempts without mutations. */
export function comparedBaselines(a: ComparedRun, b: ComparedRun): ComparedAttempts {
  return { basis: 'baselines', a: baselinesOf(a), b: baselinesOf(b), sets: [] };
}

function baselinesOf({ state: { baselines } }: ComparedRun): AttemptsOfRun {
  return {
    judged: baselines.filter(({ result }) => isJudged(result)),
    unjudged: baselines.filter(({ result }) => !isJudged(result)),
    ...{ guided: 0, unmatched: 0 },
  };
}

/** Counts the tries of the same kinds, for runs that choose sets in the same way. */
function mostAlike({ state: { run } }: ComparedRun, a: readonly Try[], b: readonly Try[]): number {
  // Independent draws are alike, however many there are.
  if (run?.strategy === 'uniform') return Number.POSITIVE_INFINITY;
  return Math.min(plainOf(a).length, plainOf(b).length);
}

function plainOf(tries: readonly Try[]): readonly Try[] {
  return tries.filter(({ isGuided }) => !isGuided);
}

function attemptsOf(tries: readonly Try[], compared: ReadonlySet<Try>): AttemptsOfRun {
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
  const tries = firstTries(run.state);
  const isGuided = guidedIn(run, tries.length);
  return tries.map((attempt) => ({
    attempt,
    key: keyIn(run, attempt.plan),
    isGuided: isGuided(attempt.plan),
  }));
}

/** Recognizes the plans of a run that margins have chosen: the others follow from the seed. */
function guidedIn({ state: { run }, space }: ComparedRun, count: number): (plan: Plan) => boolean {
  if (run?.strategy !== 'guided' || run.replay !== undefined) return () => false;
  if (run.planner !== PLANNER || space.mutators.length === 0) return () => true;
  const setOf = strategies.mixed(space, run.seed);
  const randomSets = new Set(Array.from({ length: count }, (_, n) => keyOf(setOf(n))));
  return (plan) => !randomSets.has(keyOf(toSet(space, plan) ?? []));
}

/** A plan by what it does: servers by their position, since a bench may have another address. */
function keyIn({ state: { run } }: ComparedRun, plan: Plan): string {
  const mutations = planToJson(plan).map(({ server, id: _, ...one }) =>
    writeJson({ ...one, server: run?.servers.indexOf(server) ?? 0 }),
  );
  return mutations.sort().join();
}

/**
 * The tries of sets that both runs made, each as often in both: then a difference is not one of the sets. If
 * they have only one set in common, as two replays have, all of its tries.
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

/** True if both runs draw sets of the same kinds, from the same mutators and values. */
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

/** Returns a strategy's method. Without its guided sets, `guided` is `mixed`. */
function methodOf(strategy: keyof typeof strategies): string {
  return strategy === 'guided' ? 'mixed' : strategy;
}

/** A digest of a space that does not depend on the addresses of its servers, or on ids. */
function placedDigest({ state: { run }, space }: ComparedRun): string {
  const mutators = space.mutators.map((one) => ({
    ...one,
    server: String(run?.servers.indexOf(one.server)),
    id: '',
  }));
  return spaceDigest({ ...space, mutators });
}

/** Attempts of run B, keyed by the attempt of run A with the same set. */
export type Counterparts = ReadonlyMap<DoneAttempt, DoneAttempt>;

/** The sets that either run made in one attempt that came to a verdict. */
export function counterpartsIn(sets: readonly SetInBoth[]): Counterparts {
  return new Map(
    sets.flatMap(({ a: [one, ...more], b: [other, ...others] }) =>
      one === undefined || other === undefined || more.length + others.length > 0
        ? []
        : [[one, other] as const],
    ),
  );
}

/** With a smaller share of values in pairs, these are compared without regard to them. */
const PAIRED_SHARE = 3 / 4;

/** True if so many of the values of both runs are in pairs that they are compared pair by pair. */
export function arePaired(pairs: number, a: number, b: number): boolean {
  return pairs >= PAIRED_SHARE * Math.max(a, b);
}
