import { join } from 'node:path';
import { visible } from '../../basics/index.js';
import { quote, suggest } from '../../diagnostics/index.js';
import type { ObjectiveStore, OpenOptions, Revision, StoreLocation } from '../../store/index.js';
import { defined } from '../../values/index.js';
import { type Config, readConfig, repositoryRoot } from '../config/config.js';
import {
  type CommandContext,
  type CommandFailure,
  unavailableFailure,
  usageFailure,
} from '../runtime/command.js';
import { type FlagsOf, option } from '../runtime/declare.js';
import { configOption, durationOption } from '../runtime/options.js';

/** The options that select a store. */
export const storeLocationOptions = [
  option('--store <store>', 'the store, as sqlite:PATH or postgres://HOST/DATABASE'),
  configOption,
] as const;

export const storeOptions = [
  ...storeLocationOptions,
  durationOption('--timeout <duration>', 'timeout for a database server', '10s'),
] as const;

export interface StoreFlags extends FlagsOf<typeof storeLocationOptions> {
  readonly timeout?: number;
}

interface OpenFlags extends Pick<StoreFlags, 'store' | 'timeout'> {
  readonly offline?: true;
}

/** Opens a project's existing store, runs `work`, and closes the store. */
export async function withStore<T>(
  context: CommandContext,
  flags: StoreFlags,
  work: (store: ObjectiveStore) => Promise<T>,
): Promise<T> {
  const config = await readConfig(context, flags.config);
  return withStoreOf(context, flags, config, 'fail', work);
}

/**
 * Opens a store, runs `work`, and closes the store. Uses the store in the flag, otherwise in
 * perturb.toml, otherwise the project's `.perturb/objectives.db`. `work` also receives the store's
 * location for messages, without a password.
 *
 * @throws CommandFailure if the store cannot be used
 */
export async function withStoreOf<T>(
  { io }: CommandContext,
  { store: flag, timeout, offline }: OpenFlags,
  config: Config,
  whenMissing: NonNullable<OpenOptions['whenMissing']>,
  work: (store: ObjectiveStore, place: string) => Promise<T>,
): Promise<T> {
  const { openStore, readStoreUrl, sqliteAt, withoutPasswordVariable } = await import(
    '../../store/index.js'
  );
  const locate = (): StoreLocation => {
    if (flag !== undefined) return readStoreUrl(flag, { base: io.cwd, cwd: io.cwd });
    if (config.storeUrl !== undefined) {
      const location = readStoreUrl(config.storeUrl, { base: config.directory, cwd: io.cwd });
      if (location.kind !== 'postgres') return location;
      if (location.password !== undefined) {
        throw usageFailure(
          "perturb.toml contains the store's password; remove it, and set PGPASSWORD or write ~/.pgpass",
        );
      }
      return withoutPasswordVariable(location, io.env['PGHOST']);
    }
    const project = config.document === undefined ? repositoryRoot(io.cwd) : config.directory;
    return sqliteAt(join(project, '.perturb', 'objectives.db'), io.cwd);
  };
  const location = locate();
  if (offline && location.kind === 'postgres') {
    throw unavailableFailure(
      `the store ${visible(location.place)} is on a server, but --offline makes no connections`,
      'Choose a file with --store sqlite:PATH.',
    );
  }
  const store = await openStore(location, { whenMissing, ...defined({ timeoutMs: timeout }) });
  try {
    return await work(store, location.place);
  } finally {
    await store.close();
  }
}

/**
 * Returns the revision for `NAME@REVISION`, or the newest revision for `NAME`. A word that is an
 * objective's full name always refers to that objective, even if the word ends like a revision.
 *
 * @throws CommandFailure (usage) if there is no such revision, with a suggestion
 */
export async function findRevision(store: ObjectiveStore, word: string): Promise<Revision> {
  const whole = await store.find(word);
  if (whole !== undefined) return whole;
  const [, name, revision] = /^(.+)@(\d{1,9})$/s.exec(word) ?? [];
  if (name === undefined) throw await unknownObjectiveFailure(store, word);
  const found = await store.find(name, Number(revision));
  if (found !== undefined) return found;
  const newest = await store.find(name);
  if (newest === undefined) throw await unknownObjectiveFailure(store, name);
  throw usageFailure(
    `${quote(name)} has no revision ${revision}: its newest is ${newest.revision}`,
  );
}

export async function unknownObjectiveFailure(
  store: ObjectiveStore,
  name: string,
): Promise<CommandFailure> {
  const names = await store.names();
  const help = suggest(name, names);
  return usageFailure(`the store has no objective ${quote(name)}`, help ?? 'The store is empty.');
}
