import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { quote } from '../diagnostics/index.js';
import { rules } from '../objective/index.js';
import { renderTable } from '../reporters/terminal/index.js';
import { version } from '../version.js';
import { type Config, loadConfig } from './config/config.js';
import { apiKeyFrom, loadMutators, SERVER_TIMEOUT } from './config/sources.js';
import { ATTEMPT_TIME } from './objective/run/flags.js';
import { durationSetting } from './objective/run/prepare.js';
import { withStoreOf } from './objective/store.js';
import {
  type CommandContext,
  CommandFailure,
  type Configure,
  type ExitCode,
  exitCodes,
  type Run,
} from './runtime/command.js';
import { printResult } from './runtime/io.js';
import { addFormatOption, configOption, type FormatFlags } from './runtime/options.js';

interface Flags extends FormatFlags {
  readonly config?: string;
  readonly offline?: true;
}

export const help = `
Shows the versions, each setting and where its value comes from, whether the
servers answer, whether the sources of mutators and the store can be used, and
state directories that a server left with active mutators.
Exit codes: 0 all is well, 2 the configuration has mistakes, 4 something that
is configured cannot be used.

Examples:
  perturb doctor
  perturb doctor --format json
`;

export const configure: Configure = (command) => {
  addFormatOption(command).option('--offline', 'open no connection').addOption(configOption());
};

export const run: Run<Flags> = async (context, _args, flags) => {
  const checks = await examine(context, flags);
  const rows = checks.map(({ subject, state, detail, from = '' }) => [
    subject,
    state,
    detail,
    from,
  ]);
  printResult(context, flags, { checks }, (look) =>
    renderTable(['WHAT', 'STATE', 'DETAIL', 'FROM'], rows, look),
  );
  return exitCodeOf(checks);
};

function exitCodeOf(checks: readonly Check[]): ExitCode {
  const bad = checks.filter(({ state }) => state === 'bad');
  if (bad.some(({ subject }) => subject === 'configuration')) return exitCodes.usage;
  return bad.length > 0 ? exitCodes.unavailable : exitCodes.ok;
}

/** Something that was looked at. */
export interface Check {
  readonly subject: string;
  readonly state: 'ok' | 'off' | 'bad';
  readonly detail: string;
  /** Where the value comes from: a file, a default. */
  readonly from?: string;
}

export interface ExamineOptions {
  readonly config?: string;
  readonly offline?: true;
}

/** How long a server or a database may take to answer. */
const TIMEOUT_MS = 5_000;

/** Looks at everything that decides how Perturb works here. */
export async function examine(
  context: CommandContext,
  options: ExamineOptions,
): Promise<readonly Check[]> {
  const { io } = context;
  const { config, findings } = loadConfig(io, options.config, rules);
  const file = config.document?.file.path;
  const mistakes = findings.map(({ message }) => message).join('; ');
  return [
    { subject: 'perturb', state: 'ok', detail: version },
    { subject: 'node', state: 'ok', detail: `${process.version}, ${process.platform}` },
    {
      subject: 'configuration',
      state: findings.length > 0 ? 'bad' : file === undefined ? 'off' : 'ok',
      detail: mistakes || (file === undefined ? 'no perturb.toml here or above' : 'no mistakes'),
      ...(file !== undefined && { from: file }),
    },
    ...settings(config, file),
    ...(await servers(context, config, options.offline === true, file)),
    ...(await sources(context, config, options.offline === true, file)),
    await store(context, config, options.offline === true, file),
    ...(await states(io.cwd)),
  ];
}

/** The settings that apply, whether perturb.toml has them or not. */
function settings(config: Config, file: string | undefined): readonly Check[] {
  const from = (isSet: boolean) => (isSet && file !== undefined ? file : 'default');
  const { include, exclude, levels } = config;
  const levelText = [...levels].map(([rule, level]) => `${rule} = ${level}`).join(', ');
  const list = (words: readonly string[]) => words.join(', ') || 'none';
  const show = (subject: string, detail: string, isSet: boolean): Check => ({
    subject,
    state: 'ok',
    detail,
    from: from(isSet),
  });
  return [
    show('include', include === undefined ? '*.objective.toml' : list(include), !!include),
    show('exclude', list(exclude), exclude.length > 0),
    show('rules', levelText || 'default levels', levels.size > 0),
    ...runSettings(config, from),
  ];
}

/** The settings of `objective run`. Only a run reads them, so a mistake would be noticed late. */
function runSettings(
  { run, servers, namedServers }: Config,
  from: (isSet: boolean) => string,
): readonly Check[] {
  const names = run.servers ?? [...servers.keys()];
  const unknown = names.filter((name) => !namedServers.has(name) && !name.includes('://'));
  const duration = (key: string, text: string | undefined, otherwise: string): Check => {
    const subject = `run ${key}`;
    const origin = from(text !== undefined);
    try {
      durationSetting(key, text);
      return { subject, state: 'ok', detail: text ?? otherwise, from: origin };
    } catch (error) {
      return { subject, state: 'bad', detail: reason(error), from: origin };
    }
  };
  return [
    {
      subject: 'run servers',
      state: unknown.length > 0 ? 'bad' : 'ok',
      detail:
        unknown.length > 0
          ? `[servers] has no ${unknown.map(quote).join(', ')}`
          : names.join(', ') || 'none',
      from: from(run.servers !== undefined),
    },
    duration('timeout', run.timeout, SERVER_TIMEOUT.text),
    duration('attempt_time', run.attemptTime, ATTEMPT_TIME.text),
  ];
}

