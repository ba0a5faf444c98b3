import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  connect,
  type Database,
  engineOn,
  loadSession,
} from '../../../src/evaluation/clickhouse/index.js';
import { type Expression, print } from '../../../src/expression/index.js';
import { isLong } from '../../long.js';
import { compareResult, randomCase } from '../compare.js';
import { consult } from '../oracle.js';
import type { Dialect } from '../random.js';
import { toSession } from '../to-session.js';
import { hasClickHouse, startClickHouse, type TestServer } from './server.js';

const DIALECTS: readonly Dialect[] = [
  { isWhole: false },
  { isWhole: true },
  { isWhole: true, isCounted: true },
];
const CASES = isLong ? 2_000 : 150;

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
    const wrong: { seed: number; text: string; found: readonly string[] }[] = [];
    let compared = 0;
    let undecided = 0;
    for (let seed = first; compared < CASES && wrong.length < 5; seed++) {
      const dialect = DIALECTS[seed % DIALECTS.length] as Dialect;
      const { session: plain, baseline, expression } = randomCase(seed, dialect);
      const expected = consult(plain, expression, baseline);
      if (expected === undefined) continue;
      const { session, placeOf } = toSession(plain);
      await loadSession(db, `case ${seed}`, session);
      const options = { evidence: 3, baseline: baseline.map((one) => toSession(one).session) };
      const result = await engineOn(db, `case ${seed}`).evaluate(expression, options);
      const place = (probe: string, seq: number | string) =>
        placeOf[(session.start[plain.probes.indexOf(probe)] as number) + Number(seq)] as number;
      // Some values are 1e300 and 5e-324: no integer of 256 bits holds both.
      if (result.undecided?.reason === 'numbers too far apart to be calculated with exactly') {
        undecided++;
        continue;
      }
      compared++;
      const found = compareResult(result, expected, place);
      if (found.length > 0) wrong.push({ seed, text: print(expression as Expression), found });
    }
    expect(wrong).toEqual([]);
    expect(compared).toBe(CASES);
    expect(undecided).toBeLessThan(CASES / 2);
  });
});
