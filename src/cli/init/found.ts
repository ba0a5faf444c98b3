import { headlineOf, planText, type RunResult, shrinkingPart } from '../../results/index.js';

/** Returns a short summary of a run with faults, and the attempt that shows its result. */
export function summarizeRun(
  result: Pick<RunResult, 'state' | 'space' | 'directory' | 'measurements'>,
): { readonly lines: readonly string[]; readonly attempt: number | undefined } {
  const { text, attempt } = headlineOf(result);
  const [record] = result.state.shrunkSets;
  const part = record && shrinkingPart(record, result);
  if (record === undefined || part?.none !== undefined) return { lines: [text], attempt };
  const { plan, failed, tried } = record;
  return {
    lines: [
      text,
      `It fails with ${planText(plan)} (${failed} of ${tried} times).`,
      ...(part?.borders ?? []).map((border) => `${border}.`),
    ],
    attempt,
  };
}