/** Whether each server of perturb.toml answers with what it has. */
async function servers(
  { io }: CommandContext,
  config: Config,
  offline: boolean,
  file: string | undefined,
): Promise<readonly Check[]> {
  const { ClientError, createClient } = await import('../mutators/index.js');
  return Promise.all(
    [...config.servers].map(async ([name, { url, apiKeyEnv }]): Promise<Check> => {
      const subject = `server ${name}`;
      const from = file === undefined ? {} : { from: file };
      const place = apiKeyEnv === undefined ? url : `${url}, key in ${apiKeyEnv}`;
      if (offline) return { subject, state: 'ok', detail: place, ...from };
      try {
        const apiKey = apiKeyFrom(io, apiKeyEnv === undefined ? {} : { apiKeyEnv });
        const key = apiKey === undefined ? {} : { apiKey };
        const { mutators } = await createClient({ url, timeoutMs: TIMEOUT_MS, ...key }).list();
        const detail = `${place}: ${counted(mutators.length, 'mutator')}`;
        return { subject, state: 'ok', detail, ...from };
      } catch (error) {
        const detail = error instanceof ClientError ? error.message : reason(error);
        return { subject, state: 'bad', detail, ...from };
      }
    }),
  );
}

/** Each source of mutators by itself, so that one that fails hides no other. */
async function sources(
  { io }: CommandContext,
  config: Config,
  offline: boolean,
  file: string | undefined,
): Promise<readonly Check[]> {
  if (config.mutators.length === 0) {
    return [{ subject: 'mutators', state: 'off', detail: 'no source', from: 'default' }];
  }
  return Promise.all(
    config.mutators.map(async (source): Promise<Check> => {
      const subject = `mutators ${source}`;
      const from = file === undefined ? {} : { from: file };
      const flags = {
        mutators: [],
        timeout: TIMEOUT_MS,
        ...(offline && { offline: true as const }),
      };
      try {
        const loaded = await loadMutators(io, flags, { ...config, mutators: [source] });
        const { catalog } = loaded;
        return catalog === undefined
          ? { subject, state: 'bad', detail: 'it has errors: perturb mutators lint', ...from }
          : { subject, state: 'ok', detail: counted(catalog.mutators.length, 'mutator'), ...from };
      } catch (error) {
        return { subject, state: 'bad', detail: reason(error), ...from };
      }
    }),
  );
}

async function store(
  context: CommandContext,
  config: Config,
  offline: boolean,
  file: string | undefined,
): Promise<Check> {
  const isNamed = config.storeUrl !== undefined;
  const from = isNamed && file !== undefined ? file : 'default';
  const subject = 'store';
  try {
    const flags = { timeout: TIMEOUT_MS, ...(offline && { offline: true as const }) };
    const detail = await withStoreOf(
      context,
      flags,
      config,
      isNamed ? 'fail' : 'pretend',
      async (opened, place) => {
        const { length } = await opened.list();
        return `${place}: ${length === 0 ? 'empty' : counted(length, 'objective')}`;
      },
    );
    return { subject, state: 'ok', detail, from };
  } catch (error) {
    return { subject, state: 'bad', detail: reason(error), from };
  }
}

/** The state directories of servers and of installed plugins, if there are any. */
async function states(cwd: string): Promise<readonly Check[]> {
  const plugins = join(cwd, '.perturb/plugins');
  const directories = [
    join(cwd, '.perturb/state'),
    ...(existsSync(plugins) ? readdirSync(plugins).map((name) => join(plugins, name)) : []),
  ];
  const { inspectState } = await import('../server/index.js');
  const checks = await Promise.all(
    directories.map(async (directory): Promise<readonly Check[]> => {
      const found = await inspectState(directory);
      if (found === undefined) return [];
      const { inUse, active, damage } = found;
      const subject = `state ${relative(cwd, directory)}`;
      if (inUse) return [{ subject, state: 'ok', detail: 'a server runs on it' }];
      if (damage !== undefined) return [{ subject, state: 'bad', detail: `damaged: ${damage}` }];
      if (active.length === 0) return [{ subject, state: 'ok', detail: 'nothing is mutated' }];
      const detail = `stale: ${active.join(', ')} may be mutated; start the server to reset them`;
      return [{ subject, state: 'bad', detail }];
    }),
  );
  return checks.flat();
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function reason(error: unknown): string {
  if (error instanceof CommandFailure) return error.message;
  throw error;
}
