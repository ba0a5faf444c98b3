import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { findByGlob, makeDirectories, readInputAsync, replaceFile } from '../../durable/index.js';
import { defined } from '../../values/index.js';
import { version } from '../../version.js';
import { defaultProbeOf, readSessionStream } from '../files/index.js';
import { problemText } from '../problem.js';
import type { Reading } from '../reading.js';
import { joinVocabularies, type Vocabulary, vocabularyOf } from '../vocabulary.js';

/*
 * The vocabularies of session files, and their cache. The user's cache directory contains a file for each directory
 * with sessions. Writes nothing next to the sessions.
 */

/** A vocabulary read from files. */
export interface VocabularyReading {
  readonly vocabulary: Vocabulary;
  /** Problems with files that were read only partly, or not at all. */
  readonly problems: readonly { readonly path: string; readonly message: string }[];
}

/** A file's cached vocabulary, and the file's identity at the time of reading. */
interface CachedFile {
  /** The file's size, modification time and inode. */
  readonly stamp: string;
  /** The SHA-256 of the file's bytes. */
  readonly digest: string;
  /** The overrides used for reading the file, as JSON. */
  readonly reading: string;
  /** Absent if the file is not a session. */
  readonly vocabulary?: Vocabulary;
  readonly problem?: string;
}

type KeptFiles = ReadonlyMap<string, CachedFile>;

interface VocabularyOptions {
  /** Called with the number of bytes of a file read so far. */
  readonly onProgress?: (bytes: number) => void;
  /** Returns the overrides for reading a file. Errors propagate to the caller. */
  readonly readingOf?: (path: string) => Reading;
  /** Timeout for matching patterns in one piece, in milliseconds (default 10,000). */
  readonly patternTimeoutMs?: number;
}

/**
 * Reads the vocabulary of session files in any format. Skips broken entries.
 *
 * @param paths absolute paths
 * @param cache the cache directory; without it, nothing is cached
 */
export async function readVocabulary(
  paths: readonly string[],
  cache: string | undefined,
  { readingOf = () => ({}), ...options }: VocabularyOptions = {},
): Promise<VocabularyReading> {
  const vocabularies: Vocabulary[] = [];
  const problems: { path: string; message: string }[] = [];
  for (const directory of new Set(paths.map((path) => dirname(path)))) {
    const file = cache && join(cache, `${sha256(directory)}.json`);
    const previous: KeptFiles = file === undefined ? new Map() : await readCache(file);
    const current = new Map<string, CachedFile>();
    for (const path of new Set(paths.filter((candidate) => dirname(candidate) === directory))) {
      const name = basename(path);
      const cached = await getCachedFile(path, readingOf(path), previous.get(name), options);
      current.set(name, cached);
      if (cached.problem !== undefined) problems.push({ path, message: cached.problem });
      if (cached.vocabulary !== undefined) vocabularies.push(cached.vocabulary);
    }
    if (
      file !== undefined &&
      [...current].some(([name, cached]) => cached !== previous.get(name))
    ) {
      const otherFiles = [...previous].filter(([name]) => existsSync(join(directory, name)));
      // A failed write costs only time.
      await writeCache(file, new Map([...otherFiles, ...current])).catch(() => {});
    }
  }
  return { vocabulary: joinVocabularies(vocabularies), problems };
}

/**
 * Returns the cached entry of an unchanged file with the same reading; otherwise reads the file. A file is unchanged if
 * its size, time and inode, or else its bytes, are the same.
 */
