import { relative, resolve } from 'node:path';
import { visible } from '../../basics/index.js';
import type { Finding, RuleMeta } from '../../diagnostics/index.js';
import { readInput } from '../../durable/index.js';
import type { Recorded } from '../../expression/index.js';
import type { Catalog } from '../../mutators/model/index.js';
import { type Reading, type Vocabulary, withPolls } from '../../session/index.js';
import { type Io, usageFailure } from '../runtime/command.js';
import { type FlagsOf, option, repeatedOption } from '../runtime/declare.js';
import { readNamedFile } from '../runtime/io.js';
import { parseMilliseconds } from '../runtime/options.js';
import { startByteProgress } from '../runtime/progress.js';
import type { Config } from './config.js';

export const serverOptions = [
  option('--api-key-env <name>', 'environment variable with the API key'),
  option('--api-key-file <path>', 'file with the API key').conflicts('apiKeyEnv'),
  option(
    '--timeout <duration>',
    'timeout for each request (default: 10s; for a mutation, longer than its timeout in the manifest)',
    { read: parseMilliseconds },
  ),
] as const;

export type ServerFlags = FlagsOf<typeof serverOptions>;

/**
 * Returns the API key selected by the flags, otherwise the value of the server's configured
 * variable.
 *
 * @throws CommandFailure (usage) if the variable is not set, or if the file cannot be read or
 *   contains no key
 */
export function apiKeyFrom(
  io: Io,
  { apiKeyEnv, apiKeyFile }: Omit<ServerFlags, 'timeout'>,
  ofServer: string | undefined,
): string | undefined {
  const variable = apiKeyEnv ?? (apiKeyFile === undefined ? ofServer : undefined);
  if (variable !== undefined) {
    const key = io.env[variable];
    if (key) return key;
    throw usageFailure(`the variable ${variable} for the API key is not set`);
  }
  if (apiKeyFile === undefined) return undefined;
  const text = readNamedFile(io, apiKeyFile).toString();
  const key = text.split(/\r?\n/).find((line) => line.trim() !== '');
  if (key !== undefined) return key.trim();
  throw usageFailure(`${apiKeyFile} contains no API key`);
}

/**
 * Declares the options that select mutators.
 *
 * @param use the command's use of the mutators, for the help
 */
export function mutatorOptions(use = 'check against the mutators') {
  return [
    repeatedOption(
      '--mutators <source>',
      `${use} in a manifest, in a saved listing, or on a server (URL or name); may be repeated`,
      'the sources in perturb.toml',
    ),
    option('--offline', 'make no network connections'),
    ...serverOptions,
  ] as const;
}

export type MutatorFlags = FlagsOf<ReturnType<typeof mutatorOptions>>;

/** The mutators of all sources. `catalog` is absent if a manifest has errors. */
export interface Mutators {
  readonly catalog?: Catalog;
  /** The manifests' findings, and the rules that can produce them. */
  readonly findings: readonly Finding[];
  readonly rules: readonly RuleMeta[];
}

/**
 * Loads the mutators named by the flags, otherwise those in perturb.toml. Paths are relative to the
 * working directory in flags, and to the file's directory in perturb.toml. Prints listing warnings
 * to stderr.
 *
 * @throws CommandFailure (unavailable) if a source cannot be read or reached
 */
export async function loadMutators(io: Io, flags: MutatorFlags, config: Config): Promise<Mutators> {
  const named = flags.mutators.length > 0;
  const sources = named
    ? flags.mutators
    : config.mutators.map((source) => asWord(io, config, source));
  if (sources.length === 0) return { findings: [], rules: [] };
  const { loadCatalog, manifestRules } = await import('../../mutators/index.js');
  const servers = named ? config.namedServers : config.servers;
  const keyVariable = (index: number) => servers.get(sources[index] ?? '')?.apiKeyEnv;
  const { catalog, findings, warnings } = await loadCatalog(
    sources.map((source) => servers.get(source)?.url ?? source),
    {
      offline: flags.offline === true,
      ...(flags.timeout !== undefined && { timeoutMs: flags.timeout }),
      apiKeyFor: (_url, index) => apiKeyFrom(io, flags, keyVariable(index)),
      readFile: async (path) => readInput(resolve(io.cwd, path), { pipe: named }).bytes,
    },
  );
  for (const { source, message } of warnings) {
    io.stderr.write(`perturb: warning: ${visible(source)}: ${visible(message)}\n`);
  }
  const broken = findings.some(({ severity }) => severity === 'error');
  return { ...(!broken && { catalog }), findings, rules: manifestRules };
}

