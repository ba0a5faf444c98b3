import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  alarmOf,
  type Event,
  IN_DOUBT,
  type LifecycleStep,
  type Rest,
  residueOf,
  type State,
  transition,
} from '../../../src/server/host/lifecycle.js';
import { runs } from '../../long.js';

const states: Readonly<Record<string, State>> = {
  idle: { kind: 'idle' },
  active: { kind: 'active', since: 10 },
  'maybe-active': { kind: 'maybe-active', failures: 2, reason: 'it hung' },
  'recording to inject': {
    kind: 'recording',
    next: 'inject',
    from: { kind: 'active', since: 10 },
  },
  'recording to reset': { kind: 'recording', next: 'reset', from: { kind: 'idle' } },
  injecting: { kind: 'injecting' },
  resetting: { kind: 'resetting', failures: 1, isLast: true },
  'resetting after a failure': { kind: 'resetting', failures: 0, cause: 'exit 1', isLast: false },
  clearing: { kind: 'clearing' },
  'clearing after a failure': { kind: 'clearing', cause: 'exit 1' },
};

const events: Readonly<Record<string, Event>> = {
  inject: { kind: 'inject' },
  reset: { kind: 'reset' },
  leave: { kind: 'leave' },
  expire: { kind: 'expire', since: 10 },
  'expire late': { kind: 'expire', since: 9 },
  retry: { kind: 'retry', isLast: false },
  done: { kind: 'done', at: 20 },
  failed: { kind: 'failed', at: 20, reason: 'no' },
};

/** What follows from a state for each event, in the order of `events`; `-` where it cannot happen. */
const table: Readonly<Record<string, string>> = {
  idle: 'record | record | stale | stale | stale | stale | - | -',
  active: 'record | reset | reset | reset | stale | stale | - | -',
  'maybe-active': 'record | reset | reset | stale | stale | reset | - | -',
  'recording to inject': '- | - | - | - | - | - | inject | active, failed: no',
  'recording to reset': '- | - | - | - | - | - | reset | idle, failed: no',
  injecting: '- | - | - | - | - | - | active, injected | reset',
  resetting: '- | - | - | - | - | - | clear | maybe-active, failed: no',
  'resetting after a failure':
    '- | - | - | - | - | - | clear | maybe-active, failed: exit 1; then the reset failed: no',
  clearing: '- | - | - | - | - | - | idle, reset | idle, reset',
  'clearing after a failure': '- | - | - | - | - | - | idle, failed: exit 1 | idle, failed: exit 1',
};

function show(before: State, step: LifecycleStep): string {
  if ('action' in step) return step.action;
  const { state, answer } = step;
  if (answer.kind === 'stale') return state === before ? 'stale' : 'stale, but changed';
  return `${state.kind}, ${answer.kind}${answer.kind === 'failed' ? `: ${answer.reason}` : ''}`;
}

describe.each(Object.keys(states))('while %s', (name) => {
  const before = states[name] as State;
  const row = (table[name] as string).split(' | ');

  test.each(Object.keys(events).map((event, index) => [event, row[index]] as const))(
    '%s: %s',
    (event, expected) => {
      const take = () => show(before, transition(before, events[event] as Event));
      if (expected === '-') expect(take).toThrow(/^a mutator cannot|^nothing is being done/);
      else expect(take()).toBe(expected);
    },
  );
});

test('an action belongs to its state', () => {
  const doing = { recording: 'record', injecting: 'inject', resetting: 'reset', clearing: 'clear' };
  for (const state of Object.values(states)) {
    for (const event of Object.values(events)) {
      let step: LifecycleStep;
      try {
        step = transition(state, event);
      } catch {
        continue;
      }
      if ('action' in step) expect(step.action).toBe(doing[step.state.kind]);
      else expect(Object.keys(doing)).not.toContain(step.state.kind);
    }
  }
});

test('failures of retries add up, and a new request counts from none', () => {
  const failed: Event = { kind: 'failed', at: 20, reason: 'no' };
  const failuresAfter = (event: Event) => {
    const { state } = transition(transition(states['maybe-active'] as State, event).state, failed);
    return state.kind === 'maybe-active' ? state.failures : undefined;
  };
  expect(failuresAfter({ kind: 'retry', isLast: false })).toBe(3);
  expect(failuresAfter({ kind: 'reset' })).toBe(1);
  expect(failuresAfter({ kind: 'leave' })).toBe(1);
});

test('alarms: a mutation expires, a failed reset is tried again for as long as the server lives', () => {
  const policy = { maxActiveMs: 500, retryDelaysMs: [10, 20], isLeaving: false };
  const maybe = (failures: number) => ({ kind: 'maybe-active', failures, reason: '' }) as const;
  expect(alarmOf({ kind: 'idle' }, 100, policy)).toBeUndefined();
  expect(alarmOf({ kind: 'active', since: 90 }, 100, policy)).toEqual({
    at: 590,
    event: { kind: 'expire', since: 90 },
  });
  const { maxActiveMs: _, ...unlimited } = policy;
  expect(alarmOf({ kind: 'active', since: 90 }, 100, unlimited)).toBeUndefined();
  const atsOf = (isLeaving: boolean) =>
    [0, 1, 2, 3, 4, 99].map(
      (failures) => alarmOf(maybe(failures), 100, { ...policy, isLeaving })?.at,
    );
  expect(atsOf(false)).toEqual([undefined, 110, 120, 120, 120, 120]);
  // One who leaves cannot wait for ever.
  expect(atsOf(true)).toEqual([undefined, 110, 120, 120, undefined, undefined]);
});

