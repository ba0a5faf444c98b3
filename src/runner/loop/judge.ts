import { evaluate } from '../../evaluation/index.js';
import type { Objective } from '../../objective/index.js';
import type { Session } from '../../session/index.js';
import type { MeasurementResult } from '../journal/records.js';

/** So much evidence of each measurement is kept. */
const EVIDENCE = 3;

/** Takes each measurement of an objective over a session. */
export function measure(objective: Objective, session: Session): readonly MeasurementResult[] {
  return objective.measurements.map(({ name, shouldPass, check }) => {
    const result = evaluate(session, check.expression, { evidence: EVIDENCE });
    const { bindings, measures, labels, evidence, undecided } = result;
    return {
      name,
      shouldPass,
      status: result.status,
      ...(undecided && { reason: `${undecided.clause}: ${undecided.reason}` }),
      details: JSON.stringify({ bindings, measures, labels, evidence }),
    };
  });
}
