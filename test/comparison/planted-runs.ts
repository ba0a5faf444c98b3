import type { ComparedRun } from '../../src/comparison/index.js';
import type { DoneAttempt } from '../../src/runner/index.js';

/*
 * Runs of a made-up service, to see which differences are found. Nothing of what compares them is used:
 * how often and how late the service answers is drawn here.
 */

/** How a version of the service behaves. */
export interface Version {
  /** How often an order is lost, whatever its set. */
  readonly losses: number;
  /** What all latencies are multiplied by. */
  readonly slowness: number;
  /** Taken off the share of queues that hold their limit. */
  readonly crowding: number;
  /** How often each event occurs in an attempt. */
  readonly events: Readonly<Record<string, number>>;
}

export const GOOD: Version = {
  losses: 0.05,
  slowness: 1,
  crowding: 0,
  events: { started: 1, order: 1, answer: 1, retry: 0.4, 'cache miss': 0.7, 'queue full': 0.1 },
};

/** A version of the service with a regression, and what shows it. */
export interface Regression {
  readonly version: Version;
  readonly shows: { readonly kind: string; readonly name?: string };
}

const { retry: _, ...withoutRetry } = GOOD.events;
const { 'cache miss': __, ...withoutMiss } = GOOD.events;
const { answer: ___, ...withoutAnswer } = GOOD.events;

/** Four regressions of each kind, large and small. */
export const REGRESSIONS: readonly Regression[] = [
  ...[0.35, 0.4, 0.5, 0.7].map((losses) => ({
    version: { ...GOOD, losses },
    shows: { kind: 'measurement', name: 'no order is lost' },
  })),
  ...[1.5, 1.7, 2, 3].map((slowness) => ({
    version: { ...GOOD, slowness },
    shows: { kind: 'value', name: 'fast' },
  })),
  ...[0.08, 0.1, 0.15, 0.2].map((crowding) => ({
    version: { ...GOOD, crowding },
    shows: { kind: 'margin', name: 'queues hold' },
  })),
  ...[
    { gone: 'cache miss', events: withoutMiss },
    { gone: 'retry', events: withoutRetry },
    { gone: 'answer', events: withoutAnswer },
    { gone: 'cache miss', events: { ...withoutMiss, 'cache hit': 1 } },
  ].map(({ gone, events }) => ({
    version: { ...GOOD, events },
    shows: { kind: 'event', name: gone },
  })),
  ...[0.4, 0.5, 0.8, 1].map((share) => ({
    version: { ...GOOD, events: { ...GOOD.events, panic: share } },
    shows: { kind: 'event', name: 'panic' },
  })),
];

/** Mulberry32. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface PlantedRun {
  readonly run: ComparedRun;
  readonly names: ReadonlyMap<DoneAttempt, ReadonlySet<string>>;
}

/**
 * Makes a run of a version.
 *
 * @param sets what the sets are drawn from: runs with the same number make the same ones
 * @param noise what everything else is drawn from
 */
export function plantedRun(
  version: Version,
  { attempts = 40, sets, noise }: { attempts?: number; sets: number; noise: number },
): PlantedRun {
  const [draw, random] = [randomNumbers(sets), randomNumbers(noise)];
  const names = new Map<DoneAttempt, ReadonlySet<string>>();
  const made = Array.from({ length: attempts }, (_, at) => {
    const delay = Math.floor(draw() * 200);
    const [attempt, events] = plantedAttempt(at + 1, delay, version, random);
    names.set(attempt, events);
    return attempt;
  });
  const run = { strategy: 'uniform', planner: 1, seed: BigInt(sets), servers: ['bench'] };
  const state = {
    run,
    attempts: made,
    baselines: [],
    shrunkSets: [],
    activeMutations: [],
    openAttempts: [],
  };
  const dimensions = [
    { kind: 'whole', type: 'integer', key: 'ms', name: 'ms', lower: 0n, upper: 199n },
  ];
  const space = {
    mutators: [{ server: 'bench', id: 'delay', name: 'delay', dimensions }],
    most: 1,
  };
  return { run: { state, space } as unknown as ComparedRun, names };
}

function plantedAttempt(
  n: number,
  delay: number,
  { losses, slowness, crowding, events }: Version,
  random: () => number,
): readonly [DoneAttempt, ReadonlySet<string>] {
  // A product of uniform numbers has a long tail, as latencies have.
  const latency = Math.round(slowness * (delay + 100 / (0.25 + random())) * 1e6);
  const limit = 1e9;
  const lost = random() < losses ? 1 : 0;
  const margin = 0.3 + 0.2 * random() - crowding;
  const measurements = [
    {
      ...{ name: 'fast', shouldPass: true, status: latency < limit ? 'holds' : 'fails' },
      margin: (limit - latency) / Math.max(limit, latency),
      details: {
        measures: [
          {
            ...{ text: 'percentile(answer.time - order.time, 99) < 1s', unit: 'duration' },
            ...{ left: `${latency}`, right: `${limit}` },
            margin: (limit - latency) / Math.max(limit, latency),
          },
        ],
      },
    },
    {
      ...{ name: 'no order is lost', shouldPass: true, status: lost === 0 ? 'holds' : 'fails' },
      margin: 0 - lost,
      details: {
        measures: [{ text: 'count() = 0', left: `${lost}`, right: '0', margin: 0 - lost }],
      },
    },
    {
      ...{ name: 'queues hold', shouldPass: true, status: 'holds', margin },
      details: { groups: { all: 20, hold: 20, worst: [] } },
    },
  ];
  const passed = measurements.every(({ status }) => status === 'holds');
  const params = new Map([['ms', { type: 'integer', value: BigInt(delay) }]]);
  const attempt = {
    n,
    plan: [{ server: 'bench', id: 'delay', name: 'delay', params }],
    result: { n, outcome: passed ? 'passed' : 'failed', measurements, reasons: [] },
  } as unknown as DoneAttempt;
  const own = Object.keys(events).filter((name) => random() < (events[name] ?? 0));
  return [attempt, new Set([...own, 'perturb.injected'])];
}
