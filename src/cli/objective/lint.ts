import { dirname, relative, resolve } from 'node:path';
import { plural } from '../../basics/index.js';
import { findUnknownMutators } from '../../config/index.js';
import { arrange, isSelectedBy, type RuleMeta } from '../../diagnostics/index.js';
import { namesFor } from '../../mutators/model/index.js';
import { type LintOptions, lint, rules } from '../../objective/index.js';
import { defined } from '../../values/index.js';
import {
  CONFIG_NAME,
  type Config,
  findUpwards,
  printFindings,
  readConfig,
} from '../config/config.js';
import {
  loadMutators,
  loadRecordedSessions,
  type MutatorFlags,
  type Mutators,
  mutatorOptions,
  type RecordedSessionFlags,
  sessionsOption,
} from '../config/sources.js';
import {
  baselineOptions,
  findingFilterOf,
  type RuleFilterFlags,
  ruleFilterOptions,
  withoutBaselineFindings,
  writeBaseline,
} from '../files/baseline.js';
import {
  checkEach,
  displayPath,
  fixOptions,
  ioForReports,
  refuseContradictions,
} from '../files/check-files.js';
import { selectAffectedFiles, selectFiles } from '../files/discover.js';
import { refuseToReplace, report, reportOptions } from '../files/report.js';
import {
  type CommandContext,
  CommandFailure,
  type CommandHandler,
  exitCodes,
  usageFailure,
} from '../runtime/command.js';
import { argument, option } from '../runtime/declare.js';
import { configOption, stdinFilenameOption } from '../runtime/options.js';
import { readingOption, readingsBy } from '../session/reading.js';

export const help = `
Without paths, checks the files that perturb.toml includes, or else every
*.objective.toml below the working directory, except git-ignored files.
Exit codes: 0 nothing at error level, 1 errors found, 2 invalid usage or
configuration, 4 a mutator source is unavailable.

Examples:
  perturb objective lint wind.objective.toml
  perturb objective lint objectives/ --max-warnings 0
  perturb objective lint --mutators bench/mutators.toml
  perturb objective lint --mutators http://127.0.0.1:8080 --api-key-env BENCH_KEY
  perturb objective lint --sessions recordings/ --sessions .perturb/runs
  perturb objective lint 'bench/**/*.toml' --format github --format sarif=lint.sarif
  perturb objective lint --fix objectives/
  perturb objective lint --fix-dry-run --suggested objectives/
  perturb objective lint --only 'expression/*' --statistics
  perturb objective lint --write-baseline perturb-baseline.json
  perturb objective lint --baseline perturb-baseline.json
  perturb objective lint --changed bench/mutators.toml wind.objective.toml
  cat wind.toml | perturb objective lint - --stdin-filename wind.toml
`;

export const args = [argument('[paths...]', 'files, directories, globs, or - for stdin')] as const;

export const options = [
  ...reportOptions,
  ...ruleFilterOptions,
  ...baselineOptions,
  ...mutatorOptions(),
  sessionsOption,
  readingOption,
  ...fixOptions,
  stdinFilenameOption,
  option('--no-inline-ignores', 'also report findings silenced by comments'),
  configOption,
  option(
    '--changed',
    'treat the paths as changed files: check only changed objectives, or all objectives if a manifest, a saved listing or perturb.toml changed',
  ),
] as const;

export const run: CommandHandler<typeof args, typeof options> = async (
  { io, color },
  [paths],
  flags,
) => {
  refuseContradictions(flags);
  const config = await readConfig({ io, color }, flags.config);
  const select = flags.changed ? selectAffectedFiles : selectFiles;
  const { files, problems, findings: idleGlobs } = await select(paths, config, io.cwd);
  await printFindings({ io, color }, idleGlobs);
  if (files.length === 0 && problems.length === 0) return exitCodes.ok;
  refuseToReplace(io.cwd, flags.format, files);
  const known = files.map((file) => displayPath(file, flags));
  const projects = await lintProjects({ io, color }, flags, config, known);
  const allRules = [...rules, ...projects.rules];
  const isChosen = findingFilterOf(flags, allRules);
  refuseIdle(flags, allRules, projects);
  const unchecked = new Set<string>();
  const usable = files.filter((file) => projects.hasSettings(displayPath(file, flags)));
  const checked = await checkEach(io, usable, flags, (decoded) => {
    const options = projects.optionsOf(decoded.source.path);
    if (options.catalog === undefined && decoded.source.text.includes('\n[[mutator]]'))
      unchecked.add(decoded.source.path);
    return lint(decoded, options);
  });
  if (unchecked.size > 0 && !flags.quiet && projects.findings.length === 0) {
    const which = unchecked.size === files.length ? '' : ` of ${plural(unchecked.size, 'file')}`;
    const how = 'name a source with --mutators or in perturb.toml';
    io.stderr.write(`perturb: mutators${which} not checked: ${how}\n`);
  }
  const found = arrange([...projects.findings, ...checked.findings].filter(isChosen));
  // Relative to the working directory, as on the command line.
  const ofConfig = config.baseline && relative(io.cwd, resolve(config.directory, config.baseline));
  const baseline = flags.baseline ?? ofConfig;
  const checkedPaths = usable.map((file) => displayPath(file, flags));
  const compared =
    flags.writeBaseline !== undefined
      ? {
          findings: [],
          known: await writeBaseline(io, flags.writeBaseline, found, checkedPaths, isChosen),
        }
      : baseline === undefined
        ? { findings: found, known: 0 }
        : await withoutBaselineFindings(io, baseline, found, usable);
  const unread = [...problems, ...projects.unusable, ...checked.unread];
  const outcome = { ...compared, fileCount: checked.fileCount, rules: allRules, unread };
  return report(ioForReports(io, flags, paths), color, flags, outcome);
};

