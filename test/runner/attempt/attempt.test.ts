import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AttemptAction,
  type AttemptEvent,
  type AttemptShape,
  type AttemptState,
  advance,
  newAttempt,
} from '../../../src/runner/attempt/attempt.js';
import { runs } from '../../long.js';

/** Feeds events one after the other, and gives what was asked for. */
function play(setup: AttemptShape, events: readonly AttemptEvent[]): readonly string[] {
  let state = newAttempt(setup);
  const asked: string[] = [];
  for (const event of events) {
    const [next, actions] = advance(state, event);
    state = next;
    asked.push(...actions.map(shown));
  }
  return asked;
}

function shown(action: AttemptAction): string {
  if (action.do === 'finish') {
    const { result } = action;
    return result.kind === 'measured' ? `finish ${result.outcome}` : `finish ${result.kind}`;
  }
  return 'at' in action ? `${action.do} ${action.at}` : action.do;
}

const one: AttemptShape = { waits: [false], hasCommand: true };
const two: AttemptShape = { waits: [true, true], hasCommand: true };

test('injects, runs the command, resets, and only then measures', () => {
  expect(
    play(one, [
      { kind: 'begin' },
      { kind: 'injected', at: 0 },
      { kind: 'started' },
      { kind: 'ended' },
      { kind: 'reset', at: 0 },
      { kind: 'measured', outcome: 'passed' },
    ]),
  ).toEqual(['inject 0', 'watch', 'start-command', 'reset 0', 'measure', 'finish passed']);
});

test('with preconditions, the command comes first, and each injection when its own is true', () => {
  expect(
    play(two, [
      { kind: 'begin' },
      { kind: 'started' },
      { kind: 'true', at: [1] },
      { kind: 'true', at: [0, 1] },
      { kind: 'injected', at: 1 },
      { kind: 'injected', at: 0 },
      { kind: 'time-up' },
      { kind: 'ended' },
      { kind: 'reset', at: 0 },
      { kind: 'reset', at: 1 },
      { kind: 'measured', outcome: 'failed' },
    ]),
  ).toEqual([
    'watch',
    'start-command',
    'inject 1',
    'inject 0',
    'end-command',
    'reset 0',
    'reset 1',
    'measure',
    'finish failed',
  ]);
});

test('what waits for nothing is injected before the command starts', () => {
  expect(
    play({ ...two, waits: [true, false] }, [
      { kind: 'begin' },
      { kind: 'injected', at: 1 },
      { kind: 'started' },
      { kind: 'true', at: [0] },
    ]),
  ).toEqual(['inject 1', 'watch', 'start-command', 'inject 0']);
});

test('a refused injection ends the attempt once the others are settled: inconclusive', () => {
  expect(
    play({ ...two, waits: [false, false] }, [
      { kind: 'begin' },
      { kind: 'refused', at: 0, reason: 'no', maybe: false },
      { kind: 'injected', at: 1 },
      { kind: 'reset', at: 1 },
      { kind: 'reset', at: 0, failed: 'gone' },
    ]),
  ).toEqual(['inject 0', 'inject 1', 'reset 0', 'reset 1', 'finish inconclusive']);
});

test('a command that turns out not to start while the system recovers ends the attempt', () => {
  expect(
    play({ ...one, recovers: true, hasSource: true }, [
      { kind: 'begin' },
      { kind: 'injected', at: 0 },
      { kind: 'time-up' },
      { kind: 'reset', at: 0 },
      { kind: 'not-started', reason: 'no such program' },
    ]),
  ).toEqual([
    ...['inject 0', 'watch', 'start-command', 'reset 0', 'watch-recovery'],
    'finish inconclusive',
  ]);
});

test('a mutator that may be mutated and cannot be reset is stuck', () => {
  expect(
    play({ ...one, hasCommand: false }, [
      { kind: 'begin' },
      { kind: 'refused', at: 0, reason: 'timed out', maybe: true },
      { kind: 'reset', at: 0, failed: 'gone' },
    ]),
  ).toEqual(['inject 0', 'reset 0', 'finish stuck']);
});

test('an interruption at any moment comes to the resets, and to no verdict', () => {
  const events: readonly AttemptEvent[] = [
    { kind: 'begin' },
    { kind: 'injected', at: 0 },
    { kind: 'started' },
    { kind: 'interrupt' },
    { kind: 'ended' },
    { kind: 'reset', at: 0 },
  ];
  expect(play(one, events)).toEqual([
    'inject 0',
    'watch',
    'start-command',
    'end-command',
    'reset 0',
    'finish interrupted',
  ]);
});

test('a guard resets at once, while the command is ended; an injection under way when it is answered', () => {
  expect(
    play({ waits: [false, true, true], hasCommand: true }, [
      { kind: 'begin' },
      { kind: 'injected', at: 0 },
      { kind: 'started' },
      { kind: 'true', at: [1] },
      { kind: 'guarded' },
      { kind: 'reset', at: 0 },
      { kind: 'reset', at: 2 },
      { kind: 'injected', at: 1 },
      { kind: 'reset', at: 1 },
      { kind: 'ended' },
    ]),
  ).toEqual([
    'inject 0',
    'watch',
    'start-command',
    'inject 1',
    ...['reset 0', 'reset 2', 'end-command'],
    'reset 1',
    'finish guarded',
  ]);
});

