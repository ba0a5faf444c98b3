import { isAbsolute, join } from 'node:path';
import {
  arrange,
  type Finding,
  groupOf,
  type Level,
  type RuleMeta,
  runRules,
  toFinding,
} from '../diagnostics/index.js';
import type { DecodedSource } from '../source/index.js';
import { readToml, type TomlDocument, type TomlReading, validate } from '../toml/index.js';
import { defined } from '../values/index.js';
import { configFormat, KEY_VARIABLE } from './format.js';
import { findVariables, type PollDrafts, type PollSettings, toPoll } from './polls.js';
import { type NamedReading, toReadings } from './readings.js';
import {
  type ForbiddenVariable,
  fileRules,
  type KnownMutators,
  unknownMutatorTiming,
  unmatchedGlob,
} from './rules.js';
import { type TimingSettings, toTiming } from './timing.js';

/** The settings of a perturb.toml. Missing settings stay absent or empty, because each command has its own defaults. */
export interface Settings {
  /** The parsed file; absent if the file is missing or is not valid TOML. */
  readonly document?: TomlDocument;
  readonly include?: readonly string[];
  readonly exclude: readonly string[];
  /** Paths, URLs and server names, as written. */
  readonly mutators: readonly string[];
  /** Files, directories and globs of recorded sessions, as written. */
  readonly sessions: readonly string[];
  /** The path of a baseline, as written. */
  readonly baseline?: string;
  readonly levels: ReadonlyMap<string, Level>;
  readonly servers: ReadonlyMap<string, Server>;
  readonly benches: ReadonlyMap<string, BenchSettings>;
  /** The polls in file order. */
  readonly polls: readonly PollSettings[];
  readonly storeUrl?: string;
  readonly readings: readonly NamedReading[];
  readonly run: RunSettings;
  /** True if a vacuous measurement is a failure. */
  readonly failVacuous: boolean;
  /** Event names, probe names, attribute names and string values that passing sessions may lack. */
  readonly expected: readonly string[];
}

/** The settings for running objectives; durations as written. */
export interface RunSettings {
  /** URLs and names of servers. */
  readonly servers?: readonly string[];
  readonly timeout?: string;
  readonly attemptTime?: string;
  /** The treatment of the command's exit status. */
  readonly commandStatus?: 'judge' | 'ignore';
  readonly tolerant?: boolean;
  readonly serve?: string;
  /** Programs with their arguments, like `teardown` and `collect`. */
  readonly setup?: Commands;
  readonly setupTime?: string;
  readonly teardown?: Commands;
  readonly teardownTime?: string;
  /** An expression, or a program with its arguments. */
  readonly ready?: string | readonly string[];
  readonly readyTime?: string;
  readonly collect?: Commands;
  readonly collectTime?: string;
  /** A trace expression. */
  readonly recovery?: string;
  readonly recoveryTime?: string;
  readonly timing?: TimingSettings;
  /** The `[guard]` expression. */
  readonly guard?: string;
}

type Commands = readonly (readonly string[])[];

/** A mutator server configured by name. */
export interface Server {
  readonly url: string;
  readonly apiKeyEnv?: string;
}

