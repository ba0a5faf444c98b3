import type { ContrastDocument, ExplanationDocument } from '../../results/index.js';
import { planToJson } from '../../runner/index.js';
import type { ExplanationJson } from './result-records.js';

/** Returns a contrast as JSON for scripts. For a run, includes the explained attempt. */
export function contrastToJson(document: ContrastDocument | ExplanationDocument): ExplanationJson {
  const { paragraph, failing, passing, statements, divergence, limits } = document;
  return {
    paragraph,
    ...('attempt' in document && attemptMembers(document)),
    ...{ failing, passing },
    statements: statements.map(({ of, title, evidence, notes, corrected, isSignificant }) => ({
      ...{ of, title, evidence, notes: [...notes], p: corrected, significant: isSignificant },
    })),
    divergence: divergence && {
      ...{ text: divergence.text, note: divergence.note, probe: divergence.probe },
      ...{ common: divergence.common, shared: divergence.shared, others: divergence.others },
      passing: { name: divergence.passing.name, event: divergence.passing.event },
      failing: { name: divergence.failing.name, event: divergence.failing.event },
    },
    notes: [...limits],
  };
}

function attemptMembers({ objective, attempt, cause, plan, nearest }: ExplanationDocument) {
  return {
    ...{ objective, attempt, cause, set: planToJson(plan) },
    nearest: nearest && {
      attempt: nearest.attempt,
      baseline: nearest.isBaseline,
      set: planToJson(nearest.plan),
      distance: nearest.distance,
      differences: [...nearest.differences],
    },
  };
}
