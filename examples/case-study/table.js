// Says, kind by kind, how many minutes an objective found, and with which of its measurements.
//
//   node table.js FILE
//
// FILE is what `perturb objective measure --format json` printed.

import { readFileSync } from 'node:fs';

const { sessions } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const kinds = new Map();
for (const { session, passed, measurements } of sessions) {
  const [, label, name] = session.split('/').slice(-3);
  const kind = label === 'healthy' ? label : name.split('.')[1];
  const row = kinds.get(kind) ?? { minutes: 0, accused: [], passed: [], by: new Map() };
  kinds.set(kind, row);
  row.minutes += 1;
  (passed ? row.passed : row.accused).push(name.replace('.jsonl', ''));
  const failed = measurements.filter((one) => !one.passed).map((one) => familyOf(one.name));
  for (const family of new Set(failed)) row.by.set(family, (row.by.get(family) ?? 0) + 1);
}

console.log('| minutes | all | accused | by |\n|---|---|---|---|');
for (const [kind, { minutes, accused, by }] of [...kinds].sort()) {
  const how = [...by].sort(([, a], [, b]) => b - a).map(([family, times]) => `${family} ${times}`);
  console.log(`| ${kind} | ${minutes} | ${accused.length} | ${how.join(', ')} |`);
}
const missed = [...kinds].flatMap(([kind, row]) => (kind === 'healthy' ? [] : row.passed));
console.log(`\nhealthy, and accused: ${kinds.get('healthy')?.accused.join(', ') || 'none'}`);
console.log(`faulty, and missed: ${missed.join(', ') || 'none'}`);

/** `ts-order-service is quick` is one of the measurements `SERVICE is quick`. */
function familyOf(name) {
  return name.replace(/^\S+ (is quick|goes on).*/, 'SERVICE $1');
}
