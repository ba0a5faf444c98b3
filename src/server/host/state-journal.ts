import * as Type from 'typebox';
import { exitCodes, PerturbError } from '../../basics/index.js';
import {
  codeOf,
  decodeJournal,
  InputError,
  isSystemError,
  JournalFile,
  type JournalFormat,
  readInputAsync,
  replaceFile,
} from '../../durable/index.js';
import {
  NUMBER,
  objectSchema,
  parseRecord,
  type RecordOf,
  stringifyRecord,
  TEXT,
} from '../../records/index.js';

/** Error codes for problems with a state directory. */
export type StateErrorCode = keyof typeof MESSAGES;

/** Messages with remedies, by code. */
const MESSAGES = {
  'not-usable': ({ path, detail }) =>
    `the state directory ${path} cannot be used (${detail}): give this user access to the directory, because it records active mutations`,
  'no-lock': ({ path, detail }) =>
    `the state directory ${path} cannot be locked (${detail}): choose a short path on a local file system`,
  'in-use': ({ path, detail }) =>
    `the state directory ${path} is in use by another server (process ${detail}): stop that server, or choose another directory with --state-dir`,
  untrusted: ({ path, detail }) =>
    `${path} records active mutations, and cannot be trusted (${detail}): nothing was reset; if you trust its origin, make it writable only by this user; otherwise choose another directory with --state-dir`,
  foreign: ({ path, detail }) =>
    `the state directory ${path} has records from another directory: nothing was reset or restored. A start would ${detail}. If you have moved or copied the directory, start with --adopt-state; if you do not trust its origin, choose another directory with --state-dir`,
  gone: ({ path }) =>
    `the journal or the lock of the state directory ${path} was removed or replaced while the server ran, so the server resets all active mutators and shuts down`,
  'not-written': ({ path, detail }) =>
    `${path} cannot be written (${detail}): injections are refused until it is writable`,
} satisfies Readonly<Record<string, (about: Record<'path' | 'detail', string>) => string>>;

/** The error for a state directory that cannot be used as requested. The message is for people. */
export class StateError extends PerturbError<StateErrorCode> {
  /**
   * @param path the directory, or a file in it
   * @param detail the specific cause that the message contains
   */
  constructor(code: StateErrorCode, path: string, detail = '') {
    super(code, MESSAGES[code]({ path, detail }), exitCodes.unavailable);
  }
}

/** The journal's record of a mutator that may have to be reset. */
const MUTATOR_RECORD = objectSchema({
  /** The mutation; absent if the mutator was only reset. */
  mutation: Type.Optional(TEXT),
  /** Milliseconds since 1970. */
  since: NUMBER,
  /** An identifier of the state directory in which the mutator was recorded. */
  recordedIn: Type.Optional(TEXT),
});

export type MutatorRecord = RecordOf<typeof MUTATOR_RECORD>;

/** A record of a touched mutator, of a cleared mutator (without `touched`), or of stopped injections. */
const TOUCH_RECORD = Type.Union([
  objectSchema({ id: TEXT, touched: Type.Optional(MUTATOR_RECORD) }),
  /** The time at which injections were stopped, in milliseconds since 1970; null if they are allowed again. */
  objectSchema({ held: Type.Union([NUMBER, Type.Null()]) }),
]);

type TouchRecord = RecordOf<typeof TOUCH_RECORD>;

/** The journal file's format. */
export const stateFormat: JournalFormat<TouchRecord> = {
  name: 'perturb-journal',
  version: 2,
  encode: (record) => stringifyRecord(TOUCH_RECORD, record),
  decode: (json) => parseRecord(TOUCH_RECORD, json),
};

/** A journal's content. */
interface JournalState {
  /** Mutators that were touched and not cleared, by id. */
  readonly entries: Map<string, MutatorRecord>;
  /** The time at which injections were stopped, in milliseconds since 1970; undefined if they are allowed. */
  held?: number | undefined;
  /**
   * A description of the damage. A damaged journal may have lost records of active mutators, so opening it adds all
   * mutators to `entries`.
   */
  readonly damage?: string;
}

/** Decodes a journal's text. Uses the readable records of a damaged journal. */
export function decodeState(text: string): JournalState {
  const { records, damage } = decodeJournal(stateFormat, text);
  const state: JournalState = {
    entries: new Map(),
    ...(damage !== undefined && { damage }),
  };
  for (const record of records) apply(state, record);
  return state;
}

function apply(state: JournalState, record: TouchRecord): void {
  if ('held' in record) state.held = record.held ?? undefined;
  else if (record.touched === undefined) state.entries.delete(record.id);
  else state.entries.set(record.id, record.touched);
}