async function getCachedFile(
  path: string,
  usedReading: Reading,
  cached: CachedFile | undefined,
  options: Omit<VocabularyOptions, 'readingOf'>,
): Promise<CachedFile> {
  const reading = JSON.stringify(usedReading, (_, value) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
  const previous = cached?.reading === reading ? cached : undefined;
  try {
    const stats = await stat(path, { bigint: true });
    // A pipe or a device may never end.
    if (!stats.isFile()) return { ...UNREAD_FILE, problem: 'it is not a regular file' };
    const { size, mtimeNs, ino } = stats;
    const stamp = `${size} ${mtimeNs} ${ino}`;
    if (previous?.stamp === stamp) return previous;
    if (previous !== undefined) {
      const hash = createHash('sha256');
      for await (const piece of createReadStream(path)) hash.update(piece);
      if (hash.digest('hex') === previous.digest) return { ...previous, stamp };
    }
    const hash = createHash('sha256');
    const pieces = (async function* () {
      for await (const piece of createReadStream(path, { highWaterMark: PIECE })) {
        hash.update(piece);
        yield piece;
      }
    })();
    const { session, problems, more } = await readSessionStream(pieces, {
      ...{ ...options, tolerant: true, probe: defaultProbeOf(path), reading: usedReading },
    });
    const digest = hash.digest('hex');
    const [first] = problems;
    const remaining = problems.filter(({ count }) => count !== 0).length - 1 + more;
    const problem =
      first && `${problemText(first)}${remaining > 0 ? `, and ${remaining} more` : ''}`;
    const vocabulary = session && session.size > 0 ? vocabularyOf(session) : undefined;
    return { stamp, digest, reading, ...defined({ vocabulary, problem }) };
  } catch (error) {
    return { ...UNREAD_FILE, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** An identity that matches no file, so the file is read again next time. */
const UNREAD_FILE = { stamp: '', digest: '', reading: '' };

const PIECE = 1 << 20;

/** The version of the cached content. Increment the version whenever the content of vocabularies changes. */
const FORM = 3;

/** Reads a cache file; returns an empty map if the file is damaged, not private to the user, or of another version. */
async function readCache(path: string): Promise<KeptFiles> {
  try {
    const { bytes, stats } = await readInputAsync(path, { noFollow: true });
    const isOwn = process.getuid === undefined || stats.uid === process.getuid();
    const isPrivate = process.platform === 'win32' || (stats.mode & 0o077) === 0;
    const text = bytes.toString();
    const end = text.indexOf('\n');
    if (!isOwn || !isPrivate || text.slice(0, end) !== sha256(text.slice(end + 1)))
      return new Map();
    const { writer, form, files } = JSON.parse(text.slice(end + 1), decodeMap);
    // Another version of Perturb may read more formats, or collect other facts.
    return writer === version && form === FORM && files instanceof Map ? files : new Map();
  } catch {
    return new Map();
  }
}

async function writeCache(path: string, files: KeptFiles): Promise<void> {
  const text = JSON.stringify({ writer: version, form: FORM, files }, encodeMap);
  makeDirectories(dirname(path), 0o700);
  const temporary = `${path}.${process.pid}.tmp`;
  await replaceFile(path, Buffer.from(`${sha256(text)}\n${text}`), { mode: 0o600, temporary });
}

/** Encodes a map as an object with an array of entries, because names from recordings must not become keys. */
function encodeMap(_key: string, value: unknown): unknown {
  return value instanceof Map ? { mapOf: [...value] } : value;
}

function decodeMap(_key: string, value: null | { readonly mapOf?: [unknown, unknown][] }): unknown {
  return value?.mapOf === undefined ? value : new Map(value.mapOf);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Returns the cache directory, under `$XDG_CACHE_HOME` or otherwise `~/.cache`. */
export function vocabularyCache(
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { XDG_CACHE_HOME = '', HOME = '' } = env;
  const caches = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(HOME, '.cache');
  return isAbsolute(caches) ? join(caches, 'perturb', 'vocabulary') : undefined;
}

const SESSION = /\.session\.jsonl(?:\.gz)?$/;
/** Matches a run's sessions in its directory `attempts`, but not their source files. */
const RUN_FILE = /^[^.]+\.jsonl$/;

/**
 * Returns the absolute paths of the session files selected by a word. A file of any name selects itself. A directory
 * selects the files named `*.session.jsonl` or `*.session.jsonl.gz`, and the sessions of runs. A glob selects the files
 * that match. Returns an empty array for a missing path.
 */
export async function findSessions(word: string, directory: string): Promise<string[]> {
  const path = resolve(directory, word);
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isDirectory()) return listSessions(path);
  if (stats !== undefined) return [path];
  if (!/[*?[\]{}]/.test(word)) return [];
  return (await findByGlob(word, directory)).map((file) => resolve(directory, file));
}

/** Lists the session files in a directory. Includes git-ignored files, because recordings are seldom committed. */
async function listSessions(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const paths: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      const isExcluded = entry.name === '.git' || entry.name === 'node_modules';
      if (!isExcluded) paths.push(...(await listSessions(path)));
    } else if (entry.isFile()) {
      const isOfRun = basename(directory) === 'attempts' && RUN_FILE.test(entry.name);
      if (isOfRun || SESSION.test(entry.name)) paths.push(path);
    }
  }
  return paths;
}
