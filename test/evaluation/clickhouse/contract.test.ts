import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, test, describe as tests } from 'vitest';
import { describe } from '../../../src/evaluation/answer/evidence.js';
import { eventPlace } from '../../../src/evaluation/answer/listing.js';
import {
  connect,
  type Database,
  engineOn,
  loadSession,
} from '../../../src/evaluation/clickhouse/index.js';
import type { Evidence } from '../../../src/evaluation/index.js';
import { timesOf } from '../../../src/evaluation/select/cells.js';
import { eventAt } from '../../../src/excerpt/causal-path.js';
import { type Expression, print } from '../../../src/expression/index.js';
import type { Session } from '../../../src/session/index.js';
import { isLong } from '../../long.js';
import { compareResult, randomCase } from '../compare.js';
import { consult } from '../oracle.js';
import { placeFinder, toSession } from '../to-session.js';
import { hasClickHouse, startClickHouse, type TestServer } from './server.js';

/** What is evaluated there besides the core, as the printer writes it. */
const CONSTRUCTS: Readonly<Record<string, RegExp>> = {
  'absent labels': /\bNOT \(.*\) AS/,
  NEXT: /-> NEXT/,
  WITHIN: /WITHIN/,
  '||': /\|\|/,
  '!= of labels': /WHEN.* [a-d] != [a-d]/,
  NOT: /NOT (?:\(|[a-z`]|exists)/,
  IN: / IN \(/,
  GLOB: / GLOB /,
  exists: /exists\(/,
  abs: /abs\(/,
  'products and quotients': / [*/] /,
  session: /session\./,
  share: /share\(/,
  distinct: /distinct\(/,
  percentile: /percentile\(/,
  baseline: /baseline\(/,
  BY: / BY /,
  window: /window\(/,
  FOR: / FOR /,
  HAVING: / HAVING /,
  'OR among measures': /AGGREGATE.* OR /,
  lower: /lower\(/,
  'count of a label': /count\([a-d]\)/,
};

/** Evidence that does not say of its events what the embedded engine says of them. */
function untold(
  session: Session,
  expression: Expression,
  evidence: readonly Evidence[],
): readonly string[] {
  const source = {
    session,
    times: () => timesOf(session),
    placeOf: (event: number) => eventPlace(session, event),
  };
  return evidence.flatMap((one) => {
    const events = Object.entries(one.binding).map(
      ([label, place]) => [label, eventAt(session, place) as number] as const,
    );
    const [told] = describe(source, expression, [{ ...one, events: new Map(events) }]);
    const [expected, found] = [told, one].map(shown);
    return expected === found ? [] : [`evidence ${found}, not ${expected}`];
  });
}

/** A zero is stored without its sign, which nothing compares. */
function shown(evidence: unknown): string {
  return inspect(evidence, { depth: null }).replaceAll(/(?<= )-0(?![.\d])/g, '0');
}

/** How often each construct is compared: in the short form by as few cases as that takes. */
const LEAST = isLong ? 200 : 4;
const LEAST_CASES = isLong ? 2_000 : 0;

tests.skipIf(!hasClickHouse)('ClickHouse', () => {
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
    const counts = new Map(Object.keys(CONSTRUCTS).map((what) => [what, 0]));
    const isRare = (what: string) => (counts.get(what) ?? 0) < LEAST;
    const isOver = () => compared >= LEAST_CASES && ![...counts.keys()].some(isRare);
    for (let seed = first; !isOver() && wrong.length < 5; seed++) {
      const { session: plain, baseline, expression } = randomCase(seed, { isWhole: true });
      const text = print(expression);
      const own = Object.keys(CONSTRUCTS).filter((what) => CONSTRUCTS[what]?.test(text));
      if (!isLong && !own.some(isRare)) continue;
      const expected = consult(plain, expression, baseline);
      if (expected === undefined) continue;
      const { session, placeOf: placeOfEvents } = toSession(plain);
      await loadSession(db, `case ${seed}`, session);
      const options = { evidence: 3, baseline: baseline.map((one) => toSession(one).session) };
      const result = await engineOn(db, `case ${seed}`).evaluate(expression, options);
      const place = placeFinder(session, placeOfEvents);
      // Some values are 1e300 and 5e-324: no integer of 256 bits holds both. Another measure, or other
      // groups, may decide all the same.
      const { groups, measures } = result;
      const isOpen =
        (groups !== undefined && groups.hold === undefined) ||
        measures.some(({ holds }) => holds === undefined);
      const tooWide = 'numbers too far apart for exact calculation';
      if (result.undecided?.reason === tooWide || (isOpen && result.status !== 'undecided')) {
        undecided++;
        continue;
      }
      compared++;
      for (const what of own) counts.set(what, (counts.get(what) ?? 0) + 1);
      const found = [
        ...compareResult(result, expected, place),
        ...untold(session, expression, result.evidence),
      ];
      if (found.length > 0) wrong.push({ seed, text, found });
    }
    expect(wrong).toEqual([]);
    expect(undecided).toBeLessThan(compared / 3);
  });
});
