import { expect, test } from 'vitest';
import { type Database, loadSession } from '../../../src/evaluation/clickhouse/index.js';
import { CLOCK_LIMITS, orderIndexOf } from '../../../src/evaluation/order/order-index.js';
import { SessionBuilder } from '../../../src/session/index.js';
import { allToAll } from '../to-session.js';

test('a session of more timelines than a clock may have is refused', async () => {
  const builder = new SessionBuilder();
  for (let at = 0; at <= 1000; at++) builder.event({ probe: 'A', timeline: `${at}`, name: 'x' });
  const nothing = async () => {
    throw new Error('the server was asked');
  };
  const db: Database = { command: nothing, rows: nothing, insert: nothing, close: nothing };
  await expect(loadSession(db, 'many', builder.build())).rejects.toThrow(
    'the session has 1001 timelines, but a server supports at most 1000, because each event has a clock with an entry for every timeline. Measure the session without --engine, or import its spans with --order time',
  );
});

test('a session with an integer that the tables cannot hold is refused', async () => {
  const builder = new SessionBuilder();
  builder.event({ probe: 'A', name: 'x', attributes: { count: -(10n ** 39n) } });
  const db: Database = {
    command: async () => undefined,
    rows: async () => [['0']],
    insert: async (_table, rows) => {
      Array.from(rows);
    },
    close: async () => undefined,
  };
  await expect(loadSession(db, 'large', builder.build())).rejects.toThrow(
    'the attribute "count" has an integer with 40 digits, but the ClickHouse engine supports only 128-bit integers: measure the session without --engine',
  );
});

test('clocks of more probes than are computed together come in blocks that make them whole', async () => {
  const builder = new SessionBuilder();
  const [probes, rounds] = [300, 20];
  let before: readonly number[] = [];
  for (let round = 0; round < rounds; round++) {
    const now = Array.from({ length: probes }, (_, probe) =>
      builder.event({ probe: `P${probe}`, name: 'A', attributes: {} }),
    );
    before.forEach((from, probe) => {
      builder.interaction(from, now[(probe + 1) % probes] as number);
    });
    before = now;
  }
  allToAll(builder, before);
  const session = builder.build();
  const receives = session.order.receives.length;
  orderIndexOf(session.order, { ...CLOCK_LIMITS, keptBytes: 0, sweptBytes: 4 * receives * 100 });
  const watched = session.probes.indexOf('P0');
  const clocks = new Map<number, number[]>();
  let blocks = 0;
  const db: Database = {
    command: async () => undefined,
    rows: async () => [['0']],
    async insert(table, rows) {
      if (table !== 'perturb_clocks') return;
      for (const row of rows) {
        const [, segment, own, first, clock] = row as [string, number, number, number, number[]];
        if (segment === 1) blocks++;
        if (own !== watched) continue;
        const known = clocks.get(segment) ?? [];
        expect(known).toHaveLength(first);
        clocks.set(segment, [...known, ...clock]);
      }
    },
    close: async () => undefined,
  };
  await loadSession(db, 'ring', session);
  expect(blocks).toBeGreaterThan(1);
  expect(clocks.size).toBe(rounds);
  // The last receive of P0 on the ring knows all but the last k events of the probe k before it; its own go by seq.
  const expected = session.probes.map((name) => {
    const back = (probes - Number(name.slice(1))) % probes;
    return back === 0 ? 0 : Math.max(0, rounds - back);
  });
  expect([...clocks.values()].at(-2)).toEqual(expected);
});
