/*
 * The evaluation beside DuckDB, which answers the same questions in SQL:
 * `npm install --no-package-lock --ignore-scripts --prefix bench/peers`, then
 * `node bench/peers/duckdb.js [EVENTS ...]`.
 *
 * DuckDB gets what it needs beforehand: a vector clock for each event of the later
 * label, and for the closure the graph of receives; for what is asked of each request,
 * all events in one table. Perturb starts from the session each time, with the selection
 * and the clocks. Of more than a million events, only what needs no order is asked.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { bundleFile } from '../../scripts/bundle.js';
import { median } from '../harness/median.js';
import { pathOf } from '../harness/programs.js';

/** @import { Evaluation } from '../../src/evaluation/index.js' */
/** @import { Column, Session } from '../../src/session/index.js' */

const MATCH = "MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a -> b";
const RUNS = 5;
/** The clocks of more events make tables that take too much. */
const MOST_ORDERED = 1_000_000;

/** How many events of B come after some event of A: the receives that these reach, then the rest. */
const CLOSURE = `
WITH RECURSIVE
  firsts AS (SELECT probe, min(pos) AS pos FROM a GROUP BY probe),
  reached(receive) AS (
    SELECT e.receive FROM edges e JOIN firsts f ON e.sender_probe = f.probe AND e.sender_pos >= f.pos
    UNION
    SELECT n.next FROM reached r JOIN nexts n ON n.receive = r.receive
  ),
  heard AS (
    SELECT v.probe, min(v.pos) AS pos FROM reached JOIN receives v USING (receive) GROUP BY v.probe
  )
SELECT count(*) FROM b
  LEFT JOIN firsts f ON f.probe = b.probe
  LEFT JOIN heard h ON h.probe = b.probe
WHERE b.pos > f.pos OR b.pos >= h.pos`;

/** From one event to the next, in nanoseconds. */
const STEP = 1000;
const WINDOW = 1000 * STEP;

/**
 * What people ask of each request: the expression, what of the answer is compared, and the query.
 *
 * @type {readonly { asks: string, expression: string, answer: (of: Evaluation) => string | undefined, sql: string }[]}
 */
const QUESTIONS = [
  {
    asks: 'pairs by id',
    expression: `MATCH (name = 'A') AS q, (name = 'B') AS r FILTER r.id = q.id AGGREGATE count() > 0`,
    answer: ({ bindings }) => bindings,
    sql: `SELECT count(*) FROM events q JOIN events r ON r.name = 'B' AND r.id = q.id WHERE q.name = 'A'`,
  },
  {
    asks: 'no response',
    expression: `MATCH (name = 'A') AS q, NOT (name = 'B') AS r FILTER r.id = q.id AGGREGATE count() = 0`,
    answer: ({ bindings }) => bindings,
    sql: `SELECT count(*) FROM events q WHERE q.name = 'A'
      AND NOT EXISTS (FROM events r WHERE r.name = 'B' AND r.id = q.id)`,
  },
  {
    asks: 'exactly once',
    expression: `MATCH (name = 'A') AS q, (name = 'B') AS r FILTER r.id = q.id AGGREGATE count() = 1 BY q`,
    answer: ({ groups }) => String(groups?.hold),
    sql: `SELECT count(*) FROM (SELECT q.event FROM events q JOIN events r ON r.name = 'B' AND r.id = q.id
      WHERE q.name = 'A' GROUP BY q.event HAVING count(*) = 1)`,
  },
  {
    asks: 'p99 by id',
    expression: `MATCH (name = 'A') AS q, (name = 'B') AS r FILTER r.id = q.id
      AGGREGATE percentile(r.time - q.time, 99) > 0`,
    answer: ({ measures }) => measures[0]?.left,
    sql: `SELECT quantile_disc(r.time - q.time, 0.99) FROM events q JOIN events r ON r.name = 'B' AND r.id = q.id
      WHERE q.name = 'A'`,
  },
  {
    asks: 'longest pause',
    expression: `MATCH (name = 'A') AS b, (name = 'A') AS n WHEN b -> NEXT n FILTER n.probe = b.probe
      AGGREGATE max(n.time - b.time) > 0`,
    answer: ({ measures }) => measures[0]?.left,
    sql: `SELECT max(pause) FROM (SELECT time - lag(time) OVER (PARTITION BY probe ORDER BY event) AS pause
      FROM events WHERE name = 'A')`,
  },
  {
    asks: 'pairs within a distance',
    expression: `MATCH (name = 'A') AS q, (name = 'B') AS r FILTER abs(r.time - q.time) <= ${WINDOW}ns
      AGGREGATE count() > 0`,
    answer: ({ bindings }) => bindings,
    sql: `SELECT count(*) FROM events q JOIN events r ON r.name = 'B' AND r.time >= q.time - ${WINDOW}
      AND r.time <= q.time + ${WINDOW} WHERE q.name = 'A'`,
  },
  {
    asks: 'two comparisons',
    expression: `MATCH (name = 'A') AS q, (name = 'B') AS r FILTER q.id < r.id AND q.time < r.time
      AGGREGATE count() > 0`,
    answer: ({ bindings }) => bindings,
    sql: `SELECT count(*) FROM events q JOIN events r ON r.name = 'B' AND q.id < r.id AND q.time < r.time
      WHERE q.name = 'A'`,
  },
  {
    asks: 'windows',
    expression: `MATCH (name = 'A') AS q AGGREGATE count() >= 10 BY window(q.time, ${WINDOW}ns)`,
    answer: ({ groups }) => String(groups?.hold),
    sql: `WITH extent AS (SELECT min(time) AS first, (max(time) - min(time)) // ${WINDOW} AS full FROM events)
      SELECT count(*) FROM (SELECT (time - first) // ${WINDOW} AS place FROM events, extent
      WHERE name = 'A' AND place < extent.full GROUP BY place HAVING count(*) >= 10)`,
  },
];

