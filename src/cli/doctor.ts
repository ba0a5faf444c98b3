import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, join, relative, resolve } from 'node:path';
import { PerturbError, plural } from '../basics/index.js';
import type { Server } from '../config/index.js';
import { count, quote } from '../diagnostics/index.js';
import { readInput } from '../durable/index.js';
import { SERVER_TIMEOUT } from '../mutators/model/index.js';
import { rules } from '../objective/index.js';
import { renderTable } from '../reporters/terminal/index.js';
import type { Verification } from '../store/index.js';
import { defined } from '../values/index.js';
import { version } from '../version.js';
import { type Config, loadConfig, readConfig } from './config/config.js';
import { apiKeyFrom, loadMutators, loadVocabulary } from './config/sources.js';
import { MANIFEST } from './files/discover.js';
import { referenceText } from './objective/objective-values.js';
import { ATTEMPT_TIME } from './objective/run/flags.js';
import { durationSetting } from './objective/run/prepare.js';
import { storeLocationOptions, withStoreOf } from './objective/store.js';
import {
  type CommandContext,
  type CommandHandler,
  type ExitCode,
  exitCodes,
  unavailableFailure,
  usageFailure,
} from './runtime/command.js';
import { type FlagsOf, option } from './runtime/declare.js';
import { printResult } from './runtime/io.js';
import { formatOption, parseMilliseconds } from './runtime/options.js';
import { type Progress, startProgress } from './runtime/progress.js';
import { readingsBy } from './session/reading.js';

type Flags = FlagsOf<typeof options>;

export const help = `
Shows versions and settings with their sources, and checks the configuration:
servers (and the header to send if no key is configured), mutator sources,
recorded sessions, the store, the programs required by ready-made mutators, and
state directories with active mutators. Verifies every revision in the store against
its digests. Changes nothing. With --poll, it runs only one poll, and shows the
poll's rate, latency percentiles and errors.
Exit codes: 0 no problems, 2 the configuration has errors, 4 a configured resource
is unavailable, or every response to a poll was an error.

Examples:
  perturb doctor
  perturb doctor --store sqlite:lab.db --format json
  perturb doctor --poll checkout --for 30s
`;

export const options = [
  formatOption(),
  option('--offline', 'make no network connections'),
  option('--poll <poll>', 'run only this poll from perturb.toml').conflicts('offline'),
  option('--for <duration>', 'polling duration (default: 10s)', { read: parseMilliseconds }),
  ...storeLocationOptions,
] as const;

interface Check {
  readonly subject: string;
  readonly state: 'ok' | 'off' | 'bad';
  readonly detail: string;
  /** The value's origin: a file, or the default. */
  readonly from?: string;
}

export const run: CommandHandler<[], typeof options> = async (context, _args, flags) => {
  if (flags.poll !== undefined) return showPoll(context, flags, flags.poll);
  if (flags.for !== undefined) throw usageFailure('--for needs --poll');
  const checks = await examine(context, flags);
  const rows = checks.map((one) => [one.subject, one.state, one.detail, one.from ?? '']);
  await printResult(context, flags, { checks }, (look) =>
    renderTable(['WHAT', 'STATE', 'DETAIL', 'FROM'], rows, look),
  );
  const bad = checks.filter(({ state }) => state === 'bad');
  if (bad.some(({ subject }) => subject === 'configuration')) return exitCodes.usage;
  return bad.length > 0 ? exitCodes.unavailable : exitCodes.ok;
};

/** Default duration of a trial. */
const TRIAL_MS = 10_000;

/**
 * Runs a trial of a poll, and prints its statistics. The trial lasts for the `--for` flag's
 * duration, or `TRIAL_MS`.
 */
async function showPoll(context: CommandContext, flags: Flags, name: string): Promise<ExitCode> {
  const config = await readConfig(context, flags.config);
  const { tryPoll, trialText } = await import('./poll-trial.js');
  const { poll, trial } = await tryPoll(context, config, name, flags.for ?? TRIAL_MS);
  await printResult(context, flags, { poll: trial }, (look) => trialText(poll, trial, look));
  return trial.ok > 0 ? exitCodes.ok : exitCodes.unavailable;
}

