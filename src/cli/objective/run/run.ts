import { PerturbError } from '../../../basics/index.js';
import { RunError } from '../../../runner/index.js';
import { resultDestinations } from '../../files/report.js';
import {
  type CommandContext,
  type CommandHandler,
  type ExitCode,
  exitCodes,
  unavailableFailure,
  usageFailure,
} from '../../runtime/command.js';
import { resetRemainingMutators, runAndPrint, showRun } from './carry-out.js';
import { prepareRunFlags, type RunFlags, runArguments, runOptions } from './flags.js';
import { manifestToServe, withOwnServer } from './own-server.js';
import { prepareRun, refuseDifferentSettings } from './prepare.js';
import { previewRun } from './preview.js';

export const help = `
Each attempt injects a set of mutations, runs the command, resets, and measures.
The command writes its events to the file that PERTURB_SESSION names;
PERTURB_ATTEMPT, PERTURB_SEED and PERTURB_PLAN (JSON) describe the attempt.
Exit status 0 of the command passes, 125 is inconclusive, any other fails.
Without a command, an attempt lasts --attempt-time.
[run] in perturb.toml sets the onset and duration of mutations (timing), commands
around attempts (setup, teardown), and a condition for starting (ready).
SIGINT and SIGTERM reset all mutators before the run ends; a second signal ends
the run at once.

Exit codes: 0 every judged attempt passed; 1 some attempts failed, a planned
mutator was never in force, a measurement is vacuous with --fail-vacuous, or the
objective has errors; 2 invalid usage; 4 a server or directory is unavailable, a
mutator could not be reset, the system fails without mutations, nothing was
judged, or the run was interrupted or given up before any failure.

Examples:
  perturb objective run wind.objective.toml --serve mutators.toml -- ./simulate.sh
  perturb objective run wind.objective.toml --server bench -- ./simulate.sh
  perturb objective run wind.objective.toml --plan --seed 7
  perturb objective run wind.objective.toml --out runs/wind --shrink -- ./simulate.sh
  perturb objective run --resume runs/wind
  perturb objective run wind.objective.toml --bench all -- ./simulate.sh
  perturb objective run wind --events flight.session.jsonl --attempt-time 1min
`;

export const args = runArguments;
export const options = runOptions;
export const prepare = prepareRunFlags;

export const hints = {
  'commander.unknownOption':
    'Flags of the command that each attempt runs come after --, as in -- ./simulate.sh --fast.',
};

export const run: CommandHandler<typeof args, typeof options> = async (
  context,
  [word, command],
  flags,
) => {
  if (word === undefined && flags.resume === undefined) {
    throw usageFailure(
      "run needs an objective, or --resume with a run's directory",
      'The command that each attempt runs comes after --.',
    );
  }
  const manifest = await manifestToServe(context, flags);
  return withOwnServer(context, manifest, (own) =>
    runWith(context, word, command, { ...flags, own }),
  );
};

async function runWith(
  context: CommandContext,
  word: string | undefined,
  command: readonly string[],
  flags: RunFlags,
): Promise<ExitCode> {
  const carryOut = async (): Promise<ExitCode | undefined> => {
    const prepared = await prepareRun(context, word, command, flags);
    if (prepared === undefined) return undefined;
    return flags.plan
      ? previewRun(context, prepared, flags)
      : runAndPrint(context, prepared, flags);
  };
  if (flags.resume === undefined || flags.plan) {
    await refuseDifferentSettings(context, word, command, flags);
    return (await carryOut()) ?? exitCodes.findings;
  }
  try {
    await refuseDifferentSettings(context, word, command, flags);
    const code = (await showRun(context, flags, true)) ?? (await carryOut());
    if (code !== undefined) return code;
  } catch (error) {
    // The active mutations may belong to the other run.
    const isOthers = error instanceof RunError && error.code === 'server-in-use';
    const isReset = isOthers || (await resetRemainingMutators(context, flags));
    if (!(error instanceof PerturbError)) throw error;
    const reports = resultDestinations(context.io.cwd, flags);
    if (reports.some(({ file }) => file !== undefined)) {
      // The error reported below is also the reason for any failure here.
      await showRun(context, flags, false).catch(() => undefined);
    }
    if (isReset) throw error;
    throw unavailableFailure(error.message, error.help);
  }
  return (await resetRemainingMutators(context, flags))
    ? exitCodes.findings
    : exitCodes.unavailable;
}
