/*
 * How long a lint of one small file takes, as a ratio to an empty Node: the
 * median over interleaved pairs, so that a busy machine slows both alike.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from './median.js';

const PAIRS = 20;
const LIMIT = 2.0;

const OBJECTIVE = `# An objective of about 1 kB
name = "Drone in wind"

[mutation_constraints]
max_concurrent_mutations = 2
mutator_tags = ["drone", "simulator"]
mutation_precondition = "MATCH (name = 'TAKEOFF' AND probe = 'AUTOPILOT') AS takeoff"

[[mutator]]
name = "simulation-wind"
probe = "GAZEBO"

[[mutator.param_constraints]]
name = "speed"
range = [0.0, 25.0]

[[measurement]]
name = "The heartbeat never pauses for long"
check = """
MATCH
  (HEARTBEAT @ AUTOPILOT) AS beat,      # the last one in time
  (name = 'HEARTBEAT_LATE' AND severity >= 4) AS late
WHEN beat -> late
AGGREGATE count() = 0
"""

[[measurement]]
name = "The course error stays small"
check = """
MATCH (name = 'COURSE_ERROR' AND probe = 'NAVIGATOR') AS error
AGGREGATE max(error.payload) < 15.0, mean(error.payload) <= 3.5
"""

[measurement.stopping_conditions]
failing_measurements = 5

[stopping_conditions]
attempts = 500
time = "2h 30min"
`;

/** @param {readonly string[]} args */
function wallTime(args) {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const end = process.hrtime.bigint();
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return Number(end - start) / 1e6;
}

const directory = mkdtempSync(join(tmpdir(), 'perturb-bench-'));
try {
  const file = join(directory, 'wind.objective.toml');
  writeFileSync(file, OBJECTIVE);
  const lint = ['dist/bin.cjs', 'objective', 'lint', file];
  const empty = ['-e', '0'];
  wallTime(lint);
  wallTime(empty);
  const pairs = Array.from({ length: PAIRS }, () => {
    const floor = wallTime(empty);
    const time = wallTime(lint);
    return { floor, time, ratio: time / floor };
  });
  const ratio = median(pairs.map((pair) => pair.ratio));
  const floor = median(pairs.map((pair) => pair.floor));
  const time = median(pairs.map((pair) => pair.time));
  console.log(`start: lint one file of ${OBJECTIVE.length} bytes, median of ${PAIRS} pairs`);
  console.log(`  node -e 0               ${floor.toFixed(1)} ms`);
  console.log(`  perturb objective lint  ${time.toFixed(1)} ms`);
  console.log(`  ratio                   ${ratio.toFixed(2)} (at most ${LIMIT.toFixed(1)})`);
  if (ratio > LIMIT) process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true });
}
