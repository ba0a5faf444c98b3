import { describe, expect, test } from 'vitest';
import type { Mutation } from '../../../src/mutators/index.js';
import { MUTATION, readManifest, valuesOf } from '../support.js';
import { type FakeActuator, type Stage, settle, stage } from './fakes.js';

const actuator = 'actuator = { kind = "module", path = "x.js" }';
const mutators = readManifest(`
[[mutator]]
name = "wind"
max_active = "1s"
${actuator}
[[mutator.param]]
name = "speed"
type = "integer"
hard_range = [0, 40]
[[mutator]]
name = "rain"
${actuator}
`);

const mutation = (params: Parameters<typeof valuesOf>[0] = {}): Mutation => ({
  id: MUTATION,
  params: valuesOf(params),
});
const speed = (value: number) => mutation({ speed: BigInt(value) });
const wind = ({ actuators }: Stage) => actuators.get('wind') as FakeActuator;
const rain = ({ actuators }: Stage) => actuators.get('rain') as FakeActuator;
const stateOf = ({ host }: Stage, id: string) => host.status().find((one) => one.id === id)?.state;
const kinds = ({ events }: Stage) => events.map(({ kind }) => kind);

describe('a request', () => {
  test('is refused before anything is done: no such mutator, params that do not fit', async () => {
    const set = stage(mutators);
    expect(set.host.mutators.map(({ id }) => id)).toEqual(['rain', 'wind']);
    expect(await set.host.inject('snow', mutation())).toEqual({ kind: 'not-found' });
    expect(await set.host.reset('snow')).toEqual({ kind: 'not-found' });
    const reasons = [expect.stringContaining('41 is outside the hard range [0, 40]')];
    expect(await set.host.inject('wind', speed(41))).toEqual({ kind: 'refused', reasons });
    expect(set.events).toEqual([{ kind: 'refused', id: 'wind', mutation: MUTATION, reasons }]);
    expect([wind(set).calls, set.journal.log]).toEqual([[], []]);
  });

  test('is recorded before the actuator is called, and cleared after the reset', async () => {
    const set = stage(mutators);
    const seen: string[] = [];
    const act = wind(set);
    const { inject, reset } = act;
    act.inject = (...args) => {
      seen.push(`inject, ${set.journal.log.join()}`);
      return inject.apply(act, args);
    };
    act.reset = (...args) => {
      seen.push(`reset, ${set.journal.log.join()}`);
      return reset.apply(act, args);
    };
    act.always = true;
    expect(await set.host.inject('wind', speed(5))).toEqual({ kind: 'injected' });
    expect([stateOf(set, 'wind'), act.system]).toEqual(['active', '5']);
    expect(await set.host.reset('wind')).toEqual({ kind: 'reset' });
    expect(seen).toEqual(['inject, touch wind', 'reset, touch wind']);
    expect(set.journal.log).toEqual(['touch wind', 'clear wind']);
    expect(stateOf(set, 'wind')).toBe('idle');
    expect(kinds(set)).toEqual(['injected', 'reset']);
  });

  test('to reset an idle mutator is done, and recorded, too', async () => {
    const set = stage(mutators);
    rain(set).always = true;
    expect(await set.host.reset('rain')).toEqual({ kind: 'reset' });
    expect(rain(set).calls).toEqual(['reset']);
    expect(set.journal.log).toEqual(['touch rain', 'clear rain']);
  });

  test('waits for those before it on the same mutator, and for no other', async () => {
    const set = stage(mutators);
    const done: string[] = [];
    const ask = (name: string, outcome: Promise<{ kind: string }>) =>
      void outcome.then(({ kind }) => done.push(`${name} ${kind}`));
    ask('1', set.host.inject('wind', speed(1)));
    ask('2', set.host.inject('wind', speed(2)));
    ask('3', set.host.reset('wind'));
    await settle();
    rain(set).always = true;
    ask('rain', set.host.inject('rain', mutation()));
    await settle();
    expect(done).toEqual(['rain injected']);
    expect(wind(set).calls).toEqual(['inject 1']);
    expect(set.host.status()).toEqual([
      { id: 'rain', state: 'active', waiting: 0, failures: 0 },
      { id: 'wind', state: 'injecting', waiting: 2, failures: 0 },
    ]);
    for (let call = 0; call < 3; call++) {
      wind(set).call?.end(true);
      await settle();
    }
    expect(wind(set).calls).toEqual(['inject 1', 'inject 2', 'reset']);
    expect(done).toEqual(['rain injected', '1 injected', '2 injected', '3 reset']);
  });

  test('beyond the limit of those that wait is turned away', async () => {
    const set = stage(mutators);
    const all = Array.from({ length: 6 }, () => set.host.reset('wind'));
    expect(await all[5]).toEqual({ kind: 'busy' });
    expect(set.events).toEqual([{ kind: 'busy', id: 'wind', operation: 'reset', waiting: 4 }]);
    wind(set).call?.end(true);
    wind(set).always = true;
    await settle();
    wind(set).call?.end(true);
    expect(await Promise.all(all.slice(0, 5))).toEqual(Array(5).fill({ kind: 'reset' }));
  });

  test('goes its way when whoever is told of it fails, who fails by himself', async () => {
    const failures: unknown[] = [];
    const listeners = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.once('uncaughtException', (error) => void failures.push(error.message));
    const set = stage(mutators, {
      listen: () => {
        throw new Error('the log is full');
      },
    });
    wind(set).always = true;
    expect(await set.host.inject('wind', speed(1))).toEqual({ kind: 'injected' });
    await settle();
    for (const listener of listeners) process.on('uncaughtException', listener);
    expect(failures).toEqual(['the log is full']);
  });

  test('that cannot be recorded is not begun', async () => {
    const set = stage(mutators);
    set.journal.refuses = true;
    const reason =
      'journal cannot be written (ENOSPC): injections are refused until it is writable';
    expect(await set.host.inject('wind', speed(1))).toEqual({ kind: 'failed', reason });
    expect(await set.host.reset('wind')).toEqual({ kind: 'failed', reason });
    expect([wind(set).calls, stateOf(set, 'wind')]).toEqual([[], 'idle']);
    expect(kinds(set)).toEqual(['record-failed', 'record-failed']);
  });

  test('to reset what is active is done also when the journal cannot be written', async () => {
    const set = stage(mutators);
    wind(set).always = true;
    await set.host.inject('wind', speed(1));
    set.journal.refuses = true;
    expect(await set.host.reset('wind')).toEqual({ kind: 'reset' });
    expect([wind(set).system, stateOf(set, 'wind')]).toEqual([undefined, 'idle']);
    expect([...set.journal.entries.keys()]).toEqual(['wind']);
  });
});