const directory = mkdtempSync(join(tmpdir(), 'perturb-peers-'));
const outfile = join(directory, 'evaluate.mjs');
await bundleFile(pathOf('../sessions/evaluate.ts'), outfile);
/** @type {typeof import('../sessions/evaluate.js')} */
const { evaluate, largeSession, parse } = await import(pathToFileURL(outfile).href);

const sizes = process.argv.slice(2).map(Number);
try {
  for (const events of sizes.length > 0 ? sizes : [100_000, 1_000_000]) {
    for (const probes of [10, 100]) await compare(events, probes);
  }
} finally {
  rmSync(directory, { recursive: true });
}

/** @param {number} events @param {number} probes */
async function compare(events, probes) {
  const session = timed(largeSession({ events, probes, matches: events / 100, every: 10 }));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await fill(connection, session, events <= MOST_ORDERED);
    const ask = async (/** @type {string} */ sql) => {
      const reader = await connection.runAndReadAll(sql);
      return String(reader.getRows()[0]?.[0]);
    };
    const pairs = 'SELECT count(*) FROM a JOIN clocks c ON a.probe = c.probe AND a.pos < c.known';
    if (events <= MOST_ORDERED) {
      await row(`pairs, ${events} events, ${probes} probes`, {
        ours: () => evaluated(session, `${MATCH} AGGREGATE count() > 0`).bindings ?? '',
        theirs: () => ask(pairs),
      });
      await row(`closure, ${events} events, ${probes} probes`, {
        ours: () => String(evaluated(session, MATCH).labels[1]?.ordered),
        theirs: () => ask(CLOSURE),
      });
    }
    for (const { asks, expression, answer, sql } of QUESTIONS) {
      await row(`${asks}, ${events} events, ${probes} probes`, {
        ours: () => answer(evaluated(session, expression)) ?? '',
        theirs: () => ask(sql),
      });
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/**
 * Makes DuckDB's tables. The lines that they come from are garbage afterwards: in the heap they would slow
 * down each collection that an evaluation waits for.
 *
 * @param {import('@duckdb/node-api').DuckDBConnection} connection
 * @param {Session} session
 * @param {boolean} isOrdered
 */
async function fill(connection, session, isOrdered) {
  const tables = { events: eventsOf(session), ...(isOrdered && tablesOf(session)) };
  for (const [name, lines] of Object.entries(tables)) {
    const file = join(directory, `${name}.csv`);
    writeFileSync(file, `${lines.join('\n')}\n`);
    await connection.run(`CREATE TABLE ${name} AS FROM read_csv('${file}', header = true)`);
  }
}

/** @param {Session} session @param {string} text */
function evaluated(session, text) {
  const { expression } = parse(text);
  if (expression === undefined) throw new Error(`no expression: ${text}`);
  return evaluate(session, expression);
}

/**
 * @param {string} what
 * @param {{ ours: () => string, theirs: () => Promise<string> }} sides
 */
async function row(what, { ours, theirs }) {
  const times = { ours: /** @type {number[]} */ ([]), theirs: /** @type {number[]} */ ([]) };
  for (let run = 0; run < RUNS; run++) {
    let start = performance.now();
    const found = ours();
    times.ours.push(performance.now() - start);
    start = performance.now();
    const wanted = await theirs();
    times.theirs.push(performance.now() - start);
    if (found !== wanted) throw new Error(`${what}: ${found} here, ${wanted} in DuckDB`);
  }
  const [mine, other] = [median(times.ours), median(times.theirs)];
  const ahead = mine < other ? '' : '  BEHIND';
  if (mine >= other) process.exitCode = 1;
  process.stdout.write(
    `${what.padEnd(40)} Perturb ${mine.toFixed(1)} ms, DuckDB ${other.toFixed(1)} ms${ahead}\n`,
  );
}

/** The session with times, which grow from event to event of each probe. @param {Session} session @returns {Session} */
function timed(session) {
  const { size, start } = session;
  const kinds = column(session, 'id').kinds;
  const numbers = new Float64Array(size);
  for (let probe = 0; probe + 1 < start.length; probe++) {
    const [first, end] = /** @type {[number, number]} */ ([start[probe], start[probe + 1]]);
    for (let event = first; event < end; event++) {
      numbers[event] = Math.round(((event - first) / (end - first)) * size) * STEP;
    }
  }
  return { ...session, columns: new Map([...session.columns, ['time', { kinds, numbers }]]) };
}

/** @param {Session} session @param {string} name @returns {Column} */
function column({ columns }, name) {
  const found = columns.get(name);
  if (found === undefined) throw new Error(`no column ${name}`);
  return found;
}

/** All events, as lines. @param {Session} session */
function eventsOf(session) {
  const [names, ids, times] = [
    column(session, 'name'),
    column(session, 'id'),
    column(session, 'time'),
  ];
  const lines = ['event,probe,name,id,time'];
  const probes = column(session, 'probe');
  for (let event = 0; event < session.size; event++) {
    const name = session.texts[/** @type {number} */ (names.numbers[event])];
    const probe = session.texts[/** @type {number} */ (probes.numbers[event])];
    lines.push(`${event},${probe},${name},${ids.numbers[event]},${times.numbers[event]}`);
  }
  return lines;
}

/** The order of a session as tables, made by plain vector clocks. @param {Session} session */
function tablesOf(session) {
  const { order, probes, start } = session;
  const names = column(session, 'name');
  const pos = (/** @type {number} */ event, /** @type {number} */ probe) =>
    event - /** @type {number} */ (start[probe]);
  const tables = {
    a: ['probe,pos'],
    b: ['probe,pos'],
    clocks: ['b,probe,known'],
    receives: ['receive,probe,pos'],
    edges: ['receive,sender_probe,sender_pos'],
    nexts: ['receive,next'],
  };
  /** For each receive its clock. @type {Int32Array[]} */
  const clocks = [];
  for (const receive of order.topological) {
    const probe = /** @type {number} */ (order.receiveTimeline[receive]);
    const isFirst = order.receiveStart[probe] === receive;
    const clock = isFirst
      ? new Int32Array(probes.length)
      : Int32Array.from(clocks[receive - 1] ?? []);
    const event = /** @type {number} */ (order.receives[receive]);
    tables.receives.push(`${receive},${probe},${pos(event, probe)}`);
    if (!isFirst) tables.nexts.push(`${receive - 1},${receive}`);
    const end = /** @type {number} */ (order.edgeStart[receive + 1]);
    for (let edge = /** @type {number} */ (order.edgeStart[receive]); edge < end; edge++) {
      const from = /** @type {number} */ (order.edgeTimeline[edge]);
      const sent = pos(/** @type {number} */ (order.edgeFrom[edge]), from) + 1;
      const known = clocks[/** @type {number} */ (order.edgeReceive[edge])];
      known?.forEach((of, at) => {
        clock[at] = Math.max(of, /** @type {number} */ (clock[at]));
      });
      clock[from] = Math.max(sent, /** @type {number} */ (clock[from]));
      tables.edges.push(`${receive},${from},${sent - 1}`);
      if (known !== undefined) tables.nexts.push(`${order.edgeReceive[edge]},${receive}`);
    }
    clocks[receive] = clock;
  }
  for (let probe = 0; probe < probes.length; probe++) {
    let receive = /** @type {number} */ (order.receiveStart[probe]);
    const end = /** @type {number} */ (order.receiveStart[probe + 1]);
    const first = receive;
    const last = /** @type {number} */ (start[probe + 1]);
    for (let event = /** @type {number} */ (start[probe]); event < last; event++) {
      while (receive < end && /** @type {number} */ (order.receives[receive]) <= event) receive++;
      const name = names.numbers[event];
      if (name === 1) tables.a.push(`${probe},${pos(event, probe)}`);
      if (name !== 2) continue;
      tables.b.push(`${probe},${pos(event, probe)}`);
      const clock = receive > first ? clocks[receive - 1] : undefined;
      for (let of = 0; of < probes.length; of++) {
        const known = of === probe ? pos(event, probe) : (clock?.[of] ?? 0);
        if (known > 0) tables.clocks.push(`${event},${of},${known}`);
      }
    }
  }
  return tables;
}
