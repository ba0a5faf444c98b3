import { type Session, writeNeutral } from '../../src/session/index.js';

/** The records of a session's events and interactions, timeline by timeline, without what its header says. */
export function recordsOf({ reading: _, ...session }: Session): string[] {
  return [...writeNeutral(session)].join('').trim().split('\n');
}
