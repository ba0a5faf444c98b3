import { expect, test } from 'vitest';
import { directoryWith, perturb } from './program.js';

/** When a session begins, in nanoseconds: a time that no double holds exactly. */
const BEGIN = 1_772_443_800_000_000_001n;
const MS = 1_000_000n;

/** Each request, and after how many milliseconds it is answered; the fifth is not. */
const LATENCIES = [10, 20, 30, 1200, undefined] as const;

function eventLine(probe: string, seq: number, name: string, ms: number, attributes: object) {
  const head = JSON.stringify({ probe, name, seq, attributes }).slice(0, -1);
  return `${head},"time":${BEGIN + BigInt(ms) * MS}}\n`;
}

/** Requests of a client, and the answers of a server: in order, for each answer follows its request. */
const session = [
  ...LATENCIES.map((_, at) => {
    return eventLine('CLIENT', at, 'req', at * 100, { id: at + 1, 'trace.id': `t${at + 1}` });
  }),
  ...LATENCIES.flatMap((ms, at) => {
    if (ms === undefined) return [];
    const attributes = { id: at + 1, status: at === 3 ? 500 : 200, latency: ms * 1e6, unasked: 1 };
    const line = eventLine('SERVER', at, 'resp', at * 100 + ms, attributes);
    return [line, `{"from":["CLIENT",${at}],"to":["SERVER",${at}]}\n`];
  }),
].join('');

const PAIR = "MATCH (name = 'req') AS q, (name = 'resp') AS r WHEN q -> r FILTER r.id = q.id";
/** The same pair, with requests that should have no answer: each but the fifth has one. */
const ABSENT = `${PAIR.replace("(name = 'resp')", "NOT (name = 'resp')")} AND q.id < 5`;

async function evaluated(text: string) {
  const cwd = directoryWith({ 's.jsonl': session });
  const args = ['expression', 'eval', text, 's.jsonl'];
  const [pretty, json] = [
    await perturb(args, { cwd }),
    await perturb([...args, '--format', 'json'], { cwd }),
  ];
  const result = JSON.parse(json.stdout) as {
    readonly evidence: readonly {
      readonly why: string;
      readonly of?: string;
      readonly binding: Readonly<Record<string, { readonly seq: number }>>;
      readonly values?: readonly object[];
    }[];
    readonly tested?: string;
  };
  /** Why, and the `seq` of each label. */
  const shown = result.evidence.map(({ why, binding }) => {
    const seqs = Object.entries(binding).map(([label, { seq }]) => [label, seq] as const);
    return [why, Object.fromEntries(seqs)] as const;
  });
  return { pretty: pretty.stdout, json: json.stdout, result, shown, code: pretty.code };
}

test('what is compared with a duration is one, as is the length of a span', async () => {
  const begin =
    '{"probe":"S","name":"e","seq":0,"attributes":{"got":9005800000,"sent":9000000000,"span.duration":1250000}}\n';
  const cwd = directoryWith({ 's.jsonl': begin });
  const text =
    "MATCH (name = 'e') AS e FILTER abs(e.got - e.sent) < 9ms AND e.span.duration > 5 AGGREGATE max(e.got - e.sent) < 1000us";
  const { stdout } = await perturb(['expression', 'eval', text, 's.jsonl'], { cwd });
  expect(stdout).toContain('max(e.got - e.sent) < 1ms: 5.8ms\n');
  expect(stdout).toContain('\nabs(e.got - e.sent) = 5.8ms\ne.got - e.sent = 5.8ms\n');
  expect(stdout).toContain('span.duration 1.25ms');
});

test('a bound event has its time, its trace and what the expression mentions; a difference its value', async () => {
  const { pretty, json, result } = await evaluated(
    `${PAIR} AND r.latency > 40ms AND r.time - q.time > 1s AGGREGATE count() = 0`,
  );
  // A number of JavaScript would round it.
  expect(json).toContain('"time": 1772443801500000001');
  expect(result.evidence).toEqual([
    {
      why: 'first',
      binding: {
        q: {
          probe: 'CLIENT',
          seq: 3,
          attributes: { name: 'req', time: expect.any(Number), 'trace.id': 't4', id: 4 },
        },
        r: {
          probe: 'SERVER',
          seq: 3,
          attributes: { name: 'resp', time: expect.any(Number), id: 4, latency: 1.2e9 },
        },
      },
      values: [{ text: 'r.time - q.time', value: '1200000000', unit: 'duration' }],
      durations: ['latency'],
    },
  ]);
  expect(pretty).toContain(`
q: time 2026-03-02T09:30:00.300000001Z, trace.id t4, id 4
r: time 2026-03-02T09:30:01.500000001Z, id 4, latency 1s 200ms
r.time - q.time = 1s 200ms
`);
});

test('WITHIN is a difference too', async () => {
  const { result } = await evaluated(`${PAIR.replace('FILTER', 'WITHIN 15ms FILTER')}`);
  expect(result.evidence[0]?.values).toEqual([
    { text: 'r.time - q.time', value: '10000000', unit: 'duration' },
  ]);
});

