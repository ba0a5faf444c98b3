import { expect, test } from 'vitest';
import { lint } from '../../src/objective/index.js';
import { decodeSource } from '../../src/source/index.js';

/** Each mistake stands between « and »; what is reported is what is marked, in this order. */
const MARKED = `
name = "Drone in wind"
«nmae» = "Drone"

[mutation_constraints]
max_concurrent_mutations = «0»
mutation_precondition = "MATCH (name = 'TAKEOFF') AS takeoff AGGREGATE «count() = 0»"

[[mutator]]
name = "simulation-wind"
«mutation_precondition» = """
MATCH (name = "AIRBORNE") AS air \\
  WHEN air -> «landed»"""

[[mutator.param_constraints]]
name = "speed"
range = «[25.0, 0.0]»

[[measurement]]
name = "The heartbeat never pauses"
check = """
MATCH
\t(name = «HEARTBEAT» AND probe = 'AUTO\\u0050ILOT') AS beat,   # → 🚁 each second
  («severity > 5 AND severity < 3») AS late
WHEN beat -> late AND late «->» beat
FILTER «bet».severity > 3
AGGREGATE «coutn»() = 0
"""

[[measurement]]
name = «"The heartbeat never pauses"»
check = "MATCH (name = \\"GUST\\" AND«)» AS gust, (payload = 'L\\u0041ND') AS landing FILTER gust.name = landing.name"

[stopping_conditions]
attempts = 10
time = "2h 30«m»"
failing_measurements = «20»
`;

const EXPECTED = [
  'objective/unknown-key',
  'objective/invalid-value',
  'expression/aggregate-in-precondition',
  'objective/precondition-conflict',
  'expression/unknown-label',
  'objective/invalid-range',
  'expression/unquoted-string',
  'expression/always-false',
  'expression/causal-cycle',
  'expression/unknown-label',
  'expression/unknown-function',
  'objective/duplicate-measurement',
  'expression/syntax',
  'objective/invalid-duration',
  'objective/unreachable-stopping-condition',
];

test('one run reports every mistake, each at its own characters, in file order', () => {
  const parts = MARKED.split(/[«»]/);
  const text = parts.join('');
  const spans = parts.flatMap((part, index) => {
    const start = parts.slice(0, index).join('').length;
    return index % 2 === 1 ? [{ start, end: start + part.length }] : [];
  });
  const findings = lint(decodeSource('x.toml', Buffer.from(text)));
  expect(findings.map(({ rule }) => rule)).toEqual(EXPECTED);
  expect(findings.map(({ span }) => text.slice(span.start, span.end))).toEqual(
    spans.map(({ start, end }) => text.slice(start, end)),
  );
  expect(findings.map(({ span }) => span)).toEqual(spans);
});
