import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  connect,
  type Database,
  engineOn,
  loadSession,
} from '../../../src/evaluation/clickhouse/index.js';
import { isLong } from '../../long.js';
import { compareResult, randomCase } from '../compare.js';
import { consult } from '../oracle.js';
import { placeFinder, toSession } from '../to-session.js';
import { hasClickHouse, startClickHouse, type TestServer } from './server.js';

const CASES = isLong ? 1_000 : 60;

describe.skipIf(!hasClickHouse)('ClickHouse', () => {
  let server: TestServer;
  let db: Database;
  beforeAll(async () => {
    server = await startClickHouse();
    db = connect({ url: server.url, timeoutMs: 60_000 });
  }, 600_000);
  afterAll(async () => {
    await db.close();
    await server.stop();
  });

  test('agrees with the oracle', { timeout: 3_600_000 }, async () => {
    const first = Number(process.env['PERTURB_TEST_SEED'] ?? 1);
    const wrong: { seed: number; found: readonly string[] }[] = [];
    let compared = 0;
    let undecided = 0;
    for (let seed = first; compared < CASES && wrong.length < 5; seed++) {
      const { session: plain, expression } = randomCase(seed);
      const expected = consult(plain, expression);
      if (expected === undefined) continue;
      const { session, placeOf } = toSession(plain);
      // Clocks in one block, and in blocks of a column.
      await loadSession(db, `case ${seed}`, session);
      const result = await engineOn(db, `case ${seed}`).evaluate(expression, { evidence: 3 });
      const place = placeFinder(session, placeOf);
      // Some values are 1e300 and 5e-324: no integer of 256 bits holds a sum of both.
      if (result.undecided?.reason === 'numbers too far apart to be added exactly') {
        undecided++;
        continue;
      }
      compared++;
      const found = compareResult(result, expected, place);
      if (found.length > 0) wrong.push({ seed, found });
    }
    expect(wrong).toEqual([]);
    expect(compared).toBe(CASES);
    expect(undecided).toBeLessThan(CASES / 2);
  });
});
