import { runScenario } from './harness/compare.js';
import { tableOf } from './harness/report.js';
import { scenarios } from './scenarios/index.js';

const names = process.argv.slice(2);
const chosen =
  names.length === 0 ? scenarios : scenarios.filter(({ name }) => names.includes(name));
const table = tableOf(chosen);
console.log(table.head());
for (const scenario of chosen) {
  for await (const figure of runScenario(scenario)) {
    console.log(table.row(figure));
    if (!figure.met) process.exitCode = 1;
  }
}
