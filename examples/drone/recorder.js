/* Writes events to the session of an attempt, one line for each. */
import { openSync, writeSync } from 'node:fs';

/** Gives a function that writes an event of a probe and returns its id. */
export function recorder(probe) {
  const path = process.env.PERTURB_SESSION;
  const file = path ? openSync(path, 'a') : undefined;
  let seq = 0;
  return (name, attributes, after) => {
    const id = `${probe}-${seq}`;
    const entries = Object.entries(attributes).map(([key, value]) => `"${key}": ${float(value)}`);
    const event = {
      probe,
      name,
      seq,
      time: Date.now() * 1e6,
      id,
      ...(after !== undefined && { after: [after] }),
    };
    seq += 1;
    const text = JSON.stringify(event).slice(0, -1);
    if (file !== undefined) writeSync(file, `${text},"attributes":{${entries.join(',')}}}\n`);
    return id;
  };
}

/** A number that is read as a float: 5 would be an integer. */
function float(value) {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}
