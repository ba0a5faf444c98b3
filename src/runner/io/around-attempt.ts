import { defined } from '../../values/index.js';
import type { AttemptRecord } from '../journal/records.js';
import type { SetUp } from '../journal/run-state.js';
import { runShortCommand, shortCommandFailure } from '../short-command.js';
import {
  type AttemptHooks,
  type AttemptReport,
  type AttemptSetup,
  attemptVariables,
  runAttempt,
} from './run-attempt.js';

/* The commands of `[run] setup` and `teardown`, before and after an attempt, while no mutation is in force. */

/** The report of an attempt, with the reason if its teardown failed. */
type SurroundedReport = AttemptReport & { readonly notTornDown?: string };

/** Makes one attempt between its setup and its teardown, which always runs. */
export async function runSurroundedAttempt(
  setup: AttemptSetup,
  announced: AttemptRecord,
  hooks: AttemptHooks,
): Promise<SurroundedReport> {
  const begun = performance.now();
  const { n, baseline } = announced;
  const { bench, record } = setup;
  if (record.teardown !== undefined) {
    try {
      await hooks.journal({ step: 'setup', n, ...defined({ baseline, bench }) });
    } catch (error) {
      return { kind: 'unwritten', error, stuck: [] };
    }
  }
  const attempt = async (): Promise<AttemptReport> => {
    const failed = await runCommands('setup', setup, announced, hooks.signal);
    if (failed === undefined) return runAttempt(setup, announced, hooks);
    if (hooks.signal.aborted) return { kind: 'interrupted' };
    return unprepared(failed, Math.round(performance.now() - begun));
  };
  const made = await Promise.allSettled([attempt()]);
  const notTornDown = await tearDown(setup, announced, hooks);
  if (made[0].status === 'rejected') throw made[0].reason;
  return { ...made[0].value, ...defined({ notTornDown }) };
}

/** Returns the report of an attempt whose setup failed. */
function unprepared(reason: string, ms: number): AttemptReport {
  const nothing = { measurements: [], events: 0 };
  return {
    kind: 'measured',
    result: { outcome: 'inconclusive', reasons: [reason], ...nothing, ms },
  };
}

/**
 * Runs the commands of `teardown`, even when the run is interrupted, and records it.
 *
 * @returns the reason if one failed: the others ran nevertheless
 */
export async function tearDown(
  setup: AttemptSetup,
  announced: SetUp,
  { journal }: Pick<AttemptHooks, 'journal'>,
): Promise<string | undefined> {
  if (setup.record.teardown === undefined) return undefined;
  const failed = await runCommands('teardown', setup, announced, new AbortController().signal);
  const { n, baseline } = announced;
  const step = {
    step: 'teardown',
    n,
    ...defined({ baseline, bench: setup.bench, failed }),
  } as const;
  // The attempt has already reported that its journal cannot be written.
  await journal(step).catch(() => {});
  return failed;
}

/** Runs the commands of a key, one after another. @returns the reason if one failed */
async function runCommands(
  key: 'setup' | 'teardown',
  { record, env, configDirectory: cwd }: AttemptSetup,
  announced: SetUp,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { commands = [], ms: timeoutMs = 0 } = record[key] ?? {};
  const common = {
    cwd,
    env: { ...env, ...attemptVariables(record, announced) },
    timeoutMs,
    signal,
  };
  let failed: string | undefined;
  for (const vector of commands) {
    const end = await runShortCommand({ ...common, vector });
    failed ??= shortCommandFailure(key, { vector, timeoutMs }, end);
    // A partial teardown is better than none; a partial setup is useless.
    if (failed !== undefined && key === 'setup') break;
  }
  return failed;
}
