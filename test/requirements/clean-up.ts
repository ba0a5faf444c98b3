import { afterAll } from 'vitest';
import type { OnFinished } from '../cli/program.js';

/** Returns a function that registers a clean-up for the end of the file of tests; the last one runs first. */
export function cleanUpAfterAll(): OnFinished {
  const cleanUps: (() => void)[] = [];
  afterAll(() => {
    for (const cleanUp of cleanUps.reverse()) cleanUp();
  });
  return (cleanUp) => void cleanUps.push(cleanUp);
}
