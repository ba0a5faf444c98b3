import type { Session } from '../../session/index.js';
import type { Test } from '../query/query.js';
import { allEvents } from '../select/candidates.js';
import { selectEvents } from '../select/select-events.js';
import { Matches } from './matches.js';

/** The events of a session that patterns match, selected once for each. */
export class Selection {
  readonly #known = new Map<Test, Matches>();

  constructor(readonly session: Session) {}

  matching(pattern: Test): Matches {
    const { session } = this;
    const known =
      this.#known.get(pattern) ??
      new Matches(session, selectEvents(session, pattern, allEvents(session)));
    this.#known.set(pattern, known);
    return known;
  }
}
