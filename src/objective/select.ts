import type { Measurement, Objective } from './objective.js';

/*
 * Selecting measurements by their metadata: `@requirement=REQ-7` stands for those that have the value
 * REQ-7 for the word.
 */

const SELECTOR = /^@([A-Za-z][\w-]*)=(.*)$/s;

/** Whether a text selects measurements. */
export function isSelector(text: string): boolean {
  return SELECTOR.test(text);
}

/** Whether a selector stands for a measurement. */
function selects(selector: string, { metadata = {} }: Measurement): boolean {
  const [, word = '', value = ''] = SELECTOR.exec(selector) ?? [];
  return Object.hasOwn(metadata, word) && metadata[word]?.includes(value) === true;
}

/**
 * An objective with the measurements that any of the selectors stands for; all of them without selectors.
 *
 * @returns also the selectors that stand for no measurement
 */
export function selectMeasurements(
  objective: Objective,
  selectors: readonly string[],
): { readonly selected: Objective; readonly idle: readonly string[] } {
  if (selectors.length === 0) return { selected: objective, idle: [] };
  const { measurements } = objective;
  const isSelected = (one: Measurement) => selectors.some((selector) => selects(selector, one));
  return {
    selected: { ...objective, measurements: measurements.filter(isSelected) },
    idle: selectors.filter((selector) => !measurements.some((one) => selects(selector, one))),
  };
}