test('a stop that the journal did not take holds, fails, and is recorded when it is asked for again', async () => {
  const set = stage(mutators);
  wind(set).always = true;
  set.journal.refuses = true;
  expect((await set.host.reset('wind', { hold: true })).kind).toBe('failed');
  const since = set.host.heldSince;
  expect(since).toEqual(expect.any(Number));
  expect((await set.host.inject('wind', speed(5))).kind).toBe('held');
  set.journal.refuses = false;
  expect(await set.host.reset('wind', { hold: true })).toEqual({ kind: 'reset' });
  expect([set.host.heldSince, set.journal.log.filter((line) => line === 'hold')]).toEqual([
    since,
    ['hold'],
  ]);
  expect(wind(set).calls).not.toContain('inject 5');
});

describe('a failure', () => {
  test('of an injection resets, and is the answer', async () => {
    const set = stage(mutators);
    wind(set).plan = [false, true];
    const reason = 'inject 5 received status 503';
    expect(await set.host.inject('wind', speed(5))).toEqual({ kind: 'failed', reason });
    expect(wind(set).calls).toEqual(['inject 5', 'reset']);
    expect([stateOf(set, 'wind'), wind(set).system]).toEqual(['idle', undefined]);
    expect(set.events).toMatchObject([
      { kind: 'inject-failed', mutation: MUTATION, reason },
      { kind: 'reset', cause: 'failed-injection' },
    ]);
  });

  test('of a reset is forgotten where that is asked for, and nothing is tried again', async () => {
    const set = stage(mutators, { forget: async (id) => [`the file of ${id}`] });
    wind(set).plan = [true, false, false];
    await set.host.inject('wind', speed(5));
    expect(await set.host.reset('wind')).toMatchObject({ kind: 'failed' });
    expect(await set.host.reset('wind', { forget: true })).toEqual({
      ...{ kind: 'forgotten', left: 'the file of wind' },
    });
    expect([stateOf(set, 'wind'), [...set.journal.entries.keys()], set.clock.timers]).toEqual([
      ...['idle', [], 0],
    ]);
    wind(set).always = true;
    expect(await set.host.inject('wind', speed(6))).toEqual({ kind: 'injected' });
  });

  test('of nothing is forgotten with a reset that works, and without anything kept its reason is left', async () => {
    const set = stage(mutators);
    wind(set).plan = [true, true, false];
    await set.host.inject('wind', speed(5));
    expect(await set.host.reset('wind', { forget: true })).toEqual({ kind: 'reset' });
    expect(await set.host.reset('wind', { forget: true })).toEqual({
      ...{ kind: 'forgotten', left: 'reset received status 503' },
    });
  });

  test('of a reset is tried again until it works', async () => {
    const set = stage(mutators);
    wind(set).plan = [true, false, false, false, false];
    wind(set).always = false;
    await set.host.inject('wind', speed(5));
    expect(await set.host.reset('wind')).toMatchObject({ kind: 'failed' });
    await set.clock.advance(9);
    expect(wind(set).calls).toHaveLength(2);
    await set.clock.advance(1);
    expect(wind(set).calls).toHaveLength(3);
    await set.clock.advance(20 + 40 * 100);
    expect(wind(set).calls).toHaveLength(104);
    const [, ...failures] = set.events;
    expect(failures.map((event) => 'retryInMs' in event && event.retryInMs)).toEqual([
      ...[10, 20],
      ...Array(101).fill(40),
    ]);
    expect(set.host.status()).toMatchObject([{ failures: 0 }, { failures: 103 }]);
    expect([...set.journal.entries.keys()]).toEqual(['wind']);
    wind(set).always = true;
    await set.clock.advance(40);
    expect([stateOf(set, 'wind'), set.clock.timers]).toEqual(['idle', 0]);
    expect(set.journal.entries.size).toBe(0);
  });

  test('of an injection that was given up is reset until it can take effect no more', async () => {
    const set = stage(mutators);
    wind(set).plan = [false];
    wind(set).lateMs = 4_000;
    wind(set).always = true;
    expect(await set.host.inject('wind', speed(5))).toMatchObject({ kind: 'failed' });
    expect(set.events[0]).toMatchObject({ kind: 'inject-failed', lateMs: 4_000 });
    expect([stateOf(set, 'wind'), [...set.journal.entries.keys()]]).toEqual([
      'maybe-active',
      ['wind'],
    ]);
    // It takes effect after the reset.
    wind(set).system = '5';
    await set.clock.advance(4_000);
    expect([stateOf(set, 'wind'), wind(set).system]).toEqual(['maybe-active', undefined]);
    expect(wind(set).calls).toEqual(['inject 5', ...Array(6).fill('reset')]);
    expect(set.clock.timers).toBe(0);
    // What cannot be known is reset once more in the end.
    const times = { graceMs: 10_000, timeoutMs: 30_000 };
    expect(await set.host.shutdown(times)).toEqual({ reset: ['wind'], residual: [] });
    expect(wind(set).calls).toHaveLength(8);
    expect(set.journal.entries.size).toBe(0);
  });

  test('of both is told, and the reset is retried', async () => {
    const set = stage(mutators);
    wind(set).plan = [false, false, true];
    expect(await set.host.inject('wind', speed(5))).toEqual({
      kind: 'failed',
      reason: 'inject 5 received status 503; then the reset failed: reset received status 503',
    });
    await set.clock.advance(10);
    expect(stateOf(set, 'wind')).toBe('idle');
    expect(set.events.at(-1)).toMatchObject({ kind: 'reset', cause: 'retry' });
  });

  test('of an actuator that breaks its word is a failure like any other', async () => {
    const set = stage(mutators);
    rain(set).inject = () => {
      throw new TypeError('x is not a function');
    };
    rain(set).always = true;
    const outcome = await set.host.inject('rain', mutation());
    expect(outcome).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('a bug in Perturb: TypeError: x is not a function'),
    });
    expect(stateOf(set, 'rain')).toBe('idle');
  });
});

