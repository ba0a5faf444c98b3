import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countMissingBytes, usedShare } from '../../src/ready-made/machine/disk.js';
import { toStressArguments } from '../../src/ready-made/machine/stress.js';

test.each([
  // Ten blocks are for root alone.
  [{ blocks: 110, bfree: 70, bavail: 60, bsize: 4096 }, 50, 10 * 4096],
  [{ blocks: 110, bfree: 70, bavail: 60, bsize: 4096 }, 100, 60 * 4096],
  [{ blocks: 100, bfree: 40, bavail: 40, bsize: 512 }, 60, 0],
  [{ blocks: 100, bfree: 40, bavail: 40, bsize: 512 }, 10, -50 * 512],
])('%j lacks some bytes to be full to %d %%', (blocks, share, bytes) => {
  expect(countMissingBytes(blocks, share)).toBe(bytes);
});

test('a file of so many bytes makes a file system as full as asked, to a block', () => {
  const blocks = fc
    .record({
      used: fc.integer({ min: 0, max: 1e6 }),
      bavail: fc.integer({ min: 1, max: 1e6 }),
      reserved: fc.integer({ min: 0, max: 1e5 }),
      bsize: fc.constantFrom(512, 4096),
    })
    .map(({ used, bavail, reserved, bsize }) => {
      const bfree = bavail + reserved;
      return { blocks: used + bfree, bfree, bavail, bsize };
    });
  fc.assert(
    fc.property(blocks, fc.double({ min: 0, max: 100, noNaN: true }), (before, share) => {
      const length = countMissingBytes(before, share);
      if (length <= 0) return;
      const taken = length / before.bsize;
      const after = { ...before, bfree: before.bfree - taken, bavail: before.bavail - taken };
      const size = before.blocks - before.bfree + before.bavail;
      expect(after.bavail).toBeGreaterThanOrEqual(0);
      expect(Math.abs(usedShare(after) - share / 100) * size).toBeLessThanOrEqual(1 + 1e-6);
    }),
  );
});

test.each([
  ['cpu', { load: 30 }, '--keep-name --cpu 0 --cpu-load 30 --timeout 9s'],
  ['memory', { size: 96 }, '--keep-name --vm 1 --vm-bytes 96M --vm-keep --timeout 9s'],
  ['io', { workers: 2 }, '--keep-name --hdd 2 --hdd-bytes 64M --temp-path tmp --timeout 9s'],
])('stress-ng is given its arguments for %s', (fault, params, words) => {
  expect(toStressArguments(fault, '9', params, 'tmp').join(' ')).toBe(words);
});

test('a word that is no fault of stress-ng is refused', () => {
  for (const fault of ['disk', 'toString', '']) {
    expect(() => toStressArguments(fault, '9', {}, 'tmp')).toThrow(
      new Error(`unknown fault ${fault}, expected one of cpu, memory, io`),
    );
  }
});