/** A bench configured by name. */
export interface BenchSettings {
  /** URLs and names of servers. */
  readonly servers: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The settings of a project without a perturb.toml. */
export const NO_SETTINGS: Settings = {
  exclude: [],
  mutators: [],
  sessions: [],
  levels: new Map(),
  servers: new Map(),
  benches: new Map(),
  polls: [],
  readings: [],
  run: {},
  failVacuous: false,
  expected: [],
};

/**
 * Parses a perturb.toml. Does not throw on invalid content.
 *
 * @param rules the rules with configurable levels
 * @param isOwn true for the user's own file, which may name any variable
 * @returns the valid settings, and the file's findings
 */
export function readSettings(
  decoded: DecodedSource,
  rules: readonly RuleMeta[],
  isOwn = false,
): { readonly settings: Settings; readonly findings: readonly Finding[] } {
  const { settings, findings } = settingsOf(readToml(decoded), rules, isOwn);
  return { settings, findings: arrange(findings) };
}

/** Returns a parsed TOML document's settings, and its findings in no particular order. */
export function settingsOf(
  { document, findings: unreadable }: TomlReading,
  rules: readonly RuleMeta[],
  isOwn = false,
): { readonly settings: Settings; readonly findings: readonly Finding[] } {
  if (document === undefined) return { settings: NO_SETTINGS, findings: unreadable };
  const findings = [...unreadable];
  const { value, misfits } = validate(document, configFormat);
  const { lint, language, servers, benches, polls, store, run, guard, measure, recorded } =
    value.keys;
  const readings = toReadings(value.keys.reading);
  const writtenLevels = lint?.keys.rules?.entries ?? NO_SETTINGS.levels;
  const levels = withLanguage(withGroups(writtenLevels, rules), language?.keys.extensions);
  const pollDrafts: PollDrafts = polls?.entries ?? new Map();
  const benchVariables = [...(benches?.entries.values() ?? [])].flatMap(({ keys }) => [
    ...(keys.env?.entries.keys() ?? []),
  ]);
  const foreignVariables = foreignVariablesOf(pollDrafts, new Set(benchVariables));
  const usableServers = new Map<string, Server>();
  for (const [name, { keys }] of servers?.entries ?? []) {
    const { url, api_key_env: variable } = keys;
    const isForeign = variable !== undefined && !isOwn && !KEY_VARIABLE.test(variable);
    if (isForeign) foreignVariables.push({ variable, path: ['servers', name, 'api_key_env'] });
    const apiKeyEnv = isForeign ? undefined : variable;
    if (url !== undefined) usableServers.set(name, { url, ...defined({ apiKeyEnv }) });
  }
  const input = {
    ...{ document, misfits, levels: writtenLevels, rules, foreignVariables, readings },
    ...{ polls: pollDrafts, timing: run?.keys.timing },
  };
  runRules(fileRules, input, (rule, violation) => {
    findings.push(toFinding(rule, violation, document.file));
  });
  const { include, exclude, mutators, sessions, baseline } = lint?.keys ?? {};
  const ready = run?.keys.ready;
  const settings = {
    document,
    exclude: strings(exclude),
    mutators: strings(mutators),
    sessions: strings(sessions),
    levels,
    servers: usableServers,
    readings,
    benches: new Map(
      [...(benches?.entries ?? [])].map(([name, { keys }]) => [
        name,
        { servers: strings(keys.servers), env: Object.fromEntries(keys.env?.entries ?? []) },
      ]),
    ),
    polls: [...pollDrafts].map(([name, draft]) => toPoll(name, draft)),
    failVacuous: measure?.keys.vacuous === 'fail',
    expected: strings(recorded?.keys.expected),
    ...defined({ include: include && strings(include), baseline, storeUrl: store?.keys.url }),
    run: defined({
      servers: run?.keys.servers && strings(run.keys.servers),
      timeout: run?.keys.timeout,
      attemptTime: run?.keys.attempt_time,
      commandStatus: run?.keys.command_status,
      tolerant: run?.keys.tolerant,
      serve: run?.keys.serve,
      setup: run?.keys.setup && commandsOf(run.keys.setup),
      setupTime: run?.keys.setup_time,
      teardown: run?.keys.teardown && commandsOf(run.keys.teardown),
      teardownTime: run?.keys.teardown_time,
      ready: typeof ready === 'string' ? ready : ready && strings(ready),
      readyTime: run?.keys.ready_time,
      collect: run?.keys.collect && commandsOf(run.keys.collect),
      collectTime: run?.keys.collect_time,
      recovery: run?.keys.recovery,
      recoveryTime: run?.keys.recovery_time,
      timing: run?.keys.timing && toTiming(run.keys.timing),
      guard: guard?.keys.check,
    }),
  };
  return { settings, findings };
}

/**
 * Returns the environment variables in polls, except API keys and bench variables, with their
 * paths.
 */
function foreignVariablesOf(
  polls: PollDrafts,
  benchVariables: ReadonlySet<string>,
): ForbiddenVariable[] {
  return [...polls.values()].flatMap(({ path, keys }) => {
    const { http, tcp, body, headers } = keys;
    const texts = [
      ...Object.entries({ http, tcp, body }).map(([key, text]) => [[key], text] as const),
      ...[...(headers?.entries ?? [])].map(([key, text]) => [['headers', key], text] as const),
    ];
    return texts.flatMap(([textPath, text]) =>
      findVariables(text ?? '')
        .filter((variable) => !KEY_VARIABLE.test(variable) && !benchVariables.has(variable))
        .map((variable) => ({ variable, path: [...path, ...textPath] })),
    );
  });
}

/** Applies group levels to the groups' rules. A level set for a single rule takes precedence. */
function withGroups(
  writtenLevels: ReadonlyMap<string, Level>,
  rules: readonly RuleMeta[],
): ReadonlyMap<string, Level> {
  const levels = new Map([...writtenLevels].filter(([id]) => !id.endsWith('/*')));
  for (const { id, mandatory, off } of rules) {
    const level = writtenLevels.get(groupOf(id));
    // A group's level does not turn on rules that are off by default. A project must name these
    // rules.
    if (level === undefined || levels.has(id) || mandatory || off) continue;
    levels.set(id, level);
  }
  return levels;
}

/** Adds a level for `expression/extension`, unless the levels already include one. */
function withLanguage(
  levels: ReadonlyMap<string, Level>,
  extensions: boolean | 'allow' | Level | undefined,
): ReadonlyMap<string, Level> {
  if (extensions === undefined || levels.has(EXTENSION)) return levels;
  const isAllowed = extensions === true || extensions === 'allow';
  return new Map([...levels, [EXTENSION, isAllowed ? 'off' : extensions || 'error']]);
}

const EXTENSION = 'expression/extension';

function strings(values: readonly (string | undefined)[] | undefined): readonly string[] {
  return values?.filter((value) => value !== undefined) ?? [];
}

function commandsOf(vectors: readonly (readonly (string | undefined)[] | undefined)[]): Commands {
  return vectors.flatMap((vector) => (vector === undefined ? [] : [strings(vector)]));
}

/** Returns findings for [run.timing] tables of unknown mutators. */
export function findUnknownMutators(
  { document, run }: Settings,
  knownMutators: KnownMutators,
): readonly Finding[] {
  const names = Object.keys(run.timing?.mutators ?? {});
  if (document === undefined) return [];
  const findings: Finding[] = [];
  for (const name of names.filter((candidate) => !knownMutators.names.includes(candidate))) {
    runRules(
      [unknownMutatorTiming],
      { document, name, known: knownMutators },
      (rule, violation) => {
        findings.push(toFinding(rule, violation, document.file));
      },
    );
  }
  return findings;
}

/** Returns findings for a setting's globs that match no file. */
export function findUnmatchedGlobs(
  { document }: Settings,
  key: 'include' | 'exclude',
  globs: readonly string[],
): Finding[] {
  if (document === undefined) return [];
  const findings: Finding[] = [];
  for (const glob of globs) {
    runRules([unmatchedGlob], { document, key, glob }, (rule, violation) => {
      findings.push(toFinding(rule, violation, document.file));
    });
  }
  return findings;
}

/**
 * Returns the path of the user's own perturb.toml: in `$XDG_CONFIG_HOME/perturb`, otherwise in
 * `~/.config/perturb`. Returns undefined without a home directory. The file may not exist.
 */
export function userConfigPath(
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { XDG_CONFIG_HOME = '', HOME = '' } = env;
  if (isAbsolute(XDG_CONFIG_HOME)) return join(XDG_CONFIG_HOME, 'perturb', 'perturb.toml');
  return isAbsolute(HOME) ? join(HOME, '.config', 'perturb', 'perturb.toml') : undefined;
}

/** Returns a project's servers, with API key variables from the user's own perturb.toml for matching URLs. */
export function withUserKeys(
  servers: ReadonlyMap<string, Server>,
  ownServers: ReadonlyMap<string, Server>,
): ReadonlyMap<string, Server> {
  const variables = new Map([...ownServers.values()].map(({ url, apiKeyEnv }) => [url, apiKeyEnv]));
  return new Map(
    [...servers].map(([name, server]) => {
      const variable = variables.get(server.url);
      return [name, variable === undefined ? server : { ...server, apiKeyEnv: variable }];
    }),
  );
}
