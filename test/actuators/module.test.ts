import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createActuator } from '../../src/actuators/acting/index.js';
import {
  contextIn,
  failureOf,
  MUTATION,
  mutationOf,
  readManifest,
  temporaryDirectory,
  valuesOf,
} from '../server/support.js';

/** An actuator with a module of this text; its values are of any types. */
async function rig(text: string, timeout = '20s') {
  const directory = temporaryDirectory();
  const at = (name: string) => join(directory, name);
  writeFileSync(
    at('knob.mjs'),
    `import { appendFileSync, writeFileSync } from 'node:fs';
const at = (name) => new URL(name, import.meta.url);
const log = (...all) => appendFileSync(at('log'), all.join(' ') + '\\n');
${text}`,
  );
  const [mutator] = readManifest(
    `[[mutator]]\nname = "m"\n[mutator.actuator]\nkind = "module"\npath = "knob.mjs"\ntimeout = "${timeout}"`,
  );
  if (mutator === undefined) throw new Error('no mutator');
  const { PATH = '' } = process.env;
  const context = contextIn(directory, { environment: { PATH, KNOB: 'k', UNSET: undefined } });
  return {
    make: () => createActuator(mutator, context),
    at,
    log: () => (existsSync(at('log')) ? readFileSync(at('log'), 'utf8').trim().split('\n') : []),
  };
}

test('a module is loaded once, and called with plain values', async () => {
  const { make, log } = await rig(`log('loaded', process.env.KNOB, 'UNSET' in process.env);
export function inject(mutation, params) {
  const types = Object.entries(params).map(([key, value]) => key + ':' + typeof value + ':' + value);
  log(mutation, ...types);
}
export async function reset(...args) { log('reset', args.length); }`);
  const actuator = await make();
  const values = { s: 'x', b: true, f: 5, nan: Number.NaN, i: 5n, big: 2n ** 60n };
  await actuator.inject(mutationOf(valuesOf(values)));
  await actuator.reset();
  await actuator.close();
  expect(log()).toEqual([
    'loaded k false',
    `${MUTATION} s:string:x b:boolean:true f:number:5 nan:number:NaN i:number:5 big:bigint:${2n ** 60n}`,
    'reset 1',
  ]);
});

test('of a long error no part of a word is kept', async () => {
  const { make } = await rig(`export function reset() {}
export function inject() { throw new Error('said ' + 'secrets '.repeat(1000)); }`);
  const actuator = await make();
  const [, message] = await failureOf(actuator.inject(mutationOf(valuesOf({}))));
  expect(message).toMatch(/^the module "knob.mjs" threw: Error: said (?:secrets ){200,}$/);
});

test('many mutators of one module end their thread without a warning', async () => {
  const { make } = await rig('export function inject() {} export function reset() {}');
  const warnings: string[] = [];
  const listen = ({ name }: Error) => void warnings.push(name);
  process.on('warning', listen);
  const actuators = await Promise.all(Array.from({ length: 20 }, make));
  await Promise.all(actuators.map((one) => one.close()));
  await new Promise(setImmediate);
  process.off('warning', listen);
  expect(warnings).toEqual([]);
});

test.each([
  ['', 'no-function', 'does not export a function inject, nor reset'],
  ['export const inject = 1; export function reset() {}', 'no-function', 'a function inject'],
  ['export default { inject() {}, reset() {} }', 'no-function', 'a function inject, nor reset'],
  ['throw new Error("no bench")', 'not-loaded', 'cannot be loaded: Error: no bench'],
  ['import "../missing.mjs"', 'not-loaded', 'cannot be loaded: Error: Cannot find module'],
  ['export function (', 'not-loaded', 'cannot be loaded: SyntaxError: '],
  ['process.exit(0)', 'not-loaded', 'cannot be loaded: its thread exited'],
])('a module that is none is told when the actuator is made: %s', async (text, code, says) => {
  const { make } = await rig(text);
  expect(await failureOf(make().then(() => {}))).toEqual([code, expect.stringContaining(says)]);
});

test('a module that never ends its loading is given up', async () => {
  const endless = [
    // It blocks its thread, and needs no processor for it.
    'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);',
    'await new Promise(() => setInterval(() => {}, 1000));',
  ];
  // Loading has ten seconds at least.
  const failures = endless.map(async (text) => {
    const { make } = await rig(text, '300ms');
    return failureOf(make().then(() => {}));
  });
  for (const failure of failures) expect((await failure)[0]).toBe('timed-out');
});

