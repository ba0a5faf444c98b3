import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  connect,
  type Database,
  engineOn,
  isLoaded,
  loadSession,
  removeSession,
} from '../../../src/evaluation/clickhouse/index.js';
import { type Evaluation, type Evidence, evaluate } from '../../../src/evaluation/index.js';
import { parse } from '../../../src/expression/index.js';
import { SessionBuilder, type SessionValue } from '../../../src/session/index.js';
import { directoryWith, perturbProcess } from '../../cli/program.js';
import { hasClickHouse, startClickHouse, type TestServer } from './server.js';

/** Texts that a statement must not be broken by. */
const NASTY = [
  "it's",
  'a\\b',
  "x' or 1 -- ",
  'new\nline',
  '\u0000',
  '{a:String}',
  '__proto__',
  '\u{1f600}',
];

function session() {
  const builder = new SessionBuilder({ name: "flight '7'" });
  NASTY.forEach((text, at) => {
    const sent = builder.event({
      probe: text,
      name: text,
      attributes: { [text]: text, big: 2n ** 64n - 1n - BigInt(at), far: at === 0 ? 1e300 : 0.1 },
    });
    const got = builder.event({ probe: 'R', name: 'RECV', attributes: { x: 2 ** 53, id: at } });
    builder.interaction(sent, got);
  });
  return builder.build();
}

const BOTH = ['holds', 'fails'] as const;

const expressionOf = (text: string) => {
  const { expression } = parse(text);
  if (expression === undefined) throw new Error(text);
  return expression;
};

const EXPRESSIONS = [
  "MATCH (name != 'RECV') AS a, (name = 'RECV') AS b WHEN a -> b AGGREGATE count() = 36, max(a.big) > 1.8e19",
  "MATCH (name != 'RECV') AS a, (name = 'RECV') AS b WHEN a -> b AGGREGATE sum(a.far) > 7e300, mean(a.big) > 1.5, stddev(b.id) < 3",
  "MATCH (name = 'RECV') AS a, (name = 'RECV') AS b WHEN a -> b FILTER a.id < b.id AND a.x = b.x AGGREGATE count() = 28",
  "MATCH (name = 'none') AS a AGGREGATE max(a.x) > 1",
  "MATCH (`__proto__` = '__proto__') AS a AGGREGATE count() = 1",
  "MATCH (name != 'RECV') AS a AGGREGATE stddev(a.far) > 1e299",
  "MATCH (name != 'RECV') AS a AGGREGATE count() < 1 BY a.probe, a.big",
];

const FLIGHT =
  "MATCH (name = 'GUST') AS gust, (HEARTBEAT @ AUTOPILOT) AS beat WHEN gust -> beat WITHIN 100ms";

const NEAR = [
  `${FLIGHT} AGGREGATE count() >= 1 BY gust`,
  `${FLIGHT.replace('(HEART', 'NOT (HEART')} AGGREGATE count() = 0`,
  `${FLIGHT} AGGREGATE count() >= 3`,
  "MATCH (name = 'HAERTBEAT') AS beat",
  "MATCH (name = 'GUST' AND force > 30) AS gust AGGREGATE count() = 0",
];

function flight() {
  const builder = new SessionBuilder();
  for (const [at, delay] of [40n, 250n].entries()) {
    const time = BigInt(at + 1) * 1_000_000_000n;
    const gust = { probe: 'SIMULATOR', name: 'GUST', time, attributes: { force: BigInt(18 + at) } };
    const beat = { probe: 'AUTOPILOT', name: 'HEARTBEAT', time: time + delay * 1_000_000n };
    builder.interaction(builder.event(gust), builder.event(beat));
  }
  return builder.build();
}

