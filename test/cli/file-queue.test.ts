import { expect, it } from 'vitest';
import { FileQueue } from '../../src/cli/files/file-queue.js';

it('hands out each index once to all who share it, in order', () => {
  const memory = FileQueue.memory();
  const queues = [new FileQueue(memory, 40), new FileQueue(memory, 40)];
  const taken = [0, 1, 1, 0, 1].map((which) => queues[which]?.take());
  expect(taken).toEqual([
    { start: 0, end: 16 },
    { start: 16, end: 32 },
    { start: 32, end: 40 },
    undefined,
    undefined,
  ]);
});

it('has nothing to hand out when there are no files', () => {
  expect(new FileQueue(FileQueue.memory(), 0).take()).toBeUndefined();
});
