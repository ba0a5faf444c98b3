import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { arrange, count, quote } from '../../diagnostics/index.js';
import {
  canonicalJson,
  canonicalStoppingConditions,
  compareObjectives,
  loadObjective,
  type Objective,
  rules,
} from '../../objective/index.js';
import type { Candidate, Registration, RevisionOrigin } from '../../store/index.js';
import { version } from '../../version.js';
import { type Config, printFindings, readConfig, repositoryRoot } from '../config/config.js';
import { mutatorOptions } from '../config/sources.js';
import { checkEach, displayPath } from '../files/check-files.js';
import { selectFiles } from '../files/discover.js';
import { type LintOutcome, report } from '../files/report.js';
import {
  type CommandContext,
  CommandFailure,
  type CommandHandler,
  type ExitCode,
  exitCodes,
} from '../runtime/command.js';
import { argument, type FlagsOf, option } from '../runtime/declare.js';
import { formatOption, stdinFilenameOption } from '../runtime/options.js';
import { readingOption } from '../session/reading.js';
import { lintProjects } from './lint.js';
import { silencedFailure } from './load.js';
import { changesText, referenceText, registrationToJson } from './objective-values.js';
import { storeLocationOptions, withStoreOf } from './store.js';

export const help = `
Checks the files like "perturb objective lint". If there are no errors, it
registers every objective under its name; otherwise it registers none.
Exit codes: 0 stored or unchanged, 1 rejected, 2 invalid usage or configuration,
4 the store or a mutator source is unavailable.

Examples:
  perturb objective create wind.objective.toml
  perturb objective create objectives/ --mutators bench/mutators.toml
  perturb objective create wind.objective.toml --update
  perturb objective create wind.objective.toml --store postgres://lab@db.example/perturb
`;

export const args = [argument('<paths...>', 'files, directories, globs, or - for stdin')] as const;

export const options = [
  formatOption(),
  ...storeLocationOptions,
  option('--update', 'store changed content as the next revision'),
  option('--dry-run', 'check without storing, and show the changes'),
  ...mutatorOptions(),
  readingOption,
  stdinFilenameOption,
  option('--no-inline-ignores', 'also report findings silenced by comments'),
] as const;

export const run: CommandHandler<typeof args, typeof options> = async (context, [paths], flags) => {
  const { io, color } = context;
  const config = await readConfig(context, flags.config);
  const { files, problems, findings: idleGlobs } = await selectFiles(paths, config, io.cwd);
  await printFindings(context, idleGlobs);
  const known = files.map((file) => displayPath(file, flags));
  const projects = await lintProjects(context, { ...flags, sessions: [] }, config, known);
  const loaded: (Omit<Accepted, 'objective'> & { readonly objective?: Objective | undefined })[] =
    [];
  const usable = files.filter((file) => projects.hasSettings(displayPath(file, flags)));
  const checked = await checkEach(io, usable, flags, (decoded, bytes) => {
    const { path } = decoded.source;
    const { findings, objective } = loadObjective(decoded, projects.optionsOf(path));
    loaded.push({ path, bytes, objective });
    return findings;
  });
  const outcome: LintOutcome = {
    findings: arrange([...projects.findings, ...checked.findings]),
    fileCount: checked.fileCount,
    rules: [...rules, ...projects.rules],
    unread: [...problems, ...projects.unusable, ...checked.unread],
  };
  if (outcome.unread.length > 0 || count(outcome.findings).errors > 0) {
    return report(io, color, { format: [{ format: flags.format }] }, outcome);
  }
  const accepted = loaded.map(({ objective, ...file }) => {
    if (objective !== undefined) return { ...file, objective };
    throw silencedFailure(file.path, 'nothing was stored: ');
  });
  refuseSameNames(accepted);
  return registerObjectives(context, flags, config, accepted, outcome);
};

/** Refuses objectives with the same name, because it is unclear which objective to register. */
function refuseSameNames(accepted: readonly Accepted[]): void {
  const paths = new Map<string, string>();
  for (const { path, objective } of accepted) {
    const { name } = objective;
    const other = paths.get(name);
    if (other !== undefined) {
      const message = `nothing was stored: ${other} and ${path} have the same name ${quote(name)}`;
      throw new CommandFailure(exitCodes.findings, message, 'Rename one of them.');
    }
    paths.set(name, path);
  }
}

/** Refuses a new name that looks like another name, because one of the two is probably a typo. */
function refuseLookalikes(names: readonly string[], stored: readonly string[]): void {
  const known = new Set(stored);
  const firstByLook = new Map<string, string>();
  for (const name of known) firstByLook.set(lookOf(name), name);
  for (const name of names) {
    if (known.has(name)) continue;
    const look = lookOf(name);
    const other = firstByLook.get(look);
    firstByLook.set(look, other ?? name);
    if (other === undefined) continue;
    const message = `nothing was stored: the names ${spelled(other)} and ${spelled(name)} look alike`;
    throw new CommandFailure(
      exitCodes.findings,
      message,
      'Use the same name for both, or rename one.',
    );
  }
}

/**
 * Returns a normalized name, which is equal for names that look alike. Removes invisible
 * characters, collapses white space and composes letters.
 */
function lookOf(name: string): string {
  const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
  return name.normalize('NFC').replace(invisible, '').replace(/\s+/g, ' ').trim();
}

