/*
 * Attacks the server, the store and the client with real processes, and says
 * in a table what held. With names, only those; with --write the table goes into
 * docs/reliability.md too.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runScenario } from './harness/run-scenario.js';
import { secondsSince } from './harness/server.js';
import { scenarios } from './scenarios/index.js';

const USAGE = `usage: npm run adversary -- [--small] [--write] [NAME...]\n  ${scenarios.map(({ name }) => name).join(', ')}\n`;

const { values, positionals } = parseArgs({
  options: {
    small: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
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
let table = '';

/** @param {string} line */
const say = (line) => {
  table += line;
  process.stdout.write(line);
};

say('| attack | what is promised | figures | held |\n|---|---|---|---|\n');
let isBroken = false;
for (const scenario of chosen) {
  const { name, promise } = scenario;
  const outcome = await runScenario(scenario, values.small ? 'small' : 'full').catch((error) => ({
    figures: '',
    broken: [String(error?.stack ?? error)],
    skipped: undefined,
  }));
  const held = outcome.broken.length > 0 ? 'no' : outcome.skipped === undefined ? 'yes' : 'skipped';
  say(`| ${name} | ${promise} | ${outcome.skipped ?? outcome.figures} | ${held} |\n`);
  for (const one of outcome.broken) process.stderr.write(`${name}: ${one}\n`);
  isBroken ||= outcome.broken.length > 0;
}
process.stderr.write(`took ${secondsSince(since)}\n`);
if (values.write) {
  const page = new URL('../../docs/reliability.md', import.meta.url);
  const marks = /(<!-- adversary: begin -->\n)[\s\S]*(<!-- adversary: end -->)/;
  const text = readFileSync(page, 'utf8');
  writeFileSync(
    page,
    text.replace(marks, (_, begin, end) => begin + table + end),
  );
}
process.exitCode = isBroken ? 1 : 0;