/** A durable record of the touched mutators. */
export interface StateJournal extends Readonly<JournalState> {
  /** Records that a mutator is about to be touched. The record is on disk when the promise resolves. */
  touch(id: string, touched: MutatorRecord): Promise<void>;
  /** Records that a mutator has been reset. */
  clear(id: string): Promise<void>;
  /**
   * Stops injections, or allows them again if `since` is undefined. Takes effect at once, and is durable when the
   * promise resolves.
   */
  hold(since: number | undefined): Promise<void>;
  close(): Promise<void>;
}

/** The options for opening a journal. */
export interface StateJournalOptions {
  /** The ids of all mutators, any of which may be active if the journal is damaged. */
  readonly mutators: readonly string[];
  /** True if the journal must exist, because the directory has been in use. */
  readonly isExpected: boolean;
  /** An identifier of the state directory, for records. */
  readonly place?: string;
  /** Called before each record. Rejects to prevent the record. */
  readonly check?: (file: Pick<JournalFile<unknown>, 'isNamed'>) => Promise<void>;
  /** Maximum length of the journal's history (default 4,096 records). */
  readonly maxRecords?: number;
}

/** Number of records after which the journal is rewritten without its history. */
const MAX_RECORDS = 4_096;

/**
 * Opens or creates the journal at a path, which must not be open elsewhere. If a journal is readable but not writable,
 * `unusable` is the reason, and the journal refuses all additions. Rejects with a StateError for an unreadable journal.
 */
export async function openStateJournal(
  path: string,
  { mutators, isExpected, place, check, maxRecords = MAX_RECORDS }: StateJournalOptions,
) {
  const state = await readState(path, isExpected);
  const { entries } = state;
  if (state.damage !== undefined) {
    // The copy is for people to inspect.
    await copyDamaged(path).catch(() => {});
    const since = Date.now();
    for (const id of mutators) if (!entries.has(id)) entries.set(id, { since });
  }
  const recordedPlace = place !== undefined && { recordedIn: place };
  for (const [id, touched] of entries) entries.set(id, { ...touched, ...recordedPlace });
  let file: JournalFile<TouchRecord> | StateError = await JournalFile.open(path, stateFormat, {
    renew: (newRecords) => {
      const nextState: JournalState = { ...state, entries: new Map(entries) };
      for (const record of newRecords) apply(nextState, record);
      const records: TouchRecord[] = [...nextState.entries].map(([id, touched]) => ({
        id,
        touched,
      }));
      return nextState.held === undefined ? records : [...records, { held: nextState.held }];
    },
    apply: (record) => apply(state, record),
    isLong: (records) => records - entries.size > maxRecords,
  }).catch((error: unknown) => toWriteError(path, error));
  const add = async (record: TouchRecord): Promise<void> => {
    if (file instanceof StateError) throw file;
    await check?.(file);
    if (file instanceof StateError) throw file;
    await file.add(record).catch((error: unknown) => {
      throw toWriteError(path, error);
    });
  };
  const journal: StateJournal = {
    ...state,
    get held() {
      return state.held;
    },
    touch: (id, touched) => add({ id, touched: { ...touched, ...recordedPlace } }),
    clear: (id) => add({ id }),
    hold(since) {
      state.held = since;
      return add({ held: since ?? null });
    },
    async close() {
      const closing = file;
      file = new StateError('not-written', path, 'closed');
      if (!(closing instanceof StateError)) await closing.close();
    },
  };
  return {
    journal,
    unusable: file instanceof StateError ? file : undefined,
    /** Runs the same check as before each record. Never rejects. */
    checkPresence: async () =>
      file instanceof StateError ? undefined : check?.(file).catch(() => {}),
  };
}

async function copyDamaged(path: string): Promise<void> {
  const { bytes } = await readInputAsync(path, { noFollow: true });
  const copyPath = `${path}.damaged`;
  await replaceFile(copyPath, bytes, { mode: 0o600, temporary: `${copyPath}.new` });
}

/** Returns the error for a journal that the system cannot write. Rethrows any other error, which is a bug. */
function toWriteError(path: string, error: unknown): StateError {
  if (!isSystemError(error)) throw error;
  return new StateError('not-written', path, error.message);
}

/** Reads the journal at a path, without changing it. Rejects with a StateError. */
export async function readState(path: string, isExpected: boolean): Promise<JournalState> {
  try {
    const { bytes } = await readInputAsync(path, { noFollow: true });
    return decodeState(bytes.toString());
  } catch (error) {
    if (error instanceof InputError) throw new StateError('untrusted', path, error.message);
    if (codeOf(error) !== 'ENOENT') throw new StateError('not-usable', path, codeOf(error));
    return { entries: new Map(), ...(isExpected && { damage: 'it is missing' }) };
  }
}
