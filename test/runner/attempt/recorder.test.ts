import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseOrder, evaluate } from '../../../src/evaluation/index.js';
import { parse } from '../../../src/expression/index.js';
import type { TraceExpression } from '../../../src/objective/index.js';
import { LateEffectWindow, Recorder } from '../../../src/runner/attempt/recorder.js';
import { type EventRecord, readSession, SessionError } from '../../../src/session/index.js';
import { runs } from '../../long.js';

const WIND = {
  server: 'bench',
  id: 'wind-1',
  name: 'wind',
  probe: 'SIM',
  params: new Map([['speed', { type: 'float' as const, value: 12.5 }]]),
};

const event = (probe: string, name: string, rest: object = {}) =>
  JSON.stringify({ probe, name, ...rest });

/** What holds over what was recorded, and over the same when it is read again. */
async function holds(recorder: Recorder, text: string): Promise<boolean> {
  const { expression } = parse(text);
  const { session, problems } = await readSession(recorder.text(), {
    reading: { from: 'session' },
  });
  expect(problems).toEqual([]);
  if (expression === undefined || session === undefined) throw new Error('not read');
  const [now, again] = [recorder.session(), session].map((one) => evaluate(one, expression).status);
  expect(again).toBe(now);
  return now === 'holds';
}

const afterInjection = (name: string) =>
  `MATCH (name = 'perturb.injected') AS i, (name = '${name}') AS e WHEN i -> e`;
const beforeReset = (name: string) =>
  `MATCH (name = '${name}') AS e, (name = 'perturb.reset') AS r WHEN e -> r`;

describe('an injection', () => {
  test('happened before the first event of each probe that is later, and before no earlier one', async () => {
    const recorder = new Recorder('x');
    recorder.receive('source', [event('A', 'early', { time: 10 }), event('B', 'untimed')]);
    recorder.injected(WIND, 0, 20n, false);
    recorder.receive('source', [
      event('A', 'same', { time: 20 }),
      event('A', 'late', { time: 21 }),
      event('B', 'unknown'),
    ]);
    expect(await holds(recorder, afterInjection('late'))).toBe(true);
    for (const name of ['early', 'same', 'untimed', 'unknown']) {
      expect(await holds(recorder, afterInjection(name))).toBe(false);
    }
  });

  test('happened before all events of a command that was started later, whatever their times', async () => {
    const recorder = new Recorder('x');
    recorder.injected(WIND, 0, 20n, true);
    recorder.receive('command', [event('A', 'begun', { time: 5 }), event('B', 'untimed')]);
    recorder.receive('source', [event('C', 'beside')]);
    expect(await holds(recorder, afterInjection('begun'))).toBe(true);
    expect(await holds(recorder, afterInjection('untimed'))).toBe(true);
    expect(await holds(recorder, afterInjection('beside'))).toBe(false);
  });

  test('has the mutator, its parameters and its timing as attributes', async () => {
    const recorder = new Recorder('x');
    recorder.injected({ ...WIND, timing: { onset: 2_000, duration: 500 } }, 0, 20n, true);
    recorder.receive('command', [event('A', 'begun')]);
    expect(
      await holds(
        recorder,
        `MATCH (name = 'perturb.injected' AND probe = 'perturb' AND mutator.name = 'wind' AND
          mutator.probe = 'SIM' AND mutator.params.speed > 12 AND mutator.timing.onset = 2s AND
          mutator.timing.duration < 1s) AS i`,
      ),
    ).toBe(true);
  });
});

test('a reset happened after all events of the command, and after earlier ones of others', async () => {
  const recorder = new Recorder('x');
  recorder.injected(WIND, 0, 20n, true);
  recorder.receive('command', [event('A', 'one'), event('A', 'two')]);
  recorder.receive('source', [event('B', 'early', { time: 25 }), event('B', 'late', { time: 35 })]);
  recorder.reset(WIND, 0, 30n);
  for (const name of ['one', 'two', 'early']) {
    expect(await holds(recorder, beforeReset(name))).toBe(true);
  }
  expect(await holds(recorder, beforeReset('late'))).toBe(false);
});

