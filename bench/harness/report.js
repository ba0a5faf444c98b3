/** @import { Figure } from './compare.js' */
/** @import { Limit, Quantity, Scenario } from './scenario.js' */

/** @type {Readonly<Record<Quantity, string>>} */
const UNITS = { time: 'ms', memory: 'MB', rate: '/s' };

const TITLES = ['scenario', 'work / floor', 'work', 'floor', 'ratio', 'spread', 'limit', ''];
const NUMBERS = { first: 2, last: 5, width: 11 };

/**
 * The table for people. Its rows can be printed one by one, as they come.
 *
 * @param {readonly Scenario<any>[]} scenarios what will be measured
 */
export function tableOf(scenarios) {
  const names = scenarios.map(({ name }) => name.length);
  const works = scenarios.flatMap(({ comparisons }) =>
    comparisons.map(({ work, floor }) => title(work.what, floor.what).length),
  );
  const widths = [Math.max(8, ...names), Math.max(...works)];
  const line = (/** @type {readonly string[]} */ cells) =>
    cells
      .map((cell, column) =>
        column >= NUMBERS.first && column <= NUMBERS.last
          ? cell.padStart(NUMBERS.width)
          : cell.padEnd(widths[column] ?? 'at least 0.75'.length),
      )
      .join('  ')
      .trimEnd();
  return {
    head: () => line(TITLES),
    row: (/** @type {Figure} */ figure) =>
      line([
        figure.scenario,
        title(figure.work, figure.floor),
        amount(figure.medians.work, figure.quantity),
        amount(figure.medians.floor, figure.quantity),
        figure.ratio.toFixed(2),
        figure.spread.map((ratio) => ratio.toFixed(2)).join('-'),
        limitText(figure.limit),
        figure.met ? '' : 'MISSED',
      ]),
  };
}

/** @param {string} work @param {string} floor */
function title(work, floor) {
  return `${work} / ${floor}`;
}

/** @param {number} value @param {Quantity} quantity */
function amount(value, quantity) {
  return `${value.toFixed(value < 100 ? 1 : 0)} ${UNITS[quantity]}`;
}

/** @param {Limit} limit */
function limitText(limit) {
  return 'most' in limit ? `at most ${limit.most}` : `at least ${limit.least}`;
}
