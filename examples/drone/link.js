/* The link: passes telemetry on, or loses it as the ground station says. */
import { get } from 'node:http';
import { createInterface } from 'node:readline';
import { recorder } from './recorder.js';

const GROUND = 'http://127.0.0.1:7710/loss';
const { share } = await new Promise((resolve, reject) => {
  get(GROUND, async (response) => {
    let body = '';
    for await (const chunk of response) body += chunk;
    resolve(JSON.parse(body));
  }).on('error', reject);
});
const record = recorder('LINK');

/** The same packets are lost in each flight, so that a flight can be repeated. */
const isLost = (tick) => ((tick * 0.618_034 + 0.37) % 1) < share;

for await (const line of createInterface({ input: process.stdin })) {
  const { tick, id, ...telemetry } = JSON.parse(line);
  if (isLost(tick)) {
    record('lost', {}, id);
    console.log('{}');
  } else {
    console.log(JSON.stringify({ ...telemetry, id: record('passed', {}, id) }));
  }
}
