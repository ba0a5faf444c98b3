import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Objectives as people write them, about 1 kB each with three expressions, and
 * no two alike. The same index always gives the same text.
 */

const SYSTEMS = ['Drone', 'Rover', 'Gateway', 'Robot arm', 'Web shop', 'Pump', 'Turbine', 'Ferry'];
const TROUBLES = ['strong wind', 'a failing link', 'packet loss', 'a low battery', 'heavy load'];
const PROBES = ['AUTOPILOT', 'NAVIGATOR', 'GAZEBO', 'GATEWAY', 'CONTROLLER', 'FRONTEND', 'PLANT'];
const EVENTS = ['HEARTBEAT', 'TAKEOFF', 'COURSE_ERROR', 'FRAME_DROPPED', 'QUEUE_FULL', 'RETRY'];
const STATES = ['READY', 'ARMED', 'DEGRADED', 'RECOVERED', 'TIMED_OUT', 'ABORTED', 'BOOTED'];
const MUTATORS = ['simulation-wind', 'frame-drop', 'link-failure', 'cpu-load', 'clock-skew'];
const PARAMETERS = ['speed', 'fraction', 'duration-ms', 'profile-weight', 'offset'];
const ATTRIBUTES = ['payload', 'latency-us', 'source.line', 'queue.depth', 'voltage'];
const TAGS = ['simulator', 'network', 'power', 'timing', 'operator'];

/** @typedef {ReturnType<typeof dice>} Dice */

