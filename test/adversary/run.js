/*
 * Attacks the server, the store and the client with real processes, and says
 * in a table what held. With names, only those.
 */
import { parseArgs } from 'node:util';
import { runScenario } from './harness/run-scenario.js';
import { secondsSince } from './harness/server.js';
import { scenarios } from './scenarios/index.js';

const USAGE = `usage: npm run adversary -- [--small] [NAME...]\n  ${scenarios.map(({ name }) => name).join(', ')}\n`;

const { values, positionals } = parseArgs({
  options: { small: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const unknown = positionals.find((name) => !scenarios.some((one) => one.name === name));
if (unknown !== undefined) {
  process.stderr.write(`there is no attack ${JSON.stringify(unknown)}\n${USAGE}`);
  process.exit(2);
}
const chosen = scenarios.filter(
  ({ name }) => positionals.length === 0 || positionals.includes(name),
);
const since = performance.now();
process.stdout.write('| attack | what is promised | figures | held |\n|---|---|---|---|\n');
let isBroken = false;
for (const scenario of chosen) {
  const { name, promise } = scenario;
  const outcome = await runScenario(scenario, values.small ? 'small' : 'full').catch((error) => ({
    figures: '',
    broken: [String(error?.stack ?? error)],
    skipped: undefined,
  }));
  const held = outcome.broken.length > 0 ? 'no' : outcome.skipped === undefined ? 'yes' : 'skipped';
  process.stdout.write(
    `| ${name} | ${promise} | ${outcome.skipped ?? outcome.figures} | ${held} |\n`,
  );
  for (const one of outcome.broken) process.stderr.write(`${name}: ${one}\n`);
  isBroken ||= outcome.broken.length > 0;
}
process.stderr.write(`took ${secondsSince(since)}\n`);
process.exitCode = isBroken ? 1 : 0;
