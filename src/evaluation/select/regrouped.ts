import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';

/**
 * A session with events of another session on other timelines. Events that only carry order are hidden: no pattern
 * matches them.
 */
export interface RegroupedSession extends Session {
  readonly original: Session;
  /** For each event, its number in the original session, or -1. */
  readonly originals: Int32Array;
  /** The events that patterns may match, ascending. */
  readonly visible: Int32Array;
}

/** Returns the session if it is a regrouped one; else undefined. */
export function asRegrouped(session: Session): RegroupedSession | undefined {
  return 'originals' in session ? (session as RegroupedSession) : undefined;
}

/** Returns the session that a regrouped one is made from; any other unchanged. */
export function originalOf(session: Session): Session {
  return asRegrouped(session)?.original ?? session;
}

/** Returns the number of an event in the original session. */
export function originalEvent(session: Session, event: number): number {
  const regroupedSession = asRegrouped(session);
  return regroupedSession === undefined ? event : at(regroupedSession.originals, event);
}
