/* Mistakes as people make them: fixtures/objective/by-hand.out has what is said of each. */

const RIGHT = `name = "Wind"

[mutation_constraints]
max_concurrent_mutations = 2

[[mutator]]
name = "simulation-wind"
probe = "GAZEBO"

[[mutator.param_constraints]]
name = "speed"
range = [0.0, 25.0]

[[measurement]]
name = "calm"
check = """CHECK"""

[stopping_conditions]
attempts = 10
time = "2h 30min"
`;

/** What is right in a file, and what stands there. */
const IN_FILES: readonly (readonly [right: string, written: string])[] = [
  ['max_concurrent_mutations = 2', 'max_concurrent_mutations = two'],
  ['max_concurrent_mutations = 2', 'max_concurrent_mutations = -1'],
  ['max_concurrent_mutations = 2', 'max_concurrent_mutations = 2.0'],
  ['max_concurrent_mutations = 2', 'max_concurrent_mutations: 2'],
  ['attempts = 10', 'attempts = 1e3'],
  ['attempts = 10', 'attempts = 10;'],
  ['attempts = 10', 'attempts = 10 attempts'],
  ['attempts = 10', 'attempts = unlimited'],
  ['attempts = 10', 'attempts: 10'],
  ['attempts = 10', 'Attempts = 10'],
  ['attempts = 10', 'max_attempts = 10'],
  ['attempts = 10', 'attempt = 10'],
  ['attempts = 10', 'attempts = 10 -- enough'],
  ['time = "2h 30min"', 'time = 2h 30min'],
  ['time = "2h 30min"', 'time = "2:30"'],
  ['time = "2h 30min"', 'time = "2 hours and 30 minutes"'],
  ['time = "2h 30min"', 'time = "2h30"'],
  ['time = "2h 30min"', 'time = "30min 2h"'],
  ['time = "2h 30min"', 'time = "-2h"'],
  ['time = "2h 30min"', 'duration = "2h 30min"'],
  ['time = "2h 30min"', 'timeout = "2h"'],
  ['range = [0.0, 25.0]', 'range = 0.0 - 25.0'],
  ['range = [0.0, 25.0]', 'range = [0.0 25.0]'],
  ['range = [0.0, 25.0]', 'range = {min = 0, max = 25}'],
  ['range = [0.0, 25.0]', 'range = [0.0, 25.0 m/s]'],
  ['range = [0.0, 25.0]', 'range = [0.0, 12.5, 25.0]'],
  ['range = [0.0, 25.0]', 'max = 25.0'],
  ['range = [0.0, 25.0]', 'values = [0.0, 25.0]'],
  ['range = [0.0, 25.0]', 'range = [0,0, 25,0]'],
  ['[[mutator]]', '[mutator]'],
  ['[[mutator.param_constraints]]', '[[param_constraints]]'],
  ['[[mutator.param_constraints]]', '[[mutators.param_constraints]]'],
  ['[[mutator]]', '[[mutators]]'],
  ['[[measurement]]', '[[measurements]]'],
  ['[[measurement]]', '[[measurement]'],
  ['[stopping_conditions]', '[stopping-conditions]'],
  ['[stopping_conditions]', '[stopping_condition]'],
  ['[stopping_conditions]', '[[stopping_conditions]]'],
  ['name = "simulation-wind"', 'mutator = "simulation-wind"'],
  ['probe = "GAZEBO"', 'probe = ["GAZEBO"]'],
  ['probe = "GAZEBO"', 'probes = ["GAZEBO"]'],
  ['name = "calm"', 'name = "calm"\nexpect = false'],
  ['name = "calm"', 'name = "calm"\nshould_pass = "no"'],
  ['name = "calm"', 'name = "calm"\ntimeout = "5s"'],
  ['name = "Wind"', 'name = "Wind" "gust"'],
  ['name = "Wind"', 'name = Wind'],
];