/** Quotes a name, and escapes all non-ASCII characters. */
function spelled(name: string): string {
  const escaped = (character: string) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  return JSON.stringify(name).replace(/[^ -~]/gu, escaped);
}

interface Accepted {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly objective: Objective;
}

/** Maximum number of differences to show; `objective diff` shows all. */
const MOST_CHANGES = 5;

/** Registers the objectives accepted by lint, and prints the outcomes. */
async function registerObjectives(
  context: CommandContext,
  flags: FlagsOf<typeof options>,
  config: Config,
  accepted: readonly Accepted[],
  outcome: LintOutcome,
): Promise<ExitCode> {
  const { io, color } = context;
  const originOf = originsIn(io.cwd);
  const candidates = accepted.map((one) => toCandidate(one, originOf(one.path)));
  const { update = false, dryRun = false } = flags;
  const whenMissing = dryRun ? 'pretend' : 'create';
  const registrations = await withStoreOf(context, flags, config, whenMissing, async (store) => {
    refuseLookalikes(
      candidates.map(({ name }) => name),
      await store.names(),
    );
    return store.register(candidates, { update, dryRun });
  });
  const registered = registrations.map((registration, index) => {
    return { ...registration, canonical: (candidates[index] as Candidate).canonical };
  });
  const refused = registered.filter((one) => one.refused);
  if (flags.format === 'json') {
    const stored = refused.length === 0 && !dryRun;
    const objectives = registered.map((one) => registrationToJson(one, one.canonical));
    const beside = { stored, objectives };
    await report(io, color, { format: [{ format: 'json' }] }, { ...outcome, beside });
    return refused.length > 0 ? exitCodes.findings : exitCodes.ok;
  }
  // Findings go to stderr, because stdout is for registrations.
  if (outcome.findings.length > 0) {
    await report({ ...io, stdout: io.stderr }, color, { format: [] }, outcome);
  }
  if (refused.length > 0) {
    io.stderr.write(`perturb: nothing was stored\n${refused.map(refusalText).join('')}`);
    return exitCodes.findings;
  }
  io.stdout.write(registered.map(resultText).join(''));
  if (dryRun) io.stderr.write('perturb: dry run: nothing was stored\n');
  return exitCodes.ok;
}

function toCandidate({ bytes, objective }: Accepted, origin: RevisionOrigin): Candidate {
  const { name, measurements, mutators, stoppingConditions } = objective;
  const stop = canonicalStoppingConditions(stoppingConditions);
  const summary = { measurements: measurements.length, mutators: mutators.length, stop };
  return { name, original: bytes, canonical: canonicalJson(objective), summary, origin };
}

type Registered = Registration & Pick<Candidate, 'canonical'>;

function resultText(one: Registered): string {
  const changes = one.outcome === 'updated' ? summaryOf(one) : '';
  return `${one.outcome} ${referenceText(one.name, one.revision)}\n${changes}`;
}

function refusalText(one: Registered): string {
  const { outcome, name, revision } = one;
  const reference = referenceText(name, revision);
  return outcome === 'deleted'
    ? `${reference} was deleted; restore it with objective delete --undo or --update\n`
    : `${reference} differs:\n${summaryOf(one)}Use --update to store this as revision ${revision + 1}.\n`;
}

function summaryOf({ previous = '{}', canonical }: Registered): string {
  const changes = compareObjectives(previous, canonical);
  const more = changes.length - MOST_CHANGES;
  return changesText(changes.slice(0, MOST_CHANGES)) + (more > 0 ? `  and ${more} more\n` : '');
}

/**
 * Returns a function that finds an objective's origin: the file's path relative to its repository,
 * otherwise to the working directory, and the repository's commit. Accepts paths as typed, and `-`
 * for stdin.
 */
function originsIn(cwd: string): (path: string) => RevisionOrigin {
  const commits = new Map<string, string | undefined>();
  const rules = ruleSetVersion();
  return (path) => {
    if (path === '-') return { rules };
    const file = resolve(cwd, path);
    const root = repositoryRoot(dirname(file));
    if (!existsSync(join(root, '.git'))) return { rules, path: relativePath(cwd, file) };
    if (!commits.has(root)) commits.set(root, commitOf(root));
    const commit = commits.get(root);
    return { rules, path: relativePath(root, file), ...(commit !== undefined && { commit }) };
  };
}

/**
 * Returns a relative path with slashes. Outside the root, returns only the file's name, because the
 * location means nothing to other users.
 */
function relativePath(root: string, file: string): string {
  const path = relative(root, file);
  const outside = path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
  return (outside ? file.split(sep).slice(-1) : path.split(sep)).join('/');
}

/** Returns the program's version and a hash of its rules, as in `0.1.0+1f2e3d4c`. */
function ruleSetVersion(): string {
  const ids = rules.map(({ id, severity }) => `${id} ${severity}\n`).sort();
  const hash = createHash('sha256').update(ids.join('')).digest('hex');
  return `${version}+${hash.slice(0, 8)}`;
}

/**
 * Returns a repository's current commit; undefined without git, or before the first commit.
 *
 * @param root the directory that contains `.git`
 */
export function commitOf(root: string): string | undefined {
  // Overrides GIT_DIR, which git hooks set.
  const directory = `--git-dir=${join(root, '.git')}`;
  const words = [directory, 'rev-parse', '--verify', '--quiet', 'HEAD'];
  const { status, stdout } = spawnSync('git', words, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return status === 0 ? stdout.trim() : undefined;
}