test('a planned end happened among the events of a command that goes on', async () => {
  const recorder = new Recorder('x');
  recorder.injected(WIND, 0, 20n, true);
  recorder.receive('command', [
    event('A', 'faulty', { time: 25 }),
    event('A', 'well', { time: 32 }),
    event('B', 'untimed'),
  ]);
  recorder.reset(WIND, 0, 30n, { acknowledgedAt: 34n, continues: true, reason: 'duration' });
  recorder.receive('command', [event('A', 'later', { time: 40 })]);
  expect(await holds(recorder, beforeReset('faulty'))).toBe(true);
  expect(await holds(recorder, beforeReset('untimed'))).toBe(true);
  expect(await holds(recorder, beforeReset('well'))).toBe(false);
  const afterReset = `MATCH (name = 'perturb.reset' AND reason = 'duration') AS r, (name = 'later') AS e WHEN r -> e`;
  expect(await holds(recorder, afterReset)).toBe(true);
});

test('interactions by id, by seq, by place, and before their events have come', async () => {
  const recorder = new Recorder('x');
  const link = (from: unknown, to: unknown) => JSON.stringify({ from, to });
  recorder.receive('command', [link('x', 'y'), link(['S', 4], ['P', 1])]);
  recorder.receive('command', [
    event('A', 'a', { id: 'x' }),
    event('B', 'b', { id: 'y' }),
    event('S', 's', { seq: 4 }),
    event('P', 'p0'),
    event('P', 'p1'),
    event('Q', 'q', { after: ['y'] }),
    event('R', 'r', { after: [['S', 4]] }),
  ]);
  const ordered = (one: string, other: string) =>
    holds(recorder, `MATCH (name = '${one}') AS x, (name = '${other}') AS y WHEN x -> y`);
  expect(await ordered('a', 'b')).toBe(true);
  expect(await ordered('a', 'q')).toBe(true);
  expect(await ordered('s', 'p1')).toBe(true);
  expect(await ordered('s', 'p0')).toBe(false);
  expect(await ordered('s', 'r')).toBe(true);
});

test('what is no event is counted and told, and breaks nothing', async () => {
  const recorder = new Recorder('x');
  recorder.receive('command', [
    '{"probe":',
    '[]',
    '{"probe":"A"}',
    event('perturb', 'forged'),
    event('A', 'good'),
    '',
  ]);
  expect(recorder.events).toBe(1);
  expect(recorder.problemCount).toBe(4);
  expect(recorder.problems.length).toBe(3);
  expect(await holds(recorder, "MATCH (name = 'good') AS g")).toBe(true);
});

test('what one that reads the session again could not read is refused', async () => {
  const recorder = new Recorder('x');
  recorder.injected(WIND, 0, 20n, true);
  const refused = [
    event('A', 'n', { attributes: 'text' }),
    event('A', 'n', { attributes: 5 }),
    event('A', 'n', { level: 5 }),
    event('A', 'n', { after: 'x' }),
    event('A', 'n', { id: 'x' }),
    event('A', 'n', { id: 'perturb.injected.0' }),
    '{"probe":"A","name":"n","time":9223372036854775808}',
  ];
  recorder.receive('command', [event('A', 'good', { id: 'x' }), ...refused]);
  expect([recorder.events, recorder.problemCount]).toEqual([1, refused.length]);
  expect(await holds(recorder, afterInjection('good'))).toBe(true);
});

function hasOrder(recorder: Recorder): boolean {
  try {
    recorder.session();
    return true;
  } catch (error) {
    if (error instanceof SessionError) return false;
    throw error;
  }
}

const part = fc.constantFrom(
  'A',
  'x',
  '',
  0,
  7,
  -1,
  1.5,
  null,
  true,
  [],
  ['x', 7],
  ['A', 7],
  {},
  { x: 1 },
);
const line = fc.record(
  {
    probe: fc.constantFrom('A', 'B'),
    name: part,
    seq: part,
    time: part,
    id: part,
    after: fc.oneof(part, fc.array(part, { maxLength: 2 })),
    attributes: fc.oneof(part, fc.dictionary(fc.constantFrom('x', 'name', 'y'), part)),
    from: part,
    session: part,
    more: part,
  },
  { requiredKeys: ['probe'] },
);

test('whatever arrives, the session can be read again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
      const recorder = new Recorder('x');
      recorder.injected(WIND, 0, 20n, true);
      recorder.receive(
        'command',
        lines.map((one) => JSON.stringify(one)),
      );
      const { session, problems } = await readSession(recorder.text(), {
        reading: { from: 'session' },
      });
      // Events may go in a circle; then neither has a session.
      if (hasOrder(recorder)) expect(problems).toEqual([]);
      expect(session?.size).toBe(hasOrder(recorder) ? recorder.events + 1 : undefined);
    }),
    { numRuns: runs(500) },
  );
});

