import { at } from '../source/index.js';
import { fisherExact } from '../statistics/index.js';

/** A property of attempts that may separate failing attempts from passing attempts. */
export interface Factor {
  /** Numbers are ordered. Options can only be compared for equality. */
  readonly kind: 'number' | 'option';
  /** Each attempt's value or option index; NaN for an attempt without a value. */
  readonly values: readonly number[];
  /** Identifier of the factor's subject, such as a mutator. Factors with the same subject are related. */
  readonly subject: number;
}

/** A condition that a factor is at least, at most or equal to a value. */
export interface RuleCondition {
  /** The factor's index. */
  readonly factor: number;
  readonly test: 'least' | 'most' | 'is';
  /** The extreme value among the attempts that meet the rule. Never interpolated. */
  readonly value: number;
  /**
   * The nearest tried value that does not meet the condition. The actual threshold lies between `value` and `beyond`.
   */
  readonly beyond?: number;
}

/** A rule of one or two conditions that separates failing attempts from passing attempts. */
export interface SeparatingRule {
  readonly conditions: readonly RuleCondition[];
  /** Indistinguishable conditions on other factors, met by exactly the same attempts. */
  readonly alike: readonly RuleCondition[];
  /** The numbers of attempts and failures that meet the rule. */
  readonly inside: FailureCounts;
  /** The numbers of all other attempts and failures. */
  readonly outside: FailureCounts;
  /** The one-sided p-value of Fisher's exact test. */
  readonly p: number;
  /** The p-value, corrected for the number of rules tried. */
  readonly corrected: number;
}

export interface FailureCounts {
  readonly failed: number;
  readonly tried: number;
}

/** The result of a search for rules. */
export interface FoundRules {
  /**
   * The best rule, if its corrected p-value is at most `GUESS`, followed by other significant rules. Each later rule
   * fits the failures more exactly than any earlier rule with a common subject.
   */
  readonly rules: readonly SeparatingRule[];
  /** Number of different rules tried. */
  readonly tried: number;
  /** The smallest attainable corrected p-value, reached by a one-condition rule without exceptions. */
  readonly least: number;
}

/** Maximum corrected p-value of a significant result. */
export const SIGNIFICANCE_LEVEL = 0.05;

/** Maximum corrected p-value of the best rule. Above the significance level, the rule is only a guess. */
const GUESS = 0.5;

const MAX_RULES = 3;

/**
 * Approximate maximum number of conditions, to limit the number of pairs. Numeric factors with too many values are cut
 * at quantiles.
 */
const MAX_CONDITIONS = 1_200;

/**
 * Finds the rules of one or two conditions that best separate failing from passing attempts.
 *
 * Corrects the p-values for the number of rules tried. A rule that `m` attempts meet has few attainable p-values. The
 * probability that its p-value is at most `p` by chance is the greatest attainable p-value up to `p`. The sum of these
 * probabilities over all distinct rules tried bounds the probability that any rule reaches `p` by chance (the union
 * bound with attainable p-values: Tarone 1990). One-condition and two-condition rules each get half of the error rate.
 *
 * @param factors with a value for each attempt
 * @param failed for each attempt, true if it failed; not all equal
 * @param families number of test families that share the error rate, including this family
 */
