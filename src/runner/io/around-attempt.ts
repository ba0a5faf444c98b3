import { defined } from '../../values/index.js';
import type { AttemptRecord } from '../journal/records.js';
import type { PreparedAttempt } from '../journal/run-state.js';
import { runShortCommand, shortCommandFailure } from '../short-command.js';
import {
  type AttemptHooks,
  type AttemptReport,
  type AttemptSetup,
  attemptVariables,
  runAttempt,
} from './run-attempt.js';

/* The `[run] setup` and `teardown` commands run before and after an attempt, while no mutation is active. */

/** An attempt's report, with the reason for a failed teardown. */
type FullAttemptReport = AttemptReport & { readonly teardownFailure?: string };

/** Runs the setup, an attempt and the teardown. The teardown runs even if the setup or the attempt fails. */
export async function runFullAttempt(
  setup: AttemptSetup,
  attempt: AttemptRecord,
  hooks: AttemptHooks,
): Promise<FullAttemptReport> {
  const startedAt = performance.now();
  const { n, baseline } = attempt;
  const { bench, record } = setup;
  if (record.teardown !== undefined) {
    try {
      await hooks.journal({ step: 'setup', n, ...defined({ baseline, bench }) });
    } catch (error) {
      return { kind: 'unwritten', error, stuck: [] };
    }
  }
  const runAttemptAfterSetup = async (): Promise<AttemptReport> => {
    const failure = await runCommands('setup', setup, attempt, hooks.signal);
    if (failure === undefined) return runAttempt(setup, attempt, hooks);
    if (hooks.signal.aborted) return { kind: 'interrupted' };
    return toSetupFailure(failure, Math.round(performance.now() - startedAt));
  };
  const results = await Promise.allSettled([runAttemptAfterSetup()]);
  const teardownFailure = await tearDown(setup, attempt, hooks);
  if (results[0].status === 'rejected') throw results[0].reason;
  return { ...results[0].value, ...defined({ teardownFailure }) };
}

/** Returns the report for an attempt whose setup failed. */
function toSetupFailure(reason: string, ms: number): AttemptReport {
  const emptyResult = { measurements: [], events: 0 };
  return {
    kind: 'measured',
    result: { outcome: 'inconclusive', reasons: [reason], ...emptyResult, ms },
  };
}

/**
 * Runs all `teardown` commands, even if a command fails or the run is interrupted, and records the teardown.
 *
 * @returns the reason if a command failed
 */
export async function tearDown(
  setup: AttemptSetup,
  attempt: PreparedAttempt,
  { journal }: Pick<AttemptHooks, 'journal'>,
): Promise<string | undefined> {
  if (setup.record.teardown === undefined) return undefined;
  const failure = await runCommands('teardown', setup, attempt, new AbortController().signal);
  const { n, baseline } = attempt;
  const step = {
    step: 'teardown',
    n,
    ...defined({ baseline, bench: setup.bench, failed: failure }),
  } as const;
  // The attempt has already reported the journal's write error.
  await journal(step).catch(() => {});
  return failure;
}

/** Runs the `setup` or `teardown` commands in sequence. @returns the reason if a command failed */
async function runCommands(
  key: 'setup' | 'teardown',
  { record, env, configDirectory: cwd }: AttemptSetup,
  attempt: PreparedAttempt,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { commands = [], ms: timeoutMs = 0 } = record[key] ?? {};
  const commonSetup = {
    cwd,
    env: { ...env, ...attemptVariables(record, attempt) },
    timeoutMs,
    signal,
  };
  let failure: string | undefined;
  for (const vector of commands) {
    const end = await runShortCommand({ ...commonSetup, vector });
    failure ??= shortCommandFailure(key, { vector, timeoutMs }, end);
    // A partial teardown is better than none; a partial setup is useless.
    if (failure !== undefined && key === 'setup') break;
  }
  return failure;
}
