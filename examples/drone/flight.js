/*
 * One flight: this process simulates the airframe, and starts the link and the autopilot as
 * processes of their own. Telemetry goes down the link to the autopilot, and its steering comes back.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { recorder } from './recorder.js';
import { readState } from './state.js';

const TICKS = 24;
const SECONDS = 0.25;
/** The drift, in metres, beyond which the drone hits something. */
const ROOM = 14;

const { speed, mode } = readState('wind', { speed: 0, mode: 'steady' });
const { sag } = readState('battery', { sag: 0 });
const record = recorder('SIMULATOR');

const start = (name, stdio) =>
  spawn(process.execPath, [fileURLToPath(new URL(name, import.meta.url))], { stdio });
const link = start('link.js', ['pipe', 'pipe', 'inherit']);
const autopilot = start('autopilot.js', [link.stdout, 'pipe', 'inherit']);
const steering = createInterface({ input: autopilot.stdout })[Symbol.asyncIterator]();

let position = 0;
let velocity = 0;
for (let tick = 0; tick < TICKS; tick += 1) {
  const id = record('telemetry', { drift: Math.abs(position) });
  link.stdin.write(`${JSON.stringify({ tick, id, position, velocity })}\n`);
  const { value, done } = await steering.next();
  if (done) throw new Error('the autopilot is gone');
  const thrust = JSON.parse(value).thrust * (1 - sag / 100);
  const gust = mode === 'gust' ? 1 + 0.4 * Math.sin((tick * SECONDS) / 0.4) : 1;
  const acceleration = thrust + (speed / 40) * 5 * gust - 0.3 * velocity;
  velocity += acceleration * SECONDS;
  position += velocity * SECONDS;
  if (Math.abs(position) > ROOM) {
    record('crash', { drift: Math.abs(position), speed: Math.abs(velocity) });
    break;
  }
}
record('landed', {});
link.stdin.end();
