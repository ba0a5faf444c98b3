/*
 * Questions to recorded sessions, each with an expression and an independent count of its
 * answer: `node bench/peers/count-answers.js`. The counts go through all events, pairs and triples,
 * and share no code with Perturb; a test compares both (test/evaluation/questions.test.ts).
 */
import { pathToFileURL } from 'node:url';
import { readPlain } from './plain-sessions.js';
import { ofFlight } from './questions/flight.js';
import { ofRing } from './questions/ring.js';
import { ofShop } from './questions/shop.js';
import { ofOneRecord, ofOneSpan, ofSpans } from './questions/spans.js';

/** @import { PlainSession } from './plain-sessions.js' */

/**
 * What an expression comes to: the number of its bindings; what the measures have on their left; how
 * many groups BY makes, how many of them satisfy the measures, and how many events lie after the last
 * full window.
 *
 * @typedef {{ bindings?: number, left?: readonly (bigint | number)[], groups?: readonly [all: number, hold: number], cutOff?: number }} Answer
 */

/**
 * `holds` is what follows from the count by the limits in the expression.
 *
 * @typedef {{ asks: string, expression: string, holds: boolean, count: () => Answer }} Asked
 * @typedef {Asked & { session: string }} Question
 */

/** @type {readonly Question[]} */
export const questions = [
  ...to('chord.log', ofRing),
  ...to('drone.session.jsonl', ofFlight),
  ...to('yelp.zipkin.json', ofSpans),
  ...to('shop.otlp.jsonl', ofShop),
  ...to('otlp-trace.json', ofOneSpan),
  ...to('otlp-logs.json', ofOneRecord),
];

/** @param {string} session @param {(session: PlainSession) => Asked[]} ask @returns {Question[]} */
function to(session, ask) {
  return ask(readPlain(session)).map((asked) => ({ session, ...asked }));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const { session, asks, count } of questions) {
    const { bindings, left, groups, cutOff } = count();
    const said = [
      `${bindings} bindings`,
      ...(left ?? []).map(String),
      ...(groups ? [`${groups[1]} of ${groups[0]} groups`] : []),
      ...(cutOff === undefined ? [] : [`${cutOff} events cut off`]),
    ];
    process.stdout.write(`${session}: ${asks}\n  ${said.join(', ')}\n`);
  }
}