describe('expiry', () => {
  test('resets a mutation when its time is over, counted from the last injection', async () => {
    const set = stage(mutators);
    wind(set).always = true;
    rain(set).always = true;
    await Promise.all([set.host.inject('wind', speed(1)), set.host.inject('rain', mutation())]);
    await set.clock.advance(999);
    await set.host.inject('wind', speed(2));
    await set.clock.advance(999);
    expect(stateOf(set, 'wind')).toBe('active');
    await set.clock.advance(1);
    expect(stateOf(set, 'wind')).toBe('idle');
    expect(set.events.at(-1)).toMatchObject({ kind: 'reset', id: 'wind', cause: 'expiry' });
    await set.clock.advance(1e9);
    expect(stateOf(set, 'rain')).toBe('active');
  });

  test('does not touch an injection that came before it in the queue', async () => {
    const set = stage(mutators);
    wind(set).plan = [true];
    await set.host.inject('wind', speed(1));
    const second = set.host.inject('wind', speed(2));
    await set.clock.advance(1_000);
    wind(set).call?.end(true);
    expect(await second).toEqual({ kind: 'injected' });
    await settle();
    expect(stateOf(set, 'wind')).toBe('active');
    wind(set).always = true;
    await set.clock.advance(1_000);
    expect([stateOf(set, 'wind'), wind(set).calls]).toEqual([
      'idle',
      ['inject 1', 'inject 2', 'reset'],
    ]);
  });
});

