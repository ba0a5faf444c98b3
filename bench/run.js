import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { pathOf } from './harness/programs.js';
import { runScenario } from './harness/run-scenario.js';
import { tableOf } from './harness/table.js';
import { toJson } from './harness/to-json.js';
import { writeFigures } from './harness/write-figures.js';
import { named, scenarios } from './scenarios/index.js';

/* `npm run bench`: its arguments, where the figures go, and how it ends. */

const DOCUMENT = pathOf('../../docs/contributing/performance.md');

const HELP = `Usage: npm run bench -- [options] [scenario ...]

Measures the built program: each figure is a ratio to a floor that is measured
in the same run, the median of pairs that are run in turn.

Scenarios (without a name, all but ${named.map(({ name }) => name).join()}):
${[...scenarios, ...named].map(({ name, about }) => `  ${name.padEnd(12)}${about}\n`).join('')}
Options:
  --json FILE  write the figures as JSON too; - for stdout, and the table goes to stderr
  --docs       write the figures into docs/contributing/performance.md; needs all scenarios
  --help       show this

Exit codes: 0 every limit was met, 1 one was missed, 2 wrong usage.
`;

process.exitCode = await main(process.argv.slice(2));

/** @param {readonly string[]} args */
async function main(args) {
  let options;
  try {
    options = readArguments(args);
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n`);
    return 2;
  }
  const { chosen, json, docs, help } = options;
  if (help) {
    process.stdout.write(HELP);
    return 0;
  }
  const people = json === '-' ? process.stderr : process.stdout;
  const table = tableOf(chosen);
  people.write(table.head);
  const figures = [];
  for (const scenario of chosen) {
    for await (const figure of runScenario(scenario)) {
      figures.push(figure);
      people.write(table.row(figure));
    }
  }
  if (json === '-') process.stdout.write(toJson(figures));
  else if (json !== undefined) writeFileSync(json, toJson(figures));
  if (docs) writeFileSync(DOCUMENT, writeFigures(readFileSync(DOCUMENT, 'utf8'), figures));
  return figures.every(({ met }) => met) ? 0 : 1;
}

/** @param {readonly string[]} args @throws {Error} for what is not to be understood */
function readArguments(args) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'string' },
      docs: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const all = [...scenarios, ...named];
  const names = all.map(({ name }) => name);
  const unknown = positionals.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new Error(`there is no scenario "${unknown}"; there are ${names.join(', ')}`);
  }
  if (values.docs && positionals.length > 0) throw new Error('--docs needs all scenarios');
  const chosen =
    positionals.length === 0 ? scenarios : all.filter(({ name }) => positionals.includes(name));
  return { ...values, chosen };
}