test('integers of 64 bits and times beyond 2^53 are kept exactly', async () => {
  const recorder = new Recorder('x');
  recorder.receive('command', [
    '{"probe":"A","name":"n","time":1700000000123456789,"attributes":{"x":9007199254740993}}',
  ]);
  expect(await holds(recorder, 'MATCH (x = 9007199254740993) AS e')).toBe(true);
  expect(await holds(recorder, 'MATCH (time = 1700000000123456789) AS e')).toBe(true);
  expect(await holds(recorder, 'MATCH (x = 9007199254740992) AS e')).toBe(false);
});

/** Log records of a service as OTLP: name and time in nanoseconds. */
const otlpLogs = (service: string, ...records: readonly (readonly [string, number])[]) => ({
  resourceLogs: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
      scopeLogs: [
        {
          logRecords: records.map(([name, time]) => ({
            timeUnixNano: String(time),
            body: { stringValue: name },
          })),
        },
      ],
    },
  ],
});

/** Spans of a service as OTLP: name, parent, and the times in nanoseconds; a span's name is its id. */
const otlpSpans = (
  service: string,
  ...spans: readonly (readonly [name: string, parent: string, start: number, end: number])[]
) => ({
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
      scopeSpans: [
        {
          spans: spans.map(([name, parentSpanId, start, end]) => ({
            ...{ traceId: 't1', spanId: name, parentSpanId, name },
            ...{ startTimeUnixNano: String(start), endTimeUnixNano: String(end) },
          })),
        },
      ],
    },
  ],
});

const beforeInjection = (name: string) =>
  `MATCH (name = '${name}') AS e, (name = 'perturb.injected') AS i WHEN e -> i`;

describe('events of OTLP', () => {
  test('that had arrived come before an injection, whatever their times, and later ones after it', async () => {
    const window = new LateEffectWindow('x', {});
    window.receiveOtlp(otlpLogs('A', ['early', 10]));
    window.receiveOtlp(otlpLogs('B', ['ahead', 90]));
    window.add((recorder) => recorder.injecting(0));
    window.receiveOtlp(otlpLogs('C', ['between', 5]));
    window.add((recorder) => recorder.injected(WIND, 0, 20n, false));
    window.receiveOtlp(otlpLogs('A', ['late', 21]));
    window.receiveOtlp(otlpLogs('D', ['delayed', 15]));
    const recorder = window.soFar();
    for (const name of ['early', 'ahead']) {
      expect(await holds(recorder, beforeInjection(name))).toBe(true);
      expect(await holds(recorder, afterInjection(name))).toBe(false);
    }
    expect(await holds(recorder, afterInjection('late'))).toBe(true);
    for (const name of ['between', 'delayed']) {
      expect(await holds(recorder, beforeInjection(name))).toBe(false);
      expect(await holds(recorder, afterInjection(name))).toBe(false);
    }
  });

  test('whose sender is reported later, with a clock ahead, still have an order', async () => {
    const window = new LateEffectWindow('x', {});
    window.receiveOtlp(otlpSpans('B', ['child', 'parent', 10, 12]));
    window.add((recorder) => recorder.injecting(0));
    window.add((recorder) => recorder.injected(WIND, 0, 20n, false));
    window.receiveOtlp(otlpSpans('A', ['parent', '', 30, 40]));
    const recorder = window.soFar();
    const [start, end] = ['span.start', 'span.end'];
    const ordered = (from: string, to: string) =>
      holds(recorder, `MATCH (${from}) AS x, (${to}) AS y WHEN x -> y`);
    const injected = "name = 'perturb.injected'";
    expect(await ordered(`name = 'parent' AND ${start} = TRUE`, injected)).toBe(true);
    expect(await ordered(injected, `name = 'parent' AND ${end} = TRUE`)).toBe(true);
  });

  test('come before a reset after which the attempt goes on if they are earlier, else after it', async () => {
    const window = new LateEffectWindow('x', {});
    window.receiveOtlp(otlpLogs('A', ['early', 10], ['late', 40]));
    window.add((recorder) => recorder.reset(WIND, 0, 30n, { continues: true }));
    const recorder = window.soFar();
    expect(await holds(recorder, beforeReset('early'))).toBe(true);
    expect(await holds(recorder, beforeReset('late'))).toBe(false);
    const afterReset = "MATCH (name = 'perturb.reset') AS r, (name = 'late') AS e WHEN r -> e";
    expect(await holds(recorder, afterReset)).toBe(true);
  });

  test('are never ordered by clocks, also when the session is read again', async () => {
    const window = new LateEffectWindow('x', {});
    window.receiveOtlp(otlpSpans('A', ['one', '', 10, 12]));
    window.receive('source', [event('B', 'two', { time: 20 })]);
    const recorder = window.soFar();
    expect(chooseOrder([recorder.session()]).by).toBe('causal');
    const { session } = await readSession(recorder.text(), { reading: { from: 'session' } });
    expect(session && chooseOrder([session]).by).toBe('causal');
  });
});

