import { closeSync, openSync, writeSync } from 'node:fs';

const NAMES = ['HEARTBEAT', 'GUST', 'MODE_CHANGE', 'ALARM', 'TICK'];
const START = 1_700_000_000_000_000_000n;

/**
 * The lines of a session in its neutral form, about a megabyte at a time, as a recorder would write
 * them: events of a hundred probes in the order of time, with nanoseconds and a value of each
 * kind, and an interaction for each ten.
 *
 * @param {number} events
 */
export function* sessionLines(events) {
  const probes = 100;
  const random = generator(42);
  const next = new Int32Array(probes);
  let lines = '';
  for (let event = 0; event < events; event++) {
    const probe = Math.floor(random() * probes);
    const seq = /** @type {number} */ (next[probe]);
    next[probe] = seq + 1;
    const values = [
      `"force":${(random() * 100).toFixed(3)}`,
      `"id":${Math.floor(random() * 10_000)}`,
      `"mode":"m${Math.floor(random() * 100)}"`,
      `"armed":${random() < 0.5}`,
    ].join(',');
    const name = NAMES[Math.floor(random() * NAMES.length)];
    const time = START + BigInt(event) * 1234n;
    lines += `{"probe":"PROBE_${probe}","name":"${name}","seq":${seq},"time":${time},"attributes":{${values}}}\n`;
    const sender = Math.floor(random() * probes);
    const sent = /** @type {number} */ (next[sender]);
    if (event % 10 === 9 && sender !== probe && sent > 0) {
      lines += `{"from":["PROBE_${sender}",${sent - 1}],"to":["PROBE_${probe}",${seq}]}\n`;
    }
    if (lines.length > 1_000_000) {
      yield lines;
      lines = '';
    }
  }
  yield lines;
}

/** Writes them to a file. @param {string} path @param {number} events */
export function writeLines(path, events) {
  const file = openSync(path, 'w');
  for (const lines of sessionLines(events)) writeSync(file, lines);
  closeSync(file);
}

/** Numbers from 0 to before 1, the same in every run. @param {number} seed */
function generator(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
