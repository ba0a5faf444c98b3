/** @import { Figure } from './figure.js' */
/** @import { Limit, Quantity, Scenario } from './scenario.js' */

/** @type {Readonly<Record<Quantity, string>>} */
const UNITS = { time: 'ms', cpu: 'ms', memory: 'MB', rate: '/s' };

/**
 * The table for people: two lines a figure, its work and its floor. The rows can
 * be written one after another, as they come.
 *
 * @param {readonly Scenario<any>[]} scenarios what will be measured
 */
export function tableOf(scenarios) {
  const sides = scenarios.flatMap(({ comparisons }) =>
    comparisons.flatMap(({ work, floor }) => [work.what, floor.what]),
  );
  const titles = ['scenario', 'work, and below its floor', '', 'ratio', 'spread', 'limit'];
  const widths = [
    widest([...scenarios.map(({ name }) => name), 'scenario']),
    widest([...sides, 'work, and below its floor']),
    -11,
    -5,
    11,
    13,
  ];
  const line = (/** @type {readonly string[]} */ cells) =>
    `${cells
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd()}\n`;
  return {
    head: line(titles),
    /** @param {Figure} figure */
    row({ scenario, work, floor, limit, medians, ratio, spread, met }) {
      const shown = [ratio.toFixed(2), spread.map((end) => end.toFixed(2)).join('-')];
      const verdict = [limitText(limit), met ? '' : 'MISSED'];
      return (
        line([scenario, work, amount(medians.work, limit.quantity), ...shown, ...verdict]) +
        line(['', floor, amount(medians.floor, limit.quantity)])
      );
    },
  };
}

/** A limit in words. @param {Limit} limit */
export function limitText(limit) {
  return 'most' in limit ? `at most ${limit.most}` : `at least ${limit.least}`;
}

/** @param {number} value @param {Quantity} quantity */
function amount(value, quantity) {
  return `${value.toFixed(value < 100 ? 1 : 0)} ${UNITS[quantity]}`;
}

/** @param {readonly string[]} texts */
function widest(texts) {
  return Math.max(...texts.map((text) => text.length));
}

/** @param {string} text @param {number} width negative for a number, which stands to the right */
function pad(text, width) {
  return width < 0 ? text.padStart(-width) : text.padEnd(width);
}
