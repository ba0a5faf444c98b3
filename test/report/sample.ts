import type { Details } from '../../src/records/index.js';
import type { RunResult } from '../../src/results/index.js';
import type { MeasurementResult, RunState, Space } from '../../src/runner/index.js';
import type { Session } from '../../src/session/index.js';
import { SessionBuilder } from '../../src/session/index.js';

const SPACE: Space = {
  mutators: [
    {
      server: 'bench',
      id: 'wind',
      name: 'wind',
      probe: 'SIMULATOR',
      maxActiveMs: 600_000,
      dimensions: [
        {
          kind: 'float',
          key: 'speed',
          name: 'speed <m/s> & "more"',
          lower: 0,
          upper: 40,
          units: 'm/s',
          leastEffect: { type: 'float', value: 0 },
        },
        {
          kind: 'choice',
          key: 'mode',
          name: 'mode',
          values: ['gust', 'steady'].map((value) => ({ type: 'string', value })),
        },
      ],
    },
    {
      server: 'bench',
      id: 'link',
      name: 'link',
      maxActiveMs: 600_000,
      dimensions: [
        {
          kind: 'whole',
          type: 'integer',
          key: 'delay',
          name: 'delay',
          lower: 0n,
          upper: 9_223_372_036_854_775_807n,
          leastEffect: { type: 'integer', value: 0n },
        },
      ],
    },
  ],
  maxMutations: 2,
};

function plan(speed: number, mode: string, delay: bigint) {
  return [
    {
      server: 'bench',
      id: 'wind',
      name: 'wind',
      probe: 'SIMULATOR',
      params: new Map([
        ['speed', { type: 'float', value: speed }],
        ['mode', { type: 'string', value: mode }],
      ] as const),
    },
    {
      server: 'bench',
      id: 'link',
      name: 'link',
      params: new Map([['delay', { type: 'integer', value: delay }]] as const),
    },
  ];
}

const EVIDENCE: Details = {
  labels: [
    { label: 'gust', matched: 1, filtered: 1, ordered: 1 },
    { label: 'crash', matched: 1, filtered: 1, ordered: 1 },
  ],
  measures: [],
  evidence: [
    {
      why: 'first',
      binding: {
        gust: {
          probe: 'perturb',
          seq: 0,
          attributes: { name: 'perturb.injected', 'mutator.name': 'wind' },
        },
        crash: {
          probe: 'SIMULATOR',
          seq: 2,
          attributes: {
            name: 'crash',
            time: 1_772_443_800_000_250_000n,
            'trace.id': '4bf92f3577b34da6',
            'span.id': '00f067aa',
            height: 1.5,
          },
        },
      },
      values: [{ text: 'crash.time - gust.time', value: '1250000000', unit: 'duration' }],
    },
  ],
};

/** A flight in which a mutation led to a crash, over the link. */
function flight(): Session {
  const builder = new SessionBuilder();
  const injected = builder.event({
    probe: 'perturb',
    name: 'perturb.injected',
    attributes: { 'mutator.name': 'wind' },
  });
  const telemetry = builder.event({ probe: 'SIMULATOR', name: 'telemetry', seq: 0 });
  const lost = builder.event({ probe: 'LINK', name: '<lost>', seq: 0 });
  const drift = builder.event({ probe: 'SIMULATOR', name: 'drift', seq: 1 });
  builder.event({
    probe: 'SIMULATOR',
    name: 'crash',
    seq: 2,
    time: 1_772_443_800_000_250_000n,
    attributes: { 'trace.id': '4bf92f3577b34da6', 'span.id': '00f067aa', height: 1.5, wing: true },
  });
  builder.interaction(injected, telemetry);
  builder.interaction(telemetry, lost);
  builder.interaction(lost, drift);
  return builder.build();
}

