import type { Session } from '../../session/index.js';
import type { Test } from '../query/query.js';
import { allEvents } from '../select/candidates.js';
import { selectEvents } from '../select/select-events.js';
import { Matches } from './matches.js';

/** A cache of the events that match each pattern in a session. */
export class Selection {
  readonly #matches = new Map<string, Matches>();

  constructor(readonly session: Session) {}

  matching(pattern: Test): Matches {
    const { session } = this;
    const key = JSON.stringify(pattern, (_, value) => distinctly(value));
    const matches =
      this.#matches.get(key) ??
      new Matches(session, selectEvents(session, pattern, allEvents(session)));
    this.#matches.set(key, matches);
    return matches;
  }
}

/** Converts a value for JSON, with a tag for values that JSON cannot represent. */
function distinctly(value: unknown): unknown {
  const isPlain = typeof value === 'number' ? Number.isFinite(value) : typeof value !== 'bigint';
  return isPlain ? value : { [typeof value]: String(value) };
}
