/* Writes events to the session of an attempt, one line for each. */
import { openSync, writeSync } from 'node:fs';

const path = process.env.PERTURB_SESSION;
const file = path ? openSync(path, 'a') : undefined;

/** Gives a function that writes an event of a probe and returns its id. */
export function recorder(probe) {
  let seq = 0;
  return (name, attributes, after) => {
    const id = `${probe}-${seq}`;
    const event = { probe, name, seq, time: Date.now() * 1e6, id, after: after && [after] };
    seq += 1;
    if (file !== undefined) writeSync(file, `${JSON.stringify({ ...event, attributes })}\n`);
    return id;
  };
}
