/*
 * An independent count of what docs/measuring.md measures: `node bench/peers/closure.js`. It goes
 * through all pairs of events, and shares no code with Perturb.
 */
import { readPlain } from './plain-sessions.js';

const { events, isBefore } = readPlain('chord.log');

/** @param {string} text */
const named = (text) => events.filter(({ name }) => name === text);
const lookups = named('Received GetNode request');
const [got] = named('Responding to get');
const earlier = lookups.filter((lookup) => got !== undefined && isBefore(lookup, got));
const initialized = named('Received initialize request').flatMap((init) =>
  lookups.filter((lookup) => lookup['probe'] === init['probe'] && isBefore(init, lookup)),
);
const latest = Math.max(...earlier.map(({ seq }) => Number(seq)));
process.stdout.write(`events: ${events.length}
lookups before the get: ${earlier.length} of ${lookups.length}
the latest of them: #${latest}
pairs of an initialization and a later lookup of its node: ${initialized.length}
`);
