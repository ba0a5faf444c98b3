import { stringify } from 'lossless-json';
import { arrange } from '../../diagnostics/index.js';
import {
  canonicalJson,
  canonicalStoppingConditions,
  compareObjectives,
  type Objective,
  rules,
} from '../../objective/index.js';
import { jsonDocument, toJson } from '../../reporters/index.js';
import type { Candidate, Registration, RevisionOrigin } from '../../store/index.js';
import { version } from '../../version.js';
import type { Config } from '../config/config.js';
import { type Outcome, report } from '../files/report.js';
import type { Context } from '../runtime/command.js';
import { type ExitCode, exitCodes } from '../runtime/exit-codes.js';
import type { FormatFlags } from '../terminal/output-format.js';
import { registrationToJson } from './objective-json.js';
import { changesText, referenceText } from './objective-text.js';
import { originsIn, ruleSetVersion } from './origin.js';
import { type StoreFlags, withStoreOf } from './store.js';

/** A file whose objective has no errors. */
export interface Accepted {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly objective: Objective;
}

export interface RegisterFlags extends StoreFlags, FormatFlags {
  readonly update?: true;
  readonly dryRun?: true;
}

/** How many differences are shown; `objective diff` shows all of them. */
const MOST_CHANGES = 5;

/** Registers objectives that lint has accepted, and prints what became of each. */
export async function registerObjectives(
  context: Context,
  flags: RegisterFlags,
  config: Config,
  accepted: readonly Accepted[],
  outcome: Outcome,
): Promise<ExitCode> {
  const { io, color } = context;
  const originOf = originsIn(io.cwd, ruleSetVersion(rules));
  const candidates = accepted.map((one) => toCandidate(one, originOf(one.path)));
  const { update = false, dryRun = false } = flags;
  const whenMissing = dryRun ? 'pretend' : 'create';
  const registrations = await withStoreOf(context, flags, config, whenMissing, (store) =>
    store.register(candidates, { update, dryRun }),
  );
  const registered = registrations.map((registration, index) => ({
    registration,
    candidate: candidates[index] as Candidate,
  }));
  const refused = registered.filter(({ registration }) => registration.refused);
  if (flags.format === 'json') {
    const findings = arrange(outcome.findings);
    const document = {
      ...jsonDocument({ ...outcome, findings, version }),
      stored: refused.length === 0 && !dryRun,
      objectives: registered.map(({ registration, candidate }) =>
        registrationToJson(registration, candidate.canonical),
      ),
    };
    io.stdout.write(toJson(document, (value) => stringify(value, null, 2) as string));
    return refused.length > 0 ? exitCodes.findings : exitCodes.ok;
  }
  // What was stored has stdout to itself.
  if (outcome.findings.length > 0) {
    await report({ ...io, stdout: io.stderr }, color, { format: [] }, outcome);
  }
  if (refused.length > 0) {
    io.stderr.write(`perturb: nothing was stored\n${refused.map(refusalText).join('')}`);
    return exitCodes.findings;
  }
  io.stdout.write(registered.map(resultText).join(''));
  if (dryRun) io.stderr.write('perturb: a dry run, nothing was stored\n');
  return exitCodes.ok;
}

function toCandidate({ bytes, objective }: Accepted, origin: RevisionOrigin): Candidate {
  const canonical = canonicalJson(objective);
  return {
    name: objective.name,
    original: bytes,
    canonical,
    summary: {
      measurements: objective.measurements.length,
      mutators: objective.mutators.length,
      stop: canonicalStoppingConditions(objective.stoppingConditions),
    },
    origin,
  };
}

interface Registered {
  readonly registration: Registration;
  readonly candidate: Candidate;
}

function resultText({ registration, candidate }: Registered): string {
  const { outcome, name, revision } = registration;
  const changes = outcome === 'updated' ? summaryOf(registration, candidate) : '';
  return `${outcome} ${referenceText(name, revision)}\n${changes}`;
}

function refusalText({ registration, candidate }: Registered): string {
  const { outcome, name, revision } = registration;
  const reference = referenceText(name, revision);
  return outcome === 'deleted'
    ? `${reference} was deleted: bring it back with objective restore, or with --update\n`
    : `${reference} differs:\n${summaryOf(registration, candidate)}Use --update to store this as revision ${revision + 1}.\n`;
}

function summaryOf({ previous = '{}' }: Registration, { canonical }: Candidate): string {
  const changes = compareObjectives(previous, canonical);
  const more = changes.length - MOST_CHANGES;
  return changesText(changes.slice(0, MOST_CHANGES)) + (more > 0 ? `  and ${more} more\n` : '');
}