/** Timeout for each response from a server or database. */
const TIMEOUT_MS = 5_000;

interface Setup {
  readonly context: CommandContext;
  readonly config: Config;
  /** True if the command must not connect to anything. */
  readonly offline: boolean;
  /**
   * Returns a setting's origin: the configuration file if the file contains the setting, otherwise
   * the default.
   */
  readonly from: (isSet: boolean) => string;
  /** The store URL from a flag, if any. */
  readonly url: string | undefined;
}

async function examine(context: CommandContext, flags: Flags): Promise<readonly Check[]> {
  const { cwd, env } = context.io;
  const { config, findings } = loadConfig({ cwd, env }, flags.config, rules);
  const file = config.document?.file.path;
  const from = (isSet: boolean) => (isSet && file !== undefined ? file : 'default');
  const mistakes = findings.map(({ message }) => message).join('; ');
  const found = file === undefined ? 'no perturb.toml in this directory or above it' : 'no errors';
  const { include, exclude, levels } = config;
  const levelText = [...levels].map(([rule, level]) => `${rule} = ${level}`).join(', ');
  const included = include === undefined ? '*.objective.toml' : include.join(', ') || 'none';
  const setting = (subject: string, detail: string, isSet: boolean): Check => {
    return { subject, state: 'ok', detail, from: from(isSet) };
  };
  const setup = { context, config, offline: flags.offline === true, from, url: flags.store };
  return [
    { subject: 'perturb', state: 'ok', detail: version },
    { subject: 'node', state: 'ok', detail: `${process.version}, ${process.platform}` },
    {
      subject: 'configuration',
      state: count(findings).errors > 0 ? 'bad' : file === undefined ? 'off' : 'ok',
      detail: mistakes || found,
      ...(file !== undefined && { from: file }),
    },
    setting('include', included, include !== undefined),
    setting('exclude', exclude.join(', ') || 'none', exclude.length > 0),
    setting('rules', levelText || 'default levels', levels.size > 0),
    ...(await runSettings(setup)),
    ...(await servers(setup)),
    ...(await benches(setup)),
    ...(await sources(setup)),
    ...needs(setup),
    ...(await recordings(setup)),
    await store(setup),
    ...(await states(cwd)),
  ];
}

async function check(
  subject: string,
  from: string,
  work: () => string | Promise<string>,
): Promise<Check> {
  try {
    return { subject, state: 'ok', detail: await work(), from };
  } catch (error) {
    if (!(error instanceof PerturbError)) throw error;
    return { subject, state: 'bad', detail: error.message, from };
  }
}

/**
 * Checks the settings of `objective run`, because otherwise only a run would reveal their mistakes.
 */
function runSettings({ config, from }: Setup): Promise<readonly Check[]> {
  const { run, servers, namedServers } = config;
  const names = run.servers ?? [...servers.keys()];
  const duration = (key: string, text: string | undefined, otherwise: string) =>
    check(`run ${key}`, from(text !== undefined), () => {
      durationSetting(key, text);
      return text ?? otherwise;
    });
  return Promise.all([
    check('run servers', from(run.servers !== undefined), () => {
      const unknown = names.filter((name) => !namedServers.has(name) && !name.includes('://'));
      if (unknown.length === 0) return names.join(', ') || 'none';
      throw usageFailure(`[servers] has no ${unknown.map(quote).join(', ')}`);
    }),
    duration('timeout', run.timeout, SERVER_TIMEOUT.text),
    duration('attempt_time', run.attemptTime, ATTEMPT_TIME.text),
  ]);
}

/** Checks that each server in perturb.toml returns its mutators. */
function servers(setup: Setup): Promise<readonly Check[]> {
  return Promise.all(
    [...setup.config.servers].map(([name, server]) =>
      check(`server ${name}`, setup.from(true), () => {
        const { url, apiKeyEnv } = server;
        return answerOf(setup, apiKeyEnv ? `${url}, key in ${apiKeyEnv}` : url, server);
      }),
    ),
  );
}

