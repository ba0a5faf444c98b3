import { expect, test } from 'vitest';
import type { Details } from '../../src/records/index.js';
import { headlineOf } from '../../src/results/index.js';
import type {
  BorderRecord,
  Dimension,
  DoneAttempt,
  MeasurementResult,
  Plan,
  RunState,
  ShrunkRecord,
  Space,
  SpaceMutator,
} from '../../src/runner/index.js';

/* The sentence that the results of a run begin with. */

const integer = (value: bigint) => ({ type: 'integer', value }) as const;

const whole = (key: string, units?: string): Dimension => ({
  ...{ kind: 'whole', type: 'integer', key, name: key, lower: 0n, upper: 3_000n },
  leastEffect: integer(0n),
  ...(units !== undefined && { units }),
});

const MODE: Dimension = {
  ...{ kind: 'choice', key: 'mode', name: 'mode' },
  values: ['slow', 'fast'].map((value) => ({ type: 'string', value })),
};

const mutator = (name: string, dimensions: readonly Dimension[], probe?: string): SpaceMutator => ({
  ...{ server: 's', id: `${probe ?? ''}${name}`, name, maxActiveMs: 1_000, dimensions },
  ...(probe !== undefined && { probe }),
});

const NET = mutator('net', [whole('delay'), MODE]);
const WAREHOUSE = mutator('warehouse-delay-ms', [whole('value')]);
const WIND = mutator('wind', [whole('speed', 'm/s')], 'SIMULATOR');

const planned = (
  { server, id, name, probe }: SpaceMutator,
  params: Readonly<Record<string, bigint | string>>,
): Plan[number] => ({
  ...{ server, id, name, ...(probe !== undefined && { probe }) },
  params: new Map(
    Object.entries(params).map(([key, value]) => [
      key,
      typeof value === 'string' ? { type: 'string', value } : integer(value),
    ]),
  ),
});

const SLOW = [planned(NET, { delay: 50n, mode: 'slow' })];

function attempt(n: number, plan: Plan, measured: Partial<MeasurementResult> = {}): DoneAttempt {
  const measurements = [{ name: 'm', shouldPass: true, status: 'fails', ...measured } as const];
  const outcome = measured.status === 'holds' ? 'passed' : 'failed';
  return {
    ...{ n, plan },
    result: { step: 'measured', n, outcome, events: 1, ms: 1, reasons: [], measurements },
  };
}

function border(
  { server, id }: SpaceMutator,
  key: string,
  values: readonly [safe: bigint, from: bigint, to: bigint],
  ended: BorderRecord['ended'] = 'narrow',
): BorderRecord {
  const [safe, from, to] = values.map(integer) as [typeof ZERO, typeof ZERO, typeof ZERO];
  const rises = { risesFrom: integer(from.value - 10n), risesTo: integer(to.value + 10n) };
  return { parameter: { server, id, key }, safe, from, to, ...rises, ended, odd: [] };
}

const ZERO = integer(0n);

function said(
  attempts: readonly DoneAttempt[],
  {
    mutators = [NET, WAREHOUSE, WIND],
    check,
    shrunk,
    end = { step: 'end', reason: 'attempts' },
  }: {
    readonly mutators?: readonly SpaceMutator[];
    readonly check?: string;
    readonly shrunk?: Partial<ShrunkRecord>;
    readonly end?: RunState['end'];
  } = {},
) {
  const record = {
    ...{ of: 1, cause: 'm', plan: SLOW, tried: 5, failed: 5, ended: 'found' },
    ...{ borders: [], idle: [], ...shrunk },
  };
  const state = {
    ...{ attempts, baselines: [], end },
    shrunkSets: shrunk === undefined ? [] : [record],
  } as unknown as RunState;
  const space: Space = { mutators, maxMutations: 1 };
  return headlineOf({ state, space, measurements: new Map(check ? [['m', { check }]] : []) });
}

const FAILED = attempt(1, SLOW);

