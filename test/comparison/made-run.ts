import type { ComparedRun } from '../../src/comparison/index.js';
import { PLANNER_VERSION, type Space, strategies, toPlan } from '../../src/runner/index.js';

/** What an attempt came to, where it matters. */
export interface Made {
  readonly outcome?: 'passed' | 'failed' | 'inconclusive' | 'skipped';
  readonly measurements?: readonly object[];
  readonly recovery?: { readonly recovered: boolean; readonly ms: number };
  /** The value of the set; by default that of the strategy. */
  readonly set?: number;
  readonly shrinks?: number;
  readonly repeats?: number;
}

interface Setting {
  readonly strategy?: keyof typeof strategies;
  readonly seed?: bigint;
  readonly server?: string;
  readonly upper?: number;
  readonly record?: object;
  readonly baselines?: readonly Made[];
}

/** A run with one mutator at one server, whose value is from 0 to `upper`. */
export function madeRun(made: readonly Made[], setting: Setting = {}): ComparedRun {
  const { strategy = 'mixed', seed = 1n, server = 'here', upper = 1_000 } = setting;
  const space: Space = {
    mutators: [
      {
        ...{ server, id: `id of ${server}`, name: 'level' },
        dimensions: [{ kind: 'float', key: 'value', name: 'value', lower: 0, upper }],
      },
    ],
    maxMutations: 1,
  };
  const next = strategies[strategy](space, seed);
  const doneOf = (one: Made, at: number) => {
    const { set, shrinks, repeats, outcome = 'passed', measurements = [], recovery } = one;
    const value = { type: 'float', value: set ?? 0 } as const;
    const planned = set === undefined ? next(at) : [{ mutator: 0, values: [value] }];
    return {
      ...{ n: at + 1, plan: toPlan(space, planned), shrinks, repeats },
      result: { n: at + 1, outcome, measurements, recovery, reasons: [] },
    };
  };
  const record = { strategy, seed, planner: PLANNER_VERSION, servers: [server], ...setting.record };
  const attempts = made.map(doneOf);
  const baselines = (setting.baselines ?? []).map(doneOf);
  return { space, state: { run: record, attempts, baselines } } as unknown as ComparedRun;
}

/** So many attempts alike. */
export function times(count: number, made: Made = {}): readonly Made[] {
  return Array.from({ length: count }, () => made);
}