export function findRules(
  factors: readonly Factor[],
  failed: readonly boolean[],
  families = 1,
): FoundRules {
  const table = new FisherTable(failed);
  const single = new Family(table);
  const double = new Family(table);
  const cuts = factors.flatMap((factor, n) => cutsOf(factor, n, factors.length));
  const conditions: CandidateRule[] = [];
  const alike = new Map<string, Cut[]>();
  for (const cut of cuts) {
    const mask = maskOf(factors[cut.factor] as Factor, cut);
    const size = sizeOf(mask);
    if (size === 0 || size === failed.length) continue;
    const key = mask.join();
    const sameMask = alike.get(key) ?? [];
    alike.set(key, [...sameMask, cut]);
    if (sameMask.length > 0) continue;
    single.add(size);
    conditions.push({ cuts: [cut], mask, size, failures: table.failuresIn(mask) });
  }
  const pairs = bestPairs(conditions, table, double);
  const share = 2 * families;
  const candidates = [
    ...conditions.map((met) => ({ met, corrected: single.corrected(met, share) })),
    ...pairs.map((met) => ({ met, corrected: double.corrected(met, share) })),
  ].sort(
    (a, b) =>
      a.corrected - b.corrected ||
      table.p(a.met) - table.p(b.met) ||
      a.met.cuts.length - b.met.cuts.length,
  );
  const reported: typeof candidates = [];
  for (const one of candidates) {
    const isFirst = reported.length === 0;
    if (reported.length === MAX_RULES || one.corrected > (isFirst ? GUESS : SIGNIFICANCE_LEVEL))
      break;
    const isCovered = reported.some(
      ({ met }) => exactness(met) >= exactness(one.met) && subjectsOf(met).some(isAmong(one.met)),
    );
    if (!isCovered) reported.push(one);
  }
  const perfect = { size: table.failures, failures: table.failures };
  return {
    rules: reported.map(({ met, corrected }) => ruleOf(met, corrected)),
    tried: single.count + double.count,
    least: Math.min(1, share * table.p(perfect)),
  };

  function subjectsOf({ cuts: own }: CandidateRule): number[] {
    return own.map(({ factor }) => factors[factor]?.subject ?? -1);
  }

  function isAmong(met: CandidateRule): (subject: number) => boolean {
    const own = subjectsOf(met);
    return (subject) => own.includes(subject);
  }

  /** Returns the Jaccard index of the attempts that meet a rule and the failed attempts. */
  function exactness({ size, failures }: CandidateRule): number {
    return failures / (size + table.failures - failures);
  }

  function ruleOf(met: CandidateRule, corrected: number): SeparatingRule {
    const { cuts: own, mask, size, failures } = met;
    const describe = (cut: Cut) => conditionOf(factors[cut.factor] as Factor, cut, mask);
    const others = own.length > 1 ? [] : (alike.get(mask.join()) ?? []).slice(1);
    return {
      conditions: own.map(describe),
      alike: others.filter(({ factor }) => factor !== own[0]?.factor).map(describe),
      inside: { failed: failures, tried: size },
      outside: { failed: table.failures - failures, tried: failed.length - size },
      p: table.p(met),
      corrected,
    };
  }
}

/** A condition whose value is not yet narrowed to the attempts that meet the rule. */
interface Cut {
  readonly factor: number;
  readonly test: RuleCondition['test'];
  readonly value: number;
}

/** One or two cuts, with a bit mask of the attempts that meet every cut. */
interface CandidateRule {
  readonly cuts: readonly Cut[];
  readonly mask: Int32Array;
  readonly size: number;
  readonly failures: number;
}

/** Returns a factor's cuts. Cuts a factor with many numeric values at quantiles, regardless of the outcomes. */
function cutsOf({ kind, values }: Factor, factor: number, factors: number): Cut[] {
  const different = [...new Set(values.filter((value) => !Number.isNaN(value)))].sort(
    (a, b) => a - b,
  );
  if (kind === 'option') return different.map((value) => ({ factor, test: 'is', value }));
  const most = Math.max(4, Math.floor(MAX_CONDITIONS / 2 / factors));
  const step = Math.max(1, different.length / most);
  const kept = different.filter((_, n) => Math.floor(n / step) !== Math.floor((n - 1) / step));
  return [
    ...kept.map((value) => ({ factor, test: 'least' as const, value })),
    ...kept.map((value) => ({ factor, test: 'most' as const, value })),
  ];
}

function meets(value: number | undefined, { test, value: bound }: Cut): boolean {
  if (value === undefined) return false;
  if (test === 'is') return value === bound;
  return test === 'least' ? value >= bound : value <= bound;
}

function maskOf({ values }: Pick<Factor, 'values'>, cut: Cut): Int32Array {
  const mask = new Int32Array(Math.ceil(values.length / 32));
  for (const [n, value] of values.entries()) {
    if (meets(value, cut)) mask[n >> 5] = at(mask, n >> 5) | (1 << (n & 31));
  }
  return mask;
}

function isIn(mask: Int32Array, n: number): boolean {
  return (at(mask, n >> 5) & (1 << (n & 31))) !== 0;
}

function sizeOf(mask: Int32Array): number {
  let size = 0;
  for (const word of mask) size += bitsOf(word);
  return size;
}

