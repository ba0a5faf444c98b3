import { stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  catalogSources,
  isServer,
  loadProjectCatalog,
  type Project,
  type ProjectCatalog,
} from './project.js';

/** The mutators of projects: loaded in the background, and loaded anew when they change. */
export interface Catalogs {
  /** What is known now. It never waits; what is not known yet is loaded from then on. */
  of(project: Project): ProjectCatalog;
  /** Loads everything anew; until then what is known stays. */
  renew(): void;
  close(): void;
}

export interface CatalogOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether servers may be asked; without it, only files are read. */
  readonly trusted: boolean;
  /** Something else is known, or a perturb.toml has changed. */
  readonly onChange: () => void;
  readonly onWarning: (warning: string) => void;
}

/** How often files are looked at, for a client may not tell of changes. */
const FILES_MS = 2_000;
/** Servers are asked at every so many looks at the files. */
const SERVERS_EVERY = 15;

interface Entry {
  readonly project: Project;
  readonly sources: readonly string[];
  known: ProjectCatalog;
  /** When the files were last changed, as they were when loading began. */
  stamp: string;
  state: 'idle' | 'loading' | 'stale';
}

const NOTHING: ProjectCatalog = { warnings: [] };

export function createCatalogs({ env, trusted, onChange, onWarning }: CatalogOptions): Catalogs {
  const entries = new Map<string, Entry>();
  let looks = 0;
  const timer = setInterval(() => void look(), FILES_MS).unref();

  const isCurrent = (entry: Entry): boolean => entries.get(entry.project.path) === entry;

  const load = async (entry: Entry): Promise<void> => {
    if (entry.state !== 'idle') {
      entry.state = 'stale';
      return;
    }
    do {
      entry.state = 'loading';
      entry.stamp = await stampOf(entry);
      const loaded = await loadProjectCatalog(entry.project, env, trusted);
      if (!isCurrent(entry)) return;
      const { known } = entry;
      entry.known = loaded;
      const news = loaded.warnings.filter((warning) => !known.warnings.includes(warning));
      for (const warning of news) onWarning(warning);
      if (!isDeepStrictEqual(known.catalog?.mutators, loaded.catalog?.mutators)) onChange();
      // What has changed meanwhile may have been read before.
    } while (isStale(entry));
    entry.state = 'idle';
  };

  const look = async (): Promise<void> => {
    looks += 1;
    for (const entry of entries.values()) {
      if (entry.state !== 'idle') continue;
      const asksServers = looks % SERVERS_EVERY === 0 && entry.sources.some(isServer);
      const hasChanged = (await stampOf(entry)) !== entry.stamp;
      if (!isCurrent(entry)) continue;
      if (hasChanged) onChange();
      if (hasChanged || asksServers) void load(entry);
    }
  };

  return {
    of(project) {
      const sources = catalogSources(project, trusted);
      const entry = entries.get(project.path);
      if (entry !== undefined && isDeepStrictEqual(entry.sources, sources)) return entry.known;
      const added: Entry = { project, sources, known: NOTHING, stamp: '', state: 'idle' };
      entries.set(project.path, added);
      void load(added);
      return NOTHING;
    },
    renew() {
      for (const entry of entries.values()) void load(entry);
    },
    close() {
      clearInterval(timer);
      // Nobody hears of what is still being loaded.
      entries.clear();
    },
  };
}

function isStale({ state }: Entry): boolean {
  return state === 'stale';
}

/** When the files of a project were last changed. */
async function stampOf({ project, sources }: Entry): Promise<string> {
  const files = [project.path, ...sources.filter((source) => !isServer(source))];
  const stamps = files.map(async (file) => {
    try {
      const { mtimeMs, size, ino } = await stat(file);
      return `${mtimeMs} ${size} ${ino}`;
    } catch {
      return '-';
    }
  });
  return (await Promise.all(stamps)).join('\n');
}
