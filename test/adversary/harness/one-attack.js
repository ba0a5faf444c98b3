/*
 * One attack in a process of its own, for run.js: `one-attack.js NAME SIZE`. It sends what came out; when
 * nobody listens any more it clears up and ends.
 */
import { scenarios } from '../scenarios/index.js';
import { runScenario } from './run-scenario.js';
import { processorSeconds } from './server.js';

const [, , name, size] = process.argv;
const scenario = scenarios.find((one) => one.name === name);
if (scenario === undefined) throw new Error(`there is no attack ${name}`);
const ended = new AbortController();
process.once('disconnect', () => ended.abort());
const outcome = await runScenario(scenario, size === 'small' ? 'small' : 'full', ended.signal);
const { own, children } = processorSeconds();
// Whatever the attack has left open, it is over.
if (!process.connected) process.exit();
process.send?.({ ...outcome, processor: own + children }, () => process.exit());