/** Returns the number of set bits in a 32-bit word. */
function bitsOf(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * Returns the best pair of conditions for each pair of factors: the pair with the smallest p-value or, in a tie, the
 * least strict pair. Adds each distinct pair to `family`.
 */
function bestPairs(
  conditions: readonly CandidateRule[],
  table: FisherTable,
  family: Family,
): CandidateRule[] {
  const bestPairs = new Map<
    string,
    { readonly met: CandidateRule; readonly p: number; readonly room: number }
  >();
  const seen = new Set(conditions.map(({ mask }) => hashOf(mask)));
  const mask = new Int32Array(conditions[0]?.mask.length ?? 0);
  for (let i = 0; i < conditions.length; i++) {
    const one = conditions[i] as CandidateRule;
    const a = one.cuts[0] as Cut;
    for (let j = i + 1; j < conditions.length; j++) {
      const other = conditions[j] as CandidateRule;
      const b = other.cuts[0] as Cut;
      // Two conditions on one factor must bound different sides.
      if (a.factor === b.factor && (a.test === b.test || a.test === 'is')) continue;
      let size = 0;
      for (let n = 0; n < mask.length; n++) {
        mask[n] = at(one.mask, n) & at(other.mask, n);
        size += bitsOf(at(mask, n));
      }
      // Skip a pair that no attempt meets, or in which one condition implies the other.
      if (size === 0 || size === one.size || size === other.size) continue;
      const hash = hashOf(mask);
      if (!seen.has(hash)) {
        seen.add(hash);
        family.add(size);
      }
      const failures = table.failuresIn(mask);
      const p = table.p({ size, failures });
      const room = one.size + other.size;
      const key = `${a.factor} ${b.factor}`;
      const known = bestPairs.get(key);
      if (known !== undefined && (p > known.p || (p === known.p && room <= known.room))) continue;
      const met = { cuts: [a, b], mask: mask.slice(), size, failures };
      bestPairs.set(key, { met, p, room });
    }
  }
  return [...bestPairs.values()].map(({ met }) => met);
}

/** Returns a 53-bit hash of a mask. Collisions are unlikely and only lower the number of rules tried. */
function hashOf(mask: Int32Array): number {
  let [high, low] = [0x811c9dc5, 0x01234567];
  for (let n = 0; n < mask.length; n++) {
    const word = at(mask, n);
    high = Math.imul(high ^ word, 0x01000193) ^ (high >>> 15);
    low = Math.imul(low ^ word, 0x85ebca6b) ^ (low >>> 13);
  }
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}

/** A cache of Fisher's exact test p-values for all rules on the same attempts. */
class FisherTable {
  readonly failures: number;
  readonly #failed: Int32Array;
  readonly #known = new Map<number, readonly number[]>();

  constructor(private readonly failed: readonly boolean[]) {
    this.#failed = maskOf({ values: failed.map(Number) }, { factor: 0, test: 'is', value: 1 });
    this.failures = sizeOf(this.#failed);
  }

  failuresIn(mask: Int32Array): number {
    let count = 0;
    for (let n = 0; n < mask.length; n++) count += bitsOf(at(mask, n) & at(this.#failed, n));
    return count;
  }

  p({ size, failures }: Pick<CandidateRule, 'size' | 'failures'>): number {
    return this.attainable(size)[failures] ?? 1;
  }

  /**
   * Returns the p-values of a rule that `size` attempts meet, indexed by the number of failures among these attempts.
   */
  attainable(size: number): readonly number[] {
    const known = this.#known.get(size);
    if (known !== undefined) return known;
    const of = this.failed.length;
    const most = Math.min(size, this.failures);
    const least = Math.max(0, size - (of - this.failures));
    const all = Array.from({ length: most + 1 }, (_, count) =>
      count < least
        ? 1
        : fisherExact(
            { count, of: size },
            { count: this.failures - count, of: of - size },
            'greater',
          ),
    );
    this.#known.set(size, all);
    return all;
  }
}

/** Relative tolerance for p-values, because rounding errors depend on the order of summation. */
const TOLERANCE = 1 + 1e-9;

/**
 * The distinct rules tried with the same number of conditions, counted by the number of attempts that meet the rule.
 */
class Family {
  count = 0;
  readonly #sizes = new Map<number, number>();

  constructor(private readonly table: FisherTable) {}

  add(size: number): void {
    this.count += 1;
    this.#sizes.set(size, (this.#sizes.get(size) ?? 0) + 1);
  }

  /**
   * Returns an upper bound on the probability, over `families` families, that any rule reaches `met`'s p-value by
   * chance.
   */
  corrected(met: CandidateRule, families: number): number {
    const p = this.table.p(met) * TOLERANCE;
    let chance = 0;
    for (const [size, count] of this.#sizes) {
      // P-values descend with the number of failures, so the first match is the greatest.
      chance += count * (this.table.attainable(size).find((one) => one <= p) ?? 0);
    }
    return Math.min(1, chance * families);
  }
}

/**
 * Converts a cut to a condition. Sets `value` to the extreme value of the attempts that meet the rule, and `beyond` to
 * the nearest value outside the cut.
 */
function conditionOf({ values }: Factor, cut: Cut, mask: Int32Array): RuleCondition {
  const { factor, test, value } = cut;
  if (test === 'is') return { factor, test, value };
  const inside = values.filter((_, n) => isIn(mask, n));
  const beyond = values.filter((one) => !Number.isNaN(one) && !meets(one, cut));
  const bound = test === 'least' ? Math.min(...inside) : Math.max(...inside);
  if (beyond.length === 0) return { factor, test, value: bound };
  return {
    ...{ factor, test, value: bound },
    beyond: test === 'least' ? Math.max(...beyond) : Math.min(...beyond),
  };
}
