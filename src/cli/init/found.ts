import { quote } from '../../diagnostics/index.js';
import { planText } from '../../reporters/results/index.js';
import {
  causesOf,
  causeText,
  type DoneAttempt,
  isBeside,
  type Plan,
  type RunState,
  type ShrunkRecord,
  tally,
} from '../../runner/index.js';
import { type AttributeValue, equals, format } from '../../values/index.js';

/** What a run with faults has found, in a sentence or two, and the attempt that shows it. */
export function foundIn(state: RunState): { readonly text: string; readonly attempt?: number } {
  const { shrunk, attempts } = state;
  const [record] = shrunk;
  const failed = attempts.find(({ result }) => result.outcome === 'failed');
  if (failed === undefined) {
    const { passed } = tally(state);
    const times = passed === 1 ? '1 attempt' : `${passed} attempts`;
    return { text: `Found nothing: every question held in ${times} with faults.` };
  }
  if (record === undefined) {
    const causes = causesOf(failed).map(shownCause);
    return {
      text: `Found: ${mutatorsOf(failed.plan)} breaks ${causes.join(' and ')}.`,
      attempt: failed.n,
    };
  }
  const cause = shownCause(record.cause);
  const times = `${record.failed} of ${record.tried} times`;
  if (record.ended === 'unmutated') {
    return {
      text: `Found nothing: ${cause} fails without faults too, ${times}.`,
      attempt: failed.n,
    };
  }
  if (record.ended === 'not-repeated') {
    return {
      text: `Found nothing that repeats: ${cause} failed once, with ${planText(failed.plan)}, and then ${times}.`,
      attempt: failed.n,
    };
  }
  const passed = nearestPassed(record, attempts);
  const holds = passed === undefined ? '' : `, and holds with ${passed}`;
  return {
    text: `Found: ${mutatorsOf(record.plan)} breaks ${cause}.
It fails with ${planText(record.plan)} (${times})${holds}.`,
    attempt: record.of,
  };
}

const shownCause = (cause: string) => (isBeside(cause) ? causeText(cause) : quote(cause));
const mutatorsOf = (plan: Plan) => plan.map(({ name }) => name).join(' with ');

/**
 * Of the sets that were tried and did not fail for the cause, the nearest that differs in one number alone: that
 * number, with its parameter.
 */
function nearestPassed(
  { plan, of, cause }: ShrunkRecord,
  attempts: readonly DoneAttempt[],
): string | undefined {
  return attempts
    .filter(({ shrinks, result }) => shrinks === of && result.outcome === 'passed')
    .filter((one) => !causesOf(one).includes(cause))
    .flatMap((one) => differenceOf(plan, one.plan) ?? [])
    .sort((a, b) => a.distance - b.distance)[0]?.text;
}

/** The one number in which a set differs from another; undefined if they differ otherwise. */
function differenceOf(from: Plan, to: Plan) {
  const [own, others] = [from, to].map((plan) =>
    plan.flatMap(({ id, params }) => [...params].map(([key, value]) => ({ id, key, value }))),
  ) as [Value[], Value[]];
  const apart = others.filter(
    ({ value }, at) => own[at] !== undefined && !equals(value, own[at].value),
  );
  const isSame = own.length === others.length && own.every(({ id }, at) => id === others[at]?.id);
  const [one] = apart;
  if (!isSame || one === undefined || apart.length > 1) return undefined;
  const before = own[others.indexOf(one)]?.value;
  const distance = Math.abs(Number(one.value.value) - Number(before?.value));
  return Number.isFinite(distance)
    ? { distance, text: `${one.key}=${format(one.value)}` }
    : undefined;
}

interface Value {
  readonly id: string;
  readonly key: string;
  readonly value: AttributeValue;
}