/**
 * The input that each group's rules need in addition to objectives, and the help for missing input.
 */
const NEEDS = {
  catalog: ['mutators', 'Pass a source with --mutators, or list it in perturb.toml.'],
  recorded: ['recorded sessions', 'Pass sessions with --sessions, or list them in perturb.toml.'],
} as const;

/** Throws a CommandFailure (usage) if the rules selected by `--only` cannot check anything. */
function refuseIdle(
  { only }: RuleFilterFlags,
  rules: readonly RuleMeta[],
  { options, findings }: Awaited<ReturnType<typeof lintProjects>>,
): void {
  // Missing files are already reported.
  for (const word of options.length === 0 ? [] : only) {
    const refuse = (why: string, help: string) =>
      usageFailure(`nothing was checked: --only selects ${word}, ${why}`, help);
    const asked = rules.filter(({ id }) => isSelectedBy(id, word));
    const on = options.filter(({ levels }) =>
      asked.some(({ id, off }) => (levels?.get(id) ?? (off ? 'off' : 'on')) !== 'off'),
    );
    if (on.length === 0) {
      throw refuse('which is off', 'Set its level in [lint.rules] of perturb.toml.');
    }
    const [group] = word.split('/');
    if (group !== 'catalog' && group !== 'recorded') continue;
    if (on.some((project) => project[group])) continue;
    const [what, help] = NEEDS[group];
    const isBroken = group === 'catalog' && findings.length > 0;
    const broken = 'A manifest has errors: perturb mutators lint shows them.';
    throw refuse(`but there are no ${what} to check against`, isBroken ? broken : help);
  }
}

interface ProjectFlags extends MutatorFlags, RecordedSessionFlags {
  readonly config?: string;
  readonly reading?: string;
  readonly inlineIgnores: boolean;
}

/**
 * Returns the lint settings for each file, from the nearest perturb.toml above the file, or from
 * `--config`, including mutators and sessions. Reads sources named by flags only once.
 *
 * @param config the working directory's configuration
 * @param files paths as typed
 * @returns the options for each file and each project, the reasons for unchecked projects, the
 *   manifests' findings, and the rules that can produce these findings
 * @throws CommandFailure if a source cannot be used, or for `--reading` without recorded sessions
 */
export async function lintProjects(
  context: CommandContext,
  flags: ProjectFlags,
  config: Config,
  files: readonly string[],
) {
  const { io } = context;
  const named = flags.mutators.length > 0 ? await loadMutators(io, flags, config) : undefined;
  const recordedFor = await loadRecordedSessions(io, flags, config, (own) =>
    readingsBy(io.cwd, own, defined({ reading: flags.reading })),
  );
  const loaded: Mutators[] = [];
  const load = async (own: Config): Promise<LintOptions> => {
    const mutators = named ?? (await loadMutators(io, flags, own));
    const recorded = await recordedFor(own);
    loaded.push(mutators);
    if (mutators.catalog !== undefined) {
      const names = mutators.catalog.mutators.flatMap(namesFor);
      await printFindings(context, findUnknownMutators(own, { of: 'the catalog', names }));
    }
    return {
      ...{ inlineIgnores: flags.inlineIgnores, levels: own.levels },
      ...(mutators.catalog && { catalog: mutators.catalog }),
      ...(recorded && { recorded }),
    };
  };
  const directoryOf = (file: string): string => dirname(resolve(io.cwd, file));
  const projectOf = (directory: string): string | undefined =>
    findUpwards(flags.config === undefined ? directory : io.cwd, CONFIG_NAME);
  const here = projectOf(io.cwd);
  const ofProject = new Map<string | undefined, LintOptions>();
  const ofDirectory = new Map<string, LintOptions>();
  /** The reasons for unusable settings, by project. */
  const unusable = new Map<string | undefined, string>();
  /** Returns a project's settings; undefined if the settings cannot be used. */
  const settingsOf = async (project: string | undefined, directory: string) => {
    if (project === here) return config;
    return readConfig(context, undefined, directory).catch((error: unknown) => {
      if (!(error instanceof CommandFailure)) throw error;
      const shown = relative(io.cwd, project ?? directory);
      unusable.set(project, `the files of ${shown} are not checked: ${error.message}`);
      return undefined;
    });
  };
  for (const directory of new Set(files.map(directoryOf))) {
    const project = projectOf(directory);
    if (unusable.has(project)) continue;
    const known = ofProject.get(project);
    const settings = known === undefined ? await settingsOf(project, directory) : undefined;
    const options = known ?? (settings && (await load(settings)));
    if (options === undefined) continue;
    ofProject.set(project, options);
    ofDirectory.set(directory, options);
  }
  if (flags.reading !== undefined && ![...ofProject.values()].some(({ recorded }) => recorded)) {
    throw usageFailure(
      '--reading has no effect without recorded sessions',
      'List sessions in perturb.toml, or pass them to "perturb objective lint" with --sessions.',
    );
  }
  return {
    optionsOf: (file: string): LintOptions => ofDirectory.get(directoryOf(file)) ?? {},
    hasSettings: (file: string): boolean => ofDirectory.has(directoryOf(file)),
    unusable: [...unusable.values()],
    options: [...ofProject.values()],
    findings: loaded.flatMap(({ findings }) => findings),
    rules: [...new Set(loaded.flatMap((mutators) => mutators.rules))],
  };
}
