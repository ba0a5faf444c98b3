import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { NO_SETTINGS, readSettings, type Settings } from '../config/index.js';
import type { RuleMeta } from '../diagnostics/index.js';
import { type Catalog, loadCatalog, SourceError } from '../mutators/index.js';
import { decodeSource } from '../source/index.js';

const NAME = 'perturb.toml';
/** How long a mutator server may take to list its mutators. */
const SERVER_TIMEOUT_MS = 5_000;

/** What the files of a directory tree are checked with. */
export interface Project {
  /** Where perturb.toml is, or would be. */
  readonly path: string;
  /** Its text; absent where there is no such file. */
  readonly text?: string;
  readonly settings: Settings;
}

/** The project of a file: that of the nearest perturb.toml upwards. Reads the file anew. */
export function projectOf(file: string, rules: readonly RuleMeta[]): Project {
  for (let at = dirname(file); ; at = dirname(at)) {
    const path = join(at, NAME);
    if (existsSync(path)) return readProject(path, rules);
    if (dirname(at) === at) return { path: join(dirname(file), NAME), settings: NO_SETTINGS };
  }
}

function readProject(path: string, rules: readonly RuleMeta[]): Project {
  try {
    const decoded = decodeSource(path, readFileSync(path));
    return { path, text: decoded.source.text, settings: readSettings(decoded, rules).settings };
  } catch {
    return { path, settings: NO_SETTINGS };
  }
}

/** The mutators of a project, or why there are none. */
export interface ProjectCatalog {
  readonly catalog?: Catalog;
  readonly warnings: readonly string[];
}

/**
 * Loads the mutators that perturb.toml names, as `objective lint` does.
 *
 * @param trusted whether servers may be asked; without it, only files are read
 */
export async function loadProjectCatalog(
  { path, settings }: Project,
  env: Readonly<Record<string, string | undefined>>,
  trusted: boolean,
): Promise<ProjectCatalog> {
  const servers = new Map([...settings.servers.values()].map((server) => [server.url, server]));
  const isServer = (source: string): boolean => source.includes('://');
  const sources = settings.mutators
    .map((source) => settings.servers.get(source)?.url ?? source)
    .filter((source) => trusted || !isServer(source))
    .map((source) => (isServer(source) ? source : resolve(dirname(path), source)));
  if (sources.length === 0) return { warnings: [] };
  try {
    const { catalog, findings, warnings } = await loadCatalog(sources, {
      offline: !trusted,
      timeoutMs: SERVER_TIMEOUT_MS,
      apiKeyFor: (url) => env[servers.get(url)?.apiKeyEnv ?? ''],
      readFile: (file) => readFile(file),
    });
    const isBroken = findings.some(({ severity }) => severity === 'error');
    return {
      ...(!isBroken && { catalog }),
      warnings: warnings.map(({ source, message }) => `${source}: ${message}`),
    };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { warnings: [error.message] };
  }
}
