import { isDeepStrictEqual } from 'node:util';
import {
  catalogSources,
  fileStamp,
  isServer,
  joined,
  loadSource,
  type OpenText,
  type Project,
  type ProjectCatalog,
  type SourceOptions,
  serversOf,
} from './project.js';

/** The mutators of projects: loaded in the background, and reloaded when they change. */
export interface Catalogs {
  /** What is known now. It never waits; what is not known yet begins to load. */
  of(project: Project): ProjectCatalog;
  /** What is known of the project whose perturb.toml is, or would be, at a path. */
  known(path: string): ProjectCatalog;
  /** Reloads everything; until that is done, what is known stays. */
  renew(): void;
  /** Reloads a file that was edited or closed, if mutators come from it. */
  renewFile(path: string): void;
  close(): void;
}

export interface CatalogOptions extends SourceOptions {
  /** Whether servers may be asked; without it, only files are read. */
  readonly trusted: boolean;
  /** What is known has changed, or a perturb.toml has. */
  readonly onChange: () => void;
  readonly onWarning: (warning: string) => void;
}

/** How often files on disk are polled, because clients need not report changes. */
const FILES_MS = 2_000;
/** Servers are asked once in this many polls of the files. */
const SERVERS_EVERY = 15;

interface Entry {
  project: Project;
  readonly sources: readonly string[];
  known: ProjectCatalog;
  /** What servers have answered: they are not asked again whenever a file changes. */
  answers: Map<string, ProjectCatalog>;
  /** When the files were last changed, as of the start of loading. */
  stamp: string;
  state: 'idle' | 'loading' | 'stale';
}

const NOTHING: ProjectCatalog = { warnings: [] };

export function createCatalogs(options: CatalogOptions): Catalogs {
  const { trusted, openText, onChange, onWarning } = options;
  const entries = new Map<string, Entry>();
  let polls = 0;
  const timer = setInterval(() => void poll(), FILES_MS).unref();

  const isCurrent = (entry: Entry): boolean => entries.get(entry.project.path) === entry;

  const loadOne = async (source: string, { project, answers }: Entry): Promise<ProjectCatalog> => {
    const answered = answers.get(source);
    if (answered !== undefined) return answered;
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
      entry.stamp = await stampOf(entry, openText);
      const loading = entry.sources.map((source) => loadOne(source, entry));
      const loaded = joined(await Promise.all(loading));
      if (!isCurrent(entry)) return;
      const { known } = entry;
      entry.known = loaded;
      const news = loaded.warnings.filter((warning) => !known.warnings.includes(warning));
      for (const warning of news) onWarning(warning);
      if (!isDeepStrictEqual(known.catalog?.mutators, loaded.catalog?.mutators)) onChange();
      // A file that has changed meanwhile may have been read before it did.
    } while (isStale(entry));
    entry.state = 'idle';
  };

  const loadAll = (entry: Entry): void => {
    // Replaced, not cleared: an answer that is still under way belongs to the old map.
    entry.answers = new Map();
    void load(entry);
  };

  const poll = async (): Promise<void> => {
    polls += 1;
    for (const entry of entries.values()) {
      if (entry.state !== 'idle') continue;
      const asksServers = polls % SERVERS_EVERY === 0 && entry.sources.some(isServer);
      const hasChanged = (await stampOf(entry, openText)) !== entry.stamp;
      if (!isCurrent(entry)) continue;
      if (hasChanged) onChange();
      if (asksServers) loadAll(entry);
      else if (hasChanged) void load(entry);
    }
  };

  return {
    of(project) {
      const sources = catalogSources(project, trusted);
      const entry = entries.get(project.path);
      if (entry !== undefined && isDeepStrictEqual(entry.sources, sources)) {
        const asked = serversOf(entry.project);
        entry.project = project;
        // Another server may be asked now, or the same one with another key.
        if (!isDeepStrictEqual(asked, serversOf(project))) loadAll(entry);
        return entry.known;
      }
      const blank = { known: NOTHING, answers: new Map(), stamp: '' };
      const added: Entry = { project, sources, state: 'idle', ...blank };
      entries.set(project.path, added);
      void load(added);
      return NOTHING;
    },
    known: (path) => entries.get(path)?.known ?? NOTHING,
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
      // What is still being loaded is no longer current, so it is reported to nobody.
      entries.clear();
    },
  };
}

function isStale({ state }: Entry): boolean {
  return state === 'stale';
}

/** When the files of a project were last changed on disk; for one that is open, only that it is. */
async function stampOf({ project, sources }: Entry, openText: OpenText): Promise<string> {
  const files = [project.path, ...sources.filter((source) => !isServer(source))];
  const stamps = files.map((file) => (openText(file) === undefined ? fileStamp(file) : 'open'));
  return (await Promise.all(stamps)).join('\n');
}