/** `--sessions` for commands that check expressions against recordings. */
export const sessionsOption = repeatedOption(
  '--sessions <path>',
  'check against recorded sessions (file, directory or glob); may be repeated',
  'the sessions in perturb.toml',
);

export type RecordedSessionFlags = FlagsOf<[typeof sessionsOption]>;

/**
 * Loads the recorded sessions for checking expressions. Reads sessions named by flags only once,
 * for all projects. Warns on stderr if there are too many names.
 *
 * @param config the working directory's configuration
 * @param readingsOf converts a configuration to a function that returns a file's reading
 * @returns a function that returns a project's recordings: the sessions named by flags, otherwise
 *   the sessions in the project's perturb.toml. The sessions in perturb.toml need not exist yet.
 *   Without either, the function returns undefined.
 * @throws CommandFailure (usage) if a flag names no session
 */
export async function loadRecordedSessions(
  io: Io,
  { sessions: named }: RecordedSessionFlags,
  config: Config,
  readingsOf: (config: Config) => (path: string) => Reading,
) {
  const load = async (
    words: readonly string[],
    own: Config,
    directory: string,
    needed: boolean,
  ) => {
    const readingOf = readingsOf(own);
    const vocabulary = await loadVocabulary(io, words, directory, { needed, readingOf });
    const warning = 'the sessions contain too many different names to check against';
    if (!vocabulary.whole) io.stderr.write(`perturb: warning: ${warning}\n`);
    return vocabulary;
  };
  const ofFlags = named.length === 0 ? undefined : await load(named, config, io.cwd, true);
  return async (own: Config): Promise<Recorded | undefined> => {
    const { sessions, directory, expected, polls } = own;
    if (ofFlags === undefined && sessions.length === 0) return undefined;
    const vocabulary = ofFlags ?? (await load(sessions, own, directory, false));
    const { recordedOf } = await import('../../expression/index.js');
    const names = polls.map(({ name }) => name);
    return recordedOf(withPolls(vocabulary, names), expected);
  };
}

/**
 * Returns the absolute paths of the session files that a path or glob matches.
 *
 * @throws CommandFailure (usage) if there are none
 */
export async function sessionsAt(word: string, directory: string): Promise<readonly string[]> {
  const { findSessions } = await import('../../session/recordings/index.js');
  const found = await findSessions(word, directory);
  if (found.length > 0) return found;
  throw usageFailure(
    `no session found at ${visible(word)}`,
    'Name a file, a glob, or a directory with *.session.jsonl or with the runs of an objective.',
  );
}

/**
 * Loads the named sessions' vocabulary, from the user's cache if possible. Prints session problems
 * to stderr.
 *
 * @param needed true if each word must name a session, and at least one event must be readable
 * @param readingOf returns a file's reading
 * @throws CommandFailure (usage) if `needed` sessions or events are missing
 */
export async function loadVocabulary(
  io: Io,
  words: readonly string[],
  directory: string,
  {
    needed,
    readingOf,
  }: { readonly needed: boolean; readonly readingOf: (path: string) => Reading },
): Promise<Vocabulary> {
  const { findSessions, readVocabulary, vocabularyCache } = await import(
    '../../session/recordings/index.js'
  );
  const paths: string[] = [];
  for (const word of words) {
    paths.push(...(await (needed ? sessionsAt : findSessions)(word, directory)));
  }
  const progress = startByteProgress(io, 'sessions');
  const { vocabulary, problems } = await readVocabulary(paths, vocabularyCache(io.env), {
    onProgress: progress.at,
    readingOf: (path) => readingOf(relative(io.cwd, path)),
  });
  progress.end();
  for (const { path, message } of problems) {
    io.stderr.write(`perturb: warning: ${visible(relative(io.cwd, path))}: ${visible(message)}\n`);
  }
  if (needed && vocabulary.events === 0) throw usageFailure('no session could be read');
  return vocabulary;
}

/** Returns a perturb.toml source in its command-line notation. */
function asWord(io: Io, { directory, servers }: Config, source: string): string {
  const isPath = !servers.has(source) && !source.includes('://');
  return isPath ? relative(io.cwd, resolve(directory, source)) : source;
}
