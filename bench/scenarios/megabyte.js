import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { perturb } from '../harness/programs.js';
import { runProgram } from '../harness/run-program.js';

/** @import { Comparison, Scenario } from '../harness/scenario.js' */

const MEGABYTE = 1_000_000;

/** One condition with so many comparisons. @param {number} count */
function longCondition(count) {
  const events = Array.from(
    { length: count },
    (_, index) => `name = 'EVENT_${index}' AND payload > ${index}.5`,
  );
  return `MATCH (${events.join('\n  OR ')}) AS event\nAGGREGATE count() < 10`;
}

/** So many labels, each of them in every clause. @param {number} count */
function manyLabels(count) {
  const labels = Array.from({ length: count }, (_, index) => `e${index}`);
  return `MATCH
  ${labels.map((label) => `(name = '${label}' AND severity >= 3) AS ${label}`).join(',\n  ')}
WHEN ${labels.join(' -> ')}
FILTER ${labels.map((label) => `${label}.payload > 0.5`).join(' AND ')}
AGGREGATE ${labels.map((label) => `max(${label}.payload) < 9.5`).join(', ')}`;
}

/** As much of an expression as makes a text of a size. @typedef {(count: number) => string} Shape */

/** @param {Shape} shape @param {number} size */
function ofSize(shape, size) {
  const sample = 1_000;
  // The numbers get longer, so the first guess is short.
  let count = Math.floor((size / shape(sample).length) * sample);
  let text = shape(count);
  while (Math.abs(text.length - size) > size / 1_000) {
    count = Math.round((count * size) / text.length);
    text = shape(count);
  }
  return text;
}

/** @param {string} expression */
const objectiveWith = (expression) => `name = "Long"

[[measurement]]
name = "Something long"
check = """
${expression}
"""

[stopping_conditions]
attempts = 500
`;

/** @type {Readonly<Record<string, Shape>>} */
const SHAPES = { 'a condition': longCondition, labels: manyLabels };

/** @param {string} directory @param {string} name @param {number} megabytes */
const fileOf = (directory, name, megabytes) => join(directory, `${name}-${megabytes}.toml`);

/** @param {string} name @returns {Comparison<{ readonly directory: string }>} */
function doubled(name) {
  const side = (/** @type {number} */ megabytes) => ({
    what: `lint ${megabytes} MB of ${name}`,
    run: (/** @type {{ readonly directory: string }} */ { directory }) =>
      runProgram(perturb('objective', 'lint', fileOf(directory, name, megabytes))),
  });
  return { work: side(2), floor: side(1), limits: [{ quantity: 'time', most: 2.3 }], pairs: 7 };
}

/** @type {Scenario<{ readonly directory: string }>} */
export const megabyte = {
  name: 'megabyte',
  about: 'whether the time for one expression grows with its size',
  prepare({ directory }) {
    for (const [name, shape] of Object.entries(SHAPES)) {
      for (const megabytes of [1, 2]) {
        const text = objectiveWith(ofSize(shape, megabytes * MEGABYTE));
        writeFileSync(fileOf(directory, name, megabytes), text);
      }
    }
    return { directory };
  },
  comparisons: Object.keys(SHAPES).map(doubled),
};
