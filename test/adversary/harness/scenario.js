/**
 * An attack, and what must hold under it.
 *
 * @typedef {object} Scenario
 * @property {string} name what a run asks for
 * @property {string} promise what holds, in a sentence
 * @property {boolean} [alone] whether it measures what other attacks at the same time would disturb
 * @property {(place: Place, size: Size) => Promise<Outcome>} run
 */

/**
 * How much of it: `small` is for the tests, and takes a few seconds at most.
 *
 * @typedef {'small' | 'full'} Size
 */

/**
 * @typedef {object} Outcome
 * @property {string} figures how much was tried, and what was measured
 * @property {readonly string[]} broken what did not hold; empty where all did
 * @property {string} [skipped] why it could not be tried here
 */

/**
 * Where a scenario works.
 *
 * @typedef {object} Place
 * @property {string} directory empty at first
 * @property {(undo: () => unknown) => void} defer has something done when the scenario ends, last first
 */

export {};
