/*
 * Verifies a process's clock under libfaketime.
 *
 *   node clock.mjs verify NAME fault=ahead|behind|drift file=FILE < MUTATION
 *
 * Reads the file, and starts a process with libfaketime to read its clock. If libfaketime is not in a usual directory,
 * only reads the file.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Action, runScript } from '../shared/script.js';
import {
  type ClockReading,
  clockOf,
  explainMismatch,
  findLibrary,
  parseFaketime,
} from './clock.js';

/**
 * A program that prints two readings of its clock, with the minimum and maximum number of milliseconds between them.
 * The program does not sleep, because libfaketime changes the duration of a sleep.
 */
const READ = `
const now = () => performance.now();
const [start, first, began] = [now(), Date.now(), now()];
while (now() - began < 100);
const [ended, second, end] = [now(), Date.now(), now()];
console.log(JSON.stringify({ first, second, minMs: ended - began, maxMs: end - start }));
`;

const verify: Action = (_name, { fault = '', file = '' }, params) => {
  const clock = clockOf(fault, params);
  const text = readFileSync(file, 'utf8');
  const { offset, rate } = parseFaketime(text) ?? {};
  if (offset !== clock.offset || rate !== clock.rate) {
    throw new Error(
      `${file} does not contain the requested time: ${JSON.stringify(text.slice(0, 80))}`,
    );
  }
  const library = findLibrary();
  if (library === undefined) return;
  const earliestTime = Date.now();
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', READ], {
    encoding: 'utf8',
    env: {
      ...process.env,
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  });
  if (stdout === '') throw new Error(`cannot start a process with ${library}: ${stderr.trim()}`);
  const reading: ClockReading = { ...JSON.parse(stdout), before: earliestTime, after: Date.now() };
  const reason = explainMismatch(clock, reading);
  if (reason !== undefined) throw new Error(reason);
};

await runScript({ verify });
