import { quote, suggest } from '../../diagnostics/index.js';
import type { ObjectiveStore, Revision } from '../../store/index.js';
import { exitCodes } from '../runtime/exit-codes.js';
import { Failure } from '../runtime/failure.js';

/**
 * The revision that `NAME` or `NAME@REVISION` stands for, the newest one of a
 * name alone. A name may itself end like a revision; it comes first then.
 *
 * @throws Failure (usage) when there is none, with what may have been meant
 */
export async function findRevision(store: ObjectiveStore, word: string): Promise<Revision> {
  const whole = await store.find(word);
  if (whole !== undefined) return whole;
  const [, name, revision] = /^(.+)@(\d{1,9})$/s.exec(word) ?? [];
  if (name === undefined) throw await noObjective(store, word);
  const found = await store.find(name, Number(revision));
  if (found !== undefined) return found;
  const newest = await store.find(name);
  if (newest === undefined) throw await noObjective(store, name);
  throw new Failure(
    exitCodes.usage,
    `${quote(name)} has no revision ${revision}: its newest is ${newest.revision}`,
  );
}

/** The failure for a name that no objective has. */
export async function noObjective(store: ObjectiveStore, name: string): Promise<Failure> {
  const names = await store.names();
  const help = suggest(name, names);
  return new Failure(
    exitCodes.usage,
    `the store has no objective ${quote(name)}`,
    help ?? 'The store is empty.',
  );
}
