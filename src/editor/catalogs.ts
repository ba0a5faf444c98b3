import { isDeepStrictEqual } from 'node:util';
import {
  catalogSources,
  fileStamp,
  isServer,
  joinCatalogs,
  loadSource,
  type OpenTextOf,
  type Project,
  type ProjectCatalog,
  type SourceOptions,
  serversOf,
} from './project.js';

/** A cache of projects' mutators, loaded in the background and reloaded when they change. */
export interface Catalogs {
  /** Returns the current catalog without waiting, and starts loading it if necessary. */
  of(project: Project): ProjectCatalog;
  /** Returns the cached catalog of the project whose actual or expected perturb.toml is at a path. */
  known(path: string): ProjectCatalog;
  /** Reloads all catalogs. The current catalogs stay in use until the reload ends. */
  renew(): void;
  /** Reloads an edited or closed file if it provides mutators. */
  renewFile(path: string): void;
  close(): void;
}

export interface CatalogOptions extends SourceOptions {
  /** True if servers may be queried. If false, only files are read. */
  readonly trusted: boolean;
  /** Called when a catalog or a perturb.toml has changed. */
  readonly onChange: () => void;
  readonly onWarning: (warning: string) => void;
}

/** Interval between polls of the files on disk, in ms. Required because clients need not report changes. */
const FILES_MS = 2_000;
/** Number of file polls per server query. */
const SERVERS_EVERY = 15;

interface Entry {
  project: Project;
  readonly sources: readonly string[];
  catalog: ProjectCatalog;
  /** The servers' cached responses. A file change alone does not query the servers again. */
  answers: Map<string, ProjectCatalog>;
  /** A stamp for the files' last changes, computed before loading. */
  stamp: string;
  state: 'idle' | 'loading' | 'stale';
}

const NO_CATALOG: ProjectCatalog = { warnings: [] };

export function createCatalogs(options: CatalogOptions): Catalogs {
  const { trusted, openTextOf, onChange, onWarning } = options;
  const entries = new Map<string, Entry>();
  let polls = 0;
  const timer = setInterval(() => void poll(), FILES_MS).unref();

  const isCurrent = (entry: Entry): boolean => entries.get(entry.project.path) === entry;

  const loadOne = async (source: string, { project, answers }: Entry): Promise<ProjectCatalog> => {
    const pendingAnswer = answers.get(source);
    if (pendingAnswer !== undefined) return pendingAnswer;
    const loaded = await loadSource(source, project, options);
    if (isServer(source)) answers.set(source, loaded);
    return loaded;
  };

  const load = async (entry: Entry): Promise<void> => {
    if (entry.state !== 'idle') {
      entry.state = 'stale';
      return;
    }
    do {
      entry.state = 'loading';
      entry.stamp = await stampOf(entry, openTextOf);
      const loading = entry.sources.map((source) => loadOne(source, entry));
      const loaded = joinCatalogs(await Promise.all(loading));
      if (!isCurrent(entry)) return;
      const { catalog: previous } = entry;
      entry.catalog = loaded;
      const news = loaded.warnings.filter((warning) => !previous.warnings.includes(warning));
      for (const warning of news) onWarning(warning);
      if (!isDeepStrictEqual(previous.catalog?.mutators, loaded.catalog?.mutators)) onChange();
      // Loads again if stale, because a file that changed during loading may have been read before the change.
    } while (isStale(entry));
    entry.state = 'idle';
  };

  const loadAll = (entry: Entry): void => {
    // Creates a new map instead of clearing the old one, which pending responses still use.
    entry.answers = new Map();
    void load(entry);
  };

  const poll = async (): Promise<void> => {
    polls += 1;
    for (const entry of entries.values()) {
      if (entry.state !== 'idle') continue;
      const queriesServers = polls % SERVERS_EVERY === 0 && entry.sources.some(isServer);
      const hasChanged = (await stampOf(entry, openTextOf)) !== entry.stamp;
      if (!isCurrent(entry)) continue;
      if (hasChanged) onChange();
      if (queriesServers) loadAll(entry);
      else if (hasChanged) void load(entry);
    }
  };

  return {
    of(project) {
      const sources = catalogSources(project, trusted);
      const entry = entries.get(project.path);
      if (entry !== undefined && isDeepStrictEqual(entry.sources, sources)) {
        const servers = serversOf(entry.project);
        entry.project = project;
        // The edit may have changed a server or its key.
        if (!isDeepStrictEqual(servers, serversOf(project))) loadAll(entry);
        return entry.catalog;
      }
      const blank = { catalog: NO_CATALOG, answers: new Map(), stamp: '' };
      const newEntry: Entry = { project, sources, state: 'idle', ...blank };
      entries.set(project.path, newEntry);
      void load(newEntry);
      return NO_CATALOG;
    },
    known: (path) => entries.get(path)?.catalog ?? NO_CATALOG,
    renew() {
      for (const entry of entries.values()) loadAll(entry);
    },
    renewFile(path) {
      for (const entry of entries.values()) {
        if (entry.sources.includes(path)) void load(entry);
      }
    },
    close() {
      clearInterval(timer);
      // Discards the results of pending loads.
      entries.clear();
    },
  };
}

function isStale({ state }: Entry): boolean {
  return state === 'stale';
}

/** Returns a stamp for the last changes to a project's files on disk. An open file counts as unchanged. */
async function stampOf({ project, sources }: Entry, openTextOf: OpenTextOf): Promise<string> {
  const files = [project.path, ...sources.filter((source) => !isServer(source))];
  const stamps = files.map((file) => (openTextOf(file) === undefined ? fileStamp(file) : 'open'));
  return (await Promise.all(stamps)).join('\n');
}
