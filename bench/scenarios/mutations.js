import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { exchange, request } from '../harness/client.js';
import { rateOf } from '../harness/rate.js';
import { serveIdleMutators } from '../harness/serve-mutators.js';

/** @import { Comparison, Scenario } from '../harness/scenario.js' */

/** How often a client injects and resets in a run. */
const TIMES = 100;

/** One for each client. */
const IDS = Array.from({ length: 16 }, (_, index) => `wind-${index + 10}`);

/** An injection and a reset. @param {string} id */
function requestsFor(id) {
  const path = `/mutator/${id}/mutation`;
  const mutation = '6f1c3a1e-58b5-4f5c-a2c4-8a1f4b3c2d1e';
  const body = JSON.stringify({ mutation, params: { speed: 12.5 } });
  return [request('POST', path, body), request('DELETE', path)];
}

/**
 * @typedef {object} Stage
 * @property {number} port
 * @property {readonly Buffer[]} records what the journal has of an injection and a reset
 * @property {number} file to write them to
 */

/**
 * Injects and resets mutators at a time, beside what the journal must do for one of them.
 *
 * @param {string} what
 * @param {readonly string[]} ids
 * @param {number} least
 * @returns {Comparison<Stage>}
 */
function comparison(what, ids, least) {
  return {
    work: {
      what,
      run: ({ port }) =>
        rateOf(TIMES * ids.length, () =>
          Promise.all(ids.map((id) => exchange(port, repeat(requestsFor(id))))),
        ),
    },
    floor: {
      what: 'write and sync the records of one',
      run: ({ file, records }) =>
        rateOf(TIMES, () => {
          for (const record of repeat(records)) {
            writeSync(file, record);
            fdatasyncSync(file);
          }
        }),
    },
    limits: [{ quantity: 'rate', least }],
    pairs: 11,
  };
}

/** @template T @param {readonly T[]} items */
function repeat(items) {
  return Array.from({ length: TIMES }, () => items).flat();
}

/** @type {Scenario<Stage>} */
export const mutations = {
  name: 'mutations',
  about: 'how many mutations the server injects and resets a second',
  async prepare(place) {
    const at = (/** @type {string} */ path) => join(place.directory, path);
    const port = await serveIdleMutators(place, IDS);
    await exchange(port, requestsFor(IDS[0] ?? ''));
    // Its first two lines say what it is, and how many there are.
    const [, , ...lines] = readFileSync(at('mutators.state/journal'), 'utf8').match(/.*\n/g) ?? [];
    const file = openSync(at('records'), 'a');
    place.defer(() => closeSync(file));
    return { port, records: lines.map((line) => Buffer.from(line)), file };
  },
  comparisons: [
    comparison('inject and reset one mutator', IDS.slice(0, 1), 0.1),
    comparison('inject and reset 16 at a time', IDS, 0.5),
  ],
};
