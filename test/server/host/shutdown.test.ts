import { describe, expect, test } from 'vitest';
import { UNSETTLED_REASON } from '../../../src/server/host/hosted-mutator.js';
import { MUTATION, readManifest } from '../support.js';
import { type FakeActuator, type Stage, settle, stage } from './fakes.js';

const mutators = readManifest(
  ['fog', 'rain', 'wind']
    .map((name) => `[[mutator]]\nname = "${name}"\nactuator = { kind = "module", path = "x.js" }\n`)
    .join(''),
);

const mutation = { id: MUTATION, params: new Map() };
const times = { graceMs: 10_000, timeoutMs: 30_000 };
const one = ({ actuators }: Stage, id: string) => actuators.get(id) as FakeActuator;

/** A host whose mutators `fog` and `wind` are active. */
async function activeStage(): Promise<Stage> {
  const set = stage(mutators);
  for (const id of ['fog', 'wind']) {
    one(set, id).plan = [true];
    await set.host.inject(id, mutation);
  }
  return set;
}

describe('a shutdown', () => {
  test('resets what is active, all at once, and lets go of everything', async () => {
    const set = await activeStage();
    const ending = set.host.shutdown(times);
    await settle();
    expect(one(set, 'fog').call?.what).toBe('reset');
    expect(one(set, 'wind').call?.what).toBe('reset');
    for (const id of ['fog', 'wind']) one(set, id).call?.end(true);
    expect(await ending).toEqual({ reset: ['fog', 'wind'], residual: [] });
    expect(one(set, 'rain').calls).toEqual([]);
    expect([...set.actuators.values()].map(({ closed }) => closed)).toEqual([true, true, true]);
    expect([set.closed(), set.journal.entries.size, set.clock.timers]).toEqual([true, 0, 0]);
    expect(set.events.at(-1)).toMatchObject({ kind: 'reset', cause: 'shutdown' });
  });

  test('takes no requests any more, not even those that wait', async () => {
    const set = await activeStage();
    const running = set.host.inject('wind', mutation);
    const waiting = [set.host.inject('wind', mutation), set.host.reset('wind')];
    await settle();
    const ending = set.host.shutdown(times);
    expect(await Promise.all(waiting)).toEqual([{ kind: 'closing' }, { kind: 'closing' }]);
    expect(await set.host.inject('rain', mutation)).toEqual({ kind: 'closing' });
    expect(await set.host.reset('fog')).toEqual({ kind: 'closing' });
    one(set, 'wind').always = true;
    one(set, 'fog').always = true;
    one(set, 'wind').call?.end(true);
    one(set, 'fog').call?.end(true);
    expect(await running).toEqual({ kind: 'injected' });
    expect((await ending).residual).toEqual([]);
    expect(one(set, 'wind').calls).toEqual([`inject ${MUTATION}`, `inject ${MUTATION}`, 'reset']);
  });

  test('breaks off what does not end in time, and resets it', async () => {
    const set = stage(mutators);
    const injecting = set.host.inject('wind', mutation);
    await settle();
    const ending = set.host.shutdown(times);
    await set.clock.advance(9_999);
    expect(one(set, 'wind').call?.what).toBe(`inject ${MUTATION}`);
    await set.clock.advance(1);
    one(set, 'wind').call?.end(true);
    expect(await injecting).toEqual({
      kind: 'failed',
      reason: `inject ${MUTATION} was interrupted`,
    });
    expect(await ending).toEqual({ reset: ['wind'], residual: [] });
    expect(one(set, 'wind').system).toBeUndefined();
  });

  test('tries a reset that fails three times more, and names it then', async () => {
    const set = await activeStage();
    one(set, 'fog').always = true;
    one(set, 'wind').always = false;
    const ending = set.host.shutdown(times);
    await set.clock.advance(70);
    expect(await ending).toEqual({
      reset: ['fog'],
      residual: [{ id: 'wind', reason: 'reset received status 503', advice: expect.any(String) }],
    });
    expect(one(set, 'wind').calls).toHaveLength(5);
    expect([...set.journal.entries.keys()]).toEqual(['wind']);
  });

  test('succeeds when a reset does at last', async () => {
    const set = await activeStage();
    one(set, 'fog').always = true;
    one(set, 'wind').plan = [false, false, false, true];
    const ending = set.host.shutdown(times);
    await set.clock.advance(70);
    expect(await ending).toEqual({ reset: ['fog', 'wind'], residual: [] });
  });

  test.each([
    ['one that stops when it is told to', true],
    ['one that does not', false],
  ])('never takes longer than it may, with an actuator that hangs: %s', async (_, heeds) => {
    const set = await activeStage();
    one(set, 'wind').heedsSignals = heeds;
    one(set, 'fog').always = true;
    const ending = set.host.shutdown(times);
    await set.clock.advance(29_999);
    expect(set.closed()).toBe(false);
    await set.clock.advance(1);
    expect(await ending).toEqual({
      reset: ['fog'],
      residual: [{ id: 'wind', reason: 'its reset has not ended', advice: expect.any(String) }],
    });
    expect([set.closed(), one(set, 'wind').call === undefined]).toEqual([true, heeds]);
    expect([...set.journal.entries.keys()]).toEqual(['wind']);
    await set.clock.advance(1e9);
    expect(one(set, 'wind').calls).toEqual([`inject ${MUTATION}`, 'reset']);
  });

  test('waits until what was given up can take effect no more', async () => {
    const set = stage(mutators);
    one(set, 'wind').plan = [false];
    one(set, 'wind').lateMs = 2_000;
    one(set, 'wind').always = true;
    await set.host.inject('wind', mutation);
    const ending = set.host.shutdown(times);
    await set.clock.advance(1_999);
    expect(set.closed()).toBe(false);
    one(set, 'wind').system = 'late';
    await set.clock.advance(1);
    expect(await ending).toEqual({ reset: ['wind'], residual: [] });
    expect([one(set, 'wind').system, set.journal.entries.size]).toEqual([undefined, 0]);
  });

  test('names what may still take effect when its own time is over', async () => {
    const set = stage(mutators);
    one(set, 'wind').plan = [false];
    one(set, 'wind').lateMs = 60_000;
    one(set, 'wind').always = true;
    await set.host.inject('wind', mutation);
    const ending = set.host.shutdown(times);
    await set.clock.advance(30_000);
    const { residual: left } = await ending;
    expect(left).toMatchObject([{ id: 'wind', reason: UNSETTLED_REASON }]);
    expect([...set.journal.entries.keys()]).toEqual(['wind']);
  });

  test('in the midst of a recovery has no more time than any', async () => {
    const before = await activeStage();
    const set = stage(mutators, before);
    one(set, 'fog').always = true;
    void set.host.recover({ forgetMissing: false });
    await settle();
    expect(one(set, 'wind').call?.what).toBe('reset');
    const ending = set.host.shutdown(times);
    await set.clock.advance(29_999);
    expect(set.closed()).toBe(false);
    await set.clock.advance(1);
    expect((await ending).residual).toMatchObject([
      { id: 'wind', reason: 'its reset has not ended' },
    ]);
    expect(one(set, 'fog').system).toBeUndefined();
  });

  test('gives the time for operations that run on top, where any does', async () => {
    const set = stage(mutators);
    one(set, 'wind').heedsSignals = false;
    void set.host.inject('wind', mutation);
    await settle();
    const ending = set.host.shutdown(times);
    await set.clock.advance(39_999);
    expect(set.closed()).toBe(false);
    await set.clock.advance(1);
    const [left] = (await ending).residual;
    expect(left).toMatchObject({ id: 'wind', reason: 'its injection has not ended' });
  });

  test('is one, however often it is asked for', async () => {
    const set = await activeStage();
    for (const id of ['fog', 'wind']) one(set, id).always = true;
    const [first, second] = [set.host.shutdown(times), set.host.shutdown(times)];
    expect(await first).toBe(await second);
    expect(one(set, 'wind').calls).toHaveLength(2);
  });

  test('of a host that was not recovered resets what the journal has', async () => {
    const before = await activeStage();
    const set = stage(mutators, before);
    for (const id of ['fog', 'wind']) one(set, id).always = true;
    expect(await set.host.shutdown(times)).toEqual({ reset: ['fog', 'wind'], residual: [] });
  });
});

test('to abandon a host says at once what is left, and nothing is done after', async () => {
  const set = await activeStage();
  const resetting = set.host.reset('wind');
  const waiting = set.host.reset('wind');
  await settle();
  expect(set.host.abandon()).toEqual([
    { id: 'fog', reason: 'it was not reset', advice: expect.any(String) },
    { id: 'wind', reason: 'its reset has not ended', advice: expect.any(String) },
  ]);
  expect(await waiting).toEqual({ kind: 'closing' });
  expect(await resetting).toEqual({ kind: 'failed', reason: 'reset was interrupted' });
  await set.clock.advance(1e9);
  expect(one(set, 'wind').calls).toEqual([`inject ${MUTATION}`, 'reset']);
  expect([...set.journal.entries.keys()].sort()).toEqual(['fog', 'wind']);
});