test('a percentile shows the binding that has it, and its neighbours', async () => {
  const of = 'percentile(r.time - q.time, 50)';
  const { pretty, shown, result } = await evaluated(`${PAIR} AGGREGATE ${of} < 15000000`);
  expect(shown).toEqual([
    ['percentile', { q: 1, r: 1 }],
    ['below', { q: 0, r: 0 }],
    ['above', { q: 2, r: 2 }],
  ]);
  expect(result.evidence[2]).toMatchObject({ of, values: [{ value: '30000000' }] });
  expect(pretty).toContain(`✗ ${of} < 15000000: 20ms\n`);
  expect(pretty).toContain(`the nearest above ${of}:
q: req CLIENT #2, time 2026-03-02T09:30:00.200000001Z, trace.id t3, id 3
r: resp SERVER #2, time 2026-03-02T09:30:00.230000001Z, id 3
r.time - q.time = 30ms
`);
});

test.each([
  // The double nearest to 5 / 3 is above it, that nearest to 2 / 3 below.
  ['percentile((r.id + 1) / 3, 75)', { percentile: 2, below: 1, above: 3 }],
  ['percentile((r.id + 2) / 3, 75)', { percentile: 2, below: 1, above: 3 }],
  ['percentile((r.id + 1) / 3, 25)', { percentile: 0, above: 1 }],
])('a percentile that no double holds has its own binding and neighbours: %s', async (of, seqs) => {
  const { shown } = await evaluated(`${PAIR} AGGREGATE ${of} < 0`);
  expect(Object.fromEntries(shown.map(([why, { r }]) => [why, r]))).toEqual(seqs);
});

test('a percentile of no bindings has a near miss alone to show', async () => {
  const none = "MATCH NOT (name = 'none') AS a, (name = 'req') AS q WHEN q -> a";
  const { shown } = await evaluated(
    `${none} FILTER q.id < 0 AND q.id > a.id AGGREGATE percentile(q.id, 50) < 3`,
  );
  expect(shown).toEqual([['near', { q: 0 }]]);
});

test.each([
  ['mean(r.time - q.time) < 100ms', 'largest', [3, 2, 1], '315ms'],
  ['mean(r.time - q.time) > 500ms', 'smallest', [0, 1, 2], '315ms'],
  ['sum(r.latency) < 1s', 'largest', [3, 2, 1], '1.26s'],
  ['1s - sum(r.latency) > 0s', 'largest', [3, 2, 1], '-0.26s'],
  ['100ms > mean(r.latency)', 'largest', [3, 2, 1], '100ms and 315ms'],
])('%s: the %s contributors', async (measure, why, seqs, value) => {
  const { pretty, shown } = await evaluated(`${PAIR} AGGREGATE ${measure}`);
  expect(shown).toEqual(seqs.map((seq) => [why, { q: seq, r: seq }]));
  expect(pretty).toContain(`✗ ${measure}: ${value}\n`);
  expect(pretty.match(/^next:$/gm)).toHaveLength(2);
});

test.each([
  ['share(r.status >= 500) <= 0.01', 'counted', [3]],
  ['share(r.status < 400) >= 0.9', 'uncounted', [3]],
  ['share(r.id = q.id) = 0', 'counted', [0, 1, 2]],
])('%s: what counts', async (measure, why, seqs) => {
  const { shown } = await evaluated(`${PAIR} AGGREGATE ${measure}`);
  expect(shown).toEqual(seqs.map((seq) => [why, { q: seq, r: seq }]));
});

test('a count that is too low shows what is missing, one that is too high the first bindings', async () => {
  const low = await evaluated(`${PAIR} AGGREGATE count() = 5`);
  expect(low.shown).toEqual([['missing', { q: 4 }]]);
  expect(low.pretty).toContain('in no binding:\n');
  expect((await evaluated(`${PAIR} AGGREGATE count() = 3`)).shown).toEqual([
    ['first', { q: 0, r: 0 }],
  ]);
});

test('an absence that is not met shows the unexpected event, and no misleading reason', async () => {
  const alone = await evaluated("MATCH NOT (name = 'resp' AND status = 500) AS failure");
  expect(alone.shown).toEqual([['forbidden', { failure: 3 }]]);
  expect(alone.pretty).toContain('  there is an unexpected event: failure\n');
  expect(alone.pretty).toContain('the unexpected event:\nSERVER\n●         failure: resp #3\n');
  expect(alone.result.tested).toBe('9');
  const tied = await evaluated(`${ABSENT} AGGREGATE count() >= 1`);
  expect(tied.shown).toEqual([['forbidden', { q: 0, r: 0 }]]);
  expect(tied.pretty).toContain('  for each choice of q, there is an unexpected event: r\n');
  for (const { pretty } of [alone, tied]) expect(pretty).not.toContain('no combination');
});

test('an absence that is met says on how much it was tested', async () => {
  const { pretty, result, code } = await evaluated(`${ABSENT} AGGREGATE count() = 0`);
  expect(code).toBe(0);
  expect(result.tested).toBe('4');
  expect(pretty).toContain('  the absence of r was tested on 4 choices of q\n');
  expect(pretty).not.toContain('no combination');
});

test('of groups there are how many fail, the worst, and the first of these as a picture', async () => {
  const { pretty, shown } = await evaluated(`${PAIR} AGGREGATE count() >= 1 BY q`);
  expect(shown).toEqual([['group', { q: 4 }]]);
  expect(pretty).toContain(
    '  satisfied by 4 of 5 groups, not by 1\n  q CLIENT #4: count() >= 1: 0\n',
  );
  expect(pretty).toContain('in the worst group:\nCLIENT\n●         q: req #4\n');
});
