import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type NamedReading, readingFor } from '../config/index.js';
import { type Recorded, recordedOf } from '../expression/index.js';
import { type Reading, type Vocabulary, withPolls } from '../session/index.js';
import { findSessions, readVocabulary, vocabularyCache } from '../session/recordings/index.js';
import { fileStamp, type Project } from './project.js';

/** A cache of projects' recordings, read in the background and reread when sessions change. */
export interface Recordings {
  /** Returns the current recordings without waiting, and starts reading them if necessary. */
  of(project: Project): Recorded | undefined;
  /** Returns the cached recordings of the project whose perturb.toml is at a path. */
  known(path: string): Recorded | undefined;
  /** Searches for sessions immediately. */
  renew(): void;
  close(): void;
}

export interface RecordingsOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True if perturb.toml's patterns may be used. If false, a project that needs a pattern has no recordings. */
  readonly trusted: boolean;
  /** Called when recordings have changed. */
  readonly onChange: () => void;
  readonly onWarning: (warning: string) => void;
}

/** Interval between searches for sessions, in ms. Runs add sessions. */
const LOOK_MS = 10_000;
/** Timeout for matching a pattern against each chunk, in ms. Matching blocks all other requests. */
const LONGEST_MS = 1_000;

interface Entry {
  /** Files, directories and globs. */
  readonly words: readonly string[];
  readonly readings: readonly NamedReading[];
  expected: readonly string[];
  /** The names of the polls. */
  polls: readonly string[];
  vocabulary?: Vocabulary;
  recorded?: Recorded | undefined;
  /** A stamp for the sessions' last changes, computed before reading. */
  stamp: string;
  reading: boolean;
}

export function createRecordings(options: RecordingsOptions): Recordings {
  const { env, trusted, onChange, onWarning } = options;
  const entries = new Map<string, Entry>();
  const renew = (): void => {
    for (const path of entries.keys()) void refresh(path);
  };
  const timer = setInterval(renew, LOOK_MS).unref();

  /** Rereads a project's sessions if they have changed. */
  const refresh = async (path: string): Promise<void> => {
    const entry = entries.get(path);
    if (entry === undefined || entry.reading) return;
    entry.reading = true;
    try {
      const searches = entry.words.map((word) => findSessions(word, dirname(path)));
      const paths = (await Promise.all(searches)).flat();
      const stamp = (await Promise.all(paths.map(fileStamp))).join('\n');
      if (stamp === entry.stamp) return;
      entry.stamp = stamp;
      const { vocabulary, problems } = await readVocabulary(paths, vocabularyCache(env), {
        readingOf: (file) => readingOf(file, path, entry.readings, trusted),
        patternTimeoutMs: LONGEST_MS,
      });
      if (entries.get(path) !== entry) return;
      entry.vocabulary = vocabulary;
      entry.recorded = recordedIn(entry);
      for (const { path: file, message } of problems) onWarning(`${file}: ${message}`);
      onChange();
    } catch (error) {
      onWarning(error instanceof Error ? error.message : String(error));
    } finally {
      entry.reading = false;
    }
  };

  return {
    of({ path, settings, saved = settings }) {
      const { expected } = settings;
      const polls = settings.polls.map(({ name }) => name);
      const entry = entries.get(path);
      // Uses the settings on disk, because an incomplete path may match everything.
      const { sessions: words, readings } = saved;
      const isKnown =
        isDeepStrictEqual(entry?.words, words) && isDeepStrictEqual(entry?.readings, readings);
      if (entry === undefined || !isKnown) {
        if (words.length === 0) entries.delete(path);
        else {
          entries.set(path, { words, readings, expected, polls, stamp: '', reading: false });
          void refresh(path);
        }
        return undefined;
      }
      const isSame =
        isDeepStrictEqual(entry.expected, expected) && isDeepStrictEqual(entry.polls, polls);
      if (!isSame) {
        Object.assign(entry, { expected, polls });
        entry.recorded = recordedIn(entry);
      }
      return entry.recorded;
    },
    renew,
    known: (path) => entries.get(path)?.recorded,
    close() {
      clearInterval(timer);
      entries.clear();
    },
  };
}

function recordedIn({ vocabulary, expected, polls }: Entry): Recorded | undefined {
  return vocabulary && recordedOf(withPolls(vocabulary, polls), expected);
}

/**
 * Returns a project's settings for reading a session.
 *
 * @param project the path of the project's perturb.toml
 * @throws {Error} if the settings are invalid, or require a trusted workspace
 */
function readingOf(
  path: string,
  project: string,
  readings: readonly NamedReading[],
  trusted: boolean,
): Reading {
  const table = readingFor(readings, dirname(project), path);
  if (table === undefined) return {};
  const { name, reading, mistakes } = table;
  if (mistakes.length > 0) throw new Error(`${path}: [reading.${name}] has errors`);
  if (trusted || reading.pattern === undefined) return reading;
  throw new Error(`${path}: the pattern of [reading.${name}] is used only in a trusted folder`);
}
