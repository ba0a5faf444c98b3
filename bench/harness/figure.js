import { median, middleHalf } from './median.js';

/** @import { Limit } from './scenario.js' */

/**
 * What is compared.
 *
 * @typedef {object} Subject
 * @property {string} scenario
 * @property {string} work
 * @property {string} floor
 * @property {Limit} limit
 */

/**
 * The result of a comparison.
 *
 * @typedef {object} Measured
 * @property {number} ratio of the work to the floor, the median of the pairs
 * @property {readonly [number, number]} spread the middle half of the pairs' ratios
 * @property {boolean} met whether the ratio is within the limit
 * @property {{ readonly work: number, readonly floor: number }} medians
 * @property {number} pairs how many there were
 */

/** @typedef {Readonly<Subject & Measured>} Figure */

/** What one pair came to. @typedef {{ readonly work: number, readonly floor: number }} Pair */

/**
 * @param {Subject} subject
 * @param {readonly Pair[]} pairs at least one
 * @returns {Figure}
 */
export function toFigure(subject, pairs) {
  const ratios = pairs.map(({ work, floor }) => work / floor);
  const ratio = median(ratios);
  const { limit } = subject;
  return {
    ...subject,
    ratio,
    spread: middleHalf(ratios),
    met: 'most' in limit ? ratio <= limit.most : ratio >= limit.least,
    medians: {
      work: median(pairs.map(({ work }) => work)),
      floor: median(pairs.map(({ floor }) => floor)),
    },
    pairs: pairs.length,
  };
}