describe('a run that is gone', () => {
  const OTHER = '0b0e3a1e-58b5-4f5c-a2c4-8a1f4b3c2d1e';
  const times = (set: Stage, run: string) =>
    set.host.endedMutationsOf(run).map(({ mutation, cause }) => [mutation, cause]);

  test('has what it injected reset, and nothing else, and can be told so', async () => {
    const set = stage(mutators);
    wind(set).always = true;
    rain(set).always = true;
    await set.host.inject('wind', speed(1), 'one');
    await set.host.inject('rain', { ...mutation(), id: OTHER }, 'two');
    set.host.resetOrphans('one');
    await settle();
    expect([stateOf(set, 'wind'), stateOf(set, 'rain')]).toEqual(['idle', 'active']);
    expect(set.events.at(-1)).toMatchObject({
      ...{ kind: 'reset', id: 'wind', cause: 'orphaned' },
      owned: { mutation: MUTATION, run: 'one' },
    });
    expect([times(set, 'one'), times(set, 'two')]).toEqual([[[MUTATION, 'orphaned']], []]);
    // It wakes up, and makes the attempt again.
    await set.host.inject('wind', speed(1), 'one');
    expect(times(set, 'one')).toEqual([]);
  });

  test('has nothing reset that was reset, or injected anew by others, before its turn came', async () => {
    const set = stage(mutators);
    wind(set).plan = [true];
    await set.host.inject('wind', speed(1), 'one');
    const again = set.host.inject('wind', speed(2));
    set.host.resetOrphans('one');
    await settle();
    wind(set).call?.end(true);
    expect(await again).toEqual({ kind: 'injected' });
    await settle();
    expect([stateOf(set, 'wind'), times(set, 'one')]).toEqual(['active', [[MUTATION, 'replaced']]]);
    set.host.resetOrphans('one');
    await settle();
    expect(wind(set).calls).toEqual(['inject 1', 'inject 2']);
  });

  test('is told that its own reset found gone what it had mutated', async () => {
    const set = stage(mutators);
    const act = wind(set);
    act.always = true;
    act.gone = 'it had been removed';
    await set.host.inject('wind', speed(1), 'one');
    expect(await set.host.reset('wind', { run: 'one' })).toEqual({ kind: 'reset' });
    expect(times(set, 'one')).toEqual([[MUTATION, 'gone']]);
    expect(set.events.at(-1)).toMatchObject({ kind: 'reset', gone: 'it had been removed' });
  });

  test('is told from the first reset on, even if that fails; the reset is tried again', async () => {
    const set = stage(mutators);
    rain(set).plan = [true, false, true];
    await set.host.inject('rain', mutation(), 'one');
    set.host.resetOrphans('one');
    await settle();
    expect([stateOf(set, 'rain'), times(set, 'one')]).toEqual([
      'maybe-active',
      [[MUTATION, 'orphaned']],
    ]);
    await set.clock.advance(10);
    expect([stateOf(set, 'rain'), times(set, 'one')]).toEqual(['idle', [[MUTATION, 'orphaned']]]);
  });

  test('is told at most the last 32', async () => {
    const set = stage(mutators);
    rain(set).always = true;
    const idOf = (n: number) => OTHER.replace('0b0e', `${1000 + n}`);
    for (let n = 0; n < 40; n += 1) {
      await set.host.inject('rain', { ...mutation(), id: idOf(n) }, 'one');
      set.host.resetOrphans('one');
      await settle();
    }
    expect(set.host.endedMutationsOf('one').map(({ mutation: id }) => id)).toEqual(
      Array.from({ length: 32 }, (_, at) => idOf(at + 8)),
    );
  });
});

