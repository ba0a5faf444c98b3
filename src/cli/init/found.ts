import { plural } from '../../basics/index.js';
import { quote } from '../../diagnostics/index.js';
import { planText } from '../../reporters/results/index.js';
import { borderText } from '../../results/index.js';
import {
  type BorderRecord,
  causesOf,
  causeText,
  isBeside,
  type Plan,
  type RunState,
  tally,
} from '../../runner/index.js';

/** The finding of a run with faults, in a few sentences, and the attempt that shows it. */
export function foundIn(state: RunState): { readonly text: string; readonly attempt?: number } {
  const { shrunk, attempts } = state;
  const [record] = shrunk;
  const failed = attempts.find(({ result }) => result.outcome === 'failed');
  if (failed === undefined) {
    const times = plural(tally(state).passed, 'attempt');
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
  return {
    text: [
      `Found: ${mutatorsOf(record.plan)} breaks ${cause}.`,
      `It fails with ${planText(record.plan)} (${times}).`,
      ...record.borders.map((border) => `${borderText(border, titleOf(border, record.plan))}.`),
    ].join('\n'),
    attempt: record.of,
  };
}

const shownCause = (cause: string) => (isBeside(cause) ? causeText(cause) : quote(cause));
const mutatorsOf = (plan: Plan) => plan.map(({ name }) => name).join(' with ');

function titleOf({ parameter: { server, id, key } }: BorderRecord, plan: Plan): string {
  const mutator = plan.find((one) => one.server === server && one.id === id);
  return mutator === undefined ? key : `${mutator.name} ${key}`;
}
