/*
 * An independent count of what docs/measuring.md measures: `node bench/peers/closure.js`.
 *
 * It reads fixtures/sessions/chord.log by itself, takes the order from the vector clocks as a
 * transitive closure, one row of bytes an event, and counts pairs of events by going through all of
 * them. It shares no code with Perturb.
 */
import { readFileSync } from 'node:fs';

const lines = readFileSync(new URL('../../fixtures/sessions/chord.log', import.meta.url), 'utf8')
  .split('\n')
  .map((line) => line.trimEnd());

/** @type {{ host: string, clock: Record<string, number>, text: string }[]} */
const events = [];
for (let at = 0; at + 1 < lines.length; at++) {
  const [, host, clock] = /^(\S+) (\{.*\})$/.exec(lines[at] ?? '') ?? [];
  if (host === undefined || clock === undefined) continue;
  events.push({ host, clock: JSON.parse(clock), text: lines[at + 1] ?? '' });
}

// By the sum of the clock each event comes after all that it knows of.
const sum = ({ clock }) => Object.values(clock).reduce((total, entry) => total + entry, 0);
events.sort((a, b) => sum(a) - sum(b));
const numberOf = new Map(events.map(({ host, clock }, at) => [`${host} ${clock[host]}`, at]));

/** For each event those before it, 1 or 0. */
const before = events.map(() => new Uint8Array(events.length));
for (const [at, { host, clock }] of events.entries()) {
  const known = Object.entries(clock).map(([other, entry]) => [
    other,
    other === host ? entry - 1 : entry,
  ]);
  for (const [other, entry] of known) {
    const earlier = numberOf.get(`${other} ${entry}`);
    if (earlier === undefined) continue;
    before[at][earlier] = 1;
    for (let one = 0; one < events.length; one++) before[at][one] |= before[earlier][one];
  }
}

const named = (text) => [...events.keys()].filter((at) => events[at].text === text);
const lookups = named('Received GetNode request');
const [got] = named('Responding to get');
const earlier = lookups.filter((lookup) => before[got][lookup] === 1);
const initialized = named('Received initialize request').flatMap((init) =>
  lookups.filter(
    (lookup) => before[lookup][init] === 1 && events[init].host === events[lookup].host,
  ),
);
const latest = Math.max(...earlier.map((at) => events[at].clock[events[at].host]));
process.stdout.write(`events: ${events.length}
lookups before the get: ${earlier.length} of ${lookups.length}
the latest of them: #${latest}
pairs of an initialization and a later lookup of its node: ${initialized.length}
`);