describe('an injection that was given up and may still take effect', () => {
  const follow = (state: State, ...all: readonly Event[]): LifecycleStep => {
    const [first, ...rest] = all;
    const step = transition(state, first as Event);
    return rest.length === 0 ? step : follow(step.state, ...rest);
  };
  const given: Event = { kind: 'failed', at: 1_000, reason: 'slow', lateMs: 4_000 };
  const policy = { retryDelaysMs: [10], isLeaving: false };
  const reset = follow({ kind: 'injecting' }, given, { kind: 'done', at: 1_010 });

  test('is reset, and stays one that may be active', () => {
    expect(reset).toEqual({
      state: {
        kind: 'maybe-active',
        failures: 0,
        reason: IN_DOUBT,
        doubt: { until: 5_000, resets: 1 },
      },
      answer: { kind: 'failed', reason: 'slow' },
    });
  });

  test('is reset again at growing intervals until its time is over, and then no more', () => {
    const ats: (number | undefined)[] = [];
    let { state } = reset;
    for (let now = 1_010; ; ) {
      const alarm = alarmOf(state as Rest, now, policy);
      ats.push(alarm?.at);
      if (alarm === undefined) break;
      now = alarm.at;
      state = follow(state, alarm.event, { kind: 'done', at: now }).state;
    }
    expect(ats).toEqual([1_260, 1_760, 2_760, 4_760, 5_000, undefined]);
    expect(state).toMatchObject({ kind: 'maybe-active', doubt: { until: 5_000 } });
  });

  test.each([
    ['too early', 4_999, 'maybe-active'],
    ['in time', 5_000, 'clearing'],
  ])('is over with a reset that somebody asks for, but %s', (_, at, kind) => {
    for (const event of [{ kind: 'reset' }, { kind: 'leave' }, { kind: 'retry', isLast: true }]) {
      expect(follow(reset.state, event as Event, { kind: 'done', at }).state.kind).toBe(kind);
    }
  });

  test('is not forgotten over another injection or a reset that fails', () => {
    const again = follow(reset.state, { kind: 'inject' }, { kind: 'done', at: 1_100 });
    const active = follow(again.state, { kind: 'done', at: 1_200 }).state;
    expect(active).toMatchObject({ kind: 'active', since: 1_200, doubt: { until: 5_000 } });
    const no = { kind: 'failed', at: 1_300, reason: 'no' } as const;
    const { state } = follow(active, { kind: 'reset' }, no);
    expect(state).toMatchObject({ kind: 'maybe-active', failures: 1, doubt: { until: 5_000 } });
    expect(follow(active, { kind: 'reset' }, { kind: 'done', at: 1_300 }).state).toMatchObject({
      kind: 'maybe-active',
      failures: 0,
    });
  });
});

/** A run of the machine by a system that does as chance has it. */
interface Run {
  state: State;
  /** What the journal says, and what may be the case. */
  recorded: boolean;
  touched: boolean;
}

test('nothing is touched that is not recorded, whatever happens', () => {
  const chance = fc.record({
    operation: fc.constantFrom('inject', 'reset', 'leave', 'expire', 'retry'),
    endings: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    crashAfter: fc.option(fc.nat(4), { nil: undefined, freq: 5 }),
  });
  fc.assert(
    fc.property(fc.array(chance, { maxLength: 30 }), (all) => {
      const run: Run = { state: { kind: 'idle' }, recorded: false, touched: false };
      for (const { operation, endings, crashAfter } of all) {
        perform(run, operation, endings, crashAfter ?? Number.POSITIVE_INFINITY);
      }
      // In the end the system does as it is told.
      perform(run, 'leave', [true, true, true, true], Number.POSITIVE_INFINITY);
      expect([run.touched, residueOf(run.state)]).toEqual([false, undefined]);
    }),
    { numRuns: runs(2_000) },
  );
});

function perform(run: Run, operation: string, endings: readonly boolean[], crashAfter: number) {
  const since = run.state.kind === 'active' ? run.state.since : 0;
  const event =
    operation === 'expire' ? { kind: operation, since } : { kind: operation, isLast: false };
  let step = transition(run.state, event as Event);
  for (let count = 0; 'action' in step; count++) {
    if (count === crashAfter) {
      run.state = run.recorded
        ? { kind: 'maybe-active', failures: 0, reason: 'crash' }
        : { kind: 'idle' };
      expect(run.recorded || !run.touched).toBe(true);
      return;
    }
    const isGood = endings[count] === true;
    act(run, step.action, isGood);
    expect(run.recorded || !run.touched).toBe(true);
    expect(residueOf(step.state) !== undefined || !run.touched).toBe(true);
    step = transition(
      step.state,
      isGood ? { kind: 'done', at: count } : { kind: 'failed', at: 20, reason: 'no' },
    );
  }
  run.state = step.state;
  expect(residueOf(step.state) !== undefined || !run.touched).toBe(true);
}

function act(run: Run, action: string, isGood: boolean): void {
  if (action === 'record' && isGood) run.recorded = true;
  if (action === 'clear' && isGood) run.recorded = false;
  // What failed may have done all or nothing; the worst is taken.
  if (action === 'inject') run.touched = true;
  if (action === 'reset' && isGood) run.touched = false;
}