const IN_CHECKS: readonly string[] = [
  "MATCH (name = 'A')",
  "MATCH name = 'A' AS a",
  "MATCH (name = 'A') as a where a -> b",
  "(name = 'A') AS a, (name = 'B') AS b WHEN a -> b",
  "MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a precedes b",
  "MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a < b",
  "MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a.time < b.time",
  "MATCH (name = 'A') AS a, (name = 'B') AS b WHEN b after a",
  "MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a -> b FILTER b.time - a.time < 5 seconds",
  "MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a -> b FILTER (b.time - a.time) < 100",
  "MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a -> b within 5",
  "MATCH (name = 'A') AS a AGGREGATE COUNT(a) > 3",
  "MATCH (name = 'A') AS a AGGREGATE count > 3",
  "MATCH (name = 'A') AS a AGGREGATE 3 < count() < 5",
  "MATCH (name = 'A') AS a AGGREGATE avg(a.x) > 3 and count() > 1",
  "MATCH (name = 'A') AS a AGGREGATE max(x) > 3",
  "MATCH (name = 'A') AS a AGGREGATE count() == 0",
  "MATCH (name = 'A') AS a COUNT = 0",
  "MATCH (name = 'A') AS a AGGREGATE count() = zero",
  "MATCH (name = 'A') AS a AGGREGATE p95(a.latency) < 100ms",
  "MATCH (name = 'A') AS a AGGREGATE percentile(95, a.latency) < 100",
  'MATCH (name = A OR name = B) AS a',
  "MATCH (name in ['A', 'B']) AS a",
  "MATCH (name = 'A', severity > 3) AS a",
  "MATCH (severity > '3') AS a",
  'MATCH (severity > high) AS a',
  'MATCH (name = "A") AS a',
  'MATCH (!armed) AS a',
  'MATCH (armed) AS a',
  'MATCH (armed = true AND NOT landed) AS a',
  "MATCH (name ~ 'A.*') AS a",
  "MATCH (name LIKE 'A%') AS a",
  "MATCH (name = 'A*') AS a",
  "MATCH ('A' at GAZEBO) AS a",
  'MATCH (A@GAZEBO) AS a',
  'MATCH (GAZEBO.A) AS a',
  "MATCH (name = 'A') AS a FILTER severity > 3",
  "MATCH (name = 'A') AS a FILTER a.severity > 3 AND a.severity > 5",
  "MATCH (name = 'A') AS a FILTER a.payload.speed >= 3.5.1",
  "MATCH (name = 'A') AS a FILTER a.x = NULL",
  "MATCH (name = 'A') AS a FILTER a.x is not null",
  "MATCH (name = 'A') AS a, (name = 'B') AS b FILTER a.id == b.id AND a.time > b.time",
  "MATCH NOT (name = 'A')",
  "NOT (name = 'CRASH')",
  "MATCH (name = 'A') AS a, NOT (name = 'B') AS b WHEN a -> b FILTER a.time - b.time < 5s",
  "MATCH (name = 'A') AS a -> (name = 'B') AS b",
  "MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a -> b OR b -> a",
  "MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a -> b AND a.id = b.id",
  "MATCH (name = 'A') AS a AGGREGATE count() BY a.id > 3",
  "MATCH (name = 'A') AS a GROUP BY a.id AGGREGATE count() > 3",
  "MATCH (name = 'A') AS a AGGREGATE count() > 3 per a.id",
  "MATCH (name = 'A') AS a AGGREGATE count() / session.end > 3",
  "MATCH (name = 'A') AS a, (name = 'A') AS b WHEN a -> NEXT b FILTER b.time - a.time > 1.5 s",
  'MATCH (time > 5s) AS a',
  "MATCH (name = 'it''s') AS a",
  "MATCH (path = 'C:\\\\\\\\d') AS a",
  'MATCH (x = 0x1F) AS a',
  'MATCH (x = 1,5) AS a',
  'MATCH (x > 5%) AS a',
  "MATCH (name = 'A') AS start, (name = 'B') AS end WHEN start -> end FILTER end.time < session.start + 5s",
  "MATCH (name = 'A') AS a, (name = 'A') AS b FILTER a.id = b.id",
];

const CHECK = "MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a -> b";

/** Each mistake, and the file with it. */
export const BY_HAND: readonly { readonly written: string; readonly text: string }[] = [
  ...IN_FILES.map(([right, written]) => ({
    written,
    text: RIGHT.replace('CHECK', () => CHECK).replace(right, () => written),
  })),
  ...IN_CHECKS.map((written) => ({ written, text: RIGHT.replace('CHECK', () => written) })),
];
