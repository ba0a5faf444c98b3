/*
 * An independent count of what docs/measuring.md measures: `node bench/peers/closure.js`.
 *
 * It reads examples/sessions/chord.log by itself, takes the order from the vector clocks as a
 * transitive closure, one set for each event, and counts pairs of events by going through all of
 * them. It shares no code with Perturb.
 */
import { readFileSync } from 'node:fs';

const lines = readFileSync(new URL('../../examples/sessions/chord.log', import.meta.url), 'utf8')
  .split('\n')
  .map((line) => line.trimEnd());

/** @typedef {{ host: string, clock: Record<string, number>, text: string, own: number }} LogEvent */

/** @type {LogEvent[]} */
const events = [];
for (const [at, line] of lines.entries()) {
  const [, host, json] = /^(\S+) (\{.*\})$/.exec(line) ?? [];
  if (host === undefined || json === undefined) continue;
  const clock = JSON.parse(json);
  events.push({ host, clock, text: lines[at + 1] ?? '', own: clock[host] });
}

// Sorted by the sum of its clock, each event comes after all that it knows of.
/** @param {LogEvent} event */
const sum = ({ clock }) => Object.values(clock).reduce((total, entry) => total + entry, 0);
events.sort((a, b) => sum(a) - sum(b));
const byPlace = new Map(events.map((event) => [`${event.host} ${event.own}`, event]));

/**
 * For each event, all events before it.
 * @type {Map<LogEvent, Set<LogEvent>>}
 */
const before = new Map();
for (const event of events) {
  const all = new Set();
  for (const [host, entry] of Object.entries(event.clock)) {
    const earlier = byPlace.get(`${host} ${host === event.host ? entry - 1 : entry}`);
    if (earlier === undefined) continue;
    all.add(earlier);
    for (const one of before.get(earlier) ?? []) all.add(one);
  }
  before.set(event, all);
}

/** @param {string} text */
const named = (text) => events.filter((event) => event.text === text);
const lookups = named('Received GetNode request');
const [got] = named('Responding to get');
const earlier = lookups.filter((lookup) => got !== undefined && before.get(got)?.has(lookup));
const initialized = named('Received initialize request').flatMap((init) =>
  lookups.filter((lookup) => lookup.host === init.host && before.get(lookup)?.has(init)),
);
const latest = Math.max(...earlier.map(({ own }) => own));
process.stdout.write(`events: ${events.length}
lookups before the get: ${earlier.length} of ${lookups.length}
the latest of them: #${latest}
pairs of an initialization and a later lookup of its node: ${initialized.length}
`);