describe.skipIf(!hasClickHouse)('a ClickHouse server', { timeout: 600_000 }, () => {
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

  test.each(NEAR)('finds the near misses that the embedded engine finds: %s', async (text) => {
    const session = flight();
    await loadSession(db, 'flight', session);
    const options = { evidence: 1, nearMisses: 'always' } as const;
    const nearIn = ({ evidence }: Evaluation) => evidence.filter(({ why }) => why === 'near');
    const found = nearIn(await engineOn(db, 'flight').evaluate(expressionOf(text), options));
    expect(found).toHaveLength(1);
    expect(found).toEqual(nearIn(evaluate(session, expressionOf(text), options)));
  });

  test('gives what the embedded engine gives, whatever the texts are', async () => {
    const flight = session();
    const id = "it's \\ one";
    await loadSession(db, id, flight);
    for (const text of EXPRESSIONS) {
      const expression = expressionOf(text);
      const here = evaluate(flight, expression, { count: true });
      const there = await engineOn(db, id).evaluate(expression);
      expect([text, { ...there, method: here.method }]).toEqual([text, here]);
    }
    const named = await engineOn(db, id).evaluate(expressionOf("MATCH (name != 'RECV') AS a"), {
      evidence: 100,
    });
    const probes = named.evidence.map(({ binding }) => binding['a']?.probe);
    expect(new Set(probes)).toEqual(new Set(NASTY));
  });

  test('shows what the embedded engine shows, with what its events have', async () => {
    const builder = new SessionBuilder({ name: 'requests' });
    for (const [at, wait] of [5n, 90n, 20n, undefined, 7n, 300n].entries()) {
      const time = 2n ** 62n + BigInt(at) * 1000n;
      const attributes = new Map<string, SessionValue>([
        ...([
          ['trace.id', `t${at}`],
          ['span.id', `s${at}`],
          ['id', BigInt(at)],
        ] as const),
        ...([
          ['big', 2n ** 64n - 1n - BigInt(at)],
          ['bytes', at / 3],
          ['ok', at !== 2],
        ] as const),
        ...([
          ['far', at === 1 ? Number.NEGATIVE_INFINITY : 0.1],
          ['unsaid', 'x'],
        ] as const),
        ['job', { type: 'timelineId', value: `j${at % 2}` }],
      ]);
      const asked = builder.event({
        probe: 'SHOP',
        timeline: `r${at}`,
        name: 'ask',
        time,
        attributes,
      });
      if (wait === undefined) continue;
      const told = new Map<string, SessionValue>([
        ['id', BigInt(at)],
        ['cost', 0.1 * at],
      ]);
      const answered = builder.event({
        probe: 'BANK',
        name: 'answer',
        time: time + wait,
        attributes: told,
      });
      builder.interaction(asked, answered);
    }
    const requests = builder.build();
    await loadSession(db, 'requests', requests);
    const pairs =
      "MATCH (name = 'ask') AS q, (name = 'answer') AS a WHEN q -> a FILTER a.id = q.id";
    const asked = "MATCH (name = 'ask') AS q";
    const texts = [
      // The event that should not be there, and on how many its absence was tested.
      `${asked}, NOT (name = 'answer') AS a WHEN q -> a WITHIN 50ns FILTER q.ok = false AND a.id = q.id`,
      `${asked}, NOT (name = 'answer') AS a FILTER a.id = q.id AND q.job = q.job AGGREGATE count() = 0`,
      "MATCH NOT (name = 'answer' AND cost > 0.45) AS a",
      // Differences, what is around a percentile, what contributes, and what is missing.
      `${pairs} AGGREGATE max(a.time - q.time) < 100ns`,
      `${pairs} AGGREGATE percentile(a.time - q.time, 80) <= 50ns`,
      `${pairs} AGGREGATE mean((a.time - q.time) / 2) < 10, sum(a.cost) < 0.1`,
      `${pairs} WITHIN 500ns AGGREGATE share(a.time - q.time > 100ns) < 0.1`.replace(
        ' FILTER a.id = q.id WITHIN 500ns',
        ' WITHIN 500ns FILTER a.id = q.id',
      ),
      `${pairs} AND q.big > 1 AND q.bytes >= 0 AND q.far < 1 AGGREGATE count() = 6`,
      // Groups: the worst one, and one without a binding.
      `${pairs} AGGREGATE max(a.time - q.time) < 100ns BY q`,
      `${pairs} AGGREGATE count() = 1 BY q`,
      `${asked} FILTER session.end - q.time > 4us AGGREGATE max(q.far) < 0`,
      `${asked} AGGREGATE count() < 1 BY window(q.time, 4us), window(q.time, 3us)`,
    ];
    const place = ({ binding }: Evidence) => JSON.stringify(binding, (_, one) => String(one));
    const sorted = ({ evidence, method: _, ...rest }: Evaluation) => ({
      ...rest,
      evidence: evidence.toSorted((a, b) => (place(a) < place(b) ? -1 : 1)),
    });
    for (const text of texts) {
      const expression = expressionOf(text);
      // What is around a percentile is shown where nothing is explained, too.
      for (const expects of text.includes('percentile') ? BOTH : (['holds'] as const)) {
        const options = { evidence: 6, expects };
        const here = evaluate(requests, expression, { ...options, count: true });
        const there = await engineOn(db, 'requests').evaluate(expression, options);
        expect([text, expects, sorted(there)]).toEqual([text, expects, sorted(here)]);
        if (expects === 'holds') expect([text, there.evidence.length > 0]).toEqual([text, true]);
      }
    }
  });

  test('does not call a result vacuous for an event that good sessions lack', async () => {
    await loadSession(db, 'expected', session());
    const expression = expressionOf("MATCH (name = 'CRASH') AS a AGGREGATE count() = 0");
    const isVacuous = async (expected: readonly string[]) =>
      (await engineOn(db, 'expected').evaluate(expression, { expected })).vacuous;
    expect([await isVacuous(['OTHER']), await isVacuous(['CRASH'])]).toEqual([true, false]);
  });

  test('takes long lists, texts of stars and deep nesting', async () => {
    const flight = session();
    await loadSession(db, 'bad input', flight);
    // In all more than the 256 KiB that a server reads of a query by default.
    const list = Array.from({ length: 50_000 }, (_, at) => (at % 2 === 0 ? `'w${at}'` : at));
    const deep = 100;
    const texts = [
      `MATCH (name IN (${list.join(', ')}, 'RECV')) AS a AGGREGATE count() = 8`,
      `MATCH (id IN (0, 2, 4, 6) AND name NOT GLOB '${'*E'.repeat(2_000)}*') AS a AGGREGATE count() = 4`,
      `MATCH (${'NOT ('.repeat(deep)}name = 'RECV'${')'.repeat(deep)}) AS a`,
      `MATCH (name = 'RECV') AS a AGGREGATE count() > 0 BY a.id FOR 50%`,
    ];
    for (const text of texts) {
      const expression = expressionOf(text);
      const here = evaluate(flight, expression, { count: true });
      const there = await engineOn(db, 'bad input').evaluate(expression);
      expect(there).toEqual({ ...here, method: there.method });
      expect(there.status).toBe('holds');
    }
  });

  test('has a session once, in full or not at all', async () => {
    const flight = session();
    expect(await isLoaded(db, 'once')).toBe(false);
    expect(await loadSession(db, 'once', flight)).toEqual({ loaded: true, events: 16 });
    expect(await loadSession(db, 'once', flight)).toEqual({ loaded: false, events: 16 });
    // As if an earlier attempt had been cut short before its last step.
    await db.command(
      "alter table perturb_sessions delete where session = 'once' settings mutations_sync = 2",
    );
    expect(await isLoaded(db, 'once')).toBe(false);
    expect((await loadSession(db, 'once', flight)).loaded).toBe(true);
    const query = "select count() from perturb_events where session = 'once'";
    expect(Number((await db.rows(query))[0]?.[0])).toBe(16);
    await removeSession(db, 'once');
    expect(Number((await db.rows(query))[0]?.[0])).toBe(0);
  });

  test('keeps nothing of a session that is loaded twice at once', async () => {
    const twice = (name: string): Database => ({
      ...db,
      async insert(table, rows) {
        const all = [...rows];
        await db.insert(table, all);
        if (table === name) await db.insert(table, all);
      },
    });
    for (const table of ['perturb_events', 'perturb_clocks']) {
      await expect(loadSession(twice(table), 'twice', session())).rejects.toThrow(
        'the session was removed, because it was loaded twice at the same time: load it again',
      );
      expect(await isLoaded(db, 'twice')).toBe(false);
      const rows = await db.rows(`select count() from ${table} where session = 'twice'`);
      expect(rows).toEqual([['0']]);
    }
    expect((await loadSession(db, 'twice', session())).loaded).toBe(true);
  });

  test('leaves no table behind', async () => {
    await loadSession(db, 'tidy', session());
    await engineOn(db, 'tidy').evaluate(expressionOf(EXPRESSIONS[0] as string));
    const rows = await db.rows("select name from system.tables where name like 'perturb_scratch%'");
    expect(rows).toEqual([]);
  });

  test('is undecided where a limit is met', async () => {
    await loadSession(db, 'limits', session());
    const limited: Database = {
      ...db,
      rows: (query) =>
        db.rows(/cross join/.test(query) ? `${query} settings max_memory_usage = 1` : query),
    };
    const expression = expressionOf(
      "MATCH (name = 'RECV') AS a, (name = 'RECV') AS b FILTER a.id < b.id AGGREGATE count() > 1",
    );
    expect(await engineOn(limited, 'limits').evaluate(expression)).toMatchObject({
      status: 'undecided',
      measures: [{ left: 'undecided' }],
      undecided: {
        clause: 'a.id < b.id',
        reason: expect.stringContaining('exceeded a server limit'),
      },
    });
  });

  test('is undecided where nothing is left and it cannot calculate whether there was a choice', async () => {
    await loadSession(db, 'choice', session());
    const expression = expressionOf(
      "MATCH NOT (name = 'RECV') AS r, (name != 'RECV') AS a, (name != 'RECV') AS b WHEN a -> r FILTER a.far - b.far <= 1e300 AND a.far - b.far >= 3 AGGREGATE count() > 0",
    );
    const here = evaluate(session(), expression);
    const there = await engineOn(db, 'choice').evaluate(expression);
    expect([here.status, here.vacuous]).toEqual(['fails', false]);
    expect([there.status, there.vacuous, there.undecided?.reason]).toEqual([
      'undecided',
      false,
      'numbers too far apart for exact calculation',
    ]);
  });

  test('is loaded from the command line', async () => {
    const line = (probe: string) => `{"probe":"${probe}","name":"GUST"}\n`;
    const cwd = directoryWith({ 'a.session.jsonl': line('P') + line('Q') });
    const args = ['session', 'load', 'a.session.jsonl', '--engine', `clickhouse:${server.url}`];
    const id = expect.stringMatching(
      /^(?:loaded|already loaded:) "a\.session\.jsonl@[0-9a-f]{16}", 2 events\n$/,
    );
    expect(await perturbProcess(args, { cwd })).toEqual({ code: 0, stdout: id, stderr: '' });
    expect((await perturbProcess(args, { cwd })).stdout).toMatch(/^already loaded: /);
    const json = JSON.parse((await perturbProcess([...args, '-f', 'json'], { cwd })).stdout);
    expect(json).toMatchObject({ version: 1, loaded: false, events: 2 });
  });
});

