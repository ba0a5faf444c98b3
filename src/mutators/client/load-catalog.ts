import type { Finding } from '../../diagnostics/index.js';
import { decodeSource } from '../../source/index.js';
import { loadManifest } from '../manifest/manifest.js';
import { type Catalog, createCatalog } from '../model/catalog.js';
import type { Mutator } from '../model/mutator.js';
import { readListing } from '../wire/listing.js';
import { createClient } from './client.js';
import { ClientError } from './client-error.js';
import { withoutCredentials } from './client-url.js';
import { listingError, offlineError, readError, SourceError } from './source-error.js';

export interface LoadOptions {
  /** Refuses URLs, without opening a socket. */
  readonly offline: boolean;
  /** The API key of a server among the sources, by its URL and its place among them. */
  readonly apiKeyFor?: (url: string, index: number) => string | undefined;
  /** How long each server may take to answer. */
  readonly timeoutMs: number;
  /** Reads a file; an error of the system has a `code`. */
  readonly readFile: (path: string) => Promise<Uint8Array>;
}

/** Something in a source that could not be used. */
export interface SourceWarning {
  readonly source: string;
  readonly message: string;
}

export interface LoadedCatalog {
  readonly catalog: Catalog;
  /** The findings of manifests; one with findings adds no mutators to the catalog. */
  readonly findings: readonly Finding[];
  readonly warnings: readonly SourceWarning[];
}

interface Loaded {
  readonly mutators: readonly Mutator[];
  readonly findings?: readonly Finding[];
  readonly warnings?: readonly string[];
}

/**
 * Gathers mutators from sources: the paths of manifests and of saved listings,
 * and the URLs of servers. Rejects with a SourceError for the first source that
 * cannot be used.
 */
export async function loadCatalog(
  sources: readonly string[],
  options: LoadOptions,
): Promise<LoadedCatalog> {
  const offline = options.offline ? sources.find(isUrl) : undefined;
  if (offline !== undefined) throw offlineError(withoutCredentials(offline));
  const settled = await Promise.allSettled(
    sources.map((source, index) => load(source, index, options)),
  );
  const loaded = settled.map((result, index) => {
    if (result.status === 'rejected') throw result.reason;
    return { source: sources[index] as string, ...result.value };
  });
  return {
    catalog: createCatalog(
      loaded.flatMap(({ source, mutators }) =>
        mutators.map((mutator) => ({ ...mutator, origin: source })),
      ),
    ),
    findings: loaded.flatMap(({ findings = [] }) => findings),
    warnings: loaded.flatMap(({ source, warnings = [] }) =>
      warnings.map((message) => ({ source, message })),
    ),
  };
}

function isUrl(source: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(source);
}

function load(source: string, index: number, options: LoadOptions): Promise<Loaded> {
  return isUrl(source) ? loadServer(source, index, options) : loadFile(source, options);
}

async function loadServer(url: string, index: number, options: LoadOptions): Promise<Loaded> {
  const { timeoutMs } = options;
  const apiKey = options.apiKeyFor?.(url, index);
  try {
    const client = createClient({ url, timeoutMs, ...(apiKey !== undefined && { apiKey }) });
    return await client.list();
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    throw new SourceError(error.code, withoutCredentials(url), error.message);
  }
}

async function loadFile(path: string, options: LoadOptions): Promise<Loaded> {
  const bytes = await options.readFile(path).catch((error: unknown) => {
    throw readError(path, error) ?? error;
  });
  const decoded = decodeSource(path, bytes);
  if (!isJson(path, decoded.source.text)) {
    const { manifest, findings } = loadManifest(decoded);
    return { mutators: manifest?.mutators ?? [], findings };
  }
  const listing =
    decoded.invalid.length > 0
      ? ({ code: 'not-json', problem: 'the text is not UTF-8' } as const)
      : readListing(decoded.source.text);
  if ('problem' in listing) throw listingError(path, listing);
  return listing;
}

/** By the name's ending, or else by how the text begins: TOML cannot begin like a listing. */
function isJson(path: string, text: string): boolean {
  const ending = /\.(json|toml)$/i.exec(path)?.[1]?.toLowerCase();
  return ending === undefined ? /^\s*(?:\{|\[\s*[{\]])/.test(text) : ending === 'json';
}