test.each([
  [
    'its unit is in its name',
    [planned(WAREHOUSE, { value: 1_013n })],
    [border(WAREHOUSE, 'value', [0n, 840n, 980n])],
    'From 980 ms of warehouse delay on, "m" fails.',
  ],
  [
    'a unit of its own, and a probe that no other mutator of the name has',
    [planned(WIND, { speed: 38n })],
    [border(WIND, 'speed', [0n, 30n, 32n])],
    'From 32 m/s of wind speed on, "m" fails.',
  ],
  [
    'no unit, and a choice that matters',
    SLOW,
    [border(NET, 'delay', [0n, 44n, 50n])],
    'From net delay 50 on and with net mode slow, "m" fails.',
  ],
  [
    'values below the border fail',
    [planned(WIND, { speed: 3n })],
    [border(WIND, 'speed', [40n, 12n, 9n])],
    'At 9 m/s of wind speed or less, "m" fails.',
  ],
  [
    'the rate rises gradually',
    [planned(WIND, { speed: 38n })],
    [border(WIND, 'speed', [0n, 25n, 32n], 'gradual')],
    'From 15 m/s of wind speed on, "m" fails more and more often.',
  ],
  [
    'no border is clear',
    [planned(WIND, { speed: 38n })],
    [border(WIND, 'speed', [0n, 1n, 40n], 'unclear')],
    'With wind speed at 38 m/s, "m" fails.',
  ],
  [
    'two borders',
    [planned(WIND, { speed: 38n }), planned(WAREHOUSE, { value: 900n })],
    [border(WIND, 'speed', [0n, 30n, 32n]), border(WAREHOUSE, 'value', [0n, 840n, 880n])],
    'From 32 m/s of wind speed on and from 880 ms of warehouse delay on, "m" fails.',
  ],
] as const)('a border: %s', (_, plan, borders, text) => {
  expect(said([FAILED], { shrunk: { plan, borders } })).toEqual({
    ...{ verdict: 'failed', text, attempt: 1 },
  });
});

test('mutators of one name are told apart by their probes', () => {
  const other = mutator('wind', [whole('speed', 'm/s')], 'TUNNEL');
  const shrunk = { plan: [planned(WIND, { speed: 38n })] };
  const borders = [border(WIND, 'speed', [0n, 30n, 32n])];
  expect(said([FAILED], { mutators: [WIND, other], shrunk: { ...shrunk, borders } }).text).toBe(
    'From 32 m/s of wind@SIMULATOR speed on, "m" fails.',
  );
});

test('what plays no part, and what has its least effect, is left out', () => {
  const plan = [...SLOW, planned(WIND, { speed: 0n })];
  const { server, id } = NET;
  const idle = [{ server, id, key: 'mode' }];
  const borders = [border(NET, 'delay', [0n, 44n, 50n])];
  expect(said([FAILED], { shrunk: { plan, borders, idle, failed: 4 } }).text).toBe(
    'From net delay 50 on, "m" fails (4 of 5 times).',
  );
});

test('borders that depend on each other are not named together', () => {
  const plan = [planned(WIND, { speed: 38n }), planned(WAREHOUSE, { value: 900n })];
  const borders = [
    border(WIND, 'speed', [0n, 30n, 32n]),
    border(WAREHOUSE, 'value', [0n, 840n, 880n]),
  ];
  expect(said([FAILED], { shrunk: { plan, borders, interacts: true } }).text).toBe(
    'With wind speed at 38 m/s and with warehouse delay at 900 ms, "m" fails.',
  );
});

const group = (key: string, value: string, left: string): Details => ({
  groups: {
    all: 2,
    worst: [
      {
        keys: [{ key, value }],
        holds: false,
        measures: [{ text: 'count() = 1', left, right: '1', holds: false, margin: -1 }],
      },
    ],
  },
});

const near = (text: string, distance: number): Details => {
  const miss = { text, distance, part: 'a -> b', span: { start: 0, end: 1 }, count: '1' };
  return { evidence: [{ why: 'near', binding: {}, near: miss }] };
};

test('a near miss without degrees is not the worst: the measure says by how much it failed', () => {
  const measures = [{ text: 'count() >= 1', left: '0', right: '1', holds: false, margin: -1 }];
  const details = { ...near('a.id 1, b.id 9, wanted a.id = b.id', 1), measures };
  expect(said([attempt(1, SLOW, { margin: -1, details })]).text).toBe(
    '"m" failed in 1 of 1 attempt, with net delay=50 mode=slow; count() was 0, wanted at least 1.',
  );
});

