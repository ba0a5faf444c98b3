/*
 * What a scenario is. Every figure of the bench is a ratio: some work of
 * Perturb beside a floor, the least that such work costs, in the same minute.
 */

/** Milliseconds of wall time or of CPU, megabytes at the peak, or units of work a second. */
/** @typedef {'time' | 'cpu' | 'memory' | 'rate'} Quantity */

/** The result of one run. */
/** @typedef {Readonly<Partial<Record<Quantity, number>>>} Run */

/**
 * What the ratio of a quantity, that of the work to that of the floor, may be.
 *
 * @typedef {{ readonly quantity: Quantity } & ({ readonly most: number } | { readonly least: number })} Limit
 */

/**
 * @template Stage
 * @typedef {object} Side
 * @property {string} what in words, for the table
 * @property {(stage: Stage) => Run | Promise<Run>} run
 */

/**
 * Two things that are measured side by side.
 *
 * @template Stage
 * @typedef {object} Comparison
 * @property {Side<Stage>} work
 * @property {Side<Stage>} floor
 * @property {readonly Limit[]} limits a figure for each
 * @property {number} pairs how often both are run
 */

/**
 * Where a scenario takes place.
 *
 * @typedef {object} Place
 * @property {string} directory an empty one, removed at the end
 * @property {(end: () => unknown) => void} defer does something before that, the latest first
 */

/**
 * @template Stage what its comparisons need: files, servers
 * @typedef {object} Scenario
 * @property {string} name
 * @property {string} about
 * @property {(place: Place) => Stage | Promise<Stage>} prepare
 * @property {readonly Comparison<Stage>[]} comparisons
 */

export {};