/** Returns a server's name and, unless offline, a summary of its listing. */
async function answerOf(
  { context: { io }, offline }: Setup,
  called: string,
  server: Server,
): Promise<string> {
  if (offline) return called;
  const { url, apiKeyEnv } = server;
  const { createClient } = await import('../mutators/index.js');
  const apiKey = apiKeyFrom(io, {}, apiKeyEnv);
  const client = createClient({ url, timeoutMs: TIMEOUT_MS, ...defined({ apiKey }) });
  return `${called}: ${await listedText((await client.list()).mutators, server)}`;
}

/**
 * Formats a server's mutator count. If no key is configured, adds a note, with the header that the
 * server requires, if any.
 */
async function listedText(
  { length }: readonly unknown[],
  { url, apiKeyEnv }: Server,
): Promise<string> {
  const listed = plural(length, 'mutator');
  if (apiKeyEnv !== undefined) return listed;
  const { KEY_HEADER, keylessHeader } = await import('../mutators/index.js');
  const header = keylessHeader(url);
  if (header === undefined) return `${listed}, without a key`;
  return `${listed}, without a key; requires the header ${KEY_HEADER}: ${header}`;
}

/** Checks that each bench in perturb.toml has servers, and that all its servers respond. */
function benches(setup: Setup): Promise<readonly Check[]> {
  const { config, from } = setup;
  return Promise.all(
    [...config.benches].map(([name, { servers: own }]) =>
      check(`bench ${name}`, from(true), async () => {
        if (own.length === 0) throw usageFailure('no servers configured');
        const found = own.map(async (server) => {
          const known = config.namedServers.get(server);
          if (known === undefined && !server.includes('://')) {
            throw usageFailure(`[servers] has no ${quote(server)}`);
          }
          return answerOf(setup, server, known ?? { url: server });
        });
        return (await Promise.all(found)).join(', ');
      }),
    ),
  );
}

/** Checks each source of mutators separately, because a failing source must not hide the others. */
async function sources({ context, config, offline, from }: Setup): Promise<readonly Check[]> {
  if (config.mutators.length === 0) {
    return [{ subject: 'mutators', state: 'off', detail: 'no source', from: 'default' }];
  }
  const flags = { mutators: [], timeout: TIMEOUT_MS, ...(offline && { offline: true as const }) };
  return Promise.all(
    config.mutators.map((source) =>
      check(`mutators ${source}`, from(true), async () => {
        const own = { ...config, mutators: [source] };
        const { catalog } = await loadMutators(context.io, flags, own);
        if (catalog === undefined)
          throw usageFailure('errors in the manifest: run perturb mutators lint');
        const { mutators } = catalog;
        const server = config.servers.get(source) ?? { url: source };
        if (server.url.includes('://')) return listedText(mutators, server);
        return plural(mutators.length, 'mutator');
      }),
    ),
  );
}

