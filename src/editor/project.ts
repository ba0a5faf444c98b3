import { type Stats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  NO_SETTINGS,
  readSettings,
  type Settings,
  userConfigPath,
  withUserKeys,
} from '../config/index.js';
import type { RuleMeta } from '../diagnostics/index.js';
import { isOwnedByAnotherUser, readInput, readInputAsync } from '../durable/index.js';
import { type Catalog, createCatalog, loadCatalog } from '../mutators/index.js';
import { type DecodedSource, decodeSource } from '../source/index.js';
import { defined } from '../values/index.js';

const NAME = 'perturb.toml';
/** Timeout for loading mutators from a file or a server, in ms. */
const LIMIT_MS = 5_000;

/** The project settings for a directory tree. */
export interface Project {
  /** The actual or expected path of perturb.toml. */
  readonly path: string;
  /** The file's text; absent if the file does not exist. */
  readonly text?: string;
  readonly settings: Settings;
  /** The settings on disk; present only while the file is open. */
  readonly saved?: Settings;
}

/**
 * Returns the text of a file open in the editor, or its parsable part if the text is incomplete. Returns undefined for
 * other files.
 */
export type OpenTextOf = (path: string) => string | undefined;

/**
 * Returns a function that finds a file's project, from the nearest perturb.toml in the file's directory or its
 * ancestors. Rereads a perturb.toml only if its modification time, size, inode or open text has changed.
 *
 * @param warn called for a perturb.toml that is ignored because it belongs to another user
 */
export function createProjects(
  rules: readonly RuleMeta[],
  openTextOf: OpenTextOf,
  warn: (warning: string) => void,
): (file: string) => Project {
  const projects = new Map<string, { readonly version: string; readonly project: Project }>();
  return (file) => {
    for (let at = dirname(file); ; at = dirname(at)) {
      const path = join(at, NAME);
      const open = openTextOf(path);
      const stats = statOf(path);
      if (open !== undefined || stats !== undefined) {
        const version = JSON.stringify([stats?.mtimeMs, stats?.size, stats?.ino, open]);
        const cached = projects.get(path);
        if (cached?.version === version) return cached.project;
        const project = readProject(path, rules, open, warn);
        projects.set(path, { version, project });
        return project;
      }
      if (dirname(at) === at) return { path: join(dirname(file), NAME), settings: NO_SETTINGS };
    }
  };
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function readProject(
  path: string,
  rules: readonly RuleMeta[],
  open: string | undefined,
  warn: (warning: string) => void,
): Project {
  const decoded = readTrusted(path, warn);
  const saved = decoded === undefined ? NO_SETTINGS : readSettings(decoded, rules).settings;
  if (open === undefined)
    return { path, settings: saved, ...defined({ text: decoded?.source.text }) };
  const { settings } = readSettings(decodeSource(path, Buffer.from(open)), rules);
  return { path, text: open, settings, saved };
}

/** Reads a perturb.toml from disk. Returns undefined if it cannot be read or belongs to another user. */
function readTrusted(path: string, warn: (warning: string) => void): DecodedSource | undefined {
  try {
    const { bytes, stats } = readInput(path);
    if (!isOwnedByAnotherUser(path, stats)) return decodeSource(path, bytes);
    warn(`${path} belongs to another user, so it is ignored`);
  } catch {}
  return undefined;
}

/** A project's mutators, or the reason why they are unavailable. */
export interface ProjectCatalog {
  readonly catalog?: Catalog;
  readonly warnings: readonly string[];
}

/**
 * Returns a project's mutator sources: file paths and server URLs.
 *
 * @param trusted true if servers may be queried; otherwise they are omitted
 */
export function catalogSources({ path, settings }: Project, trusted: boolean): readonly string[] {
  return sourcesIn(settings)
    .filter((source) => trusted || !isServer(source))
    .map((source) => (isServer(source) ? source : resolve(dirname(path), source)));
}

function sourcesIn({ mutators, servers }: Settings): readonly string[] {
  return mutators.map((source) => servers.get(source)?.url ?? source);
}

/**
 * Returns the servers that may be queried, by URL, with the environment variable of each server's API key. Uses the
 * saved perturb.toml, because an incomplete URL in the editor may lead to another person's server.
 */
export function serversOf({
  settings,
  saved = settings,
}: Project): ReadonlyMap<string, string | undefined> {
  const keys = new Map([...saved.servers.values()].map((server) => [server.url, server.apiKeyEnv]));
  return new Map(sourcesIn(saved).flatMap((url) => (isServer(url) ? [[url, keys.get(url)]] : [])));
}

export function isServer(source: string): boolean {
  return source.includes('://');
}

/** The options for loading the mutators of a project. */
export interface SourceOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly openTextOf: OpenTextOf;
}

/** Loads one source's mutators, with a timeout. The result has no catalog if the source cannot be used. */
export async function loadSource(
  source: string,
  project: Project,
  { env, openTextOf }: SourceOptions,
): Promise<ProjectCatalog> {
  const servers = serversOf(project);
  if (isServer(source) && !servers.has(source)) return { warnings: [] };
  try {
    const loading = loadCatalog([source], {
      offline: false,
      timeoutMs: LIMIT_MS,
      apiKeyFor: (url) => env[ownVariable(url, env) ?? servers.get(url) ?? ''],
      readFile: async (path) => {
        const open = openTextOf(path);
        return open === undefined ? (await readInputAsync(path)).bytes : Buffer.from(open);
      },
    });
    const { catalog, findings, warnings } = await withinLimit(loading, source);
    const isBroken = findings.some(({ severity }) => severity === 'error');
    return {
      ...(!isBroken && { catalog }),
      warnings: warnings.map(({ message }) => `${source}: ${message}`),
    };
  } catch (error) {
    return { warnings: [error instanceof Error ? error.message : String(error)] };
  }
}

/** Returns the name of the environment variable with a server's API key, from the user-level perturb.toml. */
function ownVariable(url: string, env: SourceOptions['env']): string | undefined {
  const path = userConfigPath(env);
  const decoded = path === undefined ? undefined : readTrusted(path, () => {});
  if (decoded === undefined) return undefined;
  const { servers } = readSettings(decoded, [], true).settings;
  return withUserKeys(new Map([['', { url }]]), servers).get('')?.apiKeyEnv;
}

/**
 * Merges the mutators of all sources. If any source cannot be used, the result has no catalog, because the source's
 * mutators would be missing.
 */
export function joinCatalogs(loaded: readonly ProjectCatalog[]): ProjectCatalog {
  const catalogs = loaded.flatMap(({ catalog }) => catalog ?? []);
  const isComplete = loaded.length > 0 && catalogs.length === loaded.length;
  return {
    ...(isComplete && { catalog: createCatalog(catalogs.flatMap(({ mutators }) => mutators)) }),
    warnings: loaded.flatMap(({ warnings }) => warnings),
  };
}

/** Returns a fingerprint of the file at a path, which changes when the file changes on disk. */
export async function fileStamp(path: string): Promise<string> {
  const { size, mtimeMs, ino } = await stat(path).catch(() => ({ size: 0, mtimeMs: 0, ino: 0 }));
  return `${path} ${size} ${mtimeMs} ${ino}`;
}

/** Adds a timeout to loading, because a network file system may be slow too. */
function withinLimit<T>(loading: Promise<T>, source: string): Promise<T> {
  // Longer than the timeout for a server's response, which has a more specific message.
  const limit = setTimeout(2 * LIMIT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`${source}: loading timed out`);
  });
  return Promise.race([loading, limit]);
}