describe('recovery', () => {
  test('resets what the journal has, and nothing else', async () => {
    const before = stage(mutators);
    wind(before).always = true;
    await before.host.inject('wind', speed(1));
    const set = stage(mutators, before);
    expect(stateOf(set, 'wind')).toBe('maybe-active');
    expect(await set.host.recover({ forgetMissing: false })).toEqual({
      reset: ['wind'],
      residual: [],
      forgottenIds: [],
    });
    expect([wind(set).system, stateOf(set, 'wind')]).toEqual([undefined, 'idle']);
    expect(rain(set).calls).toEqual([]);
    expect(set.events).toMatchObject([{ kind: 'reset', cause: 'recovery' }]);
    expect(set.journal.entries.size).toBe(0);
  });

  test('tries a reset that fails three times more, then says what is left', async () => {
    const before = stage(mutators);
    wind(before).always = true;
    await before.host.inject('wind', speed(1));
    wind(before).always = false;
    const set = stage(mutators, before);
    const recovering = set.host.recover({ forgetMissing: false });
    await set.clock.advance(70);
    const { reset, residual: left } = await recovering;
    expect([reset, left]).toEqual([
      [],
      [
        {
          id: 'wind',
          reason: 'reset received status 503',
          advice: expect.stringContaining('reset "wind" again'),
        },
      ],
    ]);
    expect(wind(set).calls).toEqual(['inject 1', 'reset', 'reset', 'reset', 'reset']);
    expect([...set.journal.entries.keys()]).toEqual(['wind']);
  });

  test('names mutators that the manifest no longer has, and forgets them only when told', async () => {
    const before = stage(mutators);
    for (const one of [wind, rain]) one(before).always = true;
    await before.host.inject('wind', speed(1));
    await before.host.inject('rain', mutation());
    const [kept] = mutators.filter(({ id }) => id === 'rain');
    const forgot: string[] = [];
    const forget = async (id: string) => {
      forgot.push(id);
      return [];
    };
    const set = stage(kept ? [kept] : [], { ...before, forget });
    expect(await set.host.recover({ forgetMissing: false })).toEqual({
      reset: ['rain'],
      residual: [
        {
          id: 'wind',
          reason: expect.stringContaining('since 2026-01-01T00:00:01.000Z'),
          advice: expect.stringContaining('--forget-missing'),
        },
      ],
      forgottenIds: [],
    });
    expect([...set.journal.entries.keys()]).toEqual(['wind']);
    expect(await set.host.recover({ forgetMissing: true })).toEqual({
      reset: [],
      residual: [],
      forgottenIds: ['wind'],
    });
    expect([forgot, set.journal.entries.size]).toEqual([['wind'], 0]);
    expect(set.events.at(-1)).toEqual({ kind: 'forgotten', id: 'wind' });
  });
});
