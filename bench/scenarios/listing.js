import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exchange, request } from '../harness/client.js';
import { bare } from '../harness/programs.js';
import { rateOf } from '../harness/rate.js';
import { serveMutators } from '../harness/serve-mutators.js';
import { serveProgram } from '../harness/serve-program.js';

/** @import { Comparison, Place, Scenario } from '../harness/scenario.js' */

const CLIENTS = 16;

/** How many mutators are listed, and how often by each client in a run. */
const SIZES = [
  { mutators: 100, times: 200 },
  { mutators: 5_000, times: 10 },
];

/** @param {number} index */
const mutator = (index) => `[[mutator]]
id = "wind-${index}"
name = "simulation-wind-${index}"
description = "Wind force on the airframe"
layer = "environmental"
operation = "set_to_value"
tags = ["drone", "simulator"]

[[mutator.param]]
name = "speed"
type = "float"
hard_range = [0.0, 40.0]
default = 0.0
units = "m/s"

[mutator.actuator]
kind = "file"
path = "wind.json"
key = ["speed"]
value = "{speed}"
`;

/** The ports of two servers that answer the same. @typedef {{ perturb: number, bare: number }} Ports */

/** @param {Place} place @param {number} count @returns {Promise<Ports>} */
async function servers(place, count) {
  const mutators = Array.from({ length: count }, (_, index) => mutator(index));
  const port = await serveMutators(place, `mutators-${count}`, mutators);
  const answer = await fetch(`http://127.0.0.1:${port}/mutator`);
  const listing = join(place.directory, `listing-${count}.json`);
  writeFileSync(listing, Buffer.from(await answer.arrayBuffer()));
  return { perturb: port, bare: await serveProgram(place, bare('answer', listing)) };
}

/** @param {number} port @param {number} times */
function ask(port, times) {
  const requests = Array.from({ length: times }, () => request('GET', '/mutator'));
  return rateOf(CLIENTS * times, () =>
    Promise.all(Array.from({ length: CLIENTS }, () => exchange(port, requests))),
  );
}

/** The ports for each number of mutators. @typedef {ReadonlyMap<number, Ports>} Stage */

/** @param {typeof SIZES[number]} size @returns {Comparison<Stage>} */
function comparison({ mutators, times }) {
  const portsOf = (/** @type {Stage} */ stage) => /** @type {Ports} */ (stage.get(mutators));
  return {
    work: {
      what: `list ${mutators.toLocaleString('en')} mutators`,
      run: (stage) => ask(portsOf(stage).perturb, times),
    },
    floor: {
      what: 'the same bytes from node:http',
      run: (stage) => ask(portsOf(stage).bare, times),
    },
    limits: [{ quantity: 'rate', least: 0.75 }],
    pairs: 11,
  };
}

/** @type {Scenario<Stage>} */
export const listing = {
  name: 'listing',
  about: 'how many lists of its mutators the server answers a second',
  async prepare(place) {
    const stage = new Map();
    for (const { mutators } of SIZES) stage.set(mutators, await servers(place, mutators));
    return stage;
  },
  comparisons: SIZES.map(comparison),
};
