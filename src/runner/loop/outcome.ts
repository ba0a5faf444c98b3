import type { MeasurementResult, Outcome } from '../journal/records.js';

/** Whether a measurement came out as its `should_pass` says; undefined where it is undecided. */
export function hasPassed({ status, shouldPass }: MeasurementResult): boolean | undefined {
  return status === 'undecided' ? undefined : (status === 'holds') === shouldPass;
}

/**
 * How an attempt came out by its measurements. One that did not pass is a failure, whatever could
 * not be decided beside it.
 */
export function outcomeOf(measurements: readonly MeasurementResult[]): Outcome {
  const passed = measurements.map(hasPassed);
  if (passed.includes(false)) return 'failed';
  return passed.includes(undefined) ? 'inconclusive' : 'passed';
}