describe('polls', () => {
  const polls = new Set(['shop']);
  const question = (n: number, time: bigint): EventRecord => ({
    ...{ kind: 'event', probe: 'shop', timeline: `shop.${n}`, name: 'request', time },
    ...{ id: `perturb.poll.shop.${time}`, attributes: new Map() },
  });
  const answerTo = (request: EventRecord, time: bigint, name: string): EventRecord => ({
    ...{ kind: 'event', probe: 'shop', name: 'response', time, after: [request.id as string] },
    ...(request.timeline !== undefined && { timeline: request.timeline }),
    attributes: new Map([['which', { type: 'string', value: name }]]),
  });
  const after = (own: string, which: string) =>
    `MATCH (name = 'perturb.${own}') AS own, (which = '${which}') AS answer WHEN own -> answer`;

  test('a question sent after an injection or a reset comes after it; an earlier one does not, however late its answer', async () => {
    const recorder = new Recorder('x', { polls });
    const [early, slow, next] = [question(1, 5n), question(2, 8n), question(1, 30n)];
    const [during, last] = [question(3, 45n), question(1, 60n)];
    recorder.receivePoll(early);
    recorder.receivePoll(answerTo(early, 6n, 'before'));
    recorder.receivePoll(slow);
    recorder.injecting(0);
    recorder.injected(WIND, 0, 20n, true);
    recorder.receivePoll(answerTo(slow, 29n, 'slow'));
    recorder.receivePoll(next);
    recorder.receivePoll(answerTo(next, 31n, 'mutated'));
    recorder.receivePoll(during);
    recorder.receivePoll(last);
    recorder.receivePoll(answerTo(last, 61n, 'after'));
    recorder.receivePoll(answerTo(during, 62n, 'during'));
    recorder.reset(WIND, 0, 40n, { acknowledgedAt: 50n });
    for (const [own, which, isAfter] of [
      ...[['injected', 'before', false] as const, ['injected', 'slow', false] as const],
      ...[['injected', 'mutated', true] as const, ['injected', 'after', true] as const],
      ...[['reset', 'mutated', false] as const, ['reset', 'during', false] as const],
      ['reset', 'after', true] as const,
    ]) {
      expect([own, which, await holds(recorder, after(own, which))]).toEqual([own, which, isAfter]);
    }
    const before = `MATCH (which = 'mutated') AS answer, (name = 'perturb.reset') AS own WHEN answer -> own`;
    expect(await holds(recorder, before)).toBe(true);
  });

  test('recovery counts no answer to a question from before the resets', () => {
    const window = new LateEffectWindow('x', { polls });
    const { expression } = parse("MATCH (which = 'up') AS up");
    const [early, late] = [question(1, 5n), question(2, 15n)];
    window.receivePoll(early);
    window.beginRecovery(10n);
    window.receivePoll(answerTo(early, 12n, 'up'));
    const isUp = () => window.afterResets().isTrue({ text: '', expression } as TraceExpression);
    expect(isUp()).toBe(false);
    window.receivePoll(late);
    window.receivePoll(answerTo(late, 16n, 'up'));
    expect(isUp()).toBe(true);
  });

  test('no other event is at the probe of a poll', () => {
    const recorder = new Recorder('x', { polls });
    recorder.receive('command', [event('shop', 'order')]);
    expect(recorder.problems).toEqual([
      'the probe name "shop" is also a poll\'s name: rename the poll',
    ]);
    expect(recorder.events).toBe(0);
  });
});

test('the order of a header that came before the resets holds for what follows them', () => {
  const { expression } = parse("MATCH (name = 'a') AS a, (name = 'b') AS b WHEN a -> b");
  if (expression === undefined) throw new Error('not read');
  const isOrdered = (...lines: readonly string[]) => {
    const window = new LateEffectWindow('x', {});
    window.receive('command', lines);
    window.beginRecovery(1n);
    window.receive('command', [event('A', 'a', { time: 10 }), event('B', 'b', { time: 20 })]);
    return window.afterResets().isTrue({ text: '', expression });
  };
  expect(isOrdered()).toBe(true);
  expect(isOrdered('{"session":1,"order":"causal"}')).toBe(false);
});
