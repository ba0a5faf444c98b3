import { existsSync, readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { NO_SETTINGS, readSettings, type Settings } from '../config/index.js';
import type { RuleMeta } from '../diagnostics/index.js';
import { type Catalog, loadCatalog } from '../mutators/index.js';
import { decodeSource } from '../source/index.js';

const NAME = 'perturb.toml';
/** How long a file or a mutator server may take to give its mutators. */
const LIMIT_MS = 5_000;

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
 * Where the mutators of a project are: the paths of files, and the URLs of servers.
 *
 * @param trusted whether servers may be asked; without it, they are left out
 */
export function catalogSources({ path, settings }: Project, trusted: boolean): readonly string[] {
  return settings.mutators
    .map((source) => settings.servers.get(source)?.url ?? source)
    .filter((source) => trusted || !isServer(source))
    .map((source) => (isServer(source) ? source : resolve(dirname(path), source)));
}

export function isServer(source: string): boolean {
  return source.includes('://');
}

/** Loads the mutators that perturb.toml names, as `objective lint` does, within a time limit. */
export async function loadProjectCatalog(
  project: Project,
  env: Readonly<Record<string, string | undefined>>,
  trusted: boolean,
): Promise<ProjectCatalog> {
  const sources = catalogSources(project, trusted);
  if (sources.length === 0) return { warnings: [] };
  const servers = new Map([...project.settings.servers.values()].map((one) => [one.url, one]));
  try {
    const loading = loadCatalog(sources, {
      offline: !trusted,
      timeoutMs: LIMIT_MS,
      apiKeyFor: (url) => env[servers.get(url)?.apiKeyEnv ?? ''],
      readFile: readRegularFile,
    });
    const { catalog, findings, warnings } = await withinLimit(loading, sources);
    const isBroken = findings.some(({ severity }) => severity === 'error');
    return {
      ...(!isBroken && { catalog }),
      warnings: warnings.map(({ source, message }) => `${source}: ${message}`),
    };
  } catch (error) {
    return { warnings: [error instanceof Error ? error.message : String(error)] };
  }
}

/** A path may be that of a pipe into which nobody writes, and reading would hold a thread. */
async function readRegularFile(path: string): Promise<Uint8Array> {
  if ((await stat(path)).isFIFO()) throw new Error(`${path} is a pipe`);
  return readFile(path);
}

/** Files may be slow as well, where they are another machine's. */
async function withinLimit<T>(loading: Promise<T>, sources: readonly string[]): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, fail) => {
    const tooLong = (): void => fail(new Error(`${sources.join(', ')}: loading takes too long`));
    // Later than a server's own limit, which says more.
    timer = setTimeout(tooLong, 2 * LIMIT_MS).unref();
  });
  try {
    return await Promise.race([loading, limit]);
  } finally {
    clearTimeout(timer);
  }
}
