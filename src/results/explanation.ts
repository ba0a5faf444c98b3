import { plural } from '../basics/index.js';
import { type FoundDifferences, SIGNIFICANCE_LEVEL } from '../explain/index.js';
import {
  causesOf,
  causeText,
  type DoneAttempt,
  type Plan,
  type RunState,
  type Space,
} from '../runner/index.js';
import { shortValue } from './axis.js';
import type { DivergencePart } from './divergence-part.js';
import { plannedText } from './evidence-text.js';
import { percent } from './rates.js';
import {
  differenceTexts,
  distanceOf,
  type RulePart,
  type SeparatingRules,
  separatingRules,
} from './separating-rules.js';
import {
  differenceLimits,
  differenceStatements,
  pText,
  type Statement,
  statementsToShow,
} from './session-differences.js';

/** The attempts that an explanation compares. */
export interface ExplanationAttempts {
  /** The failing attempt to explain, and the cause of its failure. */
  readonly attempt: DoneAttempt;
  readonly cause: string;
  /**
   * The attempts that failed for the cause. Like `passing`, excludes shrinking attempts and
   * repetitions.
   */
  readonly failing: readonly DoneAttempt[];
  readonly passing: readonly DoneAttempt[];
  /**
   * The passing attempt with the most similar set. If no attempt passed, a passing baseline, if
   * any.
   */
  readonly nearest: DoneAttempt | undefined;
  /** Number of attempts that failed only for other causes. */
  readonly others: number;
  /**
   * Number of excluded shrinking attempts and repetitions, which are not samples of the space,
   * because their sets depend on earlier outcomes.
   */
  readonly chosen: number;
}

/** A contrast between failing and passing sessions, prepared for output. */
export interface ContrastDocument {
  /** A summary for a ticket. */
  readonly paragraph: string;
  /** The noun for a compared item: `session` or `attempt`. */
  readonly noun: string;
  readonly failing: number;
  readonly passing: number;
  readonly statements: readonly Statement[];
  /**
   * The first difference between the explained session and the most similar session. Undefined if
   * the sessions do not differ, or if one is missing.
   */
  readonly divergence: DivergencePart | undefined;
  /** The limitations of the statements. */
  readonly limits: readonly string[];
}

/** An explanation of a failing attempt, prepared for output. */
export interface ExplanationDocument extends ContrastDocument {
  readonly objective: string;
  readonly attempt: number;
  readonly cause: string;
  readonly plan: Plan;
  readonly nearest: NearestPart | undefined;
}

/** The findings in the attempts' sessions. */
export interface SessionFindings {
  readonly differences?: FoundDifferences;
  readonly divergence?: DivergencePart;
  /** The reasons why some sessions could not be compared. */
  readonly limits: readonly string[];
}

/** The most similar passing attempt. */
export interface NearestPart {
  readonly attempt: number;
  readonly isBaseline: boolean;
  readonly plan: Plan;
  readonly distance: number;
  /** The differences between the failing set and this attempt's set. */
  readonly differences: readonly string[];
}

/**
 * Returns the attempts to compare with a failing attempt.
 *
 * @param cause one of the attempt's causes of failure
 */
export function contrastOf(
  { attempts, repeats = [], baselines }: RunState,
  space: Space,
  attempt: DoneAttempt,
  cause: string,
): ExplanationAttempts {
  const samples = attempts.filter(({ shrinks }) => shrinks === undefined);
  const failing = samples.filter((one) => causesOf(one).includes(cause));
  const passing = samples.filter(hasPassed);
  const far = (one: DoneAttempt) => distanceOf(space, attempt.plan, one.plan);
  const passed = [...attempts, ...repeats].filter(hasPassed);
  const [nearest] = (passed.length > 0 ? passed : baselines.filter(hasPassed))
    .map((one) => ({ one, distance: far(one), later: Math.abs(one.n - attempt.n) }))
    .sort((a, b) => a.distance - b.distance || a.later - b.later || a.one.n - b.one.n);
  const failed = samples.filter(({ result }) => result.outcome === 'failed');
  return {
    ...{ attempt, cause, failing, passing, nearest: nearest?.one },
    others: failed.length - failing.length,
    chosen: attempts.length - samples.length + repeats.length,
  };
}

function hasPassed({ result }: DoneAttempt): boolean {
  return result.outcome === 'passed';
}

/** Returns an attempt's name within its run. */
export function attemptName({ n, baseline }: Pick<DoneAttempt, 'n' | 'baseline'>): string {
  return `${baseline ? 'baseline attempt' : 'attempt'} ${n}`;
}

