import type { Measurement, Objective } from './objective.js';

/*
 * Selects measurements by their metadata: `@requirement=REQ-7` selects the measurements with the value `REQ-7` for the
 * key `requirement`.
 */

const SELECTOR = /^@([A-Za-z][\w-]*)=(.*)$/s;

/** True if a text is a selector. */
export function isSelector(text: string): boolean {
  return SELECTOR.test(text);
}

/** True if a selector matches a measurement. */
function selects(selector: string, measurement: Measurement): boolean {
  const [, word = '', value = ''] = SELECTOR.exec(selector) ?? [];
  return valuesOf(measurement, word).includes(value);
}

function valuesOf({ metadata = {} }: Measurement, word: string): readonly string[] {
  return Object.hasOwn(metadata, word) ? (metadata[word] ?? []) : [];
}

/** Returns a selector's key, and its values in an objective's measurements. */
export function choicesFor(objective: Objective, selector: string) {
  const [, word = ''] = SELECTOR.exec(selector) ?? [];
  const values = objective.measurements.flatMap((measurement) => valuesOf(measurement, word));
  return { word, values: [...new Set(values)] };
}

/**
 * Returns an objective with the measurements that match any of the selectors, or with all measurements if there are no
 * selectors.
 *
 * @returns the objective, and the selectors that match no measurement
 */
export function selectMeasurements(
  objective: Objective,
  selectors: readonly string[],
): { readonly selected: Objective; readonly idle: readonly string[] } {
  if (selectors.length === 0) return { selected: objective, idle: [] };
  const { measurements } = objective;
  const isSelected = (measurement: Measurement) =>
    selectors.some((selector) => selects(selector, measurement));
  return {
    selected: { ...objective, measurements: measurements.filter(isSelected) },
    idle: selectors.filter(
      (selector) => !measurements.some((measurement) => selects(selector, measurement)),
    ),
  };
}
