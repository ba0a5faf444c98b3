import { exitCodes, PerturbError } from '../../basics/index.js';
import { type Finding, quote } from '../../diagnostics/index.js';
import { InputError } from '../../durable/index.js';
import { decodeSource } from '../../source/index.js';
import { defined } from '../../values/index.js';
import { loadManifest } from '../manifest/manifest.js';
import { type Catalog, createCatalog, type Mutator } from '../model/mutator.js';
import { formatWarnings, type Listing, readListing } from '../wire/listing.js';
import { createClient, withoutCredentials } from './client.js';
import { ClientError } from './client-error.js';

const READ_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
};

/** The error for an unusable mutator source. The message is human-readable and names the source. */
export class SourceError extends PerturbError<'unusable-source'> {
  constructor(message: string) {
    super('unusable-source', message, exitCodes.unavailable);
  }
}

/** Converts an error from reading a file. Returns undefined for a bug, which is an error without a `code`. */
function readError(source: string, error: unknown): SourceError | undefined {
  if (!(error instanceof Error && 'code' in error)) return undefined;
  const code = String(error.code);
  const knownReason = error instanceof InputError ? error.message : READ_ERRORS[code];
  const reason = knownReason ?? `reading it failed (${code})`;
  return new SourceError(`cannot read mutators from ${quote(source)}: ${reason}`);
}

export interface LoadOptions {
  /** True to refuse URLs without opening a socket. */
  readonly offline: boolean;
  /** Returns the API key of a server, by its URL and its index among the sources. */
  readonly apiKeyFor?: (url: string, index: number) => string | undefined;
  /** Timeout for each request (default: `SERVER_TIMEOUT`). */
  readonly timeoutMs?: number;
  /** Reads a file. On a system error, rejects with an error that has a `code`. */
  readonly readFile: (path: string) => Promise<Uint8Array>;
}

/** A warning about an unusable part of a source. */
export interface SourceWarning {
  readonly source: string;
  readonly message: string;
}

export interface LoadedCatalog {
  readonly catalog: Catalog;
  /** The findings of manifests. A manifest with findings adds no mutators to the catalog. */
  readonly findings: readonly Finding[];
  readonly warnings: readonly SourceWarning[];
}

interface LoadResult {
  readonly mutators: readonly Mutator[];
  readonly findings?: readonly Finding[];
  readonly warnings?: Listing['warnings'];
}

/**
 * Loads mutators from sources. A source is a manifest's path, a saved listing's path or a server's URL. Rejects with a
 * SourceError for the first unusable source.
 */
export async function loadCatalog(
  sources: readonly string[],
  options: LoadOptions,
): Promise<LoadedCatalog> {
  const offlineUrl = options.offline ? sources.find(isUrl) : undefined;
  if (offlineUrl !== undefined) {
    throw new SourceError(
      `${quote(withoutCredentials(offlineUrl))} cannot be fetched with --offline: save the server's listing to a file and pass that file`,
    );
  }
  const results = await Promise.allSettled(
    sources.map((source, index) =>
      isUrl(source) ? loadServer(source, index, options) : loadFile(source, options),
    ),
  );
  const sourceResults = results.map((result, index) => {
    if (result.status === 'rejected') throw result.reason;
    return { source: sources[index] as string, ...result.value };
  });
  return {
    catalog: createCatalog(
      sourceResults.flatMap(({ source, mutators }) =>
        mutators.map((mutator) => ({ ...mutator, origin: source })),
      ),
    ),
    findings: sourceResults.flatMap(({ findings = [] }) => findings),
    warnings: sourceResults.flatMap(({ source, warnings = [] }) =>
      formatWarnings(warnings).map((message) => ({ source, message })),
    ),
  };
}

function isUrl(source: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(source);
}

async function loadServer(url: string, index: number, options: LoadOptions): Promise<LoadResult> {
  const { timeoutMs } = options;
  const apiKey = options.apiKeyFor?.(url, index);
  try {
    return await createClient({ url, ...defined({ timeoutMs, apiKey }) }).list();
  } catch (error) {
    throw error instanceof ClientError ? new SourceError(error.message) : error;
  }
}

async function loadFile(path: string, options: LoadOptions): Promise<LoadResult> {
  const bytes = await options.readFile(path).catch((error: unknown) => {
    throw readError(path, error) ?? error;
  });
  const decoded = decodeSource(path, bytes);
  const { source, invalid } = decoded;
  if (!isJson(path, source.text)) {
    const { manifest, findings } = loadManifest(decoded);
    return { mutators: manifest?.mutators ?? [], findings };
  }
  const listing =
    invalid.length > 0 ? { problem: 'the text is not UTF-8' } : readListing(source.text);
  if (!('problem' in listing)) return listing;
  throw new SourceError(`${quote(path)} is not a mutator listing: ${listing.problem}`);
}

/**
 * True for JSON, by the file's extension or, if that is inconclusive, by the start of the text. No TOML text starts
 * like a listing.
 */
function isJson(path: string, text: string): boolean {
  const extension = /\.(json|toml)$/i.exec(path)?.[1]?.toLowerCase();
  return extension === undefined ? /^\s*(?:\{|\[\s*[{\]])/.test(text) : extension === 'json';
}