/** Explains a failing attempt. */
export function explanationDocument(
  objective: string,
  space: Space,
  contrast: ExplanationAttempts,
  sessions: SessionFindings,
): ExplanationDocument {
  const { attempt, cause, failing, passing, nearest } = contrast;
  const samples = [
    ...failing.map(({ plan }) => ({ plan, failed: true })),
    ...passing.map(({ plan }) => ({ plan, failed: false })),
  ];
  const hasBoth = failing.length > 0 && passing.length > 0;
  const rules = hasBoth ? separatingRules(space, samples, FAMILIES) : undefined;
  const counts = { failing: failing.length, passing: passing.length };
  const ofRules = (rules?.rules ?? []).map((rule) => ruleStatement(rule, contrast));
  const { differences, divergence } = sessions;
  const ofSessions = differences ? differenceStatements(differences, counts, 'attempt') : [];
  // Rules come first, because mutations come before their consequences.
  const statements = statementsToShow([...ofRules, ...ofSessions]);
  const nearestPart = nearest && {
    attempt: nearest.n,
    isBaseline: nearest.baseline === true,
    plan: nearest.plan,
    distance: distanceOf(space, attempt.plan, nearest.plan),
    differences: differenceTexts(space, attempt.plan, nearest.plan),
  };
  const document = {
    ...{ objective, attempt: attempt.n, cause: causeText(cause) },
    ...{ ...counts, plan: attempt.plan },
    ...{ noun: 'attempt', nearest: nearestPart, statements, divergence },
    limits: [
      ...limitTexts(contrast, rules),
      ...(differences ? differenceLimits(differences, counts, 'attempt') : []),
      ...sessions.limits,
      CAUSATION_NOTE,
    ],
  };
  return { ...document, paragraph: paragraphOf(document) };
}

/** Number of test families that share the error rate: rules, and session differences. */
const FAMILIES = 2;

function ruleStatement(rule: RulePart, { failing, passing }: ExplanationAttempts): Statement {
  const { text, inside, outside, precision, coverage, corrected, alike, borders } = rule;
  const all = failing.length + passing.length;
  const outsideText =
    outside.tried === 0 ? '' : `, ${outside.failed} of the ${outside.tried} without it`;
  return {
    of: 'mutations',
    title: text,
    evidence: `${inside.failed} of ${plural(inside.tried, 'attempt')} with it failed${outsideText}; precision ${percent(precision)} %, coverage ${percent(coverage)} %, ${pText(corrected)}`,
    notes: [
      ...borders,
      ...(alike.length === 0
        ? []
        : [`these ${all} attempts cannot distinguish this condition from: ${alike.join('; ')}`]),
    ],
    corrected,
    isSignificant: corrected <= SIGNIFICANCE_LEVEL,
  };
}

function limitTexts(
  { failing, passing, others, chosen }: ExplanationAttempts,
  rules: SeparatingRules | undefined,
): readonly string[] {
  const counts = `${plural(failing.length, 'failing attempt')} and ${plural(passing.length, 'passing attempt')}`;
  const isFew = rules !== undefined && !rules.isConstant && rules.least > SIGNIFICANCE_LEVEL;
  return [
    ...(rules?.isConstant
      ? ['all sets are the same, so no parameter can explain the difference']
      : []),
    ...(isFew
      ? [
          `${counts} are too few for a significant rule: even a rule without exceptions would have ${pText(rules.least)}`,
        ]
      : []),
    ...(rules !== undefined &&
    !rules.isConstant &&
    !isFew &&
    !rules.rules.some(({ corrected }) => corrected <= SIGNIFICANCE_LEVEL)
      ? [`no parameter or pair of parameters separates ${counts} significantly`]
      : []),
    ...(others > 0
      ? [
          `${plural(others, 'attempt')} failed only for other reasons, and ${others === 1 ? 'is' : 'are'} excluded`,
        ]
      : []),
    ...(chosen > 0
      ? [
          `${plural(chosen, 'attempt')} of shrinking and repeating ${chosen === 1 ? 'is' : 'are'} not counted, because their sets were chosen for an earlier outcome`,
        ]
      : []),
  ];
}

/** The caveat that differences need not be causes. */
export const CAUSATION_NOTE =
  'a condition that separates failures from passes is not necessarily the cause: change only that condition, and check whether the failure disappears';

/** Returns a summary of an explanation, for a ticket. */
function paragraphOf(document: Omit<ExplanationDocument, 'paragraph'>): string {
  const { objective, attempt, cause, failing, passing, plan, nearest, statements, divergence } =
    document;
  const set =
    plan.length === 0 ? 'no mutation' : plan.map((one) => plannedText(one, shortValue)).join(' + ');
  const of = (subject: Statement['of']) => statements.find((one) => one.of === subject);
  const sentences = [
    `Attempt ${attempt} of "${objective}" failed "${cause}" with ${set}; ${failing} of ${plural(failing + passing, 'attempt')} failed it.`,
    ...(nearest === undefined ? [] : [nearestSentence(nearest)]),
    ...statementSentences('Strongest predictor of failure', of('mutations')),
    ...statementSentences('Largest difference between the sessions', of('sessions')),
    // A divergence explains nothing if other passing sessions continue like the failing session.
    ...(divergence?.shared === 0 ? [divergence.text] : []),
  ];
  return sentences.join(' ');
}

/**
 * Returns a statement as a sentence, with a warning if the statement may be due to chance. Returns
 * an empty list without a statement.
 */
export function statementSentences(
  title: string,
  statement: Statement | undefined,
): readonly string[] {
  if (statement === undefined) return [];
  const { evidence, isSignificant } = statement;
  const doubt = isSignificant ? '' : ', which may be chance';
  return [`${title}${doubt}: ${statement.title} (${evidence}).`];
}

function nearestSentence({ attempt, isBaseline, differences }: NearestPart): string {
  if (isBaseline) return 'No attempt passed, but the baseline, without mutations, did.';
  return differences.length === 0
    ? `Attempt ${attempt} passed with the same set, so the set alone does not determine the outcome.`
    : `The most similar passing attempt is ${attempt}. The failing set differs in: ${differences.join(', ')}.`;
}
