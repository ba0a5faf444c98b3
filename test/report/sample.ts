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
  most: 2,
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

const EVIDENCE = {
  labels: [
    { label: 'gust', matched: 1, filtered: 1, ordered: 1 },
    { label: 'crash', matched: 1, filtered: 1, ordered: 1 },
  ],
  measures: [],
  evidence: [
    {
      why: 'first',
      binding: { gust: { probe: 'perturb', seq: 0 }, crash: { probe: 'SIMULATOR', seq: 2 } },
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
  builder.event({ probe: 'SIMULATOR', name: 'crash', seq: 2 });
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
      details: JSON.stringify(EVIDENCE),
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
    state: {
      run: {
        step: 'run',
        version: 1,
        id: '',
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
      attempts,
      baselines: [],
      resumedAt: 0,
      inForce: [],
      shrunk: [
        {
          step: 'shrunk',
          of: n,
          cause: 'no crash',
          plan: plan(29, 'steady', 6_000_000_000_000_000_000n),
          tried: 5,
          failed: 4,
          before: { tried: 5, failed: 5 },
          attempts: 31,
          ended: 'smallest',
        },
      ],
      elapsed: 4_500,
    },
    space: SPACE,
    ended: 'attempt limit reached',
    time: '4s 500ms',
    sessions: new Map([[n, flight()]]),
  };
}