/** Numbers that look like chance and depend on a seed alone (mulberry32). @param {number} seed */
function dice(seed) {
  let state = seed;
  const below = (/** @type {number} */ limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  /** @param {readonly string[]} words */
  const pick = (words) => /** @type {string} */ (words[below(words.length)]);
  return { below, pick };
}

/** @type {readonly ((dice: Dice) => string)[]} */
const PRECONDITIONS = [
  ({ pick }) => `MATCH (name = '${pick(STATES)}' AND probe = '${pick(PROBES)}') AS ready`,
  ({ pick, below }) => `MATCH (${pick(STATES)} @ ${pick(PROBES)}) AS ready,
  (${pick(ATTRIBUTES)} @ ${pick(PROBES)} > ${below(90)}.5) AS moving
WHEN ready -> moving`,
  ({ pick, below }) => `MATCH
  # Nothing is perturbed before the system is up
  (name = '${pick(STATES)}' AND severity < ${3 + below(4)}) AS up`,
];

/** @type {readonly ((dice: Dice) => string)[]} */
const CHECKS = [
  ({ pick, below }) => `MATCH
  (${pick(EVENTS)} @ ${pick(PROBES)}) AS beat,      # the last one in time
  (name = '${pick(STATES)}' AND severity >= ${below(7)}) AS late
WHEN beat -> late
AGGREGATE count() = ${below(40)}`,
  ({ pick, below }) => `MATCH (name = '${pick(EVENTS)}' AND probe = '${pick(PROBES)}') AS error
AGGREGATE
  max(error.payload) < ${1 + below(200)}.0,
  mean(error.payload) <= ${1 + below(50)}.5,
  stddev(error.payload) < ${1 + below(9)}.25`,
  ({ pick, below }) => `MATCH
  (name = 'rx' AND probe = '${pick(PROBES)}' AND can-id = ${below(2_000)}) AS received,
  (name = 'tx' AND probe = '${pick(PROBES)}' AND can-id = ${below(2_000)}) AS forwarded
WHEN received -> forwarded
FILTER forwarded.sequence = received.sequence
AGGREGATE count() > ${below(500)}, max(forwarded.latency-us) < ${100 + below(9_000)}`,
  ({ pick, below }) => `MATCH
  (name = '${pick(EVENTS)}') AS dropped,
  (name = '${pick(STATES)}' AND ((severity >= ${below(3)} AND severity <= ${4 + below(3)})
    OR payload = 'U0${100 + below(900)}')) AS report
WHEN dropped -> report
FILTER report.source.line = dropped.source.line`,
  ({
    pick,
    below,
  }) => `MATCH (name = '${pick(EVENTS)}') AS first, (name = '${pick(STATES)}') AS then,
  (name = "${pick(EVENTS)}" AND ${pick(ATTRIBUTES)} != ${below(60)}) AS last
WHEN first -> then -> last
AGGREGATE sum(last.${pick(ATTRIBUTES)}) <= ${1_000 + below(9_000)}, min(first.payload) >= -${1 + below(50)}`,
];

/** A clean objective. @param {number} index */
export function objective(index) {
  const roll = dice(index);
  const { pick, below } = roll;
  const low = below(20);
  const [precondition, one, other] = [PRECONDITIONS, CHECKS, CHECKS].map((shapes) =>
    /** @type {(dice: Dice) => string} */ (shapes[below(shapes.length)])(roll),
  );
  return `# ${pick(SYSTEMS)} ${index} on the bench, week ${1 + below(52)}
name = "${pick(SYSTEMS)} ${index} under ${pick(TROUBLES)}"

[mutation_constraints]
max_concurrent_mutations = ${1 + below(6)}
mutator_tags = ["${pick(TAGS)}", "set-${below(100)}"]
mutation_precondition = """
${precondition}
"""

[[mutator]]
name = "${pick(MUTATORS)}"
probe = "${pick(PROBES)}"

[[mutator.param_constraints]]
name = "${pick(PARAMETERS)}"
range = [${low}.0, ${low + 1 + below(40)}.5]

[[measurement]]
name = "${pick(EVENTS)} stays within its bounds"
check = """
${one}
"""

[[measurement]]
name = "No harm is done under ${pick(TROUBLES)}"
should_pass = ${pick(['true', 'false'])}
check = '''
${other}
'''

[measurement.stopping_conditions]
failing_measurements = ${1 + below(9)}

[stopping_conditions]
attempts = ${100 + below(900)}
time = "${1 + below(20)}h ${below(60)}min"
`;
}

/**
 * A clean objective with many measurements.
 *
 * @param {number} lines how long it is at least
 */
export function longObjective(lines) {
  let text = objective(0);
  for (let index = 1; lineCount(text) < lines; index++) {
    const other = objective(index);
    const start = other.indexOf('\n[[measurement]]');
    const end = other.indexOf('\n[measurement.stopping_conditions]', start);
    text += other.slice(start, end).replaceAll(/^name = "/gm, `$&${index}: `);
  }
  return text;
}

/** @param {string} text */
function lineCount(text) {
  return text.split('\n').length;
}

/** Mistakes that people make; each gives one finding in every objective. */
/** @type {readonly ((text: string) => string)[]} */
const MISTAKES = [
  (text) => text.replace('\nattempts =', '\natempts ='),
  (text) => text.replace(/(time = "\d+h )(\d+)min/, '$1$2m'),
  (text) => text.replace(/max_concurrent_mutations = \d+/, 'max_concurrent_mutations = 0'),
  (text) => text.replace(/range = \[(\S+), (\S+)\]/, 'range = [$2, $1]'),
  (text) => text.replace(/\) AS (ready|up)/, ' AS $1'),
  (text) => text.replace(/(check = """\nMATCH.*?) AS /s, '$1 AZ '),
  (text) => text.replace(/should_pass = (\w+)/, 'should_pass = "$1"'),
  (text) => text.replace(/name = '(\w+)'/, 'name = $1'),
];

/** An objective with one finding. @param {number} index */
export function flawedObjective(index) {
  const mistake = /** @type {(text: string) => string} */ (MISTAKES[index % MISTAKES.length]);
  return mistake(objective(index));
}

/**
 * Writes a file for each of so many objectives.
 *
 * @param {string} directory
 * @param {number} count
 * @param {(index: number) => string} text
 */
export function writeObjectives(directory, count, text = objective) {
  for (let index = 0; index < count; index++) {
    writeFileSync(join(directory, `${index}.objective.toml`), text(index));
  }
}
