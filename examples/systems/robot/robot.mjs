/*
 * A robot that drives until its camera sees an obstacle, in simulated time. The camera takes a frame every
 * 20 ms; the vision looks at one frame after another, each for `vision.frame_ms` of settings.json, and stops the drive
 * when it sees an obstacle. Events go to the session of the attempt.
 *
 *   node robot.mjs [--newest]
 */
import { openSync, readFileSync, writeSync } from 'node:fs';

const onlyNewest = process.argv.includes('--newest');
const { camera, vision } = JSON.parse(readFileSync('settings.json', 'utf8'));
const session = process.env.PERTURB_SESSION;
const file = session ? openSync(session, 'a') : process.stdout.fd;

const LASTS_MS = 60_000;
const OBSTACLE_EVERY_MS = 2_500;

function record(probe, name, ms, attributes) {
  writeSync(file, `${JSON.stringify({ probe, name, time: ms * 1e6, attributes })}\n`);
}

const frames = [];
let seen = 0;
let handled = 0;
let frame;
let busyUntil = 0;

for (let now = 0; now < LASTS_MS; now += 1) {
  if (now % OBSTACLE_EVERY_MS === 1_000) {
    seen += 1;
    record('CAMERA', 'obstacle', now, { obstacle_id: seen });
  }
  if (now % camera.every_ms === 0) {
    if (onlyNewest) frames.length = 0;
    // The mistake: nothing limits the frames that wait, so a slow vision sees an increasingly stale world.
    frames.push({ obstacle: seen });
  }
  if (now < busyUntil) continue;
  if (frame?.obstacle > handled) {
    handled = frame.obstacle;
    record('DRIVE', 'stop', now, { obstacle_id: handled });
  }
  frame = frames.shift();
  if (frame !== undefined) busyUntil = now + vision.frame_ms;
}