test('a system recovers from its mutations while the command goes on', () => {
  const setup = { ...one, recovers: true };
  const begun: readonly AttemptEvent[] = [
    { kind: 'begin' },
    { kind: 'injected', at: 0 },
    { kind: 'started' },
    { kind: 'time-up' },
    { kind: 'reset', at: 0 },
  ];
  const asked = ['inject 0', 'watch', 'start-command', 'reset 0', 'watch-recovery'];
  const ended = { kind: 'ended' } as const;
  expect(play(setup, [...begun, { kind: 'recovery-over' }, ended])).toEqual([
    ...asked,
    'end-command',
    'measure',
  ]);
  expect(play(setup, [...begun, ended, { kind: 'recovery-over', reason: 'not seen' }])).toEqual([
    ...asked,
    'end-recovery',
    'finish inconclusive',
  ]);
  expect(play({ ...setup, hasSource: true }, [...begun, ended])).toEqual(asked);
  // Nothing can tell any more.
  expect(play(setup, [...begun.slice(0, 3), ended, { kind: 'reset', at: 0 }]).at(-1)).toBe(
    'finish inconclusive',
  );
});

/** Plays the outside world with random answers in a random order. */
function simulate(setup: AttemptShape, choices: readonly number[]): readonly AttemptAction[] {
  let state: AttemptState = newAttempt(setup);
  const asked: AttemptAction[] = [];
  const pending: AttemptEvent[][] = [[{ kind: 'begin' }]];
  let at = 0;
  const choose = (count: number) => (choices[at++ % choices.length] ?? 0) % count;
  for (let steps = 0; steps < 200 && pending.length > 0; steps += 1) {
    const [which] = pending.splice(choose(pending.length), 1);
    const event = which?.[choose(which.length)] as AttemptEvent;
    const [next, actions] = advance(state, event);
    state = next;
    for (const action of actions) {
      asked.push(action);
      pending.push(...answersTo(action, setup));
    }
  }
  return asked;
}

function answersTo(action: AttemptAction, setup: AttemptShape): AttemptEvent[][] {
  switch (action.do) {
    case 'inject': {
      const { at } = action;
      return [
        [
          { kind: 'injected', at },
          { kind: 'refused', at, reason: 'no', maybe: false },
          { kind: 'refused', at, reason: 'no', maybe: true },
        ],
      ];
    }
    case 'start-command':
      return [[{ kind: 'started' }, { kind: 'not-started', reason: 'no such file' }]];
    case 'watch': {
      const all = [...setup.waits.keys()];
      return [
        [{ kind: 'time-up' }, { kind: 'interrupt' }, { kind: 'guarded' }],
        [
          { kind: 'true', at: all },
          { kind: 'true', at: [0] },
          { kind: 'true', at: [] },
        ],
      ];
    }
    case 'end-command':
      return [[{ kind: 'ended' }]];
    case 'reset':
      return [
        [
          { kind: 'reset', at: action.at },
          { kind: 'reset', at: action.at, failed: 'no' },
        ],
      ];
    case 'watch-recovery':
      return [[{ kind: 'recovery-over' }, { kind: 'interrupt' }]];
    case 'end-recovery':
      return [[{ kind: 'recovery-over' }, { kind: 'recovery-over', reason: 'not seen' }]];
    case 'measure':
      return [[{ kind: 'measured', outcome: 'passed' }]];
    case 'finish':
      return [];
  }
}

test('whatever happens, the whole set is reset before anything is judged, and it ends once', () => {
  fc.assert(
    fc.property(
      fc.record({
        waits: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
        hasCommand: fc.boolean(),
        recovers: fc.boolean(),
        hasSource: fc.boolean(),
      }),
      fc.array(fc.nat(1_000), { minLength: 1, maxLength: 60 }),
      (setup, choices) => {
        const asked = simulate(setup, choices);
        const names = asked.map(shown);
        expect(names.filter((name) => name.startsWith('finish'))).toHaveLength(1);
        expect(names.at(-1)).toMatch(/^finish/);
        const resets = names.filter((name) => name.startsWith('reset'));
        expect(resets.sort()).toEqual(setup.waits.map((_, at) => `reset ${at}`));
        const firstReset = names.findIndex((name) => name.startsWith('reset'));
        const lastInject = names.findLastIndex((name) => name.startsWith('inject'));
        expect(lastInject).toBeLessThan(firstReset);
        const measure = names.indexOf('measure');
        if (measure >= 0) {
          expect(measure).toBeGreaterThan(names.findLastIndex((name) => name.startsWith('reset')));
        }
      },
    ),
    { numRuns: runs(500) },
  );
});