test('a call that was given up does nothing later', async () => {
  const { make, log, at } = await rig(
    `import { existsSync } from 'node:fs';
const pause = () => new Promise((resolve) => setTimeout(resolve, 5));
export async function inject() {
  log('begun');
  // The one that finds the file there gives another, which waits for it, the time to go on.
  for (let rounds = existsSync(at('go')) ? 20 : 0; rounds > 0; rounds -= 1) await pause();
  while (!existsSync(at('go'))) await pause();
  log('ended');
}
export function reset() { log('reset'); }`,
    '2s',
  );
  const actuator = await make();
  expect((await failureOf(actuator.inject(mutationOf(new Map()))))[0]).toBe('timed-out');
  await actuator.reset();
  writeFileSync(at('go'), '');
  await actuator.inject(mutationOf(new Map()));
  expect(log()).toEqual(['begun', 'reset', 'begun', 'ended']);
  await actuator.close();
});

test('what is thrown outside of a call ends the module, not the server; the next call loads it anew', async () => {
  const { make, log } = await rig(`log('loaded');
export function inject() { setImmediate(() => { throw new Error('later'); }); }
export function reset() { log('reset'); }`);
  const actuator = await make();
  await actuator.inject(mutationOf(new Map()));
  for (;;) {
    // The first of these may still meet the old thread.
    await actuator.reset().catch(() => {});
    if (log().filter((line) => line === 'loaded').length === 2) break;
  }
  await actuator.reset();
  expect(log().at(-1)).toBe('reset');
  await actuator.close();
});

test.each([
  ['throw "a text"', 'threw: a text'],
  ['throw new RangeError("x".repeat(10_000))', `threw: RangeError: ${'x'.repeat(100)}`],
  ['return Promise.reject(undefined)', 'threw: undefined'],
  ['process.exit(3)', 'threw: its thread exited'],
])('a call that fails says why: %s', async (body, says) => {
  const { make } = await rig(`export function inject() { ${body} }\nexport function reset() {}`);
  const actuator = await make();
  const [code, message] = await failureOf(actuator.inject(mutationOf(new Map())));
  expect([code, message]).toEqual(['threw', expect.stringContaining(says)]);
  expect(message.length).toBeLessThan(2_100);
  await actuator.reset();
  await actuator.close();
});

test('mutators of one file share a thread, but no variables', async () => {
  const directory = temporaryDirectory();
  writeFileSync(
    join(directory, 'knob.mjs'),
    `import { threadId } from 'node:worker_threads';
import { appendFileSync } from 'node:fs';
let calls = 0;
const log = (...all) => appendFileSync(new URL('log', import.meta.url), JSON.stringify([threadId, ...all]) + '\\n');
export const inject = (mutation, params, mutator) => log('inject', mutator, ++calls);
export async function reset(mutator) {
  log('reset', mutator, ++calls);
  if (mutator === 'stuck') await new Promise(() => {});
}`,
  );
  const context = contextIn(directory);
  const manifest = ['a', 'b', 'stuck'].map(
    (name) => `[[mutator]]
name = "${name}"
actuator = { kind = "module", path = "knob.mjs", timeout = "${name === 'stuck' ? '2s' : '20s'}" }
`,
  );
  const actuators = [];
  for (const mutator of readManifest(manifest.join(''))) {
    actuators.push(await createActuator(mutator, context));
  }
  const [a, b, stuck] = actuators;
  const mutation = mutationOf(new Map());
  await a?.inject(mutation);
  await a?.inject(mutation);
  await b?.inject(mutation);
  const giving = failureOf(stuck?.reset() as Promise<void>);
  expect((await giving)[0]).toBe('timed-out');
  // In a new thread, where nothing was counted.
  await b?.reset();
  const log = readFileSync(join(directory, 'log'), 'utf8').trim().split('\n');
  const lines = log.map((line) => JSON.parse(line) as [number, ...unknown[]]);
  expect(lines.map(([, ...rest]) => rest)).toEqual([
    ['inject', 'a', 1],
    ['inject', 'a', 2],
    ['inject', 'b', 1],
    ['reset', 'stuck', 1],
    ['reset', 'b', 1],
  ]);
  expect(new Set(lines.slice(0, 4).map(([thread]) => thread)).size).toBe(1);
  expect(lines[4]?.[0]).not.toBe(lines[0]?.[0]);
  for (const actuator of actuators) await actuator.close();
});
