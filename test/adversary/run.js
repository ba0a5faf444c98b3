/*
 * Attacks the server, the store and the client with real processes, several at
 * a time, and says in a table what held. With names, only those.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { endAll, runAll } from './harness/run-all.js';
import { secondsSince } from './harness/server.js';
import { scenarios } from './scenarios/index.js';

const USAGE = `usage: npm run adversary -- [--small] [--jobs N] [NAME...]\n  ${scenarios.map(({ name }) => name).join(', ')}\n`;

/** @param {string} problem @returns {never} */
function refuse(problem) {
  process.stderr.write(`${problem}\n${USAGE}`);
  process.exit(2);
}

const { values, positionals } = readArguments();
if (values.help) {
  process.stdout.write(USAGE);
  process.exit();
}
const unknown = positionals.find((name) => !scenarios.some((one) => one.name === name));
if (unknown !== undefined) refuse(`there is no attack ${JSON.stringify(unknown)}`);
if (!/^[1-9]\d*$/.test(values.jobs)) refuse('--jobs takes a number from 1');
const chosen = scenarios.filter(
  ({ name }) => positionals.length === 0 || positionals.includes(name),
);
const since = performance.now();

for (const [signal, code] of /** @type {const} */ ([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
])) {
  process.once(signal, async () => {
    process.stderr.write('ending the attacks\n');
    await endAll();
    process.exit(code);
  });
}

process.stdout.write('| attack | what is promised | figures | held |\n|---|---|---|---|\n');
const counts = { yes: 0, no: 0, skipped: 0 };
let processor = 0;
await runAll(chosen, values.small ? 'small' : 'full', Number(values.jobs), (scenario, result) => {
  const { name, promise } = scenario;
  const { broken, skipped, figures, seconds } = result;
  const held = broken.length > 0 ? 'no' : skipped === undefined ? 'yes' : 'skipped';
  counts[held] += 1;
  processor += result.processor;
  process.stdout.write(`| ${name} | ${promise} | ${skipped ?? figures} | ${held} |\n`);
  for (const one of broken) process.stderr.write(`${name}: ${one}\n`);
  process.stderr.write(
    `${name} took ${seconds.toFixed(1)} s, ${result.processor.toFixed(1)} s of processor time\n`,
  );
});
const verdict = `${counts.yes} held, ${counts.no} did not, ${counts.skipped} skipped, in ${secondsSince(since)}`;
process.stderr.write(`${verdict}, ${processor.toFixed(1)} s of processor time\n`);
process.exit(counts.no > 0 ? 1 : 0);

function readArguments() {
  try {
    return parseArgs({
      options: {
        small: { type: 'boolean', default: false },
        // One more than processors: most attacks wait for disks and timers at times.
        jobs: { type: 'string', default: `${availableParallelism() + 1}` },
        help: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}