/** A report with every part. */
export function sampleReport(): RunResult {
  const measured = (passed: boolean): readonly MeasurementResult[] => [
    {
      name: 'no crash',
      shouldPass: false,
      status: passed ? 'fails' : 'holds',
      details: EVIDENCE,
    },
  ];
  const attempts: RunState['attempts'] = Array.from({ length: 45 }, (_, at) => {
    const [speed, delay] = [(at * 7) % 41, BigInt((at * 13) % 10) * 10n ** 18n];
    const failed = speed > 28 && delay > 5n * 10n ** 18n;
    const outcome = at === 5 ? 'skipped' : at === 6 ? 'inconclusive' : failed ? 'failed' : 'passed';
    return {
      n: at + 1,
      plan: plan(speed, at % 2 === 0 ? 'gust' : 'steady', delay),
      result: {
        step: 'measured',
        n: at + 1,
        outcome,
        reasons: outcome === 'inconclusive' ? ['no event arrived'] : [],
        measurements: outcome === 'passed' || outcome === 'failed' ? measured(!failed) : [],
        ms: 100,
        events: 7,
      },
    };
  });
  const failed = attempts.find(({ result }) => result.outcome === 'failed');
  const n = failed?.n ?? 0;
  return {
    directory: 'runs/wind',
    findings: new Map(),
    state: {
      run: {
        step: 'run',
        version: 1,
        id: '',
        perturb: '0.1.0',
        objective: {
          name: 'hold <position>',
          origin: 'drone.objective.toml',
          text: '',
          digest: '',
        },
        seed: 7n,
        strategy: 'mixed',
        catalog: '',
        servers: ['bench'],
        attemptMs: 30_000,
        command: ['node', 'flight.js'],
        shrink: true,
      },
      startedAt: Date.UTC(2026, 2, 2, 9, 30),
      attempts,
      baselines: [],
      detailCharacters: 0,
      resumedAt: 0,
      openAttempts: [],
      activeMutations: [],
      shrunkSets: [
        {
          step: 'shrunk',
          of: n,
          cause: 'no crash',
          plan: plan(29, 'steady', 6_000_000_000_000_000_000n),
          tried: 5,
          failed: 4,
          before: { tried: 5, failed: 5 },
          attempts: 31,
          ended: 'found',
          ...{ isSmaller: true, interacts: false, idle: [] },
          borders: [
            {
              ...{
                parameter: { server: 'bench', id: 'wind', key: 'speed' },
                ended: 'narrow',
                odd: [],
              },
              safe: { type: 'float', value: 0 },
              from: { type: 'float', value: 27 },
              to: { type: 'float', value: 29 },
              risesFrom: { type: 'float', value: 27 },
              risesTo: { type: 'float', value: 29 },
              below: { value: { type: 'float', value: 26 }, tried: 6, failed: 0 },
            },
          ],
        },
      ],
      elapsed: 4_500,
    },
    space: SPACE,
    ended: 'attempt limit reached',
    measurements: new Map([
      [
        'no crash',
        {
          check:
            "MATCH (name = 'perturb.injected') AS gust, (name = 'crash') AS crash\nWHEN gust -> crash",
        },
      ],
    ]),
    sessions: new Map([[n, flight()]]),
  };
}

/** What a parameter of the large sample is: a range, or three options. */
type Given = readonly [mutator: string, key: string, units?: string];

const LARGE: readonly Given[] = [
  ['wind', 'speed', 'm/s'],
  ['link', 'delay of the telemetry that the autopilot receives', 'ms'],
  ['battery', 'sag', '%'],
  ['sensor', 'bias', 'm'],
  ['clock', 'skew', 'ms'],
  ['mode', 'of the motors when the voltage is low'],
];

const OPTIONS = ['throttled to half', 'as commanded', 'off'] as const;

