import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';

/**
 * A session with another session's events on different timelines. Events that only carry order are hidden from
 * patterns.
 */
export interface RegroupedSession extends Session {
  readonly original: Session;
  /** Each event's number in the original session, or -1. */
  readonly originals: Int32Array;
  /** The events that patterns can match, ascending. */
  readonly visible: Int32Array;
}

/** Returns the session if it is regrouped, otherwise undefined. */
export function asRegrouped(session: Session): RegroupedSession | undefined {
  return 'originals' in session ? (session as RegroupedSession) : undefined;
}

/** Returns a regrouped session's original, or any other session unchanged. */
export function originalOf(session: Session): Session {
  return asRegrouped(session)?.original ?? session;
}

/** Returns an event's number in the original session. */
export function originalEvent(session: Session, event: number): number {
  const regroupedSession = asRegrouped(session);
  return regroupedSession === undefined ? event : at(regroupedSession.originals, event);
}
