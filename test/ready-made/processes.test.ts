import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  areProcesses,
  findProcess,
  findProcessTrees,
  type ProcessInfo,
  parseStat,
} from '../../src/ready-made/shared/processes.js';

test('a process is read by the field numbers of proc(5), whatever its name', () => {
  const fields = ['S', 7, 40, ...Array(14).fill(0), 3, 0, 12345, 0];
  expect(parseStat(41, `41 (a) R 1 (b) ${fields.join(' ')}`)).toEqual({
    ...{ pid: 41, state: 'S', parent: 7, group: 40, threads: 3, start: '12345' },
  });
  expect(findProcess(0)).toBeUndefined();
});

test.runIf(process.platform === 'linux')('this process is one that is there', () => {
  expect(findProcess(process.pid)).toMatchObject({ pid: process.pid, parent: process.ppid });
});

const one = (pid: number, parent: number, start: number, state = 'S'): ProcessInfo => ({
  ...{ pid, parent, start: `${start}`, state, group: pid, threads: 1 },
});

test('a tree is all that descends from a process; a child older than its parent is of another', () => {
  const all = [
    one(10, 1, 100),
    one(11, 10, 110),
    one(12, 11, 120),
    one(13, 10, 90),
    one(14, 11, 130, 'Z'),
    one(20, 1, 100),
  ];
  const pids = (...roots: readonly ProcessInfo[]) =>
    findProcessTrees(roots, all).map(({ pid }) => pid);
  expect(pids(one(10, 1, 100))).toEqual([10, 11, 12]);
  expect(pids(one(11, 10, 110), one(20, 1, 100))).toEqual([11, 20, 12]);
  // Another process had that pid.
  expect(pids(one(10, 1, 99))).toEqual([]);
  expect(pids(one(14, 11, 130))).toEqual([]);
});

test('a tree has each process once, also where parents go round in a circle', () => {
  const process = fc.record({
    pid: fc.integer({ min: 2, max: 12 }),
    parent: fc.integer({ min: 2, max: 12 }),
    start: fc.integer({ min: 1, max: 5 }),
  });
  const processes = fc.uniqueArray(process, { selector: ({ pid }) => pid });
  fc.assert(
    fc.property(processes, (list) => {
      const all = list.map(({ pid, parent, start }) => one(pid, parent, start));
      const found = findProcessTrees(all.slice(0, 1), all);
      expect(new Set(found).size).toBe(found.length);
      for (const { parent, pid } of found.slice(1)) {
        expect([pid, found.some((other) => other.pid === parent)]).toEqual([pid, true]);
      }
    }),
  );
});

test('only pids with a start count as noted processes', () => {
  expect(areProcesses([])).toBe(true);
  expect(areProcesses([{ pid: 2, start: '1' }])).toBe(true);
  for (const value of [
    undefined,
    {},
    [null],
    [{ pid: 1, start: '1' }],
    [{ pid: -5, start: '1' }],
    [{ pid: 2.5, start: '1' }],
    [{ pid: '2', start: '1' }],
    [{ pid: 2, start: 1 }],
    [{ pid: 2, start: '1x' }],
    [{ pid: 2, start: '1', unit: 'a' }],
  ]) {
    expect([value, areProcesses(value)]).toEqual([value, false]);
  }
});