/** Checks that this machine meets the requirements listed in the comments of ready-made mutators. */
function needs({ context: { io }, config }: Setup): readonly Check[] {
  const { mutators, directory } = config;
  const sources = mutators.filter((source) => source.endsWith('.toml'));
  const paths = new Set([join(io.cwd, MANIFEST), ...sources.map((one) => resolve(directory, one))]);
  return [...paths].flatMap((path): readonly Check[] => {
    const lines = [...textOf(path).matchAll(/^# Needs: (.*)$/gm)].map(([, line = '']) => line);
    // Conditions such as `root for a namespace` are left to the user to check.
    const words = new Set(lines.flatMap((line) => line.split(/[,;]\s*/)));
    const named = [...words].filter((word) => /^[\w-]+$/.test(word));
    if (named.length === 0) return [];
    const missing = named.filter((word) => !isHere(word, io.env['PATH'] ?? ''));
    const subject = `requirements of ${relative(io.cwd, path)}`;
    if (missing.length === 0) return [{ subject, state: 'ok', detail: named.join(', ') }];
    return [{ subject, state: 'bad', detail: `missing on this machine: ${missing.join(', ')}` }];
  });
}

/**
 * Returns a manifest's text. Returns an empty text for an unreadable manifest, because the source
 * check reports the problem.
 */
function textOf(path: string): string {
  try {
    return readInput(path).bytes.toString();
  } catch {
    return '';
  }
}

/** The CAP_NET_ADMIN bit in a process's capability set. */
const NET_ADMIN = 1n << 12n;

function isHere(word: string, path: string): boolean {
  if (word === 'Linux') return process.platform === 'linux';
  if (word !== 'CAP_NET_ADMIN') {
    const places = [...path.split(delimiter), '/usr/sbin', '/sbin'];
    return places.some((place) => existsSync(join(place, word)));
  }
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const effective = /^CapEff:\s+([\da-f]+)$/m.exec(status)?.[1];
  return effective !== undefined && (BigInt(`0x${effective}`) & NET_ADMIN) !== 0n;
}

/**
 * Checks the recordings used by lint. Without recordings, lint reports nothing, which may look like
 * success.
 */
async function recordings({ context: { io }, config, from }: Setup): Promise<readonly Check[]> {
  const { findSessions } = await import('../session/recordings/index.js');
  const checks: Check[] = [];
  for (const word of config.sessions) {
    const subject = `sessions ${word}`;
    const files = await findSessions(word, config.directory);
    if (files.length === 0) {
      const detail = 'no sessions found to check objectives against';
      checks.push({ subject, state: 'off', detail, from: from(true) });
      continue;
    }
    const read = check(subject, from(true), async () => {
      const readingOf = readingsBy(io.cwd, config, {});
      const { events } = await loadVocabulary(io, [word], config.directory, {
        ...{ needed: false, readingOf },
      });
      return `${plural(files.length, 'file')}, ${plural(events, 'event')}`;
    });
    checks.push(await read);
  }
  return checks;
}

/** Checks the store, and compares every revision with the digests stored at registration. */
function store({ context, config, offline, from, url }: Setup): Promise<Check> {
  const flags = {
    timeout: TIMEOUT_MS,
    ...defined({ store: url }),
    ...(offline && { offline: true as const }),
  };
  const isSet = url !== undefined || config.storeUrl !== undefined;
  const source = url === undefined ? from(isSet) : '--store';
  return check('store', source, () =>
    withStoreOf(context, flags, config, isSet ? 'fail' : 'pretend', async (opened, place) => {
      let progress: Progress | undefined;
      const verification = await opened
        .verify({
          begin: (total) => {
            progress = startProgress(context.io, total, 'revisions');
          },
          step: () => progress?.step(),
        })
        .finally(() => progress?.end());
      const { objectives, revisions } = verification;
      const damage = damageIn(verification);
      const size = `${plural(objectives, 'objective')}, ${plural(revisions, 'revision')}`;
      if (damage.length > 0) throw unavailableFailure(`${place}: ${size}; ${damage.join('; ')}`);
      return `${place}: ${objectives === 0 ? 'empty' : `${size}, none damaged`}`;
    }),
  );
}

/**
 * Describes a store's database problems, and each damaged objective or revision with its problems.
 */
function damageIn({ damaged, problems }: Verification): readonly string[] {
  return [
    ...problems.map((problem) => `the database: ${problem}`),
    ...damaged.map(({ name, revision, problems: found }) => {
      const part = revision === undefined ? quote(name) : referenceText(name, revision);
      return `${part}: ${found.join(', ')}`;
    }),
  ];
}

/** Checks the existing state directories of servers and installed plugins. */
async function states(cwd: string): Promise<readonly Check[]> {
  const plugins = join(cwd, '.perturb/plugins');
  const directories = [
    join(cwd, '.perturb/state'),
    ...(statSync(plugins, { throwIfNoEntry: false })?.isDirectory()
      ? readdirSync(plugins).map((name) => join(plugins, name))
      : []),
  ];
  const { inspectState } = await import('../server/index.js');
  const checks = await Promise.all(
    directories.map(async (directory): Promise<Check | undefined> => {
      const found = await inspectState(directory);
      if (found === undefined) return undefined;
      const { inUse, active, damage } = found;
      const subject = `state ${relative(cwd, directory)}`;
      if (inUse) return { subject, state: 'ok', detail: 'in use by a server' };
      if (damage !== undefined) return { subject, state: 'bad', detail: `damaged: ${damage}` };
      if (active.length === 0) return { subject, state: 'ok', detail: 'no active mutations' };
      const detail = `stale: ${active.join(', ')} may be active; start the server to reset all mutators`;
      return { subject, state: 'bad', detail };
    }),
  );
  return checks.filter((one) => one !== undefined);
}
