import { expect, test } from 'vitest';
import { compareRuns, type RunDifference, selectAttempts } from '../../src/comparison/index.js';
import { GOOD, type PlantedRun, plantedRun, REGRESSIONS, type Version } from './planted-runs.js';

const MEASUREMENTS = ['fast', 'no order is lost', 'queues hold'];

function found(a: PlantedRun, b: PlantedRun): readonly RunDifference[] {
  const { differences } = compareRuns(selectAttempts(a.run, b.run), {
    measurements: MEASUREMENTS,
    recovery: true,
    namesInA: (attempt) => a.names.get(attempt),
    namesInB: (attempt) => b.names.get(attempt),
  });
  return differences.filter(({ isSignificant }) => isSignificant);
}

/** Every other pair makes the same sets in both runs. */
function pair(at: number, version: Version): readonly [PlantedRun, PlantedRun] {
  return [
    plantedRun(GOOD, { sets: at, noise: 1_000 + at }),
    plantedRun(version, { sets: at % 2 === 0 ? at : 500 + at, noise: 2_000 + at }),
  ];
}

test('of 20 pairs with a regression, it is found in at least 18', () => {
  const missed = REGRESSIONS.filter(
    ({ version, shows }, at) =>
      !found(...pair(at, version)).some(
        ({ contrast }) => contrast.kind === shows.kind && contrast.name === shows.name,
      ),
  );
  expect(REGRESSIONS).toHaveLength(20);
  expect(missed.length).toBeLessThanOrEqual(2);
});

test('of 20 pairs without one, at most one is an alarm', () => {
  const alarms = REGRESSIONS.filter((_, at) => found(...pair(100 + at, GOOD)).length > 0);
  expect(alarms.length).toBeLessThanOrEqual(1);
});

test('a thousand attempts of each are compared', () => {
  const [a, b] = [7, 8].map((sets) => plantedRun(GOOD, { attempts: 1_000, sets, noise: sets }));
  if (a === undefined || b === undefined) throw new Error('there are two runs');
  expect(found(a, b)).toEqual([]);
  const slower = plantedRun({ ...GOOD, slowness: 1.1 }, { attempts: 1_000, sets: 7, noise: 9 });
  expect(found(a, slower).map(({ contrast }) => contrast.kind)).toEqual(['value']);
});
