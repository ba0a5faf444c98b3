import type { ExpressionRule } from '../analysis/context.js';
import type { UnrecordedRequirement } from '../analysis/recorded.js';

/* Rules that report the results of `analysis/unrecorded.ts`, one rule for each kind of result. */

type Texts = Pick<ExpressionRule, 'id' | 'summary' | 'why' | 'action' | 'examples'>;

function recordedRule(aspect: UnrecordedRequirement['what'], texts: Texts): ExpressionRule {
  return {
    ...texts,
    severity: 'warning',
    ...(aspect !== 'order' && aspect !== 'time' && { fixable: 'suggested' }),
    check({ unrecorded = [] }, report) {
      for (const result of unrecorded) if (result.what === aspect) report(result.violation);
    },
  };
}

const EXPECTED_HELP =
  'add it to `[recorded] expected` in perturb.toml if passing sessions never contain it';

/** The rules that compare an expression with recorded sessions. */
export const recordedRules: readonly ExpressionRule[] = [
  recordedRule('name', {
    id: 'recorded/unknown-name',
    summary: 'an expression requires an event whose name was never recorded',
    why: 'The pattern matches nothing, so `count() = 0` holds whatever the system does.',
    action: `Correct the name, or ${EXPECTED_HELP}.`,
    examples: {
      fails: "MATCH (name = 'GUTS') AS gust",
      passes: "MATCH (name = 'GUST') AS gust",
    },
  }),
  recordedRule('probe', {
    id: 'recorded/unknown-probe',
    summary:
      'an expression requires an event at a probe that recorded no events, or no event with that name',
    why: 'The pattern matches nothing, so `count() = 0` holds whatever the system does.',
    action: `Correct the probe, or ${EXPECTED_HELP}.`,
    examples: {
      fails: 'MATCH (GUST @ GAZEBOO) AS gust',
      passes: 'MATCH (GUST @ GAZEBO) AS gust',
    },
  }),
  recordedRule('attribute', {
    id: 'recorded/unknown-attribute',
    summary: 'an attribute missing from every recorded event that matches the rest of the pattern',
    why: 'A comparison with a missing attribute is false, and a function of the attribute has no value.',
    action: `Correct the attribute, or ${EXPECTED_HELP}.`,
    examples: {
      fails: "MATCH (name = 'GUST' AND froce > 12.5) AS gust",
      passes: "MATCH (name = 'GUST' AND force > 12.5) AS gust",
    },
  }),
  recordedRule('value', {
    id: 'recorded/unknown-value',
    summary:
      'an attribute with few distinct string values is compared with a string that was never recorded',
    why: 'The comparison is always false, or always true.',
    action: `Correct the string, or ${EXPECTED_HELP}.`,
    examples: {
      fails: "MATCH (name = 'MODE' AND mode = 'HOVVER') AS mode",
      passes: "MATCH (name = 'MODE' AND mode = 'HOVER') AS mode",
    },
  }),
  recordedRule('kind', {
    id: 'recorded/kind-mismatch',
    summary: 'an attribute is compared with a value of a type that was never recorded',
    why: 'Values of different types are never equal and have no order, so the comparison is always false.',
    action: 'Compare with a value of the recorded type.',
    examples: {
      fails: "MATCH (name = 'MODE' AND armed = 1) AS mode",
      passes: "MATCH (name = 'MODE' AND armed = TRUE) AS mode",
    },
  }),
  recordedRule('order', {
    id: 'recorded/unordered',
    summary: 'WHEN orders two labels whose events have no order in the recordings',
    why: 'The arrow holds for no two events, so the measurement is undecided.',
    action: 'Compare times, use `--order time`, or record messages.',
    examples: {
      fails:
        "MATCH (name = 'GUST') AS gust, (name = 'MODE' AND mode = 'LAND') AS land WHEN gust -> land",
      passes:
        "MATCH (name = 'MODE' AND mode = 'HOVER') AS hover, (name = 'MODE' AND mode = 'LAND') AS land WHEN hover -> land",
    },
  }),
  recordedRule('time', {
    id: 'recorded/no-time',
    summary:
      'an expression uses the times of events without times, or the order of such events and an injection',
    why: 'A comparison with a missing time is false. If nothing connects an event without a time to an injection, their order is unknown and the measurement is undecided.',
    action: "Record the events' times. If messages or timelines order the events, use WHEN.",
    examples: {
      fails:
        "MATCH (name = 'MODE' AND mode = 'HOVER') AS hover, (name = 'MODE' AND mode = 'LAND') AS land FILTER hover.time < land.time",
      passes:
        "MATCH (name = 'MODE' AND mode = 'HOVER') AS hover, (name = 'MODE' AND mode = 'LAND') AS land WHEN hover -> land",
    },
  }),
  recordedRule('span', {
    id: 'recorded/span-twice',
    summary: 'a count or BY includes both the start and the end of a span',
    why: 'A span consists of two events with the same name, so each span is counted twice.',
    action: 'Select only one of the two events, with `span.end = TRUE` or `span.start = TRUE`.',
    examples: {
      fails: "MATCH (name = 'GET /map') AS get AGGREGATE count() <= 3",
      passes: "MATCH (name = 'GET /map' AND span.end = TRUE) AS get AGGREGATE count() <= 3",
    },
  }),
];

const GET = '{"probe":"MAPS","name":"GET /map","attributes":';
const SPAN = `${GET}{"span.start":true}}\n${GET}{"span.end":true}}\n`;
const HOVER = '{"probe":"AUTOPILOT","name":"MODE","attributes":{"mode":"HOVER","armed":true}}\n';
const LAND = '{"probe":"AUTOPILOT","name":"MODE","attributes":{"mode":"LAND","armed":false}}\n';

/** A short session for checking the examples of these rules. */
export const EXAMPLE_SESSION = `{"probe":"GAZEBO","name":"GUST","attributes":{"force":7.5}}
{"probe":"GAZEBO","name":"GUST","attributes":{"force":13}}
{"probe":"GAZEBO","name":"GUST","attributes":{"force":21.5}}
${HOVER.repeat(4)}${LAND.repeat(4)}${SPAN.repeat(2)}`;
