import { randomBytes, randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { count, type Finding, quote } from '../../../diagnostics/index.js';
import type { CatalogMutator } from '../../../mutators/index.js';
import { loadObjective, type Objective, rules } from '../../../objective/index.js';
import { reporters } from '../../../reporters/index.js';
import {
  createSpace,
  objectiveDigest,
  RunError,
  type RunRecord,
  readJournal,
  type Servers,
  type Space,
  spaceDigest,
  stateOf,
  VERSION,
} from '../../../runner/index.js';
import { decodeSource } from '../../../source/index.js';
import { version } from '../../../version.js';
import type { Config } from '../../config/config.js';
import { readConfig } from '../../config/read-config.js';
import { contextFor } from '../../config/reporter-context.js';
import type { Context } from '../../runtime/command.js';
import { exitCodes } from '../../runtime/exit-codes.js';
import { Failure } from '../../runtime/failure.js';
import { connectServers, durationSetting, serverNames } from './connect-servers.js';
import { ATTEMPT_TIME, type RunFlags } from './flags.js';
import { loadObjectiveBytes, type ObjectiveBytes } from './load-text.js';

/** A run that can begin. */
export interface Prepared {
  readonly objective: Objective;
  readonly space: Space;
  readonly servers: Servers;
  readonly record: RunRecord;
  /** Mutators of the servers that the objective does not mention. */
  readonly leftOut: readonly CatalogMutator[];
}

/**
 * Reads and checks the objective against what the servers have, and finds what may be planned.
 *
 * @returns undefined when the objective has errors, which are reported
 * @throws Failure for anything else that prevents a run
 */
export async function prepareRun(
  context: Context,
  word: string | undefined,
  command: readonly string[],
  given: RunFlags,
): Promise<Prepared | undefined> {
  const config = await readConfig(context, given.config);
  const flags = withSettings(given, config);
  const begun = flags.resume === undefined ? undefined : await begunRun(context, flags.resume);
  const bytes =
    begun === undefined
      ? await loadObjectiveBytes(context, flags, word as string)
      : { origin: begun.objective.origin, bytes: Buffer.from(begun.objective.text) };
  const names = begun?.servers ?? serverNames(flags, config);
  const { servers, catalog } = await connectServers(context.io, flags, names);
  const decoded = decodeSource(bytes.origin, bytes.bytes);
  const { findings, objective } = loadObjective(decoded, { catalog, levels: config.levels });
  if (findings.length > 0) await tellFindings(context, findings);
  if (count(findings).errors > 0) return undefined;
  if (objective === undefined) {
    throw new Failure(
      exitCodes.findings,
      `a silenced finding hides a part of ${bytes.origin}`,
      'Find it with perturb objective lint --no-inline-ignores, or in [lint.rules].',
    );
  }
  const created = createSpace(objective, catalog);
  if ('problems' in created) {
    for (const { message, help } of created.problems) {
      context.io.stderr.write(`error: ${message}\n  ${help}\n`);
    }
    throw new Failure(exitCodes.findings, `${quote(objective.name)} cannot be planned`);
  }
  const { space, leftOut } = created;
  const record = begun ?? newRecord(objective, bytes, space, names, command, flags);
  if (begun !== undefined) refuseToDiffer(flags, begun, objective, space);
  return { objective, space, servers, record, leftOut };
}

/** The flags, with the settings of perturb.toml for those that are not given. */
function withSettings(flags: RunFlags, { run }: Config): RunFlags {
  const attemptTime = flags.attemptTime ?? durationSetting('attempt_time', run.attemptTime);
  const timeout = durationSetting('timeout', run.timeout);
  return {
    ...flags,
    ...(attemptTime !== undefined && { attemptTime }),
    ...(timeout !== undefined && flags.timeoutGiven !== true && { timeout }),
  };
}

async function begunRun({ io }: Context, directory: string): Promise<RunRecord> {
  const path = resolve(io.cwd, directory);
  const { run } = stateOf(await orFail(() => readJournal(path)));
  if (run !== undefined) return run;
  throw toFailure(new RunError('no-run', directory));
}

function newRecord(
  objective: Objective,
  { origin, bytes }: ObjectiveBytes,
  space: Space,
  servers: readonly string[],
  command: readonly string[],
  flags: RunFlags,
): RunRecord {
  return {
    step: 'run',
    version: VERSION,
    id: randomUUID(),
    objective: {
      name: objective.name,
      origin,
      text: new TextDecoder().decode(bytes),
      digest: objectiveDigest(objective),
    },
    // Small enough to be typed again.
    seed: flags.seed ?? BigInt(randomBytes(4).readUInt32LE()),
    strategy: flags.strategy ?? 'mixed',
    catalog: spaceDigest(space),
    servers: [...new Set(servers)],
    attemptMs: flags.attemptTime ?? ATTEMPT_TIME.ms,
    ...(command.length > 0 && { command }),
    ...(flags.events !== undefined && { events: flags.events }),
    shrink: flags.shrink === true,
  };
}

/** A resumed run keeps its plan: otherwise its attempts could not be compared. */
function refuseToDiffer(
  flags: RunFlags,
  begun: RunRecord,
  objective: Objective,
  space: Space,
): void {
  const refuse = (detail: string) => toFailure(new RunError('differs', flags.resume ?? '', detail));
  if (flags.seed !== undefined && flags.seed !== begun.seed) {
    throw refuse(`its seed is ${begun.seed}, not ${flags.seed}`);
  }
  if (flags.strategy !== undefined && flags.strategy !== begun.strategy) {
    throw refuse(`its strategy is ${begun.strategy}, not ${flags.strategy}`);
  }
  if (objectiveDigest(objective) !== begun.objective.digest) {
    throw refuse('its objective was a different one');
  }
  if (spaceDigest(space) !== begun.catalog) {
    throw refuse('the mutators of the servers have changed since it began');
  }
}

/** Does what may throw a RunError, and makes a Failure of it. */
export async function orFail<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof RunError ? toFailure(error) : error;
  }
}

const WRONG_USAGE: ReadonlySet<RunError['code']> = new Set([
  'no-run',
  'holds-run',
  'ended',
  'differs',
]);

function toFailure({ code, message }: RunError): Failure {
  return new Failure(WRONG_USAGE.has(code) ? exitCodes.usage : exitCodes.unavailable, message);
}

/** Findings go to stderr: stdout is for the results of the run. */
async function tellFindings({ io, color }: Context, findings: readonly Finding[]): Promise<void> {
  io.stderr.write(
    await reporters.pretty(
      { findings, fileCount: 1, rules, version },
      contextFor(io, io.stderr, color),
    ),
  );
}
