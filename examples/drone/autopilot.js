/* The autopilot: steers against the drift that telemetry reports, and holds its thrust without telemetry. */
import { createInterface } from 'node:readline';
import { recorder } from './recorder.js';
import { readState } from './state.js';

const MOST = 8;
const { bias } = readState('sensor-bias', { bias: 0 });
const record = recorder('AUTOPILOT');

let thrust = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { id, position, velocity } = JSON.parse(line);
  if (id === undefined) {
    // Without telemetry the motors are throttled: a drone that flies blind must not speed up.
    thrust *= 0.5;
  } else {
    thrust = Math.max(-MOST, Math.min(MOST, -4 * (position + bias) - 3 * velocity));
    record('steer', { thrust }, id);
  }
  console.log(JSON.stringify({ thrust }));
}
