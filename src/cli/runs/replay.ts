import { plural } from '../../basics/index.js';
import type { RunRecord } from '../../runner/index.js';
import { defined } from '../../values/index.js';
import { serverOptions } from '../config/sources.js';
import { resultOptions } from '../files/report.js';
import { runAndPrint, unusedDirectory } from '../objective/run/carry-out.js';
import { parseAttemptCount, type RunFlags, recordGivenFlags } from '../objective/run/flags.js';
import { withOwnServer } from '../objective/run/own-server.js';
import { prepareRun } from '../objective/run/prepare.js';
import { type CommandHandler, exitCodes, usageFailure } from '../runtime/command.js';
import { argument, option, repeatedOption } from '../runtime/declare.js';
import { configOption } from '../runtime/options.js';
import { findRun, RUN_WORD } from './find-run.js';
import { attemptOf, readRun } from './show.js';

export const help = `
Injects the attempt's set again, and starts the run's command in this directory,
with the same seed, plan and number in its environment. The replay is a separate
run; the original is not changed.

Exit codes: those of perturb objective run.

Examples:
  perturb runs replay last --attempt 3
  perturb runs replay runs/wind --attempt 3 --times 5 --out runs/wind-3
`;

export const args = [argument('<run>', RUN_WORD)] as const;

export const options = [
  option('--attempt <n>', 'attempt to repeat', { read: parseAttemptCount, isRequired: true }),
  option('--times <n>', 'number of repetitions', { read: parseAttemptCount, byDefault: 1 }),
  option('--out <directory>', 'directory for the replay (default: next to the run)'),
  repeatedOption(
    '-s, --server <server>',
    'current server of the run, in the same order; may be repeated',
    'the original servers',
  ),
  configOption,
  ...resultOptions,
  ...serverOptions,
] as const;

export const prepare = recordGivenFlags;

export const run: CommandHandler<typeof args, typeof options> = async (context, [word], given) => {
  const { io } = context;
  const directory = await findRun(io, word);
  const { run, state } = await readRun(io, directory);
  const { bench, plan: made } = attemptOf(state, given.attempt);
  const placed = (server: string) => placeOf(server, run, given.server);
  const plan = made.map((one) => ({ ...one, server: placed(one.server) }));
  const servers = run.servers.map(placed);
  const serve = given.server.length > 0 ? undefined : run.serve;
  // With other servers, there is no bench, and the run itself serves no manifest.
  const { benches: _, serve: __, ...rest } = { ...run, servers };
  const record = { ...rest, ...defined({ serve }) };
  const at = bench === undefined || given.server.length > 0 ? [] : [bench];
  const {
    attempt,
    times,
    out = unusedDirectory(io.cwd, `${directory.replace(/\/+$/, '')}-attempt-${given.attempt}`),
    ...common
  } = given;
  // A replay of a replay repeats the original attempt.
  const replay = { run: record.id, attempt: record.replay?.attempt ?? attempt, plan, times };
  // The run's original settings are in the record.
  const flags: RunFlags = {
    ...common,
    out,
    server: [],
    only: [],
    expect: [],
    poll: [],
    events: [],
    bench: at,
    baseline: 0,
    patience: 0,
  };
  return withOwnServer(context, serve, async (own) => {
    const prepared = await prepareRun(
      context,
      undefined,
      [],
      { ...flags, own },
      { record, replay },
    );
    return prepared === undefined
      ? exitCodes.findings
      : runAndPrint(context, prepared, { ...flags, own });
  });
};

/**
 * Returns the current server that replaces a run's server.
 *
 * @throws CommandFailure (usage) if the number of servers differs from the run's
 */
function placeOf(server: string, { servers }: RunRecord, given: readonly string[]): string {
  if (given.length === 0) return server;
  const place = given[servers.indexOf(server)];
  if (place !== undefined && given.length === servers.length) return place;
  throw usageFailure(
    `--server is used ${plural(given.length, 'time')}, but the run has ${plural(servers.length, 'server')}`,
    `Pass --server for each of ${servers.join(', ')}, in this order.`,
  );
}