/** Six parameters, and three measurements that fail in a region of two of them each. */
const CAUSES = [
  {
    name: 'no crash',
    pair: [0, 1],
    fails: (of: readonly number[]) => at(of, 0) > 0.7 && at(of, 1) > 0.6,
  },
  {
    name: 'lands in time',
    pair: [2, 5],
    fails: (of: readonly number[]) => at(of, 2) > 0.6 && at(of, 5) > 0.66,
  },
  {
    name: 'the autopilot steers within 100 ms of what the sensors report',
    pair: [3, 4],
    fails: (of: readonly number[]) => at(of, 3) < 0.3 && at(of, 4) > 0.6,
  },
] as const;

function at(shares: readonly number[], place: number): number {
  return shares[place] ?? 0;
}

/** A run of 500 attempts over six parameters, with three causes of failure and 60 attempts of shrinking. */
export function largeReport(): RunResult {
  const sample = sampleReport();
  const mutators = LARGE.map(([name, key, units], place) => ({
    ...{ server: 'bench', id: name, name, maxActiveMs: 600_000 },
    dimensions: [
      place === 5
        ? {
            kind: 'choice' as const,
            key,
            name: key,
            values: OPTIONS.map((value) => ({ type: 'string' as const, value })),
          }
        : {
            ...{ kind: 'float' as const, key, name: key, lower: 0, upper: 100 },
            ...(units !== undefined && { units }),
            leastEffect: { type: 'float' as const, value: 0 },
          },
    ],
  }));
  // A low-discrepancy sequence: the generalised golden ratio (Roberts 2018).
  const steps = LARGE.map((_, place) => 1 / 1.112_775_684_278_705_5 ** (place + 1));
  const planOf = (shares: readonly number[]) =>
    LARGE.map(([name, key], place) => ({
      ...{ server: 'bench', id: name, name },
      params: new Map([
        [
          key,
          place === 5
            ? { type: 'string' as const, value: OPTIONS[Math.floor(at(shares, 5) * 3)] as string }
            : { type: 'float' as const, value: at(shares, place) * 100 },
        ],
      ]),
    }));
  const attempts: RunState['attempts'] = Array.from({ length: 560 }, (_, place) => {
    // Those of shrinking are all near the border of the first cause.
    const shares = steps.map((step) => (0.5 + step * (place + 1)) % 1);
    const isShrinking = place >= 500;
    const own = isShrinking ? [0.71 + (place - 500) / 1_000, 0.61, 0, 0, 0, 0] : shares;
    const measurements = CAUSES.map(({ name, fails }) => ({
      name,
      shouldPass: true,
      status: fails(own) ? ('fails' as const) : ('holds' as const),
      details: EVIDENCE,
    }));
    const isFailed = measurements.some(({ status }) => status === 'fails');
    return {
      n: place + 1,
      plan: planOf(own),
      ...(isShrinking && { shrinks: 1 }),
      result: {
        ...{ step: 'measured', n: place + 1, outcome: isFailed ? 'failed' : 'passed', reasons: [] },
        ...{ measurements, ms: 1_230, events: 7 },
      },
    };
  });
  return {
    ...sample,
    directory: 'runs/large and long',
    space: { mutators, maxMutations: 6 },
    measurements: new Map(
      CAUSES.map(({ name }) => [
        name,
        { check: "MATCH (name = 'crash') AS crash\nAGGREGATE count() = 0" },
      ]),
    ),
    state: {
      ...sample.state,
      attempts,
      shrunkSets: sample.state.shrunkSets.flatMap((one) =>
        CAUSES.map(({ name, pair }, place) => {
          const plan = planOf(LARGE.map(() => 0.71)).filter((_, at) =>
            pair.some((of) => of === at),
          );
          return { ...one, cause: name, of: place + 1, plan, borders: [] };
        }),
      ),
    },
  };
}

/** The parameters that make each measurement of the large sample fail, as the report calls them. */
export const LARGE_PAIRS = CAUSES.map(({ name, pair }) => ({
  name,
  pair: pair.map((place) => (LARGE[place] as Given).slice(0, 2).join(' ')),
}));
