import type { RunRecord } from '../runner/index.js';
import type { ComparedRun } from './attempts.js';

/** The measurements of two runs, grouped by comparability. */
export interface MatchedMeasurements {
  /** The measurements with the same check in both runs. */
  readonly same: readonly string[];
  /** The measurements with different checks. */
  readonly changed: readonly string[];
  readonly inAAlone: readonly string[];
  readonly inBAlone: readonly string[];
}

/** The checks of a run's measurements, by name. */
type Checks = ReadonlyMap<string, string>;

/** Compares the measurements of two runs. Differences in a check's white space do not matter. */
export function matchMeasurements(a: Checks, b: Checks): MatchedMeasurements {
  const both = [...a.keys()].filter((name) => b.has(name));
  const isSame = (name: string) => words(a.get(name)) === words(b.get(name));
  return {
    same: both.filter(isSame),
    changed: both.filter((name) => !isSame(name)),
    inAAlone: [...a.keys()].filter((name) => !b.has(name)),
    inBAlone: [...b.keys()].filter((name) => !a.has(name)),
  };
}

function words(check = ''): string {
  return check.trim().split(/\s+/).join(' ');
}

/** Names of the run settings that affect recordings or verdicts. */
const SETTINGS = {
  command: 'the command',
  events: '--events',
  polls: 'polls',
  readings: 'readings',
  setup: 'setup',
  teardown: 'teardown',
  ready: 'ready',
  collect: 'collect',
  attemptMs: 'the attempt time',
  timing: 'timing',
  guard: 'the guard',
  recovery: 'recovery',
  order: '--order',
  skew: '--skew',
  budget: '--budget',
  ignoreStatus: 'command_status',
  tolerant: '--tolerant',
} as const satisfies Partial<Record<keyof RunRecord, string>>;

/** Returns the names of the settings that differ between two runs. */
export function differingSettings(a: ComparedRun, b: ComparedRun): readonly string[] {
  return Object.entries(SETTINGS).flatMap(([key, name]) =>
    settingText(a, key as keyof typeof SETTINGS) === settingText(b, key as keyof typeof SETTINGS)
      ? []
      : [name],
  );
}

function settingText({ state: { run } }: ComparedRun, key: keyof typeof SETTINGS): string {
  return JSON.stringify(run?.[key], (_, value) => (typeof value === 'bigint' ? `${value}` : value));
}