test('the nearest miss of the worst attempt says by how much it failed', () => {
  const late = (ms: number) => near(`BEAT at PILOT came after ${ms}ms, limit 100ms`, ms / 1_000);
  const attempts = [
    attempt(1, SLOW, { margin: -1, details: late(250) }),
    attempt(2, SLOW, { margin: -1, details: late(310) }),
    attempt(3, SLOW, { status: 'holds' }),
  ];
  expect(said(attempts).text).toBe(
    '"m" failed in 2 of 3 attempts, for example with net delay=50 mode=slow; at worst, BEAT at PILOT came after 310ms, limit 100ms.',
  );
  expect(said(attempts.slice(0, 1)).text).toBe(
    '"m" failed in 1 of 1 attempt, with net delay=50 mode=slow; BEAT at PILOT came after 250ms, limit 100ms.',
  );
});

test.each([
  [
    "MATCH (name = 'handled') AS effect AGGREGATE count() = 1 BY effect.id",
    group('effect.id', '7', '2'),
    'handled came twice for id 7, wanted once',
  ],
  [
    "MATCH (name = 'handled') AS effect AGGREGATE count() = 1 BY effect.id",
    group('effect.id', '7', '0'),
    'handled never came for id 7, wanted once',
  ],
  [
    "MATCH (probe = 'SHOP') AS effect AGGREGATE count() = 1 BY effect",
    group('effect', 'SHOP #3', '12'),
    'count() was 12 for effect SHOP #3, wanted 1',
  ],
  [
    undefined,
    {
      measures: [
        {
          text: 'p95(b.time - a.time) < 100ms',
          left: '250000000',
          right: '100000000',
          holds: false,
        },
      ],
    },
    'p95(b.time - a.time) was 250ms, wanted below 100ms',
  ],
] as const)('without a near miss, the worst measure of %s does', (check, details, text) => {
  const attempts = [attempt(1, SLOW, { margin: -1, details: details as Details })];
  expect(said(attempts, check === undefined ? {} : { check }).text).toContain(`; ${text}.`);
});

test('what fails without mutations, or does not repeat, is said to do so', () => {
  expect(said([FAILED], { shrunk: { ended: 'unmutated', plan: [], failed: 4 } }).text).toBe(
    '"m" fails without mutations too, 4 of 5 times.',
  );
  expect(said([FAILED], { shrunk: { ended: 'not-repeated', failed: 0 } }).text).toBe(
    '"m" failed with net delay=50 mode=slow, and then 0 of 5 times.',
  );
});

test('other failures follow', () => {
  const both = attempt(1, SLOW);
  const [first] = both.result.measurements as [MeasurementResult];
  const command = { status: 3, timedOut: false, failure: 'the command exited with status 3' };
  const measurements = [first, { ...first, name: 'other' }];
  const attempts = [{ ...both, result: { ...both.result, measurements, command } }];
  expect(said(attempts).text).toBe(
    '"m" failed in 1 of 1 attempt, with net delay=50 mode=slow. "other" and the command failed too.',
  );
});

test('a run in which all passed says how many attempts there were, and which came closest', () => {
  const passed = (n: number, margin: number, left: string) => {
    const measures = [{ text: 'count() < 10', left, right: '10', holds: true, margin }];
    return attempt(n, SLOW, { status: 'holds', margin, details: { measures } });
  };
  expect(said([attempt(1, SLOW, { status: 'holds' })])).toEqual({
    ...{ verdict: 'passed', text: 'Nothing failed in 1 attempt.' },
  });
  expect(said([passed(1, 0.5, '5'), passed(2, 0.1, '9')]).text).toBe(
    'Nothing failed in 2 attempts; "m" came closest to failing: attempt 2, count() < 10: 9, 90 % of its bound.',
  );
});

test('a run without a verdict says why', () => {
  const interrupted = { step: 'end', reason: 'interrupted' } as const;
  expect(said([attempt(1, SLOW, { status: 'holds' })], { end: interrupted })).toEqual({
    ...{ verdict: 'undecided', text: 'Undecided: interrupted; nothing failed in 1 attempt.' },
  });
  expect(said([])).toEqual({ verdict: 'undecided', text: 'No attempt came to a verdict.' });
  const end = { step: 'end', reason: 'baseline', detail: '"m" failed' } as const;
  expect(said([], { end }).text).toBe('The system fails without mutations: "m" failed.');
});