test.each([
  [
    'clickhouse',
    '--engine must be embedded or a URL, as in clickhouse:http://db.example:8123/perturb',
  ],
  ['embedded', 'only a clickhouse:URL engine can load sessions'],
  [
    'clickhouse:http://me:secret@h:8123/db',
    "the engine's URL contains a password: remove the password, and set CLICKHOUSE_PASSWORD",
  ],
])('--engine %s is wrong usage', async (engine, message) => {
  const cwd = directoryWith({ 'a.session.jsonl': '{"probe":"P","name":"X"}\n' });
  expect(
    await perturbProcess(['session', 'load', 'a.session.jsonl', '--engine', engine], { cwd }),
  ).toEqual({ code: 2, stdout: '', stderr: `perturb: ${message}\n` });
});

test('a server that is away is one sentence, and 4', async () => {
  const cwd = directoryWith({ 'a.session.jsonl': '{"probe":"P","name":"X"}\n' });
  const args = [
    'session',
    'load',
    'a.session.jsonl',
    '--engine',
    'clickhouse:http://127.0.0.1:9/d',
  ];
  expect(await perturbProcess(args, { cwd })).toEqual({
    code: 4,
    stdout: '',
    stderr:
      'perturb: http://127.0.0.1:9/d cannot be reached (ECONNREFUSED): check the URL and the server\n',
  });
});
